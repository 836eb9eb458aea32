"""The objects of a cluster that a request of classic OLM stands for, as kubectl prints them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from olmsolve.catalog import Source
from olmsolve.classic import Installed, Subscription
from olmsolve.predicates import published

Manifest: TypeAlias = dict[str, Any]

_OLM: Final = "operators.coreos.com/v1alpha1"
_MODES: Final = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")


def catalog_source(source: Source) -> Manifest:
    """Return the CatalogSource of *source*."""
    about = {"name": source.name, "namespace": source.namespace}
    spec = {"sourceType": "grpc", "priority": source.priority}
    return {"apiVersion": _OLM, "kind": "CatalogSource", "metadata": about, "spec": spec}


def operator_group(name: str, namespace: str, targets: Sequence[str]) -> Manifest:
    """Return an OperatorGroup that serves the namespaces *targets*; [""] stands for all."""
    spec: Manifest = {"upgradeStrategy": "Default"}
    if list(targets) != [""]:
        spec["targetNamespaces"] = list(targets)
    return {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
        "status": {"namespaces": list(targets)},
    }


def subscription_object(subscription: Subscription, namespace: str, *, approval: str = "Automatic") -> Manifest:
    """Return the Subscription of *subscription* in *namespace*, whose status names the operator that it owns."""
    owned = subscription.installed_csv
    return {
        "apiVersion": _OLM,
        "kind": "Subscription",
        "metadata": {"name": subscription.name, "namespace": namespace},
        "spec": {
            "name": subscription.package,
            "channel": subscription.channel,
            "source": subscription.source,
            "sourceNamespace": subscription.source_namespace,
            "startingCSV": subscription.starting_csv,
            "installPlanApproval": approval,
        },
        "status": {"installedCSV": owned, "currentCSV": owned, "state": "AtLatestKnown" if owned else ""},
    }


def cluster_service_version(operator: Installed, namespace: str, *, phase: str = "Succeeded") -> Manifest:
    """Return the ClusterServiceVersion of *operator* in *namespace*, in a *phase*, with every install mode."""
    properties = [{"type": property_.type, "value": property_.value} for property_ in operator.properties]
    owned = [
        {"name": f"{api.kind.lower()}s.{api.group}", "version": api.version, "kind": api.kind}
        for api in published("", operator.properties).gvks
    ]
    annotations = {"operatorframework.io/properties": json.dumps({"properties": properties})}
    return {
        "apiVersion": _OLM,
        "kind": "ClusterServiceVersion",
        "metadata": {"name": operator.name, "namespace": namespace, "annotations": annotations},
        "spec": {
            "version": operator.version,
            "installModes": [{"type": mode, "supported": True} for mode in _MODES],
            "customresourcedefinitions": {"owned": owned},
        },
        "status": {"phase": phase},
    }
