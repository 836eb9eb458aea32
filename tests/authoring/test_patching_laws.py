"""Laws of patching one document: the text that comes out has the new value, whatever its style and the change."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import attrs
import pytest
import yaml

from olmsolve.authoring.in_place import UnclearTextError, patched
from tests.scale import scaled

_KEYS = ("name", "replaces", "skips", "value", "type", "é")
_TEXTS = ("a", "p.v1.0.0", "yes", "1.10", "", "it's", 'a "b"', "x: y", "# no comment", "é")


def _value(generator: random.Random, depth: int = 3) -> Any:
    kind = generator.random()
    if depth and kind < 0.3:
        keys = generator.sample(_KEYS, generator.randint(0, 3))
        return {key: _value(generator, depth - 1) for key in keys}
    if depth and kind < 0.6:
        return [_value(generator, depth - 1) for _ in range(generator.randint(0, 4))]
    return generator.choice([*_TEXTS, *_TEXTS, 1, 2.5, True, None])


def _loaded(text: str) -> Any:
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe


def _changed(generator: random.Random, value: Any) -> Any:
    """Return *value* with one or two changes: something else, more, or less, at any depth."""
    if isinstance(value, dict) and value and generator.random() < 0.8:
        key = generator.choice(list(value))
        if generator.random() < 0.3:
            return {name: inner for name, inner in value.items() if name != key}
        if generator.random() < 0.3:
            return value | {generator.choice(_KEYS): _value(generator, 2)}
        return value | {key: _changed(generator, value[key])}
    if isinstance(value, list) and value and generator.random() < 0.9:
        position = generator.randrange(len(value))
        kind = generator.random()
        if kind < 0.3:
            return value[:position] + value[position + 1 :]
        if kind < 0.6:
            return [*value[:position], _value(generator, 2), *value[position:]]
        if kind < 0.7:
            return [_value(generator, 1)]
        return [*value[:position], _changed(generator, value[position]), *value[position + 1 :]]
    return _value(generator, 2)


@attrs.define
class _Writer:
    """Writes a value as YAML in one style, with comments and empty lines; they are counted, so each is another one."""

    generator: random.Random
    dash: int
    comments: int = 0

    def document(self, value: dict[str, Any]) -> str:
        """Return *value* over lines."""
        return "".join(f"{line}\n" for line in self._lines(value)[1])

    def _lines(self, value: Any) -> tuple[bool, list[str]]:
        """Return whether *value* stands on the line of its key, and its lines."""
        if not value or not isinstance(value, (dict, list)) or self.generator.random() < 0.2:
            return True, [self._flow(value) + self._comment()]
        lines: list[str] = []
        parts = value.items() if isinstance(value, dict) else ((None, inner) for inner in value)
        for key, inner in parts:
            if lines and self.generator.random() < 0.1:
                lines.append(self.generator.choice(["", "# between"]))
            beside, below = self._lines(inner)
            if key is None:
                lines += [f"- {below[0]}", *(f"  {line}" if line else "" for line in below[1:])]
            elif beside:
                lines.append(f"{self._text(key)}: {below[0]}")
            else:
                indent = " " * (self.dash if isinstance(inner, list) else 2)
                lines += [
                    f"{self._text(key)}:{self._comment()}",
                    *(f"{indent}{line}" if line else "" for line in below),
                ]
        return False, lines

    def _comment(self) -> str:
        self.comments += 1
        return f"  # {self.comments}" if self.generator.random() < 0.15 else ""

    def _flow(self, value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self._text(key)}: {self._flow(inner)}" for key, inner in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self._flow, value)) + "]"
        return self._text(value) if isinstance(value, str) else json.dumps(value)

    def _text(self, text: str) -> str:
        plain = text.replace(".", "").isalpha() and text.isascii() and text != "yes"
        kinds = [json.dumps(text, ensure_ascii=False), "'" + text.replace("'", "''") + "'"]
        return self.generator.choice([text, text, *kinds]) if plain else self.generator.choice(kinds)


def _text(generator: random.Random, form: str, value: dict[str, Any]) -> str:
    if form == "json":
        indent = generator.choice([None, 1, 2, 4])
        separators = generator.choice([None, (",", ":")]) if indent is None else None
        return json.dumps(value, indent=indent, separators=separators, ensure_ascii=False) + generator.choice(
            ["", "\n"]
        )
    text = _Writer(generator, generator.choice([0, 2])).document(value)
    return text.replace("\n", "\r\n") if generator.random() < 0.1 else text


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_the_text_has_the_new_value_or_is_left_to_others(form: str) -> None:
    """A patch that is wrong would write a catalog that nobody meant; one that is not clear is refused."""
    patches = refused = 0
    for seed in range(scaled(4000)):
        generator = random.Random(f"{form} {seed}")
        old = {key: _value(generator) for key in generator.sample(_KEYS, generator.randint(1, 4))}
        text = _text(generator, form, old)
        assert _loaded(text) == old, (seed, text)
        assert patched(text, old, copy.deepcopy(old), is_json=form == "json") == text
        new = _changed(generator, old)
        if generator.random() < 0.3 and isinstance(new, dict):
            new = _changed(generator, new)
        if not isinstance(new, dict):
            continue
        try:
            result = patched(text, old, new, is_json=form == "json")
        except UnclearTextError:
            refused += 1
            continue
        assert (json.loads(result) if form == "json" else _loaded(result)) == new, (seed, text, new, result)
        patches += 1
    assert patches > scaled(4000) // 2
    assert refused < patches // 5
