"""Read one request document: a mapping, JSON or YAML, for classic OLM or for OLM v1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from olmsolve import events
from olmsolve._limits import Cancellation, scoped
from olmsolve.catalog import Catalog, index_files
from olmsolve.classic import Request
from olmsolve.errors import RequestError
from olmsolve.fields import DocumentLocation, Fields
from olmsolve.requests.classic import classic_request
from olmsolve.requests.documents import RequestSource, opened

if TYPE_CHECKING:
    from olmsolve import v1


def read_request(
    source: RequestSource,
    *,
    load: Callable[[Path], Catalog] = index_files.load,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Request:
    """Read a request document for classic OLM; docs/documents.md describes its fields.

    *source* is the document itself as a mapping, the path of a JSON or YAML file (UTF-8), or such a file open
    for reading. A catalog's ``file`` is relative to the document's folder; for a mapping, and for an open
    file without a name, to the working directory.

    *load* turns the path of such a file into a catalog, once for each path. Pass a function that remembers catalogs to
    share them between requests. For a document that somebody has sent, use :func:`olmsolve.read_posted`, which opens
    nothing that a document names. *timeout*, *cancel* and *observer* are as in :func:`olmsolve.resolve`.

    Raises:
        RequestError: the document cannot be read, has an unknown field or a value of the wrong type, lacks a
            field, contradicts itself, or is for OLM v1. The error names the field by its path.
        CatalogError: one of its catalogs cannot be read.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        document, folder, name = opened(source)
        if _is_for_extensions(document):
            raise RequestError(
                "is a request to OLM v1", source=name, hint="olmsolve.read_extension_request or read_situation reads it"
            )
        return classic_request(Fields(document, location=DocumentLocation(name)), folder, load)


def read_extension_request(
    source: RequestSource,
    *,
    load: Callable[[Path], Catalog] = index_files.load,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> v1.ExtensionRequest:
    """Read a request to OLM v1; docs/v1.md describes its fields.

    The document has an ``extension``, or it holds the objects ClusterExtension and ClusterCatalog themselves, as
    several YAML documents or a List. The parameters are as in :func:`read_request`.

    Raises:
        RequestError: as :func:`read_request`, or the document is for classic OLM.
        CatalogError: one of its catalogs cannot be read.
        Incomplete: a limit was met, or the caller cancelled.
    """
    from olmsolve.requests.extension import v1_request

    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        document, folder, name = opened(source)
        if not _is_for_extensions(document):
            raise RequestError(
                "is a request to classic OLM", source=name, hint="olmsolve.read_request or read_situation reads it"
            )
        return v1_request(Fields(document, location=DocumentLocation(name)), folder, load)


def _is_for_extensions(document: Mapping[str, Any]) -> bool:
    return "extension" in document or "apiVersion" in document
