"""Requests as documents, which hold their catalogs: the way back from :mod:`.reading`."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from olmsolve import v1
from olmsolve.catalog import Catalog, fbc
from olmsolve.classic import HealthPolicy, Request
from olmsolve.errors import RequestError
from olmsolve.requests.extension_documents import ClusterCatalogDocument, ExtensionRequestDocument

Json: TypeAlias = dict[str, Any]

_REQUIRED_LISTS: Final = ("catalogs", "subscriptions", "blobs")
"""The lists that a document has even without anything in them."""


def request_document(request: Request | v1.ExtensionRequest) -> Json:
    """Return the document of *request*, with the blobs of its catalogs in it; reading it gives the same request.

    Raises:
        RequestError: *request* has parts that no document can say: system constraints, or validations of a program.
    """
    if request.eligibility:
        hint = "operator groups and versions of Kubernetes and OpenShift make them: leave these out"
        raise RequestError("system constraints cannot be written in a document", hint=hint)
    return _classic(request) if isinstance(request, Request) else _extension(request).to_dict()


def _classic(request: Request) -> Json:
    """Return the document of *request* without the fields that say what an absent one means."""
    document = request.to_dict()
    for subscription in document["subscriptions"]:
        if subscription["namespace"] == request.namespaces[0]:
            del subscription["namespace"]
    for parts in ("catalogs", "installed"):
        document[parts] = list(map(_without_empty, document[parts]))
    if request.health_policy is HealthPolicy.STRICT:
        del document["unreadable"]
    return _without_empty(document)


def _without_empty(part: Json) -> Json:
    return {name: value for name, value in part.items() if value or name in _REQUIRED_LISTS}


def _extension(request: v1.ExtensionRequest) -> ExtensionRequestDocument:

    if request.listing_error or any(validation is not v1.no_dependencies for validation in request.validations):
        raise RequestError("validations of a program cannot be written in a document")
    return ExtensionRequestDocument(
        name=request.name,
        catalogs=tuple(map(_cluster_catalog, request.catalogs)),
        extension=request.extension,
        installed=request.installed,
        feature_gates=_gates(request),
        install=request.settings,
        validations=_validations(request),
    )


def _validations(request: v1.ExtensionRequest) -> tuple[Literal["no_dependency"], ...] | None:
    """Return the validations to name: none where all hold, and the wish can be written as a ClusterExtension."""
    from olmsolve.cluster.extensions import wish_faults

    if request.validations and not wish_faults(request.extension):
        return None
    return ("no_dependency",) if request.validations else ()


def _gates(request: v1.ExtensionRequest) -> Json:
    releases = {"BundleReleaseSupport": True} if request.release_support else {}
    return dict(request.gates.settings) | releases


def _cluster_catalog(catalog: v1.ClusterCatalog) -> ClusterCatalogDocument:

    return ClusterCatalogDocument(
        catalog.name,
        {key: value for key, value in catalog.labels.items() if key != v1.METADATA_NAME},
        catalog.priority,
        catalog.error,
        "" if catalog.available else "Unavailable",
        blobs=None if catalog.catalog is None else _blobs(catalog.catalog),
    )


def _blobs(catalog: Catalog) -> tuple[Json, ...]:
    return tuple(fbc.blobs(catalog))
