"""Small modules with one reader: a file to open, and no idea that the reader does not have."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import Final

from olmsolve import _public
from tests.architecture.imports import NAMES, ROOMS, home, modules_imported, parsed, statements

_SMALL: Final = 90
"""Lines; a module from here on may be an idea of its own."""

_LONGEST: Final = 450
"""Lines; tests/architecture/test_layers.py allows no more."""

_LAZY: Final = "its reader imports it where it is needed, which most programs never do"
_FULL: Final = "its reader has no room for it: a module has at most 450 lines"

_STAY: Final = {
    "olmsolve._attrs_introspection": _LAZY,
    "olmsolve.answers.explain.extension": _LAZY,
    "olmsolve.requests.released": "functions that version 0.2.0 showed, which go with version 1.0",
    "olmsolve.semver.foreign": _LAZY,
}
"""Small modules with one reader that stay, each for a reason. The list only shrinks."""


def _readers() -> dict[str, set[str]]:
    """Return for each module who imports its names; a door that passes them on is no reader, one that uses them is."""
    readers: defaultdict[str, set[str]] = defaultdict(set)
    for here, targets in modules_imported().items():
        for there in targets:
            readers[there].add(here)
    for room in ROOMS:
        for node in statements(parsed(NAMES[room])):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    used = home(node.module or "", alias.name)
                    if used and alias.asname is None:
                        readers[used].add(room)
    return readers


def _public_homes() -> set[str]:
    """Return the modules that have public names: programs read them."""
    names = ((door, name) for door in _public.PUBLIC for name in _public.public_names(door))
    return {there for door, name in names if (there := home(door, name))}


def test_small_modules_with_one_reader_join_it() -> None:
    """Who follows a thread opens a file for each: fifty lines that one module reads should stand in that module."""
    public = _public_homes()
    alone = {
        name
        for name, readers in _readers().items()
        if len(readers) == 1 and name not in public | ROOMS and _lines(name) < _SMALL
    }
    assert alone == _STAY.keys()


def test_reasons_hold() -> None:
    """A reader that has become shorter has room again, and an import at the top of a module is not lazy."""
    for name, reason in _STAY.items():
        (reader,) = _readers()[name]
        if reason == _FULL:
            assert _lines(reader) + _lines(name) > _LONGEST, name
        elif reason == _LAZY:
            top = [node for node in parsed(NAMES[reader]).body if isinstance(node, ast.ImportFrom)]
            assert name not in {node.module for node in top}, name


def _lines(name: str) -> int:
    return len(NAMES[name].read_text("utf-8").splitlines())
