"""Composite catalogs: several catalogs and templates, which others maintain, become the files of one.

There are two kinds of configuration. ``references`` reads a catalog of references, as the documentation of file-based
catalogs describes it: a name, and an image for each part. ``contributions`` reads ``olm.composite.catalogs`` with
``olm.composite``: what catalogs accept, and what somebody contributes to them. Either becomes ``composite`` catalogs;
``building`` tells them apart, and ``fields`` reads their fields.
"""

from olmsolve.authoring.composites.building import composites as composites
from olmsolve.authoring.composites.composite import CompositeCatalog as CompositeCatalog
