"""All operator groups of a cluster, prepared for the questions that are asked of every operator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from olmsolve.cluster.apis import Api
from olmsolve.cluster.objects import ClusterServiceVersion, Namespace, OperatorGroup
from olmsolve.cluster.operator_groups.surface import GroupSurface, surface
from olmsolve.cluster.state import ClusterState

__all__ = ["ClusterGroups", "Neighbours"]


class Neighbours:
    """The operators of one namespace (copies of others' left out), and who replaces whom."""

    def __init__(self, csvs: Iterable[ClusterServiceVersion]) -> None:
        self.by_name: dict[str, ClusterServiceVersion] = {csv.name: csv for csv in csvs if not csv.is_copied}
        self._replacing: dict[str, list[ClusterServiceVersion]] = {}
        self._owners: dict[str, list[ClusterServiceVersion]] = {}
        self._chains: dict[str, frozenset[str]] = {}
        # By chain (which is kept) and resource: an owner outside of it.
        self._strangers: dict[tuple[int, str], ClusterServiceVersion | None] = {}
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
        """Another operator that owns the resource *name*, and is not in the chain of replacements of *csv*."""
        owners = self._owners.get(name, ())
        if not any(each.name != csv.name for each in owners):
            return None
        chain = self._chain(csv)
        key = id(chain), name
        if key not in self._strangers:
            self._strangers[key] = next((each for each in owners if each.name not in chain), None)
        return self._strangers[key]

    def _chain(self, csv: ClusterServiceVersion) -> frozenset[str]:
        """The names of *csv*, of what it replaces, at whatever distance, and of what replaces it."""
        known = self._chains.get(csv.name)
        if known is not None:
            return known
        chain = {csv.name: csv}
        for following in (self.replaced_by, self.replacing):
            each = following(csv)
            while each is not None and each.name not in chain:
                chain[each.name] = each
                each = following(each)
        # Of several that replace it, all count, and only the first is followed.
        names = frozenset((*chain, *(other.name for other in self._replacing.get(csv.name, ()))))
        forks = any(len(self._replacing.get(each, ())) > 1 for each in names)
        # Without forks all members have the same chain, however many they are.
        self._chains.update(dict.fromkeys([csv.name] if forks else names, names))
        return names


def owned_names(csv: ClusterServiceVersion) -> dict[str, str]:
    """The cluster's objects that the APIs of *csv* are in, with their kind as OLM's messages have it."""
    names = {crd.name: "CRD" for crd in csv.owned_crds}
    names.update((f"{service.version}.{service.group}", "APIService") for service in csv.owned_api_services)
    return names


_MOST_NAMED: Final = 20


class ClusterGroups:
    """The operator groups of *state*; what is asked more than once is worked out once.

    Thousands of groups may all provide one API, or all target one namespace, so that which of them meet is looked up by
    both at once.
    """

    def __init__(self, state: ClusterState) -> None:
        self.state = state
        self.namespaces: tuple[Namespace, ...] = state.all(Namespace)
        # All of these are by namespace and name.
        self._surfaces = [surface(group) for group in state.all(OperatorGroup)]
        self._by_key = {(found.namespace, found.name): found for found in self._surfaces}
        self._by_api: dict[Api, list[GroupSurface]] = {}
        self._for_all_by_api: dict[Api, list[GroupSurface]] = {}
        self._by_target_and_api: dict[tuple[str, Api], list[GroupSurface]] = {}
        self._for_all: list[GroupSurface] = []
        self._by_target: dict[str, list[GroupSurface]] = {}
        for found in self._surfaces:
            if found.targets.is_all:
                self._for_all.append(found)
            else:
                for target in found.targets:
                    self._by_target.setdefault(target, []).append(found)
            for api in found.provided_apis if len(found.targets) else ():
                self._by_api.setdefault(api, []).append(found)
                if found.targets.is_all:
                    self._for_all_by_api.setdefault(api, []).append(found)
                else:
                    for target in found.targets:
                        self._by_target_and_api.setdefault((target, api), []).append(found)
        self._contesting: dict[tuple[str, str, Api], tuple[GroupSurface, ...]] = {}
        self._neighbours: dict[str, Neighbours] = {}

    def in_namespace(self, namespace: str) -> tuple[OperatorGroup, ...]:
        return self.state.all(OperatorGroup, namespace)

    def surface(self, group: OperatorGroup) -> GroupSurface:
        known = self._by_key.get((group.namespace, group.name))
        return known if known is not None else surface(group)

    def intersecting(self, group: GroupSurface) -> tuple[GroupSurface, ...]:
        """The other groups that target a namespace of *group*, by namespace and name."""
        if group.targets.is_all:
            found = [each for each in self._surfaces if len(each.targets)]
        else:
            lists = [self._for_all] if len(group.targets) else []
            lists += [self._by_target.get(target, []) for target in group.targets]
            by_key = {(each.namespace, each.name): each for several in lists for each in several}
            found = [by_key[key] for key in sorted(by_key)]
        return tuple(each for each in found if each.key != group.key)

    def contesting(self, api: Api, group: GroupSurface) -> tuple[GroupSurface, ...]:
        """The other groups that provide *api* and target a namespace of *group*: the first twenty of them."""
        key = group.namespace, group.name, api
        known = self._contesting.get(key)
        if known is None:
            known = self._contesting[key] = self._find_contesting(api, group)
        return known

    def neighbours(self, namespace: str) -> Neighbours:
        known = self._neighbours.get(namespace)
        if known is None:
            known = self._neighbours[namespace] = Neighbours(self.state.all(ClusterServiceVersion, namespace))
        return known

    def _find_contesting(self, api: Api, group: GroupSurface) -> tuple[GroupSurface, ...]:
        if group.targets.is_all:
            lists = [self._by_api.get(api, [])]
        elif len(group.targets):
            lists = [self._by_target_and_api.get((target, api), []) for target in group.targets]
            lists.append(self._for_all_by_api.get(api, []))
        else:
            return ()
        # One more than is named, since the group itself may be among them.
        found = {(each.namespace, each.name): each for several in lists for each in several[: _MOST_NAMED + 1]}
        found.pop((group.namespace, group.name), None)
        return tuple(found[key] for key in sorted(found)[:_MOST_NAMED])
