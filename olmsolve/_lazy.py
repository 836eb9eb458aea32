"""Doors whose names are imported when they are first used.

A door is the ``__init__`` of a package. A lazy one writes each of its names once, as an import that type checkers,
editors, grep and freezers read, under ``if TYPE_CHECKING``; at run time :func:`lazily` finds a name's module there::

    if TYPE_CHECKING:
        from olmsolve.catalog import Catalog as Catalog
    else:
        __getattr__, __dir__ = lazily(__name__)

What it saves: ``import olmsolve`` loads no solver, and reading a catalog loads no resolver.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import cache
from types import CodeType

__all__ = ["lazily"]


def lazily(door: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for the package *door*; its ``__all__`` is every name that it imports.

    Only the door itself calls this: its code is the caller's.
    """
    code = sys._getframe(1).f_code  # noqa: SLF001 - the documented way to one's caller

    @cache
    def modules() -> dict[str, str]:
        return _modules_of_names(code)

    def __getattr__(name: str) -> object:  # noqa: N807 - Python's own name
        if name == "__all__":
            value: object = sorted(modules())
        elif name not in modules():
            raise AttributeError(f"module {door!r} has no attribute {name!r}")
        elif modules()[name] == door:
            value = importlib.import_module(f"{door}.{name}")
        else:
            value = getattr(importlib.import_module(modules()[name]), name)
        setattr(sys.modules[door], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807 - Python's own name
        return sorted({*vars(sys.modules[door]), *modules()})

    return __getattr__, __dir__


def _modules_of_names(code: CodeType) -> dict[str, str]:
    """Map each name that a door's *code* imports from this library to the module that has it.

    The compiled code is read, not the source, which frozen applications do not carry. It is the code that runs, so no
    loader is asked: that of a test runner, which rewrites modules, may not know it. ``from a import b`` is compiled to
    IMPORT_NAME a, IMPORT_FROM b, whether it is ever run or not::

        IMPORT_NAME  3 (olmsolve.catalog)
        IMPORT_FROM  4 (Catalog)              -> {"Catalog": "olmsolve.catalog"}
    """
    from opcode import opmap  # attrs loads it as well; `import olmsolve` alone does not

    imports, names, extends = opmap["IMPORT_NAME"], opmap["IMPORT_FROM"], opmap["EXTENDED_ARG"]
    found: dict[str, str] = {}
    module, high = "", 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = high | low  # EXTENDED_ARG gives the next instruction's higher bytes
        high = argument << 8 if operation == extends else 0
        if operation == imports:
            module = code.co_names[argument]
        elif operation == names and module.split(".")[0] == "olmsolve" and module != __name__:
            found[code.co_names[argument]] = module
    return found
