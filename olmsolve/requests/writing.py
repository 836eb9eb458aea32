"""Requests as documents, which hold their catalogs: the way back from :mod:`.reading`."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve.catalog import Catalog, Source, UnreadableSource, fbc
from olmsolve.classic import HealthPolicy, Installed, Request, Subscription
from olmsolve.errors import RequestError
from olmsolve.requests.document_shapes import (
    CatalogDocument,
    ClusterCatalogDocument,
    ExtensionDocument,
    ExtensionRequestDocument,
    InstallDocument,
    InstalledBundleDocument,
    InstalledDocument,
    LabelExpressionDocument,
    RequestDocument,
    SelectorDocument,
    SubscriptionDocument,
    WrittenPropertyValue,
)

Json: TypeAlias = dict[str, Any]


def request_document(request: Request | v1.ExtensionRequest) -> Json:
    """Return the document of *request*, with the blobs of its catalogs in it; reading it gives the same request.

    Raises:
        RequestError: *request* has parts that no document can say: system constraints, or validations of a program.
    """
    if request.eligibility:
        hint = "operator groups and versions of Kubernetes and OpenShift make them: leave these out"
        raise RequestError("system constraints cannot be written in a document", hint=hint)
    return (_classic(request) if isinstance(request, Request) else _extension(request)).to_dict()


def _classic(request: Request) -> RequestDocument:
    target = request.namespaces[0]
    policy = request.health_policy
    return RequestDocument(
        name=request.name,
        namespaces=request.namespaces,
        catalogs=(
            *(CatalogDocument(*_source_key(source), blobs=_blobs(source.catalog)) for source in request.sources),
            *(
                CatalogDocument(*_source_key(unread), error=str(unread.error) or "unknown")
                for unread in request.unreadable
            ),
        ),
        unreadable="" if policy is HealthPolicy.STRICT else policy.value,
        installed=tuple(map(_operator, request.installed)),
        subscriptions=tuple(_subscription(subscription, target) for subscription in request.subscriptions),
        house_rules=request.house_rules,
    )


def _source_key(source: Source | UnreadableSource) -> tuple[str, str, int]:
    return source.name, source.namespace, source.priority


def _subscription(subscription: Subscription, target: str) -> SubscriptionDocument:
    fields = {field.name: getattr(subscription, field.name) for field in attrs.fields(SubscriptionDocument)}
    return SubscriptionDocument(
        **{**fields, "namespace": "" if subscription.namespace == target else fields["namespace"]}
    )


def _operator(operator: Installed) -> InstalledDocument:
    fields = {field.name: getattr(operator, field.name) for field in attrs.fields(InstalledDocument)}
    properties = tuple(WrittenPropertyValue(property_.type, property_.value) for property_ in operator.properties)
    return InstalledDocument(**{**fields, "properties": properties})


def _extension(request: v1.ExtensionRequest) -> ExtensionRequestDocument:

    if request.listing_error or any(validation is not v1.no_dependencies for validation in request.validations):
        raise RequestError("validations of a program cannot be written in a document")
    extension, installed = request.extension, request.installed
    selector = None
    if extension.selector is not None:
        expressions = extension.selector.match_expressions
        selector = SelectorDocument(
            dict(extension.selector.match_labels),
            tuple(
                LabelExpressionDocument(expression.key, expression.operator, expression.values)
                for expression in expressions
            ),
        )
    return ExtensionRequestDocument(
        name=request.name,
        catalogs=tuple(map(_cluster_catalog, request.catalogs)),
        extension=ExtensionDocument(
            extension.package,
            extension.version,
            extension.channels,
            selector,
            extension.upgrade_constraint_policy,  # type: ignore[arg-type]
        ),
        installed=None
        if installed is None
        else InstalledBundleDocument(installed.name, installed.version, installed.release),
        feature_gates=_gates(request),
        install=_install(request.settings),
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


def _install(settings: v1.InstallSettings) -> InstallDocument | None:
    config = None if settings.config is None else dict(settings.config)
    document = InstallDocument(settings.namespace, "" if settings.crd_upgrade_safety else "None", config)
    return document if document.to_dict() else None


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
