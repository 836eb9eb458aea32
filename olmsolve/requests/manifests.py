"""The state of a cluster from files: what ``kubectl get ... -o yaml`` printed, in any number of files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from olmsolve.catalog import Origin
from olmsolve.catalog.fbc import read_documents
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterObject, read_manifests
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.requests.documents import RequestSource


def read_cluster(*sources: RequestSource) -> ClusterState:
    """Return the objects of a cluster: all documents of all *sources* together, Lists (nested ones too) as their items.

    A source is a manifest as a mapping, the path of a JSON or YAML file (UTF-8, perhaps gzipped), or such a file
    open for reading. Objects of kinds that olmsolve does not interpret are kept apart. The same object may come
    twice, but not two different ones of one kind and name.

    Raises:
        ManifestError: a source cannot be read, is no manifest, or an object has not the shape of its kind. The error
            names the file, the document, the object and the field.
    """
    return ClusterState.of(_objects(sources))


def _objects(sources: Iterable[RequestSource]) -> Iterator[ClusterObject]:
    for source in sources:
        yield from read_manifests(_documents(source))


def _documents(source: RequestSource) -> Iterator[tuple[Mapping[str, Any], Origin | None]]:
    if isinstance(source, Mapping):
        yield source, None
    elif isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            with path.open("rb") as file:
                yield from _read(file, str(path))
        except (OSError, ValueError) as error:
            if isinstance(error, ManifestError):
                raise
            reason = error.strerror if isinstance(error, OSError) else None
            raise ManifestError(f"cannot be read: {reason or error}", source=str(path)) from None
    elif hasattr(source, "read"):
        name = getattr(source, "name", None)
        yield from _read(source, name if isinstance(name, str) else "manifests")
    else:
        raise TypeError(f"a mapping, a path or an open file is needed, not {type(source).__name__}")


def _read(file: IO[str] | IO[bytes], name: str) -> Iterator[tuple[Mapping[str, Any], Origin | None]]:
    try:
        for document in read_documents(file, name, skip_empty=True):
            yield document.value, document.origin
    except CatalogError as error:
        raise ManifestError(error.reason, source=error.origin) from None
