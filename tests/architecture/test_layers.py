"""The import arrows and the doors: each wing imports only what the table lets it import, and only what is exported."""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from olmsolve._public import shown
from tests.architecture.drawing import PAGE, PICTURE, page, picture, written
from tests.architecture.imports import (
    NAMES,
    PACKAGE,
    ROOMS,
    exports,
    imported,
    modules,
    modules_imported,
    name_of,
    parsed,
    statements,
    wing,
    wings_imported,
)
from tests.architecture.wings import FACADE, FOR_TESTS, GROUND, PAST_THE_DOOR, PUBLIC, TOP, WINGS

# These libraries ship no types and have traps of their own.
ONLY_IMPORTERS = {
    "celpy": "cel",
    "semantic_version": "semver",
    "pysat": "solver",
}
EXPORTS = {room: exports(room) for room in ROOMS}


def _line(module: Path, line: int) -> str:
    """Name a line, for those few of many thousand imports that break a rule."""
    return f"{module.relative_to(PACKAGE)}:{line}"


@pytest.mark.parametrize("mine", sorted({wing(name) for name in NAMES}))
def test_imports_follow_the_arrows(mine: str) -> None:
    """A wing that imports one above it, or beside it, can no longer be understood or tested alone."""
    everything = {*WINGS, *FACADE}
    allowed = everything - {"testing"} if mine in TOP else everything if mine in FACADE else set()
    if mine in WINGS:
        allowed = set(WINGS[mine].may_import)
    allowed |= {mine, *GROUND, *(TOP if mine in TOP else ())}
    for here, module in NAMES.items():
        if wing(here) != mine:
            continue
        for source, name, line in imported(module):
            target = f"{source}.{name}" if f"{source}.{name}" in NAMES else source
            if target.split(".")[0] == "olmsolve":
                may = wing(target) in allowed or (wing(target) == "testing" and here in FOR_TESTS)
                assert may, f"{_line(module, line)}: {target}"


def test_wings_stand_in_reading_order() -> None:
    """Who reads the wings in their order meets nothing that was not explained before."""
    order = list(WINGS)
    for name, entry in WINGS.items():
        assert entry.may_import <= set(order[: order.index(name)]), name
    assert set(PUBLIC) <= set(WINGS)


def test_no_import_leads_back() -> None:
    """Modules, and the rooms of a wing, that import each other in a circle can only be understood all at once.

    Imports inside functions count: they hide a circle from Python, not from a reader.
    """
    arrows = modules_imported()
    assert _circle(arrows) == []
    rooms: defaultdict[str, set[str]] = defaultdict(set)
    for here, targets in arrows.items():
        for there in targets:
            for mine, other in zip(_rooms(here), _rooms(there), strict=False):
                if mine != other:
                    rooms[mine].add(other)
                    break
    assert _circle(rooms) == []


def _rooms(module: str) -> list[str]:
    """The packages around *module*, outermost first, and the module itself: a.b.c gives a, a.b, a.b.c."""
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """Members of a circle of *arrows*, [] if there is none."""
    remaining = {here: set(targets) for here, targets in arrows.items()}
    while ends := [here for here, targets in remaining.items() if not targets & remaining.keys()]:
        for end in ends:
            del remaining[end]
    return sorted(remaining)


def test_every_arrow_is_used() -> None:
    """An arrow that nobody needs any more is a permission that somebody will take."""
    assert {(name, there) for name, entry in WINGS.items() for there in entry.may_import} <= wings_imported()


def test_rooms_are_entered_through_their_doors() -> None:
    """What a room's ``__init__`` does not export may change without a look at who uses it."""
    for here, module in NAMES.items():
        for source, name, line in imported(module):
            room = source if source in ROOMS else source.rpartition(".")[0]
            if room not in ROOMS or room == "olmsolve" or here == room or here.startswith(f"{room}."):
                continue
            if source == room:
                known = name in EXPORTS[room] or f"{source}.{name}" in ROOMS
                assert known, f"{_line(module, line)}: {room} exports no {name}"
            else:
                assert source in PAST_THE_DOOR, f"{_line(module, line)}: {source} is behind the door of {room}"


def test_exceptions_are_needed() -> None:
    """A list of exceptions must not outlive its reasons."""
    assert set(PAST_THE_DOOR) <= {source for module in modules() for source, _, _ in imported(module)}
    for name in FOR_TESTS:
        assert any(wing(source) == "testing" for source, _, _ in imported(NAMES[name])), name


@pytest.mark.parametrize("room", sorted(room for room in ROOMS if "lazily(" in NAMES[room].read_text("utf-8")))
def test_lazy_doors_open(room: str) -> None:
    """What a lazy door exports is found when it is asked for, and is no module that happens to have the same name."""
    door = importlib.import_module(room)
    for node in ast.walk(parsed(NAMES[room])):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("olmsolve."):
            # The compiled code tells the name that is imported, not the one that it gets.
            assert all(alias.asname in (None, alias.name) for alias in node.names), room
    getter = door.__getattr__
    everything = getter("__all__")
    assert shown(room, everything) <= {*door.__dir__()}
    for name in everything:
        value = getter(name)
        assert (f"{room}.{name}" in NAMES) == hasattr(value, "__path__" if f"{room}.{name}" in ROOMS else "__spec__")


def test_each_untyped_dependency_has_one_importer() -> None:
    """One seam each keeps what has to be known about them in one place."""
    for module in modules():
        for source, _, line in imported(module):
            owner = ONLY_IMPORTERS.get(source.split(".")[0])
            assert owner in (None, wing(name_of(module))), f"{_line(module, line)}: only {owner} imports {source}"


def test_modules_stay_small() -> None:
    """Past 450 lines a module is two ideas."""
    lines = {str(module): len(module.read_text("utf-8").splitlines()) for module in modules()}
    assert [name for name, count in lines.items() if count > 450] == []


def test_the_picture_is_drawn_from_the_imports() -> None:
    """A picture that is drawn by hand shows what its author remembers (``python -m tests.architecture`` draws it)."""
    assert written(PICTURE) == picture()
    assert written(PAGE) == page(written(PAGE))


def test_the_page_names_each_module_for_all_wings_once() -> None:
    """Two branches that both wrote the list again have left it on the page twice."""
    start = written(PAGE).index("`errors`, `events`")
    paragraph = written(PAGE)[start : written(PAGE).index("are for all wings.", start)]
    assert sorted(re.findall(r"`(\w+)`", paragraph)) == sorted(GROUND)


def test_the_page_says_each_thing_once() -> None:
    """The same, for rows of tables: the row that is not mended sends its readers to a file that is gone."""
    rows = re.findall(r"^\| ([^|]+) \|", written(PAGE), re.MULTILINE)
    assert [row for row in set(rows) if rows.count(row) > 1] == []


def test_each_class_name_is_used_once() -> None:
    """A name that means two things has to be looked up each time that it is met."""
    homes: defaultdict[str, list[Path]] = defaultdict(list)
    for module in modules():
        for node in statements(parsed(module)):
            if isinstance(node, ast.ClassDef):
                homes[node.name.lstrip("_")].append(module.relative_to(PACKAGE))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}
