"""Indexes as files beside their catalogs, so that a request over a large catalog need not read it first."""

from typing import TYPE_CHECKING

from olmsolve.index_files.loading import CACHE_VARIABLE, load
from olmsolve.index_files.places import SUFFIX

if TYPE_CHECKING:
    from olmsolve.index_files.writing import write_index

__all__ = ["CACHE_VARIABLE", "SUFFIX", "load", "write_index"]


def __getattr__(name: str) -> object:
    if name != "write_index":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Who reads need not wait for what writes to load.
    from olmsolve.index_files.writing import write_index

    return write_index
