"""File-based catalogs on disk and in memory: read into the catalog model, and written."""

from olmsolve.fbc.blobs import blobs
from olmsolve.fbc.linking import from_blobs
from olmsolve.fbc.loading import load
from olmsolve.fbc.writing import rendered, split, write

__all__ = ["blobs", "from_blobs", "load", "rendered", "split", "write"]
