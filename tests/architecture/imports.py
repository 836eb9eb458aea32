"""The modules of the package, and what each imports, read from the source: nothing is run."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import olmsolve

PACKAGE = Path(olmsolve.__file__).parent


def modules() -> list[Path]:
    """All files of the package, by path."""
    return sorted(PACKAGE.rglob("*.py"))


def name_of(module: Path) -> str:
    """The dotted name of the file *module*."""
    parts = module.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(module): module for module in modules()}
"""The file of each module."""

ROOMS = {name for name, module in NAMES.items() if module.name == "__init__.py"}
"""The packages: each has a door, its ``__init__``."""


def wing(name: str) -> str:
    """The wing that the module *name* belongs to: the first part of its name below ``olmsolve``."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


@cache
def parsed(module: Path) -> ast.Module:
    """The syntax tree of the file *module*, parsed once."""
    tree = ast.parse(module.read_text("utf-8"))
    # All trees are a million objects that stay until the end, and each full collection would walk them in a second.
    gc.freeze()
    return tree


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the statements of *tree*, nested ones too: expressions, which are most of a tree, hold none."""
    pending: list[ast.AST] = [tree]
    for node in pending:
        for block in ("body", "handlers", "cases", "orelse", "finalbody"):
            pending.extend(getattr(node, block, ()))
    return iter(pending[1:])


@cache
def imported(module: Path) -> tuple[tuple[str, str, int], ...]:
    """What *module* imports: the module, the name taken from it ("" where it is the module itself), and the line.

    Imports inside functions and under TYPE_CHECKING count as well: an arrow is an arrow.
    """
    return tuple(imports_in(parsed(module), module))


def imports_in(tree: ast.Module, module: Path) -> Iterator[tuple[str, str, int]]:
    """Yield what *tree*, of the file *module*, imports, as :func:`imported` returns it."""
    for node in statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, "", node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: relative imports hide arrows"
            for alias in node.names:
                yield node.module or "", alias.name, node.lineno


def exports(room: str) -> set[str]:
    """The names that the ``__init__`` of *room* imports or defines."""
    tree = parsed(NAMES[room])
    names = {alias.asname or alias.name for node in ast.walk(tree) for alias in getattr(node, "names", ())}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def wings_imported() -> set[tuple[str, str]]:
    """The pairs of wings of which the first imports the second."""
    return {
        (wing(here), wing(f"{source}.{name}"))
        for here in NAMES
        for source, name, _ in imported(NAMES[here])
        if source.split(".")[0] == "olmsolve"
    }


def home(source: str, name: str) -> str | None:
    """The module that has *name*, which an import takes from *source*: behind a door, the one that the door names."""
    if f"{source}.{name}" in NAMES:
        return f"{source}.{name}"
    if source in ROOMS:
        for behind, exported, _ in imported(NAMES[source]):
            if exported == name and behind != source:
                return home(behind, name)
    return source if source in NAMES else None


def modules_imported() -> dict[str, set[str]]:
    """For each module that is no door, the modules whose names it imports, through doors or not."""
    return {
        here: {target for source, name, _ in imported(module) if (target := home(source, name)) and target != here}
        for here, module in NAMES.items()
        if here not in ROOMS
    }
