"""Composite catalogs: several catalogs and templates, which others maintain, become the files of one."""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring.composites.building import CompositeCatalog as CompositeCatalog
    from olmsolve.authoring.composites.building import composites as composites
else:
    __getattr__, __dir__ = lazily(__name__)
