"""Doors whose names are imported when they are first used.

A door is the ``__init__`` of a package. A lazy one writes each of its names once, as an import that type checkers,
editors, grep and freezers read, under ``if TYPE_CHECKING``; at run time :func:`lazily` finds a name's module there::

    if TYPE_CHECKING:
        from olmsolve.catalog import Catalog as Catalog
    else:
        __getattr__, __dir__ = lazily(__name__)

What it saves: ``import olmsolve`` loads no solver, and reading a catalog loads no resolver.

Doors serve the package itself, and some of their names programs as well: ``_public`` lists those. Whoever takes another
name from outside of the package gets it with a warning, because version 0.2.0 showed it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import cache
from itertools import compress, count
from types import CodeType, ModuleType

TYPE_CHECKING = False  # as in the facade, which loads this first
if TYPE_CHECKING:
    from typing import Final

__all__ = ["lazily"]

_NEVER_SHOWN: Final = frozenset({"answers", "cli"})
"""The wings whose doors no version has shown."""


def lazily(door: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for *door*; its ``__all__`` is every name that it imports.

    Only the door itself calls this: its code is the caller's.
    """
    code = sys._getframe(1).f_code  # noqa: SLF001 - the documented way to one's caller
    # The facade has public names alone, so it asks nobody.
    is_mixed = door != "olmsolve" and door.split(".")[1] not in _NEVER_SHOWN
    values: dict[str, object] = {}

    # Reading the code of the largest door takes 0.1 ms.
    @cache
    def modules() -> dict[str, str]:
        return _modules_of_names(code)

    def value_of(name: str, module: str) -> object:
        if name == "__all__":
            return sorted(modules())
        if module == door:
            return importlib.import_module(f"{door}.{name}")
        return getattr(importlib.import_module(module), name)

    def from_outside(name: str, frames: int) -> object:
        """Return *name* for a program that is so many *frames* away, with a warning unless it is public."""
        from olmsolve import _public

        if name in values and _public.is_public(door, name):
            setattr(sys.modules[door], name, values[name])
            return values[name]
        return _public.deprecated(door, name, values.get(name), frames)

    def __getattr__(name: str) -> object:  # noqa: N807 - Python's own name
        if name not in values and ((module := _module_of(code, name)) or name == "__all__"):
            values[name] = value_of(name, module)
        if is_mixed and name != "__all__" and not isinstance(values.get(name), ModuleType):
            # A name that is set on the door never comes here again. So only public names are: whoever imports another
            # one later has to be warned, although this package has imported it before.
            caller, frames = sys._getframe(1), 4  # noqa: SLF001
            if caller.f_back is not None and caller.f_globals.get("__name__") == door:
                caller, frames = caller.f_back, 5  # the door wraps this function, to say which extra a name needs
            # The name of a module that `python -m` runs is "__main__", its package is the right one.
            importer = caller.f_globals.get("__package__") or caller.f_globals.get("__name__", "")
            # `from door import name` asks twice: importlib whether it is there, then the importer for its value.
            if importer.partition(".")[0] not in ("olmsolve", "importlib", "_frozen_importlib"):
                return from_outside(name, frames)
        elif name in values:
            setattr(sys.modules[door], name, values[name])
        if name in values:
            return values[name]
        raise AttributeError(f"module {door!r} has no attribute {name!r}")

    def __dir__() -> list[str]:  # noqa: N807 - Python's own name
        from olmsolve import _public

        return sorted(_public.shown(door, {*vars(sys.modules[door]), *modules()}))

    return __getattr__, __dir__


def _instructions() -> tuple[int, int, int]:
    """Return the numbers of IMPORT_NAME, IMPORT_FROM and EXTENDED_ARG in the bytecode of this Python."""
    if sys.version_info[:2] in ((3, 11), (3, 12)):
        return 108, 109, 144  # as `opcode` has them, which takes 0.3 ms of each command to load
    from opcode import opmap

    return opmap["IMPORT_NAME"], opmap["IMPORT_FROM"], opmap["EXTENDED_ARG"]


def _module_of(code: CodeType, name: str) -> str:
    """Return the module from which a door's *code* imports *name*, as :func:`_modules_of_names` maps it; "" if none.

    A command takes 160 names from doors that have 1,300 in all, so it looks for these alone, by the functions of bytes.
    """
    if name not in code.co_names:
        return ""
    imports, names, extends = _instructions()
    instructions = code.co_code

    def last(operation: bytes, end: int) -> tuple[int, int]:
        """Return where *operation*, of two bytes each, is last before *end*, -1 if nowhere, and its higher byte."""
        position = instructions.rfind(operation, 0, end)
        while position % 2 and position > 0:  # an argument that looks like an operation
            position = instructions.rfind(operation, 0, position + len(operation) - 1)
        return position, instructions[position - 1] if instructions[position - 2] == extends else 0

    higher, lower = divmod(code.co_names.index(name), 256)
    position, higher_there = last(bytes((names, lower)), len(instructions))
    while position > 0 and higher_there != higher:
        position, higher_there = last(bytes((names, lower)), position)
    if position < 0:
        return ""
    position, higher = last(bytes((imports,)), position)
    module = code.co_names[higher << 8 | instructions[position + 1]]
    return module if module.partition(".")[0] == "olmsolve" and module != __name__ else ""


def _modules_of_names(code: CodeType) -> dict[str, str]:
    """Map each name that a door's *code* imports from this library to the module that has it.

    The compiled code is read, not the source, which frozen applications do not carry. It is the code that runs, so no
    loader is asked: the loader of a test runner, which rewrites modules, may not know it. ``from a import b`` is
    compiled to IMPORT_NAME a, IMPORT_FROM b, whether it is ever run or not::

        IMPORT_NAME  3 (olmsolve.catalog)
        IMPORT_FROM  4 (Catalog)              -> {"Catalog": "olmsolve.catalog"}
    """
    imports, names, extends = _instructions()
    operations, arguments = code.co_code[::2], code.co_code[1::2]
    modules: dict[str, str] = {}
    module = ""
    # All doors together have 14,000 instructions, of which 4,000 import: C code skips the others. (It was 7 % of what a
    # short command runs.)
    for position in compress(count(), map({imports, names}.__contains__, operations)):
        argument = arguments[position]
        if operations[position - 1] == extends:  # EXTENDED_ARG gives the next instruction's higher byte
            argument |= arguments[position - 1] << 8
        name = code.co_names[argument]
        if operations[position] == imports:
            module = name
        elif module.split(".")[0] == "olmsolve" and module != __name__:
            modules[name] = module
    return modules
