"""Indexes as files beside their catalogs, so that a request over a large catalog need not read it first.

``loading`` decides between index and catalog, and is ``olmsolve.load``; ``content`` names the file and gives the digest
that ties the two together. ``writing`` and ``opening`` are the two directions; an index is written whole (``storing``),
or made of an earlier file and of what changed (``updating``).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.index_files.content import SUFFIX as SUFFIX
    from olmsolve.catalog.index_files.content import content_digest as content_digest
    from olmsolve.catalog.index_files.loading import CACHE_VARIABLE as CACHE_VARIABLE
    from olmsolve.catalog.index_files.loading import load as load
    from olmsolve.catalog.index_files.opening import catalog_from_index as catalog_from_index
    from olmsolve.catalog.index_files.writing import write_index as write_index
else:
    __getattr__, __dir__ = lazily(__name__)
