"""An import hook that notes which messages of olmsolve are evaluated, for ``make messages``.

Python imports this module as it starts, because its folder is in PYTHONPATH, in the tests' processes and in those that
they start. Each message becomes ``(note(number), message)[1]``; a number is written once by each process.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

TARGET = os.environ.get("OLMSOLVE_MESSAGES", "")
ROOT = Path(__file__).parents[3]


class Notes:
    """The numbers of this process, each written to a file of its own as it comes."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.seen: set[tuple[str, int, int]] = set()

    def note(self, module: str, line: int, column: int) -> None:
        """Write where a message stands, if it is new."""
        where = (module, line, column)
        if where not in self.seen:
            self.seen.add(where)
            with open(f"{self.folder}/{os.getpid()}.txt", "a", encoding="utf-8") as file:  # noqa: PTH123
                file.write(f"{module}:{line}:{column}\n")


class _Wrapped(ast.NodeTransformer):
    """Puts a note before each of the strings at *positions*."""

    def __init__(self, module: str, positions: set[tuple[int, int]]) -> None:
        self.module = module
        self.positions = positions

    def visit_Constant(self, node: ast.Constant) -> ast.AST:  # noqa: N802
        return self.wrapped(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:  # noqa: N802
        parts = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        for part in parts:
            part.value = self.visit(part.value)
        return self.wrapped(node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:  # noqa: N802
        node.value = self.visit(node.value)
        return node

    def wrapped(self, node: ast.expr) -> ast.AST:
        """Return *node* with its note."""
        if (node.lineno, node.col_offset) not in self.positions:
            return node
        self.positions.discard((node.lineno, node.col_offset))
        arguments = [ast.Constant(value) for value in (self.module, node.lineno, node.col_offset)]
        call = ast.Call(ast.Attribute(ast.Name("__olmsolve_messages__", ast.Load()), "note", ast.Load()), arguments, [])
        pair = ast.Tuple([call, node], ast.Load())
        made = ast.Subscript(pair, ast.Constant(1), ast.Load())
        return ast.fix_missing_locations(ast.copy_location(made, node))


class Loader(importlib.machinery.SourceFileLoader):
    """Compiles the modules of olmsolve with notes, past the cache of bytecode."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module with its notes."""
        path = Path(self.get_filename(fullname))
        messages = _messages()
        tree = ast.parse(path.read_bytes(), str(path))
        positions = {(node.lineno, node.col_offset) for node, table in messages.strings_of(tree) if not table}
        if positions:
            tree = ast.fix_missing_locations(_Wrapped(path.relative_to(ROOT).as_posix(), positions).visit(tree))
        return compile(tree, str(path), "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of olmsolve, and no others."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        """Return the spec of a module of olmsolve with our loader."""
        if fullname.partition(".")[0] != "olmsolve":
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path)
        if found is not None and isinstance(found.loader, importlib.machinery.SourceFileLoader):
            found.loader = Loader(found.loader.name, found.loader.path)
        return found


def _messages() -> Any:
    """Return the module that finds messages, which must not load with the tests' package."""
    found = sys.modules.get("_olmsolve_messages")
    if found is None:
        spec = importlib.util.spec_from_file_location("_olmsolve_messages", ROOT / "tests" / "messages" / "__init__.py")
        assert spec is not None
        assert spec.loader is not None
        found = importlib.util.module_from_spec(spec)
        sys.modules["_olmsolve_messages"] = found
        spec.loader.exec_module(found)
    return found


if TARGET:
    import builtins
    import importlib.util

    builtins.__olmsolve_messages__ = Notes(TARGET)  # type: ignore[attr-defined]
    sys.meta_path.insert(0, Finder())
