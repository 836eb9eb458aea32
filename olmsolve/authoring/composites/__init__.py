"""Composite catalogs: several catalogs and templates, which others maintain, become the files of one.

``building`` reads a configuration of either kind and its parts; ``composite`` is the catalog that comes of it.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring.composites.building import composites as composites
    from olmsolve.authoring.composites.composite import CompositeCatalog as CompositeCatalog
else:
    __getattr__, __dir__ = lazily(__name__)
