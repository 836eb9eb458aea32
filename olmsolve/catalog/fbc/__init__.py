"""File-based catalogs on disk and in memory: read into the catalog model, and written.

A request over a catalog that has an index reads no catalog, so this room's parts load when they are first used.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.fbc import archive as archive
    from olmsolve.catalog.fbc import text as text
    from olmsolve.catalog.fbc import tree as tree
    from olmsolve.catalog.fbc.bundle_folder import is_bundle_folder as is_bundle_folder
    from olmsolve.catalog.fbc.bundle_folder import read_bundle as read_bundle
    from olmsolve.catalog.fbc.document import Document as Document
    from olmsolve.catalog.fbc.document import refuse as refuse
    from olmsolve.catalog.fbc.document import shown as shown
    from olmsolve.catalog.fbc.limits import DEPTH as DEPTH
    from olmsolve.catalog.fbc.limits import DOCUMENT as DOCUMENT
    from olmsolve.catalog.fbc.linking import Linker as Linker
    from olmsolve.catalog.fbc.linking import from_blobs as from_blobs
    from olmsolve.catalog.fbc.loading import load as load
    from olmsolve.catalog.fbc.plain_values import plain as plain
    from olmsolve.catalog.fbc.reading import blobs as blobs
    from olmsolve.catalog.fbc.reading import documents as documents
    from olmsolve.catalog.fbc.source import Meter as Meter
    from olmsolve.catalog.fbc.source import Readable as Readable
    from olmsolve.catalog.fbc.source import Source as Source
    from olmsolve.catalog.fbc.writing import rendered as rendered
    from olmsolve.catalog.fbc.writing import split as split
    from olmsolve.catalog.fbc.writing import write as write
else:
    __getattr__, __dir__ = lazily(__name__)
