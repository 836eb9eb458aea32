"""File-based catalogs on disk and in memory: read into the catalog model, and written.

What is here is imported when it is first used: a request over a catalog that has an index reads no catalog.
"""

from typing import TYPE_CHECKING

from olmsolve.fbc.blobs import blobs

if TYPE_CHECKING:
    from olmsolve.fbc.bundle_folder import is_bundle_folder, read_bundle
    from olmsolve.fbc.linking import from_blobs
    from olmsolve.fbc.loading import load
    from olmsolve.fbc.writing import rendered, split, write

__all__ = ["blobs", "from_blobs", "is_bundle_folder", "load", "read_bundle", "rendered", "split", "write"]

_MODULES = {
    "from_blobs": "linking",
    "is_bundle_folder": "bundle_folder",
    "load": "loading",
    "read_bundle": "bundle_folder",
    "rendered": "writing",
    "split": "writing",
    "write": "writing",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
