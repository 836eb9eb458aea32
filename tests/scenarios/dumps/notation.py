"""The short notation of dumps, written out in the form that ``kubectl get -o yaml`` prints (see README.md)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.scenarios.notation import catalog_blobs

OLM: Final = "operators.coreos.com/v1alpha1"
MADE: Final = "2026-03-02T09:15:41Z"
ALL_MODES: Final = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")

Manifest = dict[str, Any]


def contents(scenario: Mapping[str, Any]) -> dict[str, list[Manifest]]:
    """Return the blobs of each catalog whose content is given: ``namespace/name``, or a name alone for OLM v1."""
    catalogs = {**scenario.get("catalogs", {}), **scenario.get("clusterCatalogs", {})}
    return {
        key: _pulled(catalog_blobs(catalog["packages"])) for key, catalog in catalogs.items() if "packages" in catalog
    }


def _pulled(blobs: list[Manifest]) -> list[Manifest]:
    """Return *blobs* with an image for each bundle, as catalogs of real clusters have them."""
    bundles = (blob for blob in blobs if blob["schema"] == "olm.bundle")
    images = {blob["name"]: f"quay.example.com/bundles/{blob['name']}" for blob in bundles}
    return [blob | ({"image": images[blob["name"]]} if blob["schema"] == "olm.bundle" else {}) for blob in blobs]


def dump(scenario: Mapping[str, Any]) -> Manifest:
    """Return the List that kubectl prints of the cluster of *scenario*."""
    return {"apiVersion": "v1", "kind": "List", "items": list(_objects(scenario)), "metadata": {"resourceVersion": ""}}


def _objects(scenario: Mapping[str, Any]) -> Iterator[Manifest]:
    properties = {
        blob["name"]: blob["properties"]
        for blobs in contents(scenario).values()
        for blob in blobs
        if blob["schema"] == "olm.bundle"
    }
    groups = {key: _targets(value) for key, value in scenario.get("groups", {}).items()}
    for namespace in dict.fromkeys(key.split("/")[0] for key in groups):
        yield _manifest("v1", "Namespace", "", namespace, {"spec": {"finalizers": ["kubernetes"]}}, phase="Active")
    yield from (_catalog_source(key, value) for key, value in scenario.get("catalogs", {}).items())
    yield from (_group(key, targets, scenario) for key, targets in groups.items())
    operators = dict(scenario.get("operators", {}))
    plans = dict(scenario.get("plans", {}))
    for number, (key, given) in enumerate(scenario.get("subscriptions", {}).items(), start=1):
        namespace, name = key.split("/")
        plan = given.get("plan", f"install-{number:05d}")
        yield _subscription(namespace, name, given, plan)
        if "has" in given and not given.get("deleted"):
            operators.setdefault(f"{namespace}/{given['has']}", {})
        if "has" in given:
            plans.setdefault(f"{namespace}/{plan}", {"of": [given["has"]]})
    for key, given in operators.items():
        yield from _operator(key, given or {}, properties, groups)
    yield from (_plan(key, given, properties) for key, given in plans.items())
    for key, given in scenario.get("conditions", {}).items():
        namespace, name = key.split("/")
        yield _manifest("operators.coreos.com/v2", "OperatorCondition", namespace, name, {"spec": given})
    yield from (_cluster_catalog(name, value) for name, value in scenario.get("clusterCatalogs", {}).items())
    yield from (_extension(name, value) for name, value in scenario.get("extensions", {}).items())


def _manifest(
    version: str,
    kind: str,
    namespace: str,
    name: str,
    content: Mapping[str, Any],
    *,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    **status: Any,
) -> Manifest:
    """Return an object as the API server stores it: with an identity, versions, and who wrote which fields."""
    metadata: Manifest = {
        "creationTimestamp": MADE,
        "generation": 1,
        "managedFields": [
            {
                "apiVersion": version,
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {".": {}}, "f:status": {".": {}, "f:conditions": {}}},
                "manager": "olm",
                "operation": "Update",
                "time": MADE,
            }
        ],
        "name": name,
        "resourceVersion": "48213",
        "uid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{kind}/{namespace}/{name}")),
    }
    given = {"annotations": annotations, "labels": labels, "namespace": namespace}
    metadata |= {key: value for key, value in given.items() if value}
    written = {"apiVersion": version, "kind": kind, "metadata": metadata, **content}
    return written | ({"status": status} if status else {})


def _catalog_source(key: str, given: Mapping[str, Any]) -> Manifest:
    namespace, name = key.split("/")
    state = given.get("state", "READY")
    spec = {
        "displayName": name.capitalize(),
        "grpcPodConfig": {"securityContextConfig": "restricted"},
        "image": f"quay.example.com/catalogs/{name}:latest",
        "priority": given.get("priority", 0),
        "publisher": "Example",
        "sourceType": "grpc",
        "updateStrategy": {"registryPoll": {"interval": "10m"}},
    }
    service = {"port": "50051", "protocol": "grpc", "serviceName": name, "serviceNamespace": namespace}
    connection = {
        "address": f"{name}.{namespace}.svc:50051",
        "lastConnect": MADE,
        "lastObservedState": state,
    }
    return _manifest(
        OLM, "CatalogSource", namespace, name, {"spec": spec}, connectionState=connection, registryService=service
    )


def _targets(given: Any) -> tuple[str, ...]:
    return ("",) if given == "all" else tuple(sorted(given))


def _group(key: str, targets: tuple[str, ...], scenario: Mapping[str, Any]) -> Manifest:
    namespace, _, name = key.partition("/")
    settings = scenario.get("groupSettings", {}).get(key, {})
    spec: Manifest = {} if targets == ("",) else {"targetNamespaces": list(targets)}
    spec["upgradeStrategy"] = "TechPreviewUnsafeFailForward" if settings.get("failForward") else "Default"
    hidden = {"olm.operatorframework.io/exclude-global-namespace-resolution": "true"}
    return _manifest(
        "operators.coreos.com/v1",
        "OperatorGroup",
        namespace,
        name or namespace,
        {"spec": spec},
        annotations={"olm.providedAPIs": settings.get("apis", "")} | (hidden if settings.get("alone") else {}),
        lastUpdated=MADE,
        namespaces=list(targets),
    )


def _subscription(namespace: str, name: str, given: Mapping[str, Any], plan: str) -> Manifest:
    source_namespace, source = given["from"].split("/")
    package = given.get("package", name)
    spec = {
        "channel": given.get("channel", "stable"),
        "installPlanApproval": "Manual" if given.get("manual") else "Automatic",
        "name": package,
        "source": source,
        "sourceNamespace": source_namespace,
    }
    spec |= {"startingCSV": given["starting"]} if "starting" in given else {}
    status: Manifest = {
        "catalogHealth": [
            {
                "catalogSourceRef": {
                    "apiVersion": OLM,
                    "kind": "CatalogSource",
                    "name": source,
                    "namespace": source_namespace,
                },
                "healthy": True,
                "lastUpdated": MADE,
            }
        ],
        "conditions": [
            {
                "lastTransitionTime": MADE,
                "message": "all available catalogsources are healthy",
                "reason": "AllCatalogSourcesHealthy",
                "status": "False",
                "type": "CatalogSourcesUnhealthy",
            }
        ],
        "lastUpdated": MADE,
    }
    if "has" in given or "next" in given:
        reference = {"apiVersion": OLM, "kind": "InstallPlan", "name": plan, "namespace": namespace}
        status |= {
            "currentCSV": given.get("next", given.get("has")),
            "installPlanGeneration": given.get("generation", 1),
            "installPlanRef": reference | {"resourceVersion": "48200"},
            "installplan": {"apiVersion": OLM, "kind": "InstallPlan", "name": plan},
            "state": "UpgradePending" if "next" in given else "AtLatestKnown",
        }
        status |= {"installedCSV": given["has"]} if "has" in given else {}
    labels = {f"operators.coreos.com/{package}.{namespace}": ""}
    return _manifest(OLM, "Subscription", namespace, name, {"spec": spec}, labels=labels, **status)


def _operator(
    key: str,
    given: Mapping[str, Any],
    properties: Mapping[str, list[Manifest]],
    groups: Mapping[str, tuple[str, ...]],
) -> Iterator[Manifest]:
    """Yield an operator and, once it works, its copies in the other namespaces that its group targets."""
    namespace, name = key.split("/")
    published = properties.get(name, [])
    targets = groups.get(namespace, (namespace,))
    group = next((group for group in groups if group.split("/")[0] == namespace), namespace).rpartition("/")[2]
    annotations = {
        "olm.operatorGroup": group,
        "olm.operatorNamespace": namespace,
        "operatorframework.io/properties": json.dumps({"properties": published}),
    }
    apis = [property_["value"] for property_ in published if property_["type"] == "olm.gvk"]
    owned = [
        {"kind": api["kind"], "name": f"{api['kind'].lower()}s.{api['group']}", "version": api["version"]}
        for api in apis
    ]
    deployment = {"name": name.split(".")[0], "spec": {"replicas": 1, "selector": {}, "template": {}}}
    modes = given.get("modes", ALL_MODES)
    spec: Manifest = {
        "apiservicedefinitions": {},
        "customresourcedefinitions": {"owned": owned},
        "displayName": name.split(".")[0].capitalize(),
        "install": {"spec": {"deployments": [deployment]}, "strategy": "deployment"},
        "installModes": [{"supported": mode in modes, "type": mode} for mode in ALL_MODES],
        "version": name.partition(".v")[2],
    }
    spec |= {"replaces": given["replaces"]} if "replaces" in given else {}
    status = {
        "lastTransitionTime": MADE,
        "lastUpdateTime": MADE,
        "message": given.get("message", "install strategy completed with no errors"),
        "phase": given.get("phase", "Succeeded"),
        "reason": given.get("reason", "InstallSucceeded"),
    }
    own = annotations | {"olm.targetNamespaces": ",".join(targets)}
    history = {"conditions": [{**status, "phase": "Pending", "reason": "RequirementsUnknown"}, status], "cleanup": {}}
    content = {"spec": spec}
    yield _manifest(
        OLM, "ClusterServiceVersion", namespace, name, content, annotations=own, labels={"olm.managed": "true"},
        **status, **history,
    )  # fmt: skip
    reached = [group.split("/")[0] for group in groups] if targets == ("",) else targets
    for other in reached:
        if other != namespace and status["phase"] == "Succeeded":
            copied = {"message": "The operator is running in another namespace", "reason": "Copied"}
            labels = {"olm.copiedFrom": namespace, "olm.managed": "true"}
            yield _manifest(
                OLM, "ClusterServiceVersion", other, name, content, annotations=annotations, labels=labels,
                **(status | copied), **history,
            )  # fmt: skip


def _plan(key: str, given: Mapping[str, Any], properties: Mapping[str, list[Manifest]]) -> Manifest:
    """Return an install plan whose bundles OLM has unpacked: each manifest is in a ConfigMap that the step names."""
    namespace, name = key.split("/")
    phase = given.get("phase", "Complete")
    spec = {
        "approval": "Manual" if phase == "RequiresApproval" else "Automatic",
        "approved": phase != "RequiresApproval",
        "clusterServiceVersionNames": list(given["of"]),
        "generation": given.get("generation", 1),
    }
    condition = {"lastTransitionTime": MADE, "lastUpdateTime": MADE, "status": "True", "type": "Installed"}
    if phase == "Failed":
        condition |= {"status": "False", "reason": "InstallComponentFailed", "message": given["message"]}

    def unpacked(operator: str) -> Manifest:
        replaced = given["of"][operator] if isinstance(given["of"], dict) else ""
        return {
            "kind": "ConfigMap",
            "name": uuid.uuid5(uuid.NAMESPACE_URL, operator).hex,
            "namespace": "olm",
            "catalogSourceName": "community",
            "catalogSourceNamespace": "olm",
            "replaces": replaced,
            "properties": json.dumps({"properties": properties.get(operator, [])}),
        }

    steps = [
        {
            "resolving": operator,
            "resource": {
                "group": "operators.coreos.com",
                "kind": "ClusterServiceVersion",
                "manifest": json.dumps(unpacked(operator)),
                "name": operator,
                "sourceName": "community",
                "sourceNamespace": "olm",
                "version": "v1alpha1",
            },
            "status": "Created" if phase == "Complete" else "Unknown",
        }
        for operator in given["of"]
    ]
    conditions = [] if phase == "RequiresApproval" else [condition]
    return _manifest(
        OLM, "InstallPlan", namespace, name, {"spec": spec},
        bundleLookups=[], catalogSources=[], conditions=conditions, phase=phase, plan=steps,
    )  # fmt: skip


def _cluster_catalog(name: str, given: Mapping[str, Any]) -> Manifest:
    image = f"quay.example.com/catalogs/{name}"
    spec = {
        "availabilityMode": "Available",
        "priority": given.get("priority", 0),
        "source": {"image": {"pollIntervalMinutes": 10, "ref": f"{image}:latest"}, "type": "Image"},
    }
    labels = {"olm.operatorframework.io/metadata.name": name}
    conditions = [
        {"lastTransitionTime": MADE, "message": "Serving desired content from resolved source",
         "observedGeneration": 1, "reason": "Available", "status": "True", "type": "Serving"}
    ]  # fmt: skip
    return _manifest(
        "olm.operatorframework.io/v1", "ClusterCatalog", "", name, {"spec": spec}, labels=labels,
        conditions=conditions, resolvedSource={"image": {"ref": f"{image}@sha256:{'0' * 64}"}, "type": "Image"},
        urls={"base": f"https://catalogd-service.olmv1-system.svc/catalogs/{name}"},
    )  # fmt: skip


def _extension(name: str, given: Mapping[str, Any]) -> Manifest:
    catalog: Manifest = {"packageName": given.get("package", name), "upgradeConstraintPolicy": "CatalogProvided"}
    catalog |= {key: given[key] for key in ("channels", "version", "upgradeConstraintPolicy") if key in given}
    spec = {
        "namespace": f"{name}-system",
        "serviceAccount": {"name": f"{name}-installer"},
        "source": {"catalog": catalog, "sourceType": "Catalog"},
    }
    status: Manifest = {"conditions": [
        {"lastTransitionTime": MADE, "message": "Desired state reached", "observedGeneration": 1,
         "reason": "Succeeded", "status": "True", "type": "Progressing"}
    ]}  # fmt: skip
    if "has" in given:
        status["install"] = {"bundle": {"name": given["has"], "version": given["has"].partition(".v")[2]}}
    return _manifest("olm.operatorframework.io/v1", "ClusterExtension", "", name, {"spec": spec}, **status)
