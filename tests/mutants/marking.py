"""Modules that mark each statement which runs, so that only tests that run the fault of a mutant are asked about it.

``limit = 3`` becomes ``__marks__[7] = 1; limit = 3``, if it is the statement number 7 of its module. That slows tests
down by a tenth; a function that Python calls for each line would take ten times as long as the tests.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from tests.mutants.mutating import statements

__all__ = ["MarkingFinder", "ModuleFinder", "with_marks"]

_MARKS: Final = "__marks__"


class ModuleFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A finder that knows the modules in *codes*, and runs this code in place of their files."""

    def __init__(self, codes: Mapping[str, CodeType]) -> None:
        self._codes = codes

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self._codes:
            return None
        return importlib.util.spec_from_file_location(fullname, self._codes[fullname].co_filename, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(self._codes[module.__name__], module.__dict__)  # noqa: S102 - our own module


class MarkingFinder(ModuleFinder):
    """A finder of *modules* that mark their statements in ``marks``, an array of bytes for each module."""

    def __init__(self, modules: Mapping[str, Path]) -> None:
        trees = {name: ast.parse(file.read_text("utf-8")) for name, file in modules.items()}
        self.marks = {name: bytearray(len(statements(tree))) for name, tree in trees.items()}
        super().__init__(
            {name: compile(with_marks(tree), modules[name], "exec", dont_inherit=True) for name, tree in trees.items()}
        )

    def exec_module(self, module: ModuleType) -> None:
        setattr(module, _MARKS, self.marks[module.__name__])
        super().exec_module(module)

    def taken(self) -> dict[str, str]:
        """Return which statements have run, by module, as a hexadecimal number with bit *n* for statement *n*."""
        return {
            name: f"{sum(1 << number for number, mark in enumerate(marks) if mark):x}"
            for name, marks in self.marks.items()
            if any(marks)
        }

    def clear(self) -> None:
        """Forget all marks; functions keep their arrays."""
        for marks in self.marks.values():
            marks[:] = bytes(len(marks))


def with_marks(tree: ast.Module) -> ast.Module:
    """Put a mark before each statement of *tree*, which is changed: not before docstrings and ``__future__``."""
    numbers = {statement: number for number, statement in enumerate(statements(tree))}
    for node in list(ast.walk(tree)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                block[:] = [marked for statement in block for marked in _marked(statement, numbers[statement])]
    return ast.fix_missing_locations(tree)


def _marked(statement: ast.stmt, number: int) -> list[ast.stmt]:
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.ImportFrom(module="__future__"):
            return [statement]
    mark = ast.parse(f"{_MARKS}[{number}] = 1").body[0]
    for node in ast.walk(mark):
        ast.copy_location(node, statement)
    return [mark, statement]
