"""Read any request document: mappings, JSON and YAML of classic OLM, of OLM v1 and of whole clusters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from olmsolve.catalog import Catalog, index_files
from olmsolve.classic import Request
from olmsolve.fields import DocumentLocation, Fields
from olmsolve.requests.classic import classic_request
from olmsolve.requests.documents import RequestSource, opened


def read_request(
    source: RequestSource,
    *,
    load: Callable[[Path], Catalog] = index_files.load,
    catalogs: Mapping[str, Path] | None = None,
    namespace: str = "",
) -> Request | Any:
    """Read a request document; its fields are described in docs/documents.md and docs/v1.md.

    A document with ``subscriptions`` asks classic OLM; one with an ``extension``, or the objects
    ClusterExtension and ClusterCatalog themselves (as several YAML documents or a List), asks OLM v1 and
    becomes an :class:`olmsolve.v1.ExtensionRequest`. Which it is only the document knows, so the type says that it is
    mostly the former: ask ``isinstance`` where it matters.

    *source* is the document itself as a mapping, the path of a JSON or YAML file (UTF-8), or such a file open
    for reading. A catalog's ``file`` is relative to the document's folder; for a mapping, and for an open
    file without a name, to the working directory.

    With *catalogs*, the *source* holds a cluster's own objects of classic OLM (docs/cluster.md), and *namespace* makes
    the request; it may be left out where only one has subscriptions. *catalogs* says where the content of each
    CatalogSource is, by ``namespace/name``. :func:`read_cluster` and :func:`of_cluster` do the same for several
    files and with more to choose.

    *load* turns the path of such a file into a catalog, once for each path. Pass a function that remembers
    catalogs to share them between requests.

    Raises:
        RequestError: the document cannot be read, has an unknown field or a value of the wrong type, lacks a
            field, or contradicts itself. The error names the field by its path.
        CatalogError: one of its catalogs cannot be read.
    """
    if catalogs is not None:
        from olmsolve.requests import cluster, manifests

        state = manifests.read_cluster(source)
        contents = {key: load(Path(path)) for key, path in catalogs.items()}
        return cluster.of_cluster(state, contents, namespace or cluster.only_namespace(state))
    document, folder, name = opened(source)
    fields = Fields(document, location=DocumentLocation(name))
    if "extension" in document or "apiVersion" in document:
        # Who asks classic OLM should not wait for OLM v1 to load.
        from olmsolve.requests.extension import v1_request

        return v1_request(fields, folder, load)
    return classic_request(fields, folder, load)
