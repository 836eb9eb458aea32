"""A key that occurs twice in an object of a request document is refused; in catalogs and objects, the last one wins."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import olmsolve
from olmsolve.requests.documents import LARGEST, RepeatedKey, repeated_key
from tests.growing import times_as_long
from tests.scale import scaled
from tests.yaml_files import yaml_text

DOCUMENT = """\
namespaces: [team, olm]
catalogs:
- name: main
  blobs:
  - {schema: olm.package, name: p, name: p}
- {name: other, namespace: olm, priority: 1, blobs: []}
subscriptions:
- name: a
  package: p
"""


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        (DOCUMENT + "subscriptions: []\n", "subscriptions", 10),
        (DOCUMENT + '"subscriptions": []\n', "subscriptions", 10),
        (DOCUMENT + "  channel: x\n  package: q\n", "package", 11),
        (DOCUMENT.replace("priority: 1", "name: x"), "name", 6),
        ("# one\n---\n" + DOCUMENT + "namespaces: []\n", "namespaces", 12),
        ('{"namespaces": [],\n "a": {"b": 1,"b":2}}', "b", 2),
        ('{"namespaces":[],"catalogs":[],"subscriptions":[{"name":"a","name":"b"}]}', "name", 1),
        ("a:\n  - b: 1\n    c:\n    - d: 1\n    b: 2\n", "b", 5),
        ("a:\n- - b: 1\n    b: 2\n", "b", 3),
        ("a: {b: 1,\n  c: 2, b: 3}\n", "b", 2),
        ("a:\n- {b: 1, b: 2}\n", "b", 2),
        ("a:\n-   b: 1\n    b: 2\n", "b", 3),
        ("? [1]\n: 1\na: 1\na: 2\n", "a", 4),
        ("x: {a: it's, a: isn't}\n", "a", 1),
        ('x: {a: 5", a: 6"}\n', "a", 1),
    ],
)
def test_a_repeated_key_is_found(text: str, key: str, line: int) -> None:
    assert repeated_key(text) == RepeatedKey(key, line)


@pytest.mark.parametrize(
    "text",
    [
        DOCUMENT,
        "a: |\n  b: 1\n  b: 2\nc: 3\n",
        "a:\n- b: 1\n- b: 2\n- c:\n  - b: 1\n  - b: 2\n",
        "a: [{b: 1}, {b: 2}]\nc: {b: 1, d: {b: 2}}\n",
        "a: 'text: {b: 1, b: 2}'\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, name: b}\n",
        "a: 1\n---\na: 2\n",
        "fbc:\n- {name: a, name: b}\n",
        "a: [\n",
        "",
    ],
)
def test_a_key_that_stands_once_is_not(text: str) -> None:
    assert repeated_key(text) is None


_VALUES = st.recursive(
    st.integers() | st.sampled_from(["", "a", "{a: 1, a: 2}", "a: 1\na: 2\n", "https://a:b", "# a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c d"]), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["a", "b", "x"]), _VALUES, min_size=1))
def test_documents_that_programs_write_have_none(value: dict[str, object]) -> None:
    """And with one key more at their end, they have one, in block style and as JSON."""
    first = next(iter(value))
    for text in (yaml_text(value), json.dumps(value), json.dumps(value, indent=2)):
        assert repeated_key(text) is None
    repeated = repeated_key(yaml_text(value) + f"{first}: 1\n")
    assert repeated is not None
    assert repeated.key == first
    assert repeated_key(f'{json.dumps(value)[:-1]}, "{first}": 1}}') == RepeatedKey(first, 1)


Pairs = list[tuple[str, object]]
_KEYS = st.sampled_from(["a", "b", "c d", "e.f/g"])
_PAIRS = st.recursive(
    st.lists(st.tuples(_KEYS, st.sampled_from(["1", "x y", "'{a: 1, a: 2}'", '"\\"{"'])), max_size=3),
    lambda inner: st.lists(st.tuples(_KEYS, inner | st.lists(inner, min_size=1, max_size=2).map(tuple)), max_size=3),
    max_leaves=6,
)


def _flow(value: object) -> str:
    if isinstance(value, list):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value) + "}"
    return "[" + ", ".join(map(_flow, value)) + "]" if isinstance(value, tuple) else str(value)


def _block(value: object, indent: str, chance: random.Random) -> str:
    """*value* behind a colon or a dash, in block style, or in flow style where *chance* wants it."""
    if not isinstance(value, list | tuple) or not value or chance.random() < 0.3:
        return f" {_flow(value)}\n"
    if isinstance(value, tuple):
        return "\n" + "".join(f"{indent}-{_block(inner, indent + '  ', chance)}" for inner in value)
    lines = [f"{key}:{_block(inner, indent + '  ', chance)}" for key, inner in value]
    return f"\n{indent}" + indent.join(lines)


def _is_repeated(value: object) -> bool:
    if isinstance(value, list):
        return len({key for key, _ in value}) < len(value) or any(_is_repeated(inner) for _, inner in value)
    return isinstance(value, tuple) and any(map(_is_repeated, value))


@settings(max_examples=scaled(400))
@given(_PAIRS, st.randoms(use_true_random=False))
def test_no_repeated_key_is_missed(pairs: Pairs, chance: random.Random) -> None:
    """Whatever the style: the first look at the text is right where it finds nothing."""
    text = _block([("top", pairs)], "", chance)

    assert (repeated_key(text) is not None) == _is_repeated(pairs), text


def test_the_error_names_file_line_and_key(tmp_path: Path) -> None:
    """From a file and from an open one."""
    file = tmp_path / "request.yaml"
    file.write_text(DOCUMENT + "namespaces: [team]\n", "utf-8")
    with file.open("rb") as stream:
        for source in (str(file), stream):
            with pytest.raises(olmsolve.RequestError) as caught:
                olmsolve.read_request(source)
            assert (caught.value.field, caught.value.source) == ("namespaces", f"{file}:10")
            assert "occurs twice" in caught.value.reason
    assert olmsolve.read_request(io.StringIO(DOCUMENT)).subscriptions[0].name == "a"


def test_what_is_too_large_for_people_is_not_looked_at() -> None:
    text = DOCUMENT + "# \n" * LARGEST + "namespaces: [team]\n"
    assert olmsolve.read_request(io.StringIO(text)).namespaces == ("team",)


def test_quotes_that_are_not_closed_take_no_quadratic_time() -> None:
    """Text in a block may hold anything; each of its quotes may not be taken for the begin of a string in turn."""

    def look(size: int) -> None:
        assert repeated_key('a: |\n  {"' + '\\"' * size) is None

    assert times_as_long(look, 500, 4_000) < 30
