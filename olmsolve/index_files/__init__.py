"""Indexes as files beside their catalogs, so that a request over a large catalog need not read it first."""

from olmsolve.index_files.loading import CACHE_VARIABLE, SUFFIX, load
from olmsolve.index_files.writing import write_index

__all__ = ["CACHE_VARIABLE", "SUFFIX", "load", "write_index"]
