"""The surface of an operator group, its targets and annotated APIs, and all groups of a cluster, indexed by surface.

Whether an operator's APIs fit into its group depends on the groups that intersect it: the groups that target one of its
namespaces. The index answers this for each operator.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_
from typing import Final

import olmsolve._attrs as attrs
from olmsolve.cluster.apis import PROVIDED_APIS_ANNOTATION, Api, Apis, annotation_text, apis_of_annotation
from olmsolve.cluster.objects import ClusterServiceVersion, Namespace, OperatorGroup
from olmsolve.cluster.operator_groups.group_targets import NO_NAMESPACES, NamespaceSet
from olmsolve.cluster.state import ClusterState


@attrs.frozen
class GroupSurface:
    """The targets and provided APIs of the group *name* in *namespace*."""

    name: str
    namespace: str
    targets: NamespaceSet = NO_NAMESPACES
    provided_apis: Apis = frozenset()

    @property
    def key(self) -> str:
        """The group as ``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def annotation(self) -> str:
        """The text of ``olm.providedAPIs`` for the group."""
        return annotation_text(self.provided_apis)


def surface(group: OperatorGroup) -> GroupSurface:
    """Return what *group* covers, by its status and its annotation.

    As recorded, the group's own namespace counts as a target only where the status names targets and the first of
    them is not all namespaces (the documentation says that it always counts).
    """
    targets = set(group.namespaces)
    # OLM looks at the first name of the list alone: "" there stands for all namespaces.
    if group.namespaces and group.namespaces[0]:
        targets.add(group.namespace)
    return GroupSurface(
        name=group.name,
        namespace=group.namespace,
        targets=NamespaceSet(targets),
        provided_apis=apis_of_annotation(group.metadata.annotations.get(PROVIDED_APIS_ANNOTATION, "")),
    )


# Where thousands of groups provide one API, naming all of them to each of thousands of operators takes quadratic time
# and text.
_MOST_NAMED: Final = 20


class Neighbours:
    """The operators of one namespace, copies left out, and their chains: which operator replaces which."""

    def __init__(self, csvs: Iterable[ClusterServiceVersion]) -> None:
        self.by_name: dict[str, ClusterServiceVersion] = {csv.name: csv for csv in csvs if not csv.is_copied}
        # By the name of an operator: its replacements.
        self._replacements: dict[str, list[ClusterServiceVersion]] = {}
        # By the name of a resource (``plural.group``): its owners.
        self._owners: dict[str, list[ClusterServiceVersion]] = {}
        # By the name of an operator: the names in its chain, one frozenset for all members of a chain.
        self._chains: dict[str, frozenset[str]] = {}
        # By chain and resource: an owner outside of the chain. The chain's identity is the key, which is safe because
        # _chains keeps every chain, and saves hashing ten thousand names for each member of a long chain.
        self._strangers: dict[tuple[int, str], ClusterServiceVersion | None] = {}
        for csv in self.by_name.values():
            self._replacements.setdefault(csv.replaces, []).append(csv)
            for name in owned_names(csv):
                self._owners.setdefault(name, []).append(csv)

    def replaced_by(self, csv: ClusterServiceVersion) -> ClusterServiceVersion | None:
        """Return the operator that *csv* replaces, None where it is not in the namespace."""
        return self.by_name.get(csv.replaces) if csv.replaces and csv.replaces != csv.name else None

    def replacing(self, csv: ClusterServiceVersion) -> ClusterServiceVersion | None:
        """Return the operator that replaces *csv*, of several the first by name."""
        return next((other for other in self._replacements.get(csv.name, ()) if other.name != csv.name), None)

    def other_owner(self, csv: ClusterServiceVersion, name: str) -> ClusterServiceVersion | None:
        """Return an operator that owns the resource *name* and is outside of the chain of *csv*."""
        owners = self._owners.get(name, ())
        if not any(owner.name != csv.name for owner in owners):
            return None
        chain = self._chain(csv)
        key = id(chain), name
        if key not in self._strangers:
            self._strangers[key] = next((owner for owner in owners if owner.name not in chain), None)
        return self._strangers[key]

    def _chain(self, csv: ClusterServiceVersion) -> frozenset[str]:
        """Return the names of *csv*, of the operators before it, and of the operators after it."""
        cached = self._chains.get(csv.name)
        if cached is not None:
            return cached
        chain = {csv.name: csv}
        for following in (self.replaced_by, self.replacing):
            member = following(csv)
            while member is not None and member.name not in chain:
                chain[member.name] = member
                member = following(member)
        # Of several operators that replace *csv*, all belong to its chain, and only the first is followed.
        names = frozenset((*chain, *(other.name for other in self._replacements.get(csv.name, ()))))
        forks = any(len(self._replacements.get(name, ())) > 1 for name in names)
        # Without a fork every member has this same chain, so that ten thousand members are walked once:
        #   v1 <- v2 <- v3      {v1, v2, v3} is the chain of all three
        #   v1 <- v2, v1 <- v3  v1 has {v1, v2, v3}, v2 has {v1, v2}, v3 has {v1, v3}
        self._chains.update(dict.fromkeys([csv.name] if forks else names, names))
        return names


def owned_names(csv: ClusterServiceVersion) -> dict[str, str]:
    """Map the name of each cluster object that holds an API of *csv* to its kind in OLM's messages."""
    names = {crd.name: "CRD" for crd in csv.owned_crds}
    names.update((f"{service.version}.{service.group}", "APIService") for service in csv.owned_api_services)
    return names


class _GroupTables:
    """The operator *groups* of a cluster by what they target and provide; they stay while no group changes."""

    def __init__(self, groups: tuple[OperatorGroup, ...]) -> None:
        self.groups = groups
        # The lists of surfaces here are all sorted by namespace and name, as the state is.
        self.surfaces: list[GroupSurface] = [surface(group) for group in groups]
        self.by_key: dict[tuple[str, str], GroupSurface] = {
            (covered.namespace, covered.name): covered for covered in self.surfaces
        }
        self.by_api: dict[Api, list[GroupSurface]] = {}
        self.for_all_by_api: dict[Api, list[GroupSurface]] = {}
        self.by_target_and_api: dict[tuple[str, Api], list[GroupSurface]] = {}
        self.for_all: list[GroupSurface] = []
        self.by_target: dict[str, list[GroupSurface]] = {}
        for covered in self.surfaces:
            if covered.targets.is_all:
                self.for_all.append(covered)
            else:
                for target in covered.targets:
                    self.by_target.setdefault(target, []).append(covered)
            # A group without targets intersects no group, so that its APIs contest nothing.
            for api in covered.provided_apis if len(covered.targets) else ():
                self.by_api.setdefault(api, []).append(covered)
                if covered.targets.is_all:
                    self.for_all_by_api.setdefault(api, []).append(covered)
                else:
                    for target in covered.targets:
                        self.by_target_and_api.setdefault((target, api), []).append(covered)
        # By group and API: the answers stay as long as the groups, through all passes of a simulation.
        self.contesting: dict[tuple[str, str, Api], tuple[GroupSurface, ...]] = {}


class ClusterGroups:
    """The operator groups of *state*; answers to repeated questions are remembered.

    Thousands of groups may provide one API, and thousands may target one namespace. The intersecting groups that
    provide an API are therefore found by target and API together::

        groups that target "shop"                 3000
        groups that provide Prometheus            2000
        groups that do both                          1    <- by_target_and_api["shop", Prometheus]

    With the groups of a state *before*, nothing is worked out again where they are the same.
    """

    def __init__(self, state: ClusterState, before: ClusterGroups | None = None) -> None:
        self.state = state
        self.namespaces: tuple[Namespace, ...] = state.all(Namespace)
        groups = state.all(OperatorGroup)
        is_same = (
            before is not None
            and len(groups) == len(before.tables.groups)
            # Objects that a step of a simulation leaves alone are the same ones: comparing identities takes 0.04 µs for
            # each group.
            and all(map(is_, groups, before.tables.groups))
        )
        self.tables: _GroupTables = before.tables if before is not None and is_same else _GroupTables(groups)
        self._neighbours: dict[str, Neighbours] = {}

    def in_namespace(self, namespace: str) -> tuple[OperatorGroup, ...]:
        """Return the groups of *namespace*."""
        return self.state.all(OperatorGroup, namespace)

    def surface(self, group: OperatorGroup) -> GroupSurface:
        """Return what *group* covers; computed for a group that is not of this cluster."""
        kept = self.tables.by_key.get((group.namespace, group.name))
        return kept if kept is not None else surface(group)

    def intersecting(self, group: GroupSurface) -> tuple[GroupSurface, ...]:
        """Return the other groups that target a namespace of *group*, by namespace and name."""
        if group.targets.is_all:
            overlapping = [other for other in self.tables.surfaces if len(other.targets)]
        else:
            # A group without targets intersects no group, not even one for all namespaces.
            lists = [self.tables.for_all] if len(group.targets) else []
            lists += [self.tables.by_target.get(target, []) for target in group.targets]
            by_key = {(other.namespace, other.name): other for several in lists for other in several}
            overlapping = [by_key[key] for key in sorted(by_key)]
        return tuple(other for other in overlapping if other.key != group.key)

    def contesting(self, api: Api, group: GroupSurface) -> tuple[GroupSurface, ...]:
        """Return the first twenty of the groups other than *group* that intersect it and provide *api*."""
        key = group.namespace, group.name, api
        rivals = self.tables.contesting.get(key)
        if rivals is None:
            rivals = self.tables.contesting[key] = self._find_contesting(api, group)
        return rivals

    def neighbours(self, namespace: str) -> Neighbours:
        """Return the operators of *namespace*."""
        neighbours = self._neighbours.get(namespace)
        if neighbours is None:
            neighbours = self._neighbours[namespace] = Neighbours(self.state.all(ClusterServiceVersion, namespace))
        return neighbours

    def _find_contesting(self, api: Api, group: GroupSurface) -> tuple[GroupSurface, ...]:
        if group.targets.is_all:
            lists = [self.tables.by_api.get(api, [])]
        elif len(group.targets):
            lists = [self.tables.by_target_and_api.get((target, api), []) for target in group.targets]
            lists.append(self.tables.for_all_by_api.get(api, []))
        else:
            return ()
        # One more than is named, since the group itself may be among them.
        rivals = {(other.namespace, other.name): other for several in lists for other in several[: _MOST_NAMED + 1]}
        rivals.pop((group.namespace, group.name), None)
        return tuple(rivals[key] for key in sorted(rivals)[:_MOST_NAMED])
