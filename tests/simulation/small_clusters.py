"""Small clusters and catalogs for scenarios: what is said in one line here is a manifest or a few blobs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

import olmsolve
from olmsolve import Policy, Simulation, Situation
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import read_manifests
from olmsolve.errors import CatalogError
from olmsolve.requests import ClusterSituation

OLM = "operators.coreos.com/v1alpha1"
MODES = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")


@attrs.frozen
class Version:
    """A bundle ``package.vNUMBER``: the APIs (``Kind.version``) that it owns and requires, and its update edges.

    It supports these install modes (all, where none is named), up to this OpenShift.
    """

    number: str
    owns: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    replaces: str = ""
    skips: tuple[str, ...] = ()
    skip_range: str = ""
    modes: tuple[str, ...] = ()
    openshift: str = ""


def catalog(**packages: Iterable[Version]) -> Catalog:
    """A catalog of packages with one channel, ``stable``, each."""
    return from_blobs(catalog_blobs(**packages))


def catalog_blobs(**packages: Iterable[Version]) -> list[dict[str, Any]]:
    """The blobs of :func:`catalog`."""
    blobs: list[dict[str, Any]] = []
    for package, versions in packages.items():
        entries: list[dict[str, Any]] = []
        for version in versions:
            entry: dict[str, Any] = {"name": f"{package}.v{version.number}"}
            if version.replaces:
                entry["replaces"] = f"{package}.v{version.replaces}"
            if version.skips:
                entry["skips"] = [f"{package}.v{number}" for number in version.skips]
            if version.skip_range:
                entry["skipRange"] = version.skip_range
            entries.append(entry)
            blobs.append(
                {
                    "schema": "olm.bundle",
                    "package": package,
                    "name": entry["name"],
                    "image": f"quay.example.com/{package}:{version.number}",
                    "properties": properties(package, version),
                }
            )
        blobs.append({"schema": "olm.package", "name": package, "defaultChannel": "stable"})
        blobs.append({"schema": "olm.channel", "package": package, "name": "stable", "entries": entries})
    return blobs


def properties(package: str, version: Version) -> list[dict[str, Any]]:
    stated: list[dict[str, Any]] = [
        {"type": "olm.package", "value": {"packageName": package, "version": version.number}}
    ]
    for kind, apis in (("olm.gvk", version.owns), ("olm.gvk.required", version.requires)):
        for api in apis:
            name, _, served = api.partition(".")
            stated.append({"type": kind, "value": {"group": "example.com", "version": served, "kind": name}})
    if version.openshift:
        stated.append({"type": "olm.maxOpenShiftVersion", "value": version.openshift})
    if version.modes:
        modes = [{"type": mode, "supported": mode in version.modes} for mode in MODES]
        stated.append({"type": "olm.csv.metadata", "value": {"installModes": modes}})
    return stated


def cluster(*manifests: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> ClusterState:
    """The objects, with the catalog ``olm/main``; several manifests may come together."""
    objects: list[Mapping[str, Any]] = [
        {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": "main", "namespace": "olm"}}
    ]
    for group in manifests:
        objects.extend([group] if isinstance(group, Mapping) else group)
    return ClusterState.of(read_manifests((manifest, None) for manifest in objects))


def group(namespace: str, *, targets: Iterable[str] = (), strategy: str = "Default") -> dict[str, Any]:
    """An operator group for its own namespace, or for *targets*."""
    listed = list(targets) or [namespace]
    return {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": "og", "namespace": namespace},
        "spec": {"targetNamespaces": listed, "upgradeStrategy": strategy},
        "status": {"namespaces": listed},
    }


def subscription(
    namespace: str, package: str, *, has: str = "", approval: str = "Automatic", source: bool = True
) -> dict[str, Any]:
    """A subscription to *package*, which *has* the version installed (or nothing)."""
    owned = f"{package}.v{has}" if has else ""
    wish = {"name": package, "channel": "stable", "source": "main", "sourceNamespace": "olm"}
    return {
        "apiVersion": OLM,
        "kind": "Subscription",
        "metadata": {"name": package, "namespace": namespace},
        "spec": {**wish, "installPlanApproval": approval},
        "status": {"installedCSV": owned, "currentCSV": owned, "state": "AtLatestKnown"} if owned else {},
    }


def operator(namespace: str, package: str, version: Version, **status: str) -> dict[str, Any]:
    """The operator of a bundle, at work unless *status* says otherwise."""
    owned = []
    for api in version.owns:
        kind, _, served = api.partition(".")
        owned.append({"name": f"{kind.lower()}s.example.com", "version": served, "kind": kind})
    annotations = {"operatorframework.io/properties": json.dumps({"properties": properties(package, version)})}
    return {
        "apiVersion": OLM,
        "kind": "ClusterServiceVersion",
        "metadata": {"name": f"{package}.v{version.number}", "namespace": namespace, "annotations": annotations},
        "spec": {
            "version": version.number,
            "installModes": [{"type": mode, "supported": True} for mode in MODES],
            "customresourcedefinitions": {"owned": owned},
        },
        "status": {"phase": "Succeeded", **status},
    }


def installed(namespace: str, package: str, version: Version, *, approval: str = "Automatic") -> list[dict[str, Any]]:
    """An operator and the subscription that it belongs to."""
    return [
        subscription(namespace, package, has=version.number, approval=approval),
        operator(namespace, package, version),
    ]


def cluster_situation(
    state: ClusterState, contents: Mapping[str, Catalog | CatalogError], policy: Policy | None = None
) -> ClusterSituation:
    """The cluster *state* under *policy*, as all verbs see it."""
    situation = Situation.of_cluster(state, contents, policy).cluster
    assert situation is not None
    return situation


def simulate(
    state: ClusterState,
    contents: Mapping[str, Catalog | CatalogError],
    *,
    policy: Policy | None = None,
    namespaces: Iterable[str] = (),
    **settings: Any,
) -> Simulation:
    """Simulate the cluster *state*, or these *namespaces* of it, with the *settings* of the verb."""
    situation = Situation.of_cluster(state, contents, policy)
    for name in namespaces:
        situation = situation.only(namespace=name)
    return olmsolve.simulate(situation, **settings)
