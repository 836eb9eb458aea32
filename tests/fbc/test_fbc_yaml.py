"""YAML means what Kubernetes tooling (sigs.k8s.io/yaml) makes of it, and no more than JSON can hold."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import pytest

from olmsolve.catalog.fbc import load
from olmsolve.errors import CatalogError


def value(text: str) -> Any:
    """Return the value of ``v`` in a document that has *text* behind it."""
    return load(io.StringIO(f"schema: x\nv: {text}\n")).others[0].value["v"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", True),
        ("On", True),
        ("y", True),
        ("NO", False),
        ("yEs", "yEs"),
        ("'yes'", "yes"),
        ("~", None),
        ("", None),
        ("Null", None),
        ("1", 1),
        ("+1", 1),
        ("-0", 0),
        ("010", 8),
        ("-010", -8),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b101", 5),
        ("08", 8.0),
        ("1e999", "1e999"),
        ("-" + "9" * 5_000, "-" + "9" * 5_000),
        ("1_000", 1000),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 1.8446744073709552e19),
        ("-9223372036854775809", -9.223372036854776e18),
        ("0xffffffffffffffffff", "0xffffffffffffffffff"),
        ("0b-11", -3),
        (".5_0", 0.5),
        ("1.0", 1.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1.20", 1.2),
        ("1.2.3", "1.2.3"),
        ("v1", "v1"),
        ("12:30:45", "12:30:45"),
        ("2024-01-01", "2024-01-01"),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        (".", "."),
        ("+", "+"),
        ("=", "="),
        ("!!str 1", "1"),
        ("! 1", "1"),
        ("!!int '1'", 1),
        ("!!float 1", 1.0),
        ("!!bool 'on'", True),
        ("!!null ''", None),
        ("!!timestamp 2024-01-01", "2024-01-01"),
        ("!!timestamp 2024-2-29T1:2:3.5Z", "2024-2-29T1:2:3.5Z"),
        ("!!python/object/apply:os.system [exit]", ["exit"]),
        ("!custom x", "x"),
        ("!!binary aGk=", "hi"),
        ("!!binary gGk=", "\ufffdi"),
        ("!!set {a, b}", {"a": None, "b": None}),
        ("!!omap [a: 1]", [{"a": 1}]),
        ("!!map {a: 1}", {"a": 1}),
        ("!!seq [1]", [1]),
        ("{1: a, true: b, 1.5: c, 0x10: d}", {"1": "a", "true": "b", "1.5": "c", "16": "d"}),
        ("{1.0: a, 123456789.123: b, 1e39: c, .nan: d}", {"1": "a", "1.2345679e+08": "b", ".inf": "c", ".nan": "d"}),
        ("{a:, b: 1}", {"a:": None, "b": 1}),
        ('"it\\\'s"', "it's"),
        ("[]#c", []),
        ("\ufeffa", "\ufeffa"),
        ("{a: 1, a: 2}", {"a": 2}),
        ("|\n  a\n  b", "a\nb\n"),
    ],
)
def test_scalars(text: str, expected: Any) -> None:
    """YAML 1.1 words and octal numbers, but no dates and no base 60; repr tells 1 from True and 1.0."""
    assert repr(value(text)) == repr(expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".nan", "the number .nan, which JSON does not have"),
        ("-.inf", "the number -.inf, which JSON does not have"),
        ("!!float .inf", "the number .inf, which JSON does not have"),
        ("!!binary aGk", "where its tag says binary"),
        ("!!int x", "a string where its tag says int"),
        ("!!timestamp 2023-2-29", "a string where its tag says timestamp"),
        ("{18446744073709551615: 1}", "a key that is a number beyond 2"),
        ('"a\\/b"', "found unknown escape character"),
        ("{null: 1}", "a key that is null, not a string"),
        ("{[1]: 1}", "a key that is a list, not a string"),
        ("*nowhere", "the alias \\*nowhere has no anchor"),
        ("&a [*a]", "the anchor &a contains itself"),
        ("{<<: 1}", "a merge key"),
        ("{<<: [{}, 1]}", "a merge key"),
        ("[&a [], {<<: *a}]", "a merge key"),
    ],
)
def test_what_json_does_not_have_is_refused(text: str, message: str) -> None:
    """A value that JSON cannot hold would fail far from its cause, and a tag must never construct an object."""
    with pytest.raises(CatalogError, match=message) as caught:
        value(text)
    assert caught.value.origin == "<stream>:2"


def test_aliases_and_merge_keys() -> None:
    """Authors keep large files short with both. A merge key counts where it stands; of a list the first wins."""
    text = (
        "{base: &b {k: 1, l: 1}, more: &m {l: 2, m: 2}, use: {<<: [*b, *m], k: 3}, late: {k: 3, <<: *b},"
        " two: {<<: *b, <<: *m}, again: *b, quoted: {'<<': 1}, tagged: {! '<<': *m, !!str <<: 1}}"
    )
    assert value(text) == {
        "base": {"k": 1, "l": 1},
        "more": {"l": 2, "m": 2},
        "use": {"k": 3, "l": 1, "m": 2},
        "late": {"k": 1, "l": 1},
        "two": {"k": 1, "l": 2, "m": 2},
        "again": {"k": 1, "l": 1},
        "quoted": {"<<": 1},
        "tagged": {"l": 2, "m": 2, "<<": 1},
    }


def test_what_a_later_field_replaces_is_no_fault() -> None:
    """A key or a number that JSON has not counts when the document becomes JSON: of equal keys, the last one does."""
    assert value("{a: {~: 1, b: .inf}, a: 2}") == {"a": 2}
    assert value("{a: .nan, <<: {a: 1}}") == {"a": 1}
    with pytest.raises(CatalogError, match="a key that is null"):
        value("{a: 1, a: [{b: {~: 1}}]}")


def test_an_anchor_named_twice() -> None:
    """An alias means the node whose anchor was read last, also where that node stands inside another of the name."""
    assert value("[&a [&a 1, *a], *a]") == [[1, 1], 1]


def test_anchors_end_with_their_document() -> None:
    """An alias of one document does not see the anchors of another."""
    with pytest.raises(CatalogError, match="has no anchor"):
        load(io.StringIO("schema: x\nv: &a 1\n---\nschema: x\nv: *a\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- schema: x\n", "<stream>:1: a list; documents are objects"),
        ("null\n", "<stream>:1: an empty document"),
        ("hello\n", "<stream>:1: the document is a string"),
        ("# only a comment\n", "<stream>:1: an empty document"),
        ("# before the first\n---\nschema: x\n", "<stream>:1: an empty document"),
        ("schema: x\n--- {schema: y}\n", "<stream>:2: '{schema: y}' follows a separator"),
        ("schema: x\n----\n", "<stream>:2: '-' follows a separator"),
        ("---\n---\nschema: x\n", "<stream>:1: an empty document"),
        ("schema: x\n---\n# nothing\n---\nschema: z\n", "<stream>:3: an empty document"),
        ("schema: x\n name: y\n", "<stream>:2: not valid YAML: mapping values are not allowed"),
        ("schema: x\nv: [1\n", "not valid YAML"),
        ("schema: x\n\tv: 1\n", "<stream>:2: not valid YAML"),
        ("schema: x\nv: \x01\n", "not valid YAML: control characters are not allowed"),
    ],
)
def test_documents_that_are_no_objects(text: str, message: str) -> None:
    """Each is an error for opm as well."""
    with pytest.raises(CatalogError) as caught:
        load(io.StringIO(text))
    assert message in str(caught.value)


def test_no_other_reader_of_yaml_takes_part() -> None:
    """Every YAML library has a dialect, and PyYAML has two, with libyaml and without; ``opm`` has its own."""
    text = "schema: x\nv: &a {k: [1, yes, 'no', 2024-01-01]} # c\nw: *a\n---\nschema: z\n"
    code = (
        "import io, sys; from olmsolve.catalog.fbc import load\n"
        "load(io.StringIO(sys.argv[1])); print('yaml' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
