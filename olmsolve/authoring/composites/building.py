"""Composite catalogs from their configuration, of either kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from olmsolve.authoring.composites.composite import CompositeCatalog
from olmsolve.authoring.composites.contributions import CATALOGS, CONTRIBUTIONS, of_contributions
from olmsolve.authoring.composites.fields import ConfigFields
from olmsolve.authoring.composites.references import of_references
from olmsolve.authoring.templates import Renderer, by_image
from olmsolve.catalog import Catalog
from olmsolve.catalog.archives import open_plain, shown
from olmsolve.catalog.fbc import load as load_catalog
from olmsolve.catalog.fbc import read_documents
from olmsolve.errors import CatalogError


def composites(
    config: str | os.PathLike[str],
    contributions: str | os.PathLike[str] | None = None,
    *,
    references: Mapping[str, str] | None = None,
    renderer: Renderer | None = None,
    load: Callable[[Path], Catalog] = load_catalog,
) -> tuple[CompositeCatalog, ...]:
    """Return the composite catalogs of the file *config*.

    *config* is a catalog of references (``name``, ``repo``, ``tag``, ``references``), which is one catalog; or an
    ``olm.composite.catalogs``, and then the file *contributions* holds the ``olm.composite``. Files are named relative
    to the folder of the document that names them. *references* has paths that are used instead of the images of
    references, by the names of these. *renderer* finds the images that templates name
    (:mod:`olmsolve.authoring.templates`), *load* the catalogs.

    Raises:
        CatalogError: a document cannot be read or has a fault, which the error names by its path; or something that it
            names cannot be read.
    """
    fields = _fields(config)
    if fields.value.get("schema") == CATALOGS:
        if contributions is None:
            raise CatalogError("the contributions to these catalogs are missing", origin=fields.origin)
        if references:
            raise CatalogError("has no references: catalogs with contributions have none", origin=fields.origin)
        contributed = _fields(contributions)
        if contributed.value.get("schema") != CONTRIBUTIONS:
            raise contributed.error("schema", f"must be {CONTRIBUTIONS}")
        return of_contributions(fields, contributed, Path(contributions).parent, renderer or by_image(()), load)
    if "references" not in fields.value:
        reason = f"is no composite catalog: it has neither references nor the schema {CATALOGS}"
        raise CatalogError(reason, origin=fields.origin)
    if contributions is not None:
        raise CatalogError("takes no contributions: it is a catalog of references", origin=fields.origin)
    return (of_references(fields, Path(config).parent, references or {}, load),)


def _fields(path: str | os.PathLike[str]) -> ConfigFields:
    with open_plain(Path(path)) as file:
        documents = list(read_documents(file, shown(path), skip_empty=True))
    if len(documents) != 1:
        raise CatalogError(f"{len(documents) or 'no'} documents, where one is needed", origin=shown(path))
    return ConfigFields(documents[0].value, str(documents[0].origin))
