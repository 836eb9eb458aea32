"""Documents near those that commands read: values and texts taken out, doubled, exchanged, nested and made odd."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import yaml

__all__ = ["DocumentMutator", "every_replaced"]

_CORPUS: Final = 500
# What no field expects, and what some field expects elsewhere.
_ODD: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1.5, 2**64, 1e308, "", " ", "x", "a/b", "..", "../x", "/", "\0", "\x1b[2J", "\u202e",
    "\ud800", "é" * 300, "1.2.3", "v1.2", ">=1.0.0 <2.0.0", "not a version", "2026-11-22T00:00:00Z", [], {}, [[]],
    [None],
    {"": ""}, {"name": "x"}, ["a", "a"], "olm.bundle", "olm.channel", "Subscription", "Manual", "Failed", "stable",
)  # fmt: skip
_TOKENS: Final = (
    "---\n", "\t", "\ufeff", "{", "}", "[", "]", ":", ": ", "- ", "&a ", "*a", "<<: ", "!!binary ", "|", "'", '"', "#",
    "\\u0000", "\r\n", "\x85", "\u2028", "!!python/object:os.system ", "?", "%YAML 1.1\n", "1e999", "NaN", ".inf", "",
)  # fmt: skip

# One of each kind of value, and the containers that code takes apart.
_KINDS: Final[tuple[Any, ...]] = (None, True, 0, 1.5, "", "x", [], [1], ["x"], [[]], [{}], {}, {"x": 1}, {"x": [1]})


def every_replaced(documents: list[Any]) -> Iterator[str]:
    """Yield *documents* as lines of JSON with one value, each in turn, replaced by each kind of value or left out."""
    for holder, key in list(_places(documents)):
        was = holder[key]
        for value in _KINDS:
            holder[key] = value
            yield "\n".join(map(json.dumps, documents))
        del holder[key]
        yield "\n".join(map(json.dumps, documents))
        if isinstance(holder, list):
            holder.insert(key, was)
        else:
            holder[key] = was


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container in *holder*, itself included, with each of its keys."""
    for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
        yield holder, key
        if isinstance(holder[key], (dict, list)):
            yield from _places(holder[key])


class DocumentMutator:
    """An endless source of files near *seeds*, of which each is the values of a file's documents.

    The same *seed* gives the same files for the same calls of :meth:`learn`.
    """

    def __init__(self, seed: str, seeds: Sequence[list[Any]]) -> None:
        self._random = random.Random(seed)
        self._corpus = list(seeds)
        self._steps: tuple[Callable[[Any, Any], None], ...] = (
            self._drop, self._drop, self._double, self._exchange, self._exchange, self._odd, self._odd, self._rename,
            self._borrow, self._wrap,
        )  # fmt: skip

    def short(self) -> str:
        """Return a document with a few changes."""
        documents = self._copy(self._random.choice(self._corpus))
        for _ in range(self._random.choice((0, 1, 1, 1, 2, 2, 3, 6))):
            holder, key = self._anywhere(documents)
            if holder is not None:
                self._random.choice(self._steps)(holder, key)
        text = self._written(documents)
        while self._random.random() < 0.2:
            text = self._scratched(text)
        return text

    def long(self) -> str:
        """Return a document in which one part is repeated some thousand times, or nested some thousand deep."""
        documents = self._copy(self._random.choice(self._corpus))
        holder, key = self._anywhere(documents)
        if holder is None:
            return self._written(documents)
        value = holder[key]
        if self._random.random() < 0.5:
            return self._written(documents).replace(json.dumps(value), "[" * 5000 + "]" * 5000, 1)
        if isinstance(holder, list):
            holder[key:key] = [self._copy(value) for _ in range(self._random.choice((100, 2000)))]
        else:
            holder.update({f"{key}{number}": value for number in range(2000)})
        return self._written(documents)

    def learn(self, text: str) -> None:
        """Take *text*, whose outcome was a new one, for a seed, if it can be read."""
        if len(text) > 20_000 or len(self._corpus) >= _CORPUS:
            return
        try:
            documents = list(map(json.loads, text.splitlines())) if text[:1] == "{" else list(yaml.safe_load_all(text))
            json.dumps(documents, default=str)  # YAML has keys that no JSON object can have
        except (yaml.YAMLError, ValueError, TypeError, RecursionError):
            return
        if documents:
            self._corpus.append(documents)

    def _copy(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._copy(item) for key, item in value.items()}
        return [self._copy(item) for item in value] if isinstance(value, list) else value

    def _anywhere(self, documents: list[Any]) -> tuple[Any, Any]:
        """Return a random container of *documents* and a key in it; None where there is nothing."""
        holder: Any = documents
        while holder:
            key = self._random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            inner = holder[key]
            if not isinstance(inner, (dict, list)) or not inner or self._random.random() < 0.15:
                return holder, key
            holder = inner
        return None, None

    def _drop(self, holder: Any, key: Any) -> None:
        del holder[key]

    def _double(self, holder: Any, key: Any) -> None:
        if isinstance(holder, list):
            holder.insert(self._random.randrange(len(holder) + 1), self._copy(holder[key]))
        else:
            holder[f"{key}2"] = self._copy(holder[key])

    def _exchange(self, holder: Any, key: Any) -> None:
        other = self._random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        holder[key], holder[other] = holder[other], holder[key]

    def _odd(self, holder: Any, key: Any) -> None:
        holder[key] = self._copy(self._random.choice(_ODD))

    def _rename(self, holder: Any, key: Any) -> None:
        if isinstance(holder, dict):
            text = str(key)
            holder[self._random.choice((text.upper(), text[:-1], f"{text}s", text.title(), f" {text}"))] = holder.pop(
                key
            )

    def _borrow(self, holder: Any, key: Any) -> None:
        other, where = self._anywhere(self._random.choice(self._corpus))
        if other is not None:
            holder[key] = self._copy(other[where])

    def _wrap(self, holder: Any, key: Any) -> None:
        holder[key] = self._random.choice(([holder[key]], {"name": holder[key]}, str(holder[key])))

    def _written(self, documents: list[Any]) -> str:
        form = self._random.random()
        if form < 0.4:
            return "\n".join(json.dumps(document, default=str) for document in documents)
        try:
            return yaml.safe_dump_all(documents, allow_unicode=form < 0.7, sort_keys=False)
        except yaml.YAMLError:
            return json.dumps(documents, default=str)

    def _scratched(self, text: str) -> str:
        start = int(self._random.random() * (len(text) + 1))
        end = start + self._random.choice((0, 0, 1, 3, 30))
        return text[:start] + self._random.choice(_TOKENS) + text[end:]
