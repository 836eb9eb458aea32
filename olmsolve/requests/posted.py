"""Documents that strangers have sent to a service: read as ``gathering`` does, but nothing that they name is opened."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, NoReturn, TypeAlias

from olmsolve import events
from olmsolve._arguments import wrong_type
from olmsolve._limits import Cancellation, scoped
from olmsolve.catalog import Catalog, index_files
from olmsolve.errors import CatalogError, RequestError
from olmsolve.requests.documents import RequestSource
from olmsolve.requests.gathering import situation_of
from olmsolve.requests.policy import Policy
from olmsolve.requests.situation import Situation

Posted: TypeAlias = Mapping[str, Any] | str | bytes | IO[str] | IO[bytes]
"""What can be posted: a mapping, the text of documents, or an open stream of it. Never a path."""


def read_posted(
    *documents: Posted,
    catalogs: Mapping[str, Catalog | CatalogError] | None = None,
    policy: Policy | None = None,
    files: bool = False,
    load: Callable[[Path], Catalog] | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Situation:
    """Read a situation from *documents* that somebody has sent, without opening what they name.

    A document is a mapping, a text in JSON or YAML (also as bytes, perhaps gzipped), or an open stream; a text is never
    a path. Otherwise everything is as in :func:`olmsolve.read_situation`, but for what a document names by ``file`` or
    by the annotation ``olmsolve/file``: a file of this machine, an image or a URL. Where *load* is given, it decides,
    and returns the catalog for that path or raises; with *files*, everything that is named is read; by default it is
    refused. *catalogs* says what the cluster's catalogs contain, and comes before what annotations say.

    >>> document = {"namespaces": ["a"], "catalogs": [{"name": "c", "file": "/etc/passwd"}], "subscriptions": []}
    >>> read_posted(document).questions[0].request()
    Traceback (most recent call last):
        ...
    olmsolve.errors.RequestError: a posted document may not name /etc/passwd (send the catalog's blobs in the document)

    Raises:
        RequestError: as :func:`olmsolve.read_situation`; a catalog that is refused raises it when a question asks for
            the catalog.
        Incomplete: a limit was met, or the caller cancelled.
    """
    decide = load or (index_files.load if files else _refuse)
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return situation_of([_source(each) for each in documents], catalogs, policy or Policy(), decide)


class _Unnamed:
    """The content of a *stream*, without its name: what was posted is in no folder."""

    def __init__(self, stream: IO[str] | IO[bytes]) -> None:
        self.read = stream.read


def _source(document: Posted) -> RequestSource:
    if isinstance(document, Mapping):
        return document
    if isinstance(document, str):
        return io.BytesIO(document.encode("utf-8", "surrogatepass"))
    if isinstance(document, (bytes, bytearray)):
        return io.BytesIO(document)
    if not hasattr(document, "read"):
        raise wrong_type(document, "a mapping, a text or an open stream", "documents")
    return _Unnamed(document)  # type: ignore[return-value]


def _refuse(path: Path) -> NoReturn:
    raise RequestError(f"a posted document may not name {path}", hint="send the catalog's blobs in the document")
