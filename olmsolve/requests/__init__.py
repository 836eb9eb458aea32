"""Documents become requests: mappings, JSON and YAML, with errors that name the field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from olmsolve import classic, fbc, v1
from olmsolve.catalog import Catalog
from olmsolve.requests.classic import classic_request
from olmsolve.requests.documents import RequestSource, opened
from olmsolve.requests.extension import extension_request
from olmsolve.requests.fields import Fields

__all__ = ["read_request"]


def read_request(
    source: RequestSource,
    *,
    load: Callable[[Path], Catalog] = fbc.load,
) -> classic.Request | v1.Request:
    """Read a request document; its fields are described in docs/documents.md.

    *source* is the document itself as a mapping, the path of a JSON or YAML file (UTF-8), or such a file open
    for reading. A catalog's ``file`` is relative to the document's folder; for a mapping, and for an open
    file without a name, to the working directory.

    *load* turns the path of such a file into a catalog, once for each path. Pass a function that remembers
    catalogs to share them between requests.

    Raises:
        RequestError: the document cannot be read, has an unknown field or a value of the wrong type, lacks a
            field, or contradicts itself. The error names the field by its path.
        CatalogError: one of its catalogs cannot be read.
    """
    document, folder, name = opened(source)
    return classic_request(Fields(document, source=name), folder, load)
