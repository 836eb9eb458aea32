"""The import arrows: each room imports only what the design lets it import.

The table is the design's (docs/decisions.md says where it differs, and why). Imports inside functions and
under TYPE_CHECKING count as well: an arrow is an arrow.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import olmsolve

PACKAGE = Path(olmsolve.__file__).parent

# What a resolver stands on. The design's "and below" is written out here.
BELOW_RESOLVERS = {
    "catalog",
    "cel",
    "cluster",
    "index",
    "predicates",
    "resolution",
    "semver",
    "solver",
    "update_graph",
}

# Every room may import itself, `errors`, `_frozen` and `_version`.
ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "_frozen": set(),
    "_version": set(),
    "semver": set(),
    "cel": {"semver"},
    "catalog": {"semver"},
    "update_graph": {"catalog", "semver"},
    "predicates": {"catalog", "cel", "semver"},
    "index": {"catalog", "predicates", "semver", "update_graph"},
    "fbc": {"catalog", "semver", "update_graph"},
    "index_files": {"catalog", "fbc", "index"},
    "checks": {"catalog", "cel", "fbc", "index", "predicates", "semver", "update_graph", "upgrades"},
    "compose": {"catalog", "checks", "index", "predicates", "semver", "update_graph", "upgrades"},
    "cluster": {"catalog", "cel", "semver"},
    "solver": set(),
    "resolution": {"catalog", "semver"},
    "classic": BELOW_RESOLVERS,
    "v1": BELOW_RESOLVERS,
    "upgrades": {"catalog", "semver", "update_graph", "v1"},
    "planning": {"catalog", "classic", "cluster", "fbc", "resolution"},
    "requests": {"catalog", "classic", "cluster", "fbc", "index_files", "v1"},
    "explain": BELOW_RESOLVERS | {"classic", "v1"},
    "auditing": {"catalog", "classic", "resolution", "semver", "solver", "update_graph"},
    # Reads requests; the rules of the search it must not know (see test_certificates.py).
    "verification": {"catalog", "classic", "cluster", "predicates", "resolution", "semver"},
    "questions": {"catalog", "classic", "explain", "index", "predicates", "resolution", "semver", "solver"},
    # Plans are carried out and resolved again: it stands on all that a plan stands on, and on what checks answers.
    "simulation": {"catalog", "certifying", "classic", "cluster", "planning", "requests", "resolution", "verification"},
    "metrics": {"cluster", "simulation"},
    "certifying": {"classic", "resolution", "solver", "verification"},
    "render": {
        "auditing",
        "catalog",
        "compose",
        "explain",
        "questions",
        "resolution",
        "semver",
        "simulation",
        "update_graph",
    },
}
ROOMS_FOR_ALL = {"errors", "_frozen", "_version"}

# The facade and the command line stand on everything; nothing stands on them.
FACADE = "__init__"
# The verbs of the facade are its code; only the facade and what stands above it import them.
VERBS = "_verbs"
TOP = {"cli", "__main__"}
ONLY_IMPORTERS = {
    "celpy": "cel",
    "semantic_version": "semver",
    "pysat": "solver",
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room(parts: tuple[str, ...]) -> str:
    """The room of a module, by the parts of its path or of its dotted name without the package's own name."""
    return parts[0].removesuffix(".py") if parts else FACADE


def imported(module: Path) -> Iterator[tuple[str, int]]:
    """The dotted names that *module* imports, absolute, with the lines."""
    tree = ast.parse(module.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: relative imports hide arrows"
            name = node.module or ""
            for alias in node.names:
                # `from olmsolve import fbc` imports a room; `from olmsolve.catalog.fbc import load` a name of one.
                yield (f"{name}.{alias.name}" if name == "olmsolve" else name), node.lineno


@pytest.mark.parametrize("module", modules(), ids=lambda module: str(module.relative_to(PACKAGE)))
def test_imports_follow_the_arrows(module: Path) -> None:
    """A room that imports one above it, or beside it, can no longer be understood or tested alone."""
    here = room(module.relative_to(PACKAGE).parts)
    for name, line in imported(module):
        parts = tuple(name.split("."))
        if parts[0] != "olmsolve":
            continue
        there = room(parts[1:])
        if there == here or there in ROOMS_FOR_ALL:
            continue
        if here in TOP:
            allowed = there != "testing"
        elif here in (FACADE, VERBS):
            allowed = there not in TOP | {"testing"}
        elif here == "testing":
            allowed = there not in TOP
        else:
            assert here in ARROWS, f"{here} is not in the table of rooms"
            allowed = there in ARROWS[here]
        assert allowed, f"{module.relative_to(PACKAGE)}:{line}: {here} imports {there}"


@pytest.mark.parametrize("module", modules(), ids=lambda module: str(module.relative_to(PACKAGE)))
def test_each_untyped_dependency_has_one_importer(module: Path) -> None:
    """These libraries ship no types and have traps of their own, which one seam each keeps in one place."""
    here = room(module.relative_to(PACKAGE).parts)
    for name, line in imported(module):
        owner = ONLY_IMPORTERS.get(name.split(".")[0])
        assert owner in (None, here), f"{module.relative_to(PACKAGE)}:{line}: only {owner} imports {name}"


def test_modules_stay_small() -> None:
    """Past 450 lines a module is two ideas."""
    lines = {module.name: len(module.read_text("utf-8").splitlines()) for module in modules()}
    assert [name for name, count in lines.items() if count > 450] == []
