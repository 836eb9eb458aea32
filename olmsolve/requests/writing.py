"""Requests as documents, which hold their catalogs: the way back from :mod:`.reading`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from olmsolve.catalog import Catalog, fbc
from olmsolve.classic import HealthPolicy, Installed, Request, Subscription
from olmsolve.errors import RequestError
from olmsolve.predicates import Property

if TYPE_CHECKING:
    from olmsolve import v1

Json: TypeAlias = dict[str, Any]


def request_document(request: Request | v1.ExtensionRequest) -> Json:
    """Return the document of *request*, with the blobs of its catalogs in it; reading it gives the same request.

    Raises:
        RequestError: *request* has parts that no document can say: system constraints, or validations of a program.
    """
    if request.eligibility:
        hint = "operator groups and versions of Kubernetes and OpenShift make them: leave these out"
        raise RequestError("system constraints cannot be written in a document", hint=hint)
    return _classic(request) if isinstance(request, Request) else _extension(request)


def _classic(request: Request) -> Json:
    target = request.namespaces[0]
    catalogs: list[Json] = [
        _present(name=source.name, namespace=source.namespace, priority=source.priority)
        | {"blobs": _blobs(source.catalog)}
        for source in request.sources
    ]
    catalogs += [
        _present(name=each.name, namespace=each.namespace, priority=each.priority)
        | {"error": str(each.error) or "unknown"}
        for each in request.unreadable
    ]
    policy = request.health_policy
    return {
        **_present(name=request.name),
        "namespaces": list(request.namespaces),
        "catalogs": catalogs,
        **_present(unreadable="" if policy is HealthPolicy.STRICT else policy.value),
        **_present(installed=[_operator(each) for each in request.installed]),
        "subscriptions": [_subscription(each, target) for each in request.subscriptions],
        **_present(houseRules=[rule.to_dict() for rule in request.house_rules]),
    }


def _subscription(subscription: Subscription, target: str) -> Json:
    return _present(
        name=subscription.name,
        namespace="" if subscription.namespace == target else subscription.namespace,
        package=subscription.package,
        channel=subscription.channel,
        source=subscription.source,
        sourceNamespace=subscription.source_namespace,
        startingCSV=subscription.starting_csv,
        installedCSV=subscription.installed_csv,
    )


def _operator(operator: Installed) -> Json:
    return _present(
        name=operator.name,
        version=operator.version,
        subscription=operator.subscription,
        properties=_properties(operator.properties),
    )


def _extension(request: v1.ExtensionRequest) -> Json:
    from olmsolve import v1

    if request.listing_error or any(each is not v1.no_dependencies for each in request.validations):
        raise RequestError("validations of a program cannot be written in a document")
    extension = request.extension
    selector: Json = {}
    if extension.selector is not None:
        expressions = [
            {"key": each.key, "operator": each.operator} | _present(values=list(each.values))
            for each in extension.selector.match_expressions
        ]
        selector = _present(matchLabels=dict(extension.selector.match_labels), matchExpressions=expressions)
    installed: Json = {}
    if request.installed is not None:
        installed = {"name": request.installed.name, "version": request.installed.version}
        if request.installed.release is not None:
            installed["release"] = request.installed.release
    return {
        **_present(name=request.name),
        "catalogs": [_cluster_catalog(catalog) for catalog in request.catalogs],
        "extension": {
            "packageName": extension.package,
            **_present(version=extension.version, channels=list(extension.channels)),
            **({"selector": selector} if extension.selector is not None else {}),
            **_present(upgradeConstraintPolicy=extension.upgrade_constraint_policy),
        },
        **_present(installed=installed),
        **_present(featureGates=_gates(request), install=_install(request.settings)),
        **({"validations": names} if (names := _validations(request)) is not None else {}),
    }


def _validations(request: v1.ExtensionRequest) -> list[str] | None:
    """Return the validations to name: none where all hold, and the wish can be written as a ClusterExtension."""
    from olmsolve.cluster.extensions import wish_faults

    if request.validations and not wish_faults(request.extension):
        return None
    return ["no_dependency"] if request.validations else []


def _gates(request: v1.ExtensionRequest) -> Json:
    releases = {"BundleReleaseSupport": True} if request.release_support else {}
    return dict(request.gates.settings) | releases


def _install(settings: v1.InstallSettings) -> Json:
    safety = "" if settings.crd_upgrade_safety else "None"
    written = _present(namespace=settings.namespace, crdUpgradeSafety=safety)
    return written if settings.config is None else {**written, "config": dict(settings.config)}


def _cluster_catalog(catalog: v1.ClusterCatalog) -> Json:
    from olmsolve import v1

    labels = {key: value for key, value in catalog.labels.items() if key != v1.METADATA_NAME}
    found: Json = {"name": catalog.name} | _present(labels=labels, priority=catalog.priority, error=catalog.error)
    if not catalog.available:
        found["availabilityMode"] = "Unavailable"
    if catalog.catalog is not None:
        found["blobs"] = _blobs(catalog.catalog)
    return found


def _blobs(catalog: Catalog) -> list[Json]:
    return list(fbc.blobs(catalog))


def _properties(properties: Iterable[Property]) -> list[Json]:
    return [{"type": each.type, "value": each.value} for each in properties]


def _present(**fields: Any) -> Json:
    """Return the *fields* that are not empty."""
    return {name: value for name, value in fields.items() if value}
