"""Doors of the private wings show what somebody outside takes: other doors keep the names that a version has shown."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from olmsolve._lazy import _NEVER_SHOWN
from tests.architecture.imports import NAMES, PACKAGE, ROOMS, imported, imports_in, modules, name_of, parsed, wing

TESTS = PACKAGE.parent / "tests"
DOORS = [*sorted(room for room in ROOMS if wing(room) in _NEVER_SHOWN and room.count(".") > 1), "olmsolve.answers"]


def taken_from(tree: ast.Module, module: Path) -> set[tuple[str, str]]:
    """The names that *tree*, of the file *module*, takes from doors: by an import, or as an attribute of one."""
    taken = {(door, name) for door, name, _ in imports_in(tree, module) if door in ROOMS}
    doors = {name: f"{door}.{name}" for door, name in taken if f"{door}.{name}" in ROOMS}
    for node in ast.walk(tree) if doors else ():
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in doors:
            taken.add((doors[node.value.id], node.attr))
    return taken


@cache
def readers() -> dict[str, set[tuple[str, str]]]:
    """What each module takes from doors. Tests are readers as well: they ask at doors, not in the rooms behind them.

    It is read by the first test, and not as this module loads: that takes 2 s, which all workers would spend.
    """
    of_package = {name_of(module): taken_from(parsed(module), module) for module in modules()}
    # Nobody else reads the trees of the tests, which take 300 MB together.
    trees = ((module, ast.parse(module.read_text("utf-8"))) for module in TESTS.rglob("*.py"))
    return of_package | {str(module): taken_from(tree, module) for module, tree in trees}


@pytest.mark.parametrize("door", DOORS)
def test_names_on_private_doors_have_a_reader(door: str) -> None:
    """A name that nobody outside of the package takes is one that a reader of the door learns for nothing."""
    shown = {name for module, name, _ in imported(NAMES[door]) if module.startswith(f"{door}.")}
    outside = [names for reader, names in readers().items() if reader != door and not reader.startswith(f"{door}.")]
    assert shown - {name for names in outside for module, name in names if module == door} == set()
