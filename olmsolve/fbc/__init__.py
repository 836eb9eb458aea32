"""File-based catalogs on disk and in memory: read into the catalog model, and written."""

from olmsolve.fbc.blobs import blobs
from olmsolve.fbc.bundle_folder import is_bundle_folder, read_bundle
from olmsolve.fbc.linking import from_blobs
from olmsolve.fbc.loading import load
from olmsolve.fbc.writing import rendered, split, write

__all__ = ["blobs", "from_blobs", "is_bundle_folder", "load", "read_bundle", "rendered", "split", "write"]
