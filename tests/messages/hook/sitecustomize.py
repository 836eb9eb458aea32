"""An import hook that notes which messages of olmsolve are evaluated, for ``make messages``.

Python imports this module as it starts, because its folder is in PYTHONPATH, in the tests' processes and in those that
they start. Each message becomes ``(note(key), message)[1]``; a key is written once by each process.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

TARGET = os.environ.get("OLMSOLVE_MESSAGES", "")
ROOT = Path(__file__).parents[3]


class Notes:
    """The keys of the messages that this process has evaluated, written to a file of its own as they come."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.seen: set[str] = set()

    def note(self, key: str) -> None:
        """Write *key*, if it is new."""
        if key not in self.seen:
            self.seen.add(key)
            with open(f"{self.folder}/{os.getpid()}.txt", "a", encoding="utf-8") as file:  # noqa: PTH123
                file.write(json.dumps(key) + "\n")


class _Wrapped(ast.NodeTransformer):
    """Puts a note before each of the strings of *module* in *keys*, by line and column."""

    def __init__(self, keys: dict[tuple[int, int], str]) -> None:
        self.keys = keys

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self.wrapped(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        parts = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        for part in parts:
            part.value = self.visit(part.value)
        return self.wrapped(node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node.value = self.visit(node.value)
        return node

    def wrapped(self, node: ast.expr) -> ast.AST:
        """Return *node* with its note."""
        key = self.keys.pop((node.lineno, node.col_offset), None)
        if key is None:
            return node
        notes = ast.Attribute(ast.Name("__olmsolve_messages__", ast.Load()), "note", ast.Load())
        call = ast.Call(notes, [ast.Constant(key)], [])
        pair = ast.Tuple([call, node], ast.Load())
        made = ast.Subscript(pair, ast.Constant(1), ast.Load())
        return ast.fix_missing_locations(ast.copy_location(made, node))


class Loader(importlib.machinery.SourceFileLoader):
    """Compiles the modules of olmsolve with notes, past the cache of bytecode."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module with its notes."""
        path = Path(self.get_filename(fullname))
        tree = ast.parse(path.read_bytes(), str(path))
        found = _messages().messages_in(path, tree)
        keys = {message.position: message.key for message in found if not message.in_table}
        if keys:
            tree = ast.fix_missing_locations(_Wrapped(keys).visit(tree))
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
