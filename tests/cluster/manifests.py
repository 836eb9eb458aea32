"""Small manifests for tests of the rules around a cluster's objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from olmsolve.catalog import Origin
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterServiceVersion, read_manifests

MODES = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")


def state(*documents: Mapping[str, Any] | str) -> ClusterState:
    """The cluster that *documents* describe: mappings, or YAML text of several."""
    objects: list[Mapping[str, Any]] = []
    for document in documents:
        objects.extend(yaml.safe_load_all(document) if isinstance(document, str) else [document])
    return ClusterState.of(read_manifests((item, Origin("cluster.yaml", n)) for n, item in enumerate(objects)))


def namespace(name: str, **labels: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def group(
    where: str, targets: Iterable[str] | None, *, name: str = "og", provided: str = "", **spec: Any
) -> dict[str, Any]:
    """An operator group whose status has *targets*."""
    return {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": name, "namespace": where, "annotations": {"olm.providedAPIs": provided}},
        "spec": spec,
        "status": {"namespaces": None if targets is None else list(targets)},
    }


def csv(
    where: str,
    *,
    name: str = "op.v1",
    targets: str | None = None,
    group: str = "og",
    owns: Iterable[str] = (),
    modes: Iterable[str] = MODES,
    phase: str = "",
    reason: str = "",
    replaces: str = "",
) -> dict[str, Any]:
    """An operator that owns APIs (``Kind.version.group``), a member of *group* with *targets* if these are given."""
    annotations = (
        {}
        if targets is None
        else {"olm.operatorGroup": group, "olm.operatorNamespace": where, "olm.targetNamespaces": targets}
    )
    owned = []
    for api in owns:
        kind, version, api_group = api.split(".", 2)
        owned.append({"name": f"{kind.lower()}s.{api_group}", "version": version, "kind": kind})
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": name, "namespace": where, "annotations": annotations},
        "spec": {
            "installModes": [{"type": mode, "supported": True} for mode in modes],
            "customresourcedefinitions": {"owned": owned},
            "replaces": replaces,
        },
        "status": {"phase": phase, "reason": reason},
    }


def the_csv(cluster: ClusterState, where: str, name: str = "op.v1") -> ClusterServiceVersion:
    csv = cluster.get(ClusterServiceVersion, where, name)
    assert csv is not None
    return csv
