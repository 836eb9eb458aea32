"""The API group and the resource of a kind: what rights are about, where manifests have kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from olmsolve.cluster.rbac import RBAC_GROUP

_RESOURCES: Final[Mapping[str, tuple[str, str]]] = {
    "ClusterRole": (RBAC_GROUP, "clusterroles"),
    "ClusterRoleBinding": (RBAC_GROUP, "clusterrolebindings"),
    "ConfigMap": ("", "configmaps"),
    "CustomResourceDefinition": ("apiextensions.k8s.io", "customresourcedefinitions"),
    "Deployment": ("apps", "deployments"),
    "NetworkPolicy": ("networking.k8s.io", "networkpolicies"),
    "PodDisruptionBudget": ("policy", "poddisruptionbudgets"),
    "PriorityClass": ("scheduling.k8s.io", "priorityclasses"),
    "Role": (RBAC_GROUP, "roles"),
    "RoleBinding": (RBAC_GROUP, "rolebindings"),
    "Secret": ("", "secrets"),
    "Service": ("", "services"),
    "ServiceAccount": ("", "serviceaccounts"),
}


class Resource(NamedTuple):
    """The resource *name* (a plural) of an API *group*, "" for the core."""

    group: str
    name: str

    def __str__(self) -> str:
        return f"{self.name}.{self.group}" if self.group else self.name


def resource_of(kind: str, api_version: str = "") -> Resource:
    """Return the resource of *kind*: as Kubernetes has it for the kinds that bundles bring, else *kind* with an "s"."""
    group, _, version = api_version.rpartition("/")
    return Resource(*_RESOURCES.get(kind, (group if version else "", f"{kind.lower()}s")))
