"""A whole cluster checked by the rules of operator groups: what each group targets, and which operators may act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from olmsolve.cluster.apis import Api, annotation_text, owned_apis
from olmsolve.cluster.objects import ClusterServiceVersion, Namespace, OperatorGroup
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups
from olmsolve.cluster.operator_groups.group_targets import settled, specified_targets
from olmsolve.cluster.operator_groups.intersections import ApiChange
from olmsolve.cluster.operator_groups.membership import apis_in_group, group_of, modes_refused
from olmsolve.cluster.operator_groups.reasons import NO_TARGETS, Refusal
from olmsolve.cluster.state import ClusterState

__all__ = ["GroupCheck", "GroupsReport", "OperatorCheck", "check"]


@attrs.frozen
class GroupCheck:
    """The group *name* in *namespace*: its *targets* (``("",)`` for all namespaces) and what is wrong with it.

    Targets are those of the status; where that is empty, those that the specification asks for. *unprovided* are the
    annotated APIs that no operator of the namespace owns: OLM takes them out of the annotation, unless the group is
    static.
    """

    namespace: str
    name: str
    targets: tuple[str, ...] = ()
    provided_apis: str = ""
    unprovided: str = ""
    faults: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "namespace": self.namespace,
            "name": self.name,
            "targets": list(self.targets),
            "providedAPIs": self.provided_apis,
            "unprovided": self.unprovided,
            "faults": list(self.faults),
        }


@attrs.frozen
class OperatorCheck:
    """The operator *name* in *namespace*, in its *group* ("" if it has none): may it act, and if not, why not?

    *change* is what its APIs ask of the group's annotation, None where that is never looked at. *contested* are the
    APIs that groups provide which target the same namespaces, each with the group (``name/namespace``); of many such
    groups the first twenty.
    """

    namespace: str
    name: str
    group: str = ""
    refusal: Refusal | None = None
    change: ApiChange | None = None
    contested: tuple[tuple[Api, str], ...] = ()

    def __str__(self) -> str:
        if self.refusal is None:
            return f"{self.namespace}/{self.name} may act in group {self.group}"
        contested = ", ".join(f"group {group} provides {api}" for api, group in self.contested)
        return f"{self.namespace}/{self.name} may not act: {self.refusal}{f' ({contested})' if contested else ''}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "namespace": self.namespace,
            "name": self.name,
            "group": self.group,
            "reason": self.refusal.reason.value if self.refusal else "",
            "message": self.refusal.message if self.refusal else "",
            "change": self.change.value if self.change else "",
            "contested": [{"api": str(api), "group": group} for api, group in self.contested],
        }


@attrs.frozen
class GroupsReport:
    """The groups and the operators of a cluster, each by namespace and name; copies of operators are left out."""

    groups: tuple[GroupCheck, ...]
    operators: tuple[OperatorCheck, ...]

    @property
    def refused(self) -> tuple[OperatorCheck, ...]:
        """The operators that may not act."""
        return tuple(operator for operator in self.operators if operator.refusal is not None)

    @property
    def is_clean(self) -> bool:
        return not self.refused and not any(group.faults for group in self.groups)

    def __str__(self) -> str:
        """One line for each thing that is wrong; "" where nothing is."""
        faults = (f"group {group.name}/{group.namespace}: {fault}" for group in self.groups for fault in group.faults)
        return "\n".join((*faults, *map(str, self.refused)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "groups": [group.to_dict() for group in self.groups],
            "operators": [operator.to_dict() for operator in self.operators],
        }


def check(state: ClusterState) -> GroupsReport:
    """Check every operator group and every operator of *state*.

    An operator is judged by its group's targets and by the annotations of the other groups as they are: an API that no
    annotation names yet is nobody's. Selectors see the Namespace objects of *state*; with none of these, that is said.
    """
    namespaces = state.all(Namespace)
    faults = {group.key: _target_faults(group, namespaces) for group in state.all(OperatorGroup)}
    groups = ClusterGroups(settled(state))
    return GroupsReport(
        tuple(_group(group, faults[group.key], groups) for group in groups.state.all(OperatorGroup)),
        tuple(_operator(csv, groups) for csv in state.all(ClusterServiceVersion) if not csv.is_copied),
    )


def _target_faults(group: OperatorGroup, namespaces: Sequence[Namespace]) -> list[str]:
    """What is wrong with the targets that *group* asks for."""
    asked, unknown = specified_targets(group, namespaces)
    if unknown:
        return [unknown]
    faults = []
    if not asked:
        faults.append("its selector matches no namespace")
    if group.namespaces and set(group.namespaces) - {group.namespace} != set(asked) - {group.namespace}:
        faults.append(f"its status targets {_named(group.namespaces)}, but its specification asks for {_named(asked)}")
    return faults


def _named(namespaces: tuple[str, ...]) -> str:
    if namespaces == ("",):
        return "all namespaces"
    return ", ".join(sorted(namespaces)) or "none"


def _group(group: OperatorGroup, faults: list[str], groups: ClusterGroups) -> GroupCheck:
    others = len(groups.in_namespace(group.namespace)) - 1
    if others:
        faults = [*faults, f"it shares its namespace with {others} other group{'s' if others > 1 else ''}"]
    provided = groups.surface(group)
    owned = frozenset[Api]().union(*map(owned_apis, groups.neighbours(group.namespace).by_name.values()))
    return GroupCheck(
        namespace=group.namespace,
        name=group.name,
        targets=tuple(sorted(group.namespaces)),
        provided_apis=provided.annotation,
        unprovided="" if group.static_provided_apis else annotation_text(provided.provided_apis - owned),
        faults=tuple(faults),
    )


def _operator(csv: ClusterServiceVersion, groups: ClusterGroups) -> OperatorCheck:
    group = group_of(csv.namespace, groups)
    if isinstance(group, Refusal):
        return OperatorCheck(csv.namespace, csv.name, refusal=group)
    found = OperatorCheck(csv.namespace, csv.name, group.name)
    if not group.namespaces:
        return attrs.evolve(found, refusal=NO_TARGETS)
    refusal = modes_refused(csv, group)
    if refusal is not None:
        return attrs.evolve(found, refusal=refusal)
    fit = apis_in_group(csv, group, groups)
    contested = tuple((api, other.key) for api, other in fit.contested)
    return attrs.evolve(found, refusal=fit.refusal, change=fit.change, contested=contested)
