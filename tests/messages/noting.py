"""Notes of the messages that tests produce: olmsolve is compiled so that each message is noted when it is evaluated.

``tests/conftest.py`` begins this before anything imports olmsolve. A message ``text`` becomes ``(note(key), text)[1]``,
where ``note`` adds to a set. What is compiled so is kept beside Python's own bytecode, so that the suite takes no
longer. Processes that a test starts are not watched.
"""

from __future__ import annotations

import ast
import builtins
import gc
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import marshal
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import starmap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from tests.messages import ROOT, SOURCE, Message, constants_of, message_of, strings_of

NOTED: Final[set[str]] = set()
KEPT: Final = ROOT / "olmsolve" / "__pycache__" / "messages"
_NOTE: Final = "__olmsolve_note__"
# A change of what is compiled must not meet what was kept before it.
_MAKERS: Final = (Path(__file__), Path(__file__).with_name("__init__.py"))


class _Noting(ast.NodeTransformer):
    """Puts a note before each of the strings in *keys*, which are found by the identity of their nodes.

    *constants* are the keys of sentences by the names of the module's constants, noted where a function reads the name.
    """

    def __init__(self, keys: dict[int, str], constants: dict[str, str]) -> None:
        self.keys = keys
        self.constants = constants
        self._depth = 0

    def visit(self, node: ast.AST) -> Any:
        is_body = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        self._depth += is_body
        visited = super().visit(node)
        self._depth -= is_body
        return visited

    def visit_Name(self, node: ast.Name) -> ast.AST:
        is_read = self._depth and isinstance(node.ctx, ast.Load)
        return self._noted(node, self.constants.get(node.id)) if is_read else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self._noted(node, self.keys.get(id(node)))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        # The texts between what is filled in are parts of this string, and the format of a field is no message.
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self.visit(part.value)
        return self._noted(node, self.keys.get(id(node)))

    def _noted(self, node: ast.expr, key: str | None) -> ast.AST:
        if key is None:
            return node
        call = ast.Call(ast.Name(_NOTE, ast.Load()), [ast.Constant(key)], [])
        pair = ast.Subscript(ast.Tuple([call, node], ast.Load()), ast.Constant(1), ast.Load())
        return ast.fix_missing_locations(ast.copy_location(pair, node))


def noting_code(source: bytes, path: Path) -> tuple[CodeType, list[Message]]:
    """Compile the module at *path* so that each of its messages is noted when it is evaluated; return these as well."""
    tree = ast.parse(source, str(path))
    messages = [(node, message_of(node, path, in_table)) for node, in_table in strings_of(tree)]
    named = {id(node): name for name, node in constants_of(tree).items()}
    keys = {id(node): message.key for node, message in messages if not message.in_table and id(node) not in named}
    constants = {named[id(node)]: message.key for node, message in messages if id(node) in named}
    if keys or constants:
        tree = _Noting(keys, constants).visit(tree)
    code = compile(tree, str(path), "exec", dont_inherit=True)
    return code, sorted(message for _, message in messages)


@cache
def _maker() -> bytes:
    return b"\0".join(path.read_bytes() for path in _MAKERS)


def _noted_module(path: Path) -> tuple[CodeType, list[Message]]:
    """Return the code of the module at *path* with its notes, and its messages, as kept or made now."""
    source = path.read_bytes()
    digest = hashlib.sha256(b"\0".join([_maker(), os.fsencode(path), source])).digest()
    kept = KEPT / f"{'.'.join(path.relative_to(ROOT).parts)}.{sys.implementation.cache_tag}"
    with suppress(OSError):
        content = kept.read_bytes()
        if content.startswith(digest):
            known_code, fields = marshal.loads(content[len(digest) :])  # noqa: S302 - we have written it
            return known_code, list(starmap(Message, fields))
    code, messages = noting_code(source, path)
    _keep(kept, digest + marshal.dumps((code, [tuple(message) for message in messages])))
    return code, messages


@cache
def all_messages() -> tuple[Message, ...]:
    """Return the messages of the package, module by module: a run keeps them with the code, which saves 2 s."""
    return tuple(message for path in sorted(SOURCE.rglob("*.py")) for message in _noted_module(path)[1])


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module of olmsolve with its notes; the kept code serves as long as the source is the same."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the module with its notes."""
        return _noted_module(Path(self.path))[0]


def _keep(path: Path, content: bytes) -> None:
    """Write a file in one step: another worker may read it meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(content)
    part.replace(path)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of olmsolve, and no others."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module of olmsolve with our loader."""
        if fullname.partition(".")[0] != "olmsolve":
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


def begin() -> None:
    """Note messages from now on, also those of modules that pytest's own plugin has imported already."""
    setattr(builtins, _NOTE, NOTED.add)
    # Before pytest's own finder, which would take all modules of a distribution that has a plugin.
    sys.meta_path.insert(0, Finder())
    _note_in_loaded_modules()


def _note_in_loaded_modules() -> None:
    """Exchange the code of functions in modules that are imported already."""
    files = [
        str(module.__file__)
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "olmsolve" and getattr(module, "__file__", None)
    ]
    code_by_place = {}
    for file in files:
        waiting = [Loader("", file).get_code("")]
        while waiting:
            code = waiting.pop()
            code_by_place[file, code.co_firstlineno, code.co_qualname] = code
            waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    for function in gc.get_objects():
        if isinstance(function, FunctionType):
            code = function.__code__
            function.__code__ = code_by_place.get((code.co_filename, code.co_firstlineno, code.co_qualname), code)
