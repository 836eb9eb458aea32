"""The fast decoder of JSON and the careful one give the same documents and the same errors for any text.

The door takes either decoder by itself; only the modules behind it can be asked one at a time.
"""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from olmsolve.catalog.fbc import document, json_fast, json_text, load
from olmsolve.errors import CatalogError
from tests.scale import scaled

BUNDLE: dict[str, Any] = {
    "schema": "olm.bundle",
    "name": "b",
    "package": "p",
    "properties": [{"type": "t", "value": {"name": '"[\\', "n": [1, -0.0, 1e5, 12345678901234567890123, "é"]}}],
}
SEEDS = [
    json.dumps(BUNDLE) + '\n{"schema": "x", "v": {}}\n\n---\n{"schema": "y"}',
    json.dumps(BUNDLE, indent=2, ensure_ascii=False) + "\n" + json.dumps({"schema": "x", "v": [{}]}, indent=4),
    json.dumps(BUNDLE).replace("\n", "\r\n") + '{"schema": "x"}\r\n{"schema": "x", "schema": "y"}\n',
    '{"schema": "x", "\\u0061": 1, "a": 2}\n',
    '{"schema": "x", "v": 1e999}\n{"schema": "y", "v": NaN}\n',
    '{"schema": "x", "v": "\\ud800 \\udc00\\ud83d"}\n' + '{"schema": "y", "v": ' + "[" * 240 + "]" * 240 + "}\n",
    '{"schema": "x", "v": 1' + "0" * 4_310 + "}\n",
]
BITS = [
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ",",
    ":",
    "\n",
    "\n}",
    " ",
    "\t",
    "1",
    "-",
    "e9",
    ".",
    "é",
    "\x00",
    "\x7f",
    "\\ud8",
]
BITS += ['"schema": "z"', "null", "tru", "NaN", "[" * 20, "9" * 400, "---\n", "\r", "\ufeff", "\u2028", '""', "0"]


def outcome(text: str, *, fast: bool) -> Any:
    """Return the documents of *text* with their origins, and the error that ends them, if any."""
    results: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        # Without its bound on lengths, the fast decoder takes part from the first character.
        patch.setattr(json_text, "_LONG", 0 if fast else 1 << 60)
        try:
            results.extend((repr(value), place) for value, place in json_text.documents(iter([text]), "f"))
        except CatalogError as error:
            results.append((error.reason, error.origin))
        except json_text.NotJsonError as error:
            results.append((error.reason, error.line, error.text, error.text_line, error.number))
    return results


@settings(max_examples=scaled(400), deadline=None)
@given(seed=st.sampled_from(SEEDS), chance=st.randoms(use_true_random=False), count=st.integers(0, 4))
def test_mutants_read_alike(seed: str, chance: random.Random, count: int) -> None:
    """Whichever decoder looks first, values, lines and errors are the same to the letter."""
    text = seed
    for _ in range(count):
        begin = chance.randrange(len(text) + 1)
        end = min(len(text), begin + chance.choice([0, 0, 1, 1, 5, 40]))
        text = text[:begin] + chance.choice([*BITS, ""]) + text[end:]
    assert outcome(text, fast=True) == outcome(text, fast=False)


@settings(max_examples=scaled(150), deadline=None)
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    indent=st.sampled_from([None, 1, 4]),
    ascii_only=st.booleans(),
)
@example(value={"schema": 1}, indent=None, ascii_only=True)
def test_every_value_reads_alike(value: Any, indent: int | None, ascii_only: bool) -> None:
    """Values of any shape, not only of shapes that catalogs have."""
    text = json.dumps({"schema": "x", "value": value}, indent=indent, ensure_ascii=ascii_only)
    if ascii_only or text.isascii():
        assert outcome(text + "\n" + text, fast=True) == outcome(text + "\n" + text, fast=False)


def test_the_fast_decoder_is_used() -> None:
    """The tests above would also pass if the fast decoder never took a document."""
    if not json_fast.usual_objects():
        pytest.skip("msgspec is not installed")
    for text in (json.dumps(BUNDLE), json.dumps(BUNDLE, indent=2), '{"schema": "x", "a": {"schema": 1}}' + " " * 5_000):
        assert json_fast.usual_object(text) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"v": "\\ud800"}',
        '{"v": 1e999}',
        "[]",
        "1",
        '{"a": 1} {}',
        '{"a":' * 300 + "1" + "}" * 300,
    ],
)
def test_what_is_left_to_the_careful_decoder(text: str) -> None:
    """Half characters, numbers beyond a double, depth: it alone knows what to say."""
    assert json_fast.usual_object(text) is None


def _walked(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (1 if isinstance(value, (dict, list)) else 0) + max(map(_walked, inner), default=0)


@given(
    value=st.recursive(
        st.text('a"\\[]{}\n', max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('"\\[{', max_size=2), inner, max_size=3),
        max_leaves=20,
    )
)
def test_depth_is_counted_outside_of_strings(value: Any) -> None:
    """Brackets in strings are no structure, however quotes and backslashes stand around them."""
    assert document.depth_of(json.dumps(value)) == _walked(value)


def test_loading_without_the_fast_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A platform without the fast decoder loads the same catalog."""
    lines = "".join(json.dumps({**BUNDLE, "name": f"b{number}"}) + "\n" for number in range(1_000))
    expected = load(io.StringIO(lines))
    monkeypatch.setattr(json_fast, "usual_objects", lambda: False)
    assert load(io.StringIO(lines)) == expected
