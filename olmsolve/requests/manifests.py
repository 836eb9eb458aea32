"""The state of a cluster from files: what ``kubectl get ... -o yaml`` printed, in any number of files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from olmsolve import events
from olmsolve._limits import Cancellation, scoped
from olmsolve.cluster import ClusterState, completed
from olmsolve.cluster.objects import ClusterObject, read_manifests
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.requests.documents import LEAVING, RequestSource, SourceDocument, documents_in, holds_files
from olmsolve.requests.recorded_files import files_of, leads_out, newest


def read_cluster(
    *sources: RequestSource,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> ClusterState:
    """Return the objects of a cluster: all documents of all *sources* together, Lists (nested ones too) as their items.

    A source is a manifest as a mapping, an open file, or the path of a JSON or YAML file (UTF-8, perhaps gzipped), of a
    folder of them, of a must-gather tree, or of an archive of either (tar, perhaps in gzip, or ZIP). Fields that a
    shortened dump lacks are added (docs/cluster.md). Objects of kinds that olmsolve does not interpret are kept apart.
    The same object may come twice, but not two different ones of one kind and name. *timeout*, *cancel* and *observer*
    are as in :func:`olmsolve.resolve`.

    Raises:
        ManifestError: a source cannot be read or is not a manifest, or an object does not have the shape of its kind.
            The error names the file, the document, the object and the field.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return completed(ClusterState.of(manifest for source in sources for manifest in objects_in(source)))


def objects_in(source: RequestSource) -> Iterator[ClusterObject]:
    """Yield the objects in all documents of *source*, Lists (nested ones too) as their items.

    Raises:
        ManifestError: as :func:`read_cluster` does.
    """
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    files = files_of(path) if path is not None and holds_files(path) else None
    documents: list[SourceDocument] = []
    try:
        for file in files or (source,):
            if path is not None and isinstance(file, Path) and files is not None and leads_out(file, path):
                raise CatalogError(LEAVING, origin=str(file))
            documents += documents_in(file, ManifestError)
    except CatalogError as error:
        raise ManifestError(error.reason, source=error.origin) from None
    except OSError as error:
        raise ManifestError(f"cannot be read: {error.strerror or error}", source=str(source)) from None
    documents = documents if files is None else newest(documents)
    yield from read_manifests((located.value, located.origin) for located in documents)
