"""The names of olmsolve that examples use: on pages, and in the docstrings that the reference shows."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Final

_FENCE: Final = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def examples(page: str) -> Iterator[str]:
    """Yield the Python of each example of a *page* in Markdown: blocks, and what its consoles write to files."""
    for fence in _FENCE.finditer(page):
        if fence[2] == "pycon":
            yield prompted(fence[3])
        elif fence[2] == "python":
            yield re.sub(rf"^{fence[1]}", "", fence[3], flags=re.MULTILINE)


def prompted(text: str) -> str:
    """Return the Python behind the prompts in *text*."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line[4:] for line in lines if line[:3] in (">>>", "..."))


def names_used(blocks: Iterator[str]) -> set[str]:
    """Return the path of each name of olmsolve in *blocks*, which follow each other in one program.

    A name behind a module counts as far as the first value: of ``olmsolve.v1.Plan.bundles`` it is ``olmsolve.v1.Plan``.
    """
    modules: dict[str, str] = {}
    paths: set[str] = set()
    for block in blocks:
        tree = ast.parse(block)
        for node in ast.walk(tree):
            for path, given in _imported(node):
                if isinstance(_at(path), ModuleType):
                    modules[given] = path
                else:
                    paths.add(path)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and (path := _path(node, modules)):
                paths.add(path)
    return paths


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the path of each import from olmsolve, and the name that it gets."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.split(".")[0] == "olmsolve":
                yield (alias.name, alias.asname) if alias.asname else ("olmsolve", "olmsolve")
    elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "olmsolve":
        for alias in node.names:
            yield f"{node.module}.{alias.name}", alias.asname or alias.name


def _path(node: ast.Attribute, modules: dict[str, str]) -> str:
    """Return the path of the value that *node* takes from one of *modules*, "" for anything else."""
    value = ast.unparse(node.value)
    first, *others = value.split(".")
    path = ".".join([modules.get(first, ""), *others])
    if not path.startswith("olmsolve") or not isinstance(_at(path), ModuleType):
        return ""
    taken = f"{path}.{node.attr}"
    return "" if isinstance(_at(taken), ModuleType) else taken


def _at(path: str) -> object:
    """Return what is at *path*: a module, or a value in one; None where nothing is."""
    door, _, name = path.rpartition(".")
    try:
        return importlib.import_module(path)
    except ImportError:
        pass
    try:
        return getattr(importlib.import_module(door), name, None) if door else None
    except ImportError:
        return None
