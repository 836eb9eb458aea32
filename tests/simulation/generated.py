"""Random clusters: namespaces with subscriptions, operators and groups, over small catalogs full of conflicts."""

from __future__ import annotations

import json
import random
from typing import Any

from olmsolve.catalog import Catalog
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import read_manifests
from olmsolve.errors import CatalogError
from olmsolve.testing import DENSE, RequestShape, classic_request, random_document

OLM = "operators.coreos.com/v1alpha1"
MODES = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")

Contents = dict[str, Catalog | CatalogError]


def random_cluster(seed: str, shape: RequestShape = DENSE) -> tuple[list[dict[str, Any]], Contents]:
    """The manifests of a cluster of one to three namespaces, and what its catalogs contain."""
    generator = random.Random(seed)
    manifests: list[dict[str, Any]] = []
    contents: Contents = {}
    for number in range(generator.choice([1, 1, 2, 3])):
        document = random_document(generator, shape)
        manifests += _namespace(f"ns{number}", document, generator)
        for source in classic_request(document).sources:
            contents[f"{_renamed(source.namespace, number)}/{source.name}-{number}"] = source.catalog
    return manifests, contents


def state_of(manifests: list[dict[str, Any]]) -> ClusterState:
    return ClusterState.of(read_manifests((manifest, None) for manifest in manifests))


def _renamed(namespace: str, number: int) -> str:
    return f"ns{number}" if namespace == "ns" else namespace


def _namespace(name: str, document: dict[str, Any], generator: random.Random) -> list[dict[str, Any]]:
    number = int(name.removeprefix("ns"))
    objects: list[dict[str, Any]] = []
    for catalog in document["catalogs"]:
        about = {"name": f"{catalog['name']}-{number}", "namespace": _renamed(catalog["namespace"], number)}
        spec = {"sourceType": "grpc", "priority": catalog["priority"]}
        objects.append({"apiVersion": OLM, "kind": "CatalogSource", "metadata": about, "spec": spec})
    groups = generator.choice([1] * 9 + [0, 2])
    for group_number in range(groups):
        targets = generator.choice([[name], [name], [""]])
        objects.append(
            {
                "apiVersion": "operators.coreos.com/v1",
                "kind": "OperatorGroup",
                "metadata": {"name": f"og{group_number}", "namespace": name},
                "spec": {"upgradeStrategy": generator.choice(["Default", "TechPreviewUnsafeFailForward"])}
                | ({} if targets == [""] else {"targetNamespaces": targets}),
                "status": {"namespaces": targets},
            }
        )
    objects += [_csv(name, operator, generator) for operator in document["installed"]]
    for subscription in document["subscriptions"]:
        source = subscription.get("source", "")
        spec = {
            "name": subscription["package"],
            "channel": subscription.get("channel", ""),
            "source": f"{source}-{number}" if source else "",
            "sourceNamespace": _renamed(subscription.get("sourceNamespace", ""), number),
            "startingCSV": subscription.get("startingCSV", ""),
            "installPlanApproval": generator.choice(["Automatic", "Automatic", "Manual"]),
        }
        owned = subscription.get("installedCSV", "")
        status = {"installedCSV": owned, "currentCSV": owned, "state": "AtLatestKnown" if owned else ""}
        about = {"name": subscription["name"], "namespace": name}
        objects.append({"apiVersion": OLM, "kind": "Subscription", "metadata": about, "spec": spec, "status": status})
    return objects


def _csv(namespace: str, operator: dict[str, Any], generator: random.Random) -> dict[str, Any]:
    apis = [item["value"] for item in operator["properties"] if item["type"] == "olm.gvk"]
    owned = [
        {"name": f"{api['kind'].lower()}s.{api['group']}", "version": api["version"], "kind": api["kind"]}
        for api in apis
    ]
    annotations = {"operatorframework.io/properties": json.dumps({"properties": operator["properties"]})}
    return {
        "apiVersion": OLM,
        "kind": "ClusterServiceVersion",
        "metadata": {"name": operator["name"], "namespace": namespace, "annotations": annotations},
        "spec": {
            "version": operator["version"],
            "installModes": [{"type": mode, "supported": True} for mode in MODES],
            "customresourcedefinitions": {"owned": owned},
        },
        "status": {"phase": generator.choice(["Succeeded"] * 5 + ["Failed", "Pending", ""])},
    }
