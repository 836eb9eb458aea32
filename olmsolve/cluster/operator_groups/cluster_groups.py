"""All operator groups of a cluster, prepared for the questions that are asked of every operator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from olmsolve.cluster.apis import Apis
from olmsolve.cluster.objects import ClusterServiceVersion, Namespace, OperatorGroup
from olmsolve.cluster.operator_groups.intersections import Reconciliation, reconcile
from olmsolve.cluster.operator_groups.surface import GroupSurface, surface
from olmsolve.cluster.state import ClusterState

__all__ = ["ClusterGroups", "Neighbours"]


class Neighbours:
    """The operators of one namespace (copies of others' left out), and who replaces whom."""

    def __init__(self, csvs: Iterable[ClusterServiceVersion]) -> None:
        self.by_name: dict[str, ClusterServiceVersion] = {csv.name: csv for csv in csvs if not csv.is_copied}
        self._replacing: dict[str, list[ClusterServiceVersion]] = {}
        self._owners: dict[str, list[ClusterServiceVersion]] = {}
        for csv in self.by_name.values():
            self._replacing.setdefault(csv.replaces, []).append(csv)
            for name in owned_names(csv):
                self._owners.setdefault(name, []).append(csv)

    def replaced_by(self, csv: ClusterServiceVersion) -> ClusterServiceVersion | None:
        """What *csv* replaces, if it is there."""
        return self.by_name.get(csv.replaces) if csv.replaces and csv.replaces != csv.name else None

    def replacing(self, csv: ClusterServiceVersion) -> ClusterServiceVersion | None:
        """What replaces *csv*: of several the first by name."""
        return next((other for other in self._replacing.get(csv.name, ()) if other.name != csv.name), None)

    def other_owner(self, csv: ClusterServiceVersion, name: str) -> ClusterServiceVersion | None:
        """Another operator that owns the resource *name*, and neither replaces *csv* nor is replaced by it."""
        for other in self._owners.get(name, ()):
            if csv.name not in (other.name, other.replaces) and csv.replaces != other.name:
                return other
        return None


def owned_names(csv: ClusterServiceVersion) -> dict[str, str]:
    """The cluster's objects that the APIs of *csv* are in, with their kind as OLM's messages have it."""
    names = {crd.name: "CRD" for crd in csv.owned_crds}
    names.update((f"{service.version}.{service.group}", "APIService") for service in csv.owned_api_services)
    return names


class ClusterGroups:
    """The operator groups of *state*; what is asked more than once is worked out once."""

    def __init__(self, state: ClusterState) -> None:
        self.state = state
        self.namespaces: tuple[Namespace, ...] = state.all(Namespace)
        self._surfaces = [surface(group) for group in state.all(OperatorGroup)]
        self._by_key = {(found.namespace, found.name): found for found in self._surfaces}
        self._by_target: dict[str, list[GroupSurface]] = {}
        for found in self._surfaces:
            for target in found.targets:
                self._by_target.setdefault(target, []).append(found)
        self._intersecting: dict[tuple[str, str], tuple[GroupSurface, ...]] = {}
        self._neighbours: dict[str, Neighbours] = {}

    def in_namespace(self, namespace: str) -> tuple[OperatorGroup, ...]:
        return self.state.all(OperatorGroup, namespace)

    def surface(self, group: OperatorGroup) -> GroupSurface:
        known = self._by_key.get((group.namespace, group.name))
        return known if known is not None else surface(group)

    def near(self, group: GroupSurface) -> tuple[GroupSurface, ...]:
        """The groups of the cluster that target a namespace of *group*, by namespace and name (itself as well)."""
        key = group.namespace, group.name
        known = self._intersecting.get(key)
        if known is None:
            known = self._intersecting[key] = tuple(self._find_intersecting(group))
        return known

    def reconcile(self, apis: Apis, group: GroupSurface) -> Reconciliation:
        """What an operator's *apis* ask of *group*."""
        return reconcile(apis, group, self.near(group))

    def neighbours(self, namespace: str) -> Neighbours:
        known = self._neighbours.get(namespace)
        if known is None:
            known = self._neighbours[namespace] = Neighbours(self.state.all(ClusterServiceVersion, namespace))
        return known

    def _find_intersecting(self, group: GroupSurface) -> Iterable[GroupSurface]:
        if group.targets.is_all:
            near: Iterable[GroupSurface] = self._surfaces
        else:
            near = [found for target in group.targets for found in self._by_target.get(target, ())]
            near += [found for found in self._by_target.get("", ()) if found.targets.is_all]
        found_by_key: Mapping[tuple[str, str], GroupSurface] = {(found.namespace, found.name): found for found in near}
        return (
            found
            for _, found in sorted(found_by_key.items(), key=lambda item: item[0])
            if len(found.targets & group.targets)
        )
