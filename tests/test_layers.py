"""The import arrows and the doors: each wing imports only what the table lets it import, and only what is exported.

docs/architecture.md shows the same table as a picture. Imports inside functions and under TYPE_CHECKING count as
well: an arrow is an arrow.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import olmsolve
from olmsolve._lazy import lazily

PACKAGE = Path(olmsolve.__file__).parent

# Who may import whom, from the ground up. What stands on the ground is there for all.
GROUND = {"errors", "_frozen", "_lazy", "_version"}
ARROWS: dict[str, set[str]] = {
    "semver": set(),
    "cel": {"semver"},
    "predicates": {"cel", "semver"},
    "catalog": {"predicates", "semver"},
    "fbc": {"catalog"},
    "solver": set(),
    "eligibility": {"predicates"},
    "resolution": {"catalog"},
    "classic": {"catalog", "eligibility", "predicates", "resolution", "semver", "solver"},
    "v1": {"catalog", "eligibility", "predicates", "resolution", "semver", "solver"},
    "cluster": {"catalog", "cel", "eligibility", "predicates", "semver", "v1"},
    "requests": {"catalog", "classic", "cluster", "eligibility", "predicates", "v1"},
    "answers": {"catalog", "classic", "eligibility", "predicates", "resolution", "semver", "solver", "v1"},
    "authoring": {"catalog", "cel", "predicates", "semver", "v1"},
    "lifecycle": {"answers", "catalog", "classic", "cluster", "eligibility", "predicates", "requests", "resolution"},
    "render": {"answers", "authoring", "catalog", "lifecycle", "resolution", "semver"},
    "testing": {"answers", "catalog", "classic", "predicates", "requests"},
}
# The facade and the command line stand on everything; nothing stands on them.
FACADE = {"__init__", "_verbs"}
TOP = {"cli", "__main__"}

# Imports past a door, each for a reason.
PAST_THE_DOOR: dict[str, str] = {
    "olmsolve.solver.backends.proofs": "one certificate in a hundred needs it, and it loads a SAT solver",
    "olmsolve.solver.deciding.engine": "loaded when the first problem needs it",
    "olmsolve.solver.deciding.finding": "loaded when the first problem needs it",
}

ONLY_IMPORTERS = {
    "celpy": "cel",
    "semantic_version": "semver",
    "pysat": "solver",
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(module: Path) -> str:
    """The dotted name of the file *module*."""
    parts = module.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(module): module for module in modules()}
ROOMS = {name for name, module in NAMES.items() if module.name == "__init__.py"}


def wing(name: str) -> str:
    """The wing that the module *name* belongs to."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imported(module: Path) -> Iterator[tuple[str, str, int]]:
    """What *module* imports: the module, the name taken from it ("" where it is the module itself), and the line."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, "", node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: relative imports hide arrows"
            for alias in node.names:
                yield node.module or "", alias.name, node.lineno


def exports(room: str) -> set[str]:
    """The names that the ``__init__`` of *room* imports or defines."""
    tree = ast.parse(NAMES[room].read_text("utf-8"))
    found = {alias.asname or alias.name for node in ast.walk(tree) for alias in getattr(node, "names", ())}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


EXPORTS = {room: exports(room) for room in ROOMS}


@pytest.mark.parametrize("here", sorted(NAMES))
def test_imports_follow_the_arrows(here: str) -> None:
    """A wing that imports one above it, or beside it, can no longer be understood or tested alone."""
    for source, name, line in imported(NAMES[here]):
        target = f"{source}.{name}" if f"{source}.{name}" in NAMES else source
        if target.split(".")[0] != "olmsolve":
            continue
        mine, there = wing(here), wing(target)
        if there == mine or there in GROUND:
            continue
        if mine in TOP:
            allowed = there != "testing"
        elif mine in FACADE:
            allowed = there not in TOP
        else:
            assert mine in ARROWS, f"{mine} is not in the table of wings"
            allowed = there in ARROWS[mine]
        assert allowed, f"{NAMES[here].relative_to(PACKAGE)}:{line}: {mine} imports {there}"


def test_every_arrow_is_used() -> None:
    """An arrow that nobody needs any more is a permission that somebody will take."""
    used = {
        (wing(here), wing(f"{source}.{name}"))
        for here in NAMES
        for source, name, _ in imported(NAMES[here])
        if source.startswith("olmsolve")
    }
    assert {(mine, there) for mine, all_there in ARROWS.items() for there in all_there} <= used


@pytest.mark.parametrize("here", sorted(NAMES))
def test_rooms_are_entered_through_their_doors(here: str) -> None:
    """What a room's ``__init__`` does not export may change without a look at who uses it."""
    for source, name, line in imported(NAMES[here]):
        if source.split(".")[0] != "olmsolve" or source in PAST_THE_DOOR:
            continue
        room = source if source in ROOMS else source.rpartition(".")[0]
        if room == "olmsolve" or here == room or here.startswith(f"{room}."):
            continue
        where = f"{NAMES[here].relative_to(PACKAGE)}:{line}"
        assert source in ROOMS, f"{where}: {source} is behind the door of {room}"
        assert name in EXPORTS[room] or f"{source}.{name}" in ROOMS, f"{where}: {room} does not export {name}"


def test_exceptions_are_needed() -> None:
    """A list of exceptions must not outlive its reasons."""
    assert set(PAST_THE_DOOR) <= {source for module in modules() for source, _, _ in imported(module)}


@pytest.mark.parametrize("room", sorted(room for room in ROOMS if "lazily(" in NAMES[room].read_text("utf-8")))
def test_lazy_doors_open(room: str) -> None:
    """What a lazy door exports is found when it is asked for, and is no module that happens to have the same name."""
    getter, names = lazily(room)
    for name in getter("__all__"):  # type: ignore[attr-defined]
        value = getter(name)
        assert name in names()
        assert (f"{room}.{name}" in NAMES) == hasattr(value, "__path__" if f"{room}.{name}" in ROOMS else "__spec__")


@pytest.mark.parametrize("module", modules(), ids=lambda module: str(module.relative_to(PACKAGE)))
def test_each_untyped_dependency_has_one_importer(module: Path) -> None:
    """These libraries ship no types and have traps of their own, which one seam each keeps in one place."""
    here = wing(name_of(module))
    for source, _, line in imported(module):
        owner = ONLY_IMPORTERS.get(source.split(".")[0])
        assert owner in (None, here), f"{module.relative_to(PACKAGE)}:{line}: only {owner} imports {source}"


def test_modules_stay_small() -> None:
    """Past 450 lines a module is two ideas."""
    lines = {module.name: len(module.read_text("utf-8").splitlines()) for module in modules()}
    assert [name for name, count in lines.items() if count > 450] == []
