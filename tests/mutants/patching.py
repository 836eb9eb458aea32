"""Functions that are alive already get the code of a mutant, so that nothing has to be imported anew."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Final

__all__ = ["LiveFunctions"]

_Key = tuple[str, str, int]


class LiveFunctions:
    """All functions of this process by file, name and line: methods and wrapped ones too, wherever they are kept."""

    def __init__(self) -> None:
        self._by_code: Final[defaultdict[_Key, list[FunctionType]]] = defaultdict(list)
        # The collector does not list objects that are frozen.
        gc.unfreeze()
        for object_ in gc.get_objects():
            if type(object_) is FunctionType:
                self._by_code[_key(object_.__code__)].append(object_)
        gc.freeze()

    def patch(self, old: CodeType, new: CodeType) -> int:
        """Give the functions of module *old* that differ in *new* their new code; return how many did."""
        patched = 0
        for before, after in _differing(old, new):
            for function in self._by_code[_key(before)]:
                if function.__code__ == before:
                    function.__code__ = after
                    patched += 1
        return patched


def _key(code: CodeType) -> _Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _differing(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the functions within *old* that are others in *new*, in pairs.

    ``if False`` loses the functions of its block; those that are within a function come anew with its code.
    """
    befores, afters = _inner(old), _inner(new)
    if len(befores) == len(afters):
        for before, after in zip(befores, afters, strict=True):
            if before != after:
                yield before, after
                yield from _differing(before, after)


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]
