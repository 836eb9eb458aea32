"""File-based catalogs on disk and in memory, read into the catalog model."""

from olmsolve.fbc.linking import from_blobs
from olmsolve.fbc.loading import load

__all__ = ["from_blobs", "load"]
