"""Catalogs as text under fuzzing: two readers of one format agree, and what loads can be written and loads again."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import Any, Final
from unittest import mock

from olmsolve.catalog.fbc import Document, blobs, from_blobs, json_text, load, rendered, yaml_fast, yaml_text
from olmsolve.errors import CatalogError

__all__ = ["JSON_SEEDS", "JSON_TOKENS", "YAML_SEEDS", "YAML_TOKENS", "json_catalog", "yaml_catalog"]

_VARYING: Final = re.compile(r"'.*'|\".*\"|\d+|\n.*", re.DOTALL)
_CONTROL: Final = "not valid YAML: control characters are not allowed"


def json_catalog(text: str) -> str:
    """Read *text* with the fast decoder from the first character on, and without it."""
    with mock.patch.object(json_text, "_LONG", 0):
        fast = _read(json_text.documents, text)
    with mock.patch.object(json_text, "_LONG", 1 << 60):
        careful = _read(json_text.documents, text)
    assert fast == careful, (fast, careful)
    return _loaded(text, careful)


def yaml_catalog(text: str) -> str:
    """Read *text* line by line, and with the careful reader alone."""
    fast, careful = _read(yaml_fast.documents, text), _read(yaml_text.documents, text)
    if careful and careful[-1][0] == _CONTROL:
        # The parser behind the careful reader looks ahead, and finds these before what stands before them.
        assert isinstance(fast[-1][1], str), fast
        fast = [*fast[: len(careful) - 1], careful[-1]]
    assert fast == careful, (fast, careful)
    return _loaded(f"---\n{text}", careful)


def _read(read: Callable[[Iterator[str], str], Iterator[Document]], text: str) -> list[tuple[Any, Any]]:
    # As files are read, where half a character cannot be.
    text = text.encode("utf-8", "replace").decode()
    results: list[tuple[Any, Any]] = []
    try:
        for value, place in read(iter([text]) if text else iter(()), "f"):
            results.append((repr(value), place))
    except CatalogError as error:
        results.append((error.reason, error.origin))
    except json_text.NotJsonError as error:
        results.append((error.reason, str(error.line)))
    return results


def _loaded(text: str, documents: list[tuple[Any, Any]]) -> str:
    ended = documents[-1][0] if documents and isinstance(documents[-1][1], str) else ""
    outcome = f"{min(len(documents), 4)} {_VARYING.sub('#', ended)[:60]}"
    try:
        catalog = load(io.BytesIO(text.encode("utf-8", "replace")))
    except CatalogError as error:
        return f"{outcome} {_VARYING.sub('#', error.reason)[:60]}"
    assert from_blobs(blobs(catalog)) == catalog
    for form in ("json", "yaml"):
        written = "".join(rendered(catalog, form))
        reloaded = load(io.StringIO(written))
        assert reloaded == catalog, written
        assert list(map(repr, blobs(reloaded))) == list(map(repr, blobs(catalog)))
    return f"{outcome} {len(catalog.packages)} {len(catalog.others)}"


JSON_TOKENS: Final = (
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "\n",
    "\n}",
    " ",
    "\t",
    "1",
    "-0",
    "e9",
    "1e999",
    ".",
    "é",
    "\x00",
    "\x7f",
    "\\ud83d",
    "\\u0061",
    '"schema":"x"',
    '"name":"n"',
    '"package":"p"',
    "null",
    "true",
    "NaN",
    "---\n",
    "\r",
    "\ufeff",
    '{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"a"}]}\n',
    '"properties":[{"type":"t"}]',
)
JSON_SEEDS: Final = (
    '{"schema":"olm.package","name":"p","defaultChannel":"c"}\n{"schema":"x"}\n',
    '{"schema":"olm.bundle","package":"p","name":"b","properties":[{"type":"t","value":{"a":[1,2.5,null]}}]}',
    '{\n  "schema": "olm.channel",\n  "package": "p",\n  "name": "c",\n  "entries": [{"name": "a", "x": 1}]\n}\n',
    '{"schema":"olm.deprecations","package":"p","entries":[{"reference":{"schema":"olm.package"},"message":"m"}]}\n',
)
YAML_TOKENS: Final = (
    "- ",
    ": ",
    ":",
    "#",
    " # c",
    "'",
    '"',
    "\\",
    "|\n",
    "|-\n",
    ">\n",
    "|2\n",
    "&a ",
    "*a",
    "!!str ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\t",
    "---\n",
    "...\n",
    "%",
    "<<: ",
    "? ",
    "y",
    "null",
    "~",
    "1e5",
    "0o7",
    "010",
    ".inf",
    "\n",
    "\n  ",
    "\n    ",
    "  ",
    "key:\n",
    "- key: v\n",
    "schema: z\n",
    "\x00",
    "\x85",
    "\u2028",
    "\ufeff",
    "é",
    "\r",
    "@",
    "=",
    "- - a\n",
)
YAML_SEEDS: Final = (
    "schema: olm.package\nname: p\ndefaultChannel: c\nicon:\n  mediatype: x\n---\nschema: y\n",
    "schema: olm.bundle\npackage: p\nname: b\nproperties:\n- type: t\n  value:\n    a: |-\n      x\n       y\n\n",
    "---\n# c\nschema: x\nv: this\n  goes on\nw: 'it''s'\nl: [a, {b: c}]\nm: \"a\\n\\\n  b\"\n",
    "schema: x\na: &a {k: v}\nb: *a\nc:\n  <<: *a\n",
)
