"""The check of a whole cluster by the rules of operator groups: each group's targets, and which operators may act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from olmsolve.cluster.apis import Api, annotation_text, owned_apis
from olmsolve.cluster.objects import ClusterServiceVersion, Namespace, OperatorGroup
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups
from olmsolve.cluster.operator_groups.group_targets import group_fault, misplaced_labels, settled, specified_targets
from olmsolve.cluster.operator_groups.intersections import ApiChange
from olmsolve.cluster.operator_groups.membership import apis_in_group, group_of, mode_refusal
from olmsolve.cluster.operator_groups.reasons import NO_TARGETS, Refusal
from olmsolve.cluster.state import ClusterState


@attrs.frozen
class GroupCheck:
    """The group *name* in *namespace*: its *targets* (``("",)`` for all namespaces) and its *faults* in words.

    Targets come from the status; where it has none, from the specification. *provided_apis* is the text of the
    annotation. *unprovided* lists the annotated APIs that no operator of the namespace owns: OLM removes these from
    the annotation, unless the group is static.
    """

    namespace: str
    name: str
    targets: tuple[str, ...] = ()
    provided_apis: str = ""
    unprovided: str = ""
    faults: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain JSON data."""
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
    """The operator *name* in *namespace*: whether it may act in its *group*, and the *refusal* if it may not.

    *group* is "" where the operator has no group. *change* is the change that its APIs require in the group's
    annotation, None where an earlier check already refused the operator. *contested* pairs each API that an
    intersecting group provides with that group (``namespace/name``), of many groups the first twenty.
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
        """Return the check as plain JSON data; reason and message are "" where the operator may act."""
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
    """The checks of a cluster's groups and operators, each by namespace and name; copies of operators are left out."""

    groups: tuple[GroupCheck, ...]
    operators: tuple[OperatorCheck, ...]

    @property
    def refused(self) -> tuple[OperatorCheck, ...]:
        """The operators that may not act."""
        return tuple(operator for operator in self.operators if operator.refusal is not None)

    @property
    def is_clean(self) -> bool:
        """Whether every operator may act and no group has a fault."""
        return not self.refused and not any(group.faults for group in self.groups)

    def __str__(self) -> str:
        """Return one line for each fault of a group and each refused operator; "" for a clean report."""
        faults = (f"group {group.namespace}/{group.name}: {fault}" for group in self.groups for fault in group.faults)
        return "\n".join((*faults, *map(str, self.refused)))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON data."""
        return {
            "groups": [group.to_dict() for group in self.groups],
            "operators": [operator.to_dict() for operator in self.operators],
        }


def check(state: ClusterState) -> GroupsReport:
    """Check every operator group and every operator of *state*.

    An operator is judged by its group's targets and by the other groups' annotations as they are: an API that no
    annotation names yet belongs to no group. Selectors are judged by the Namespace objects of *state*; a group with a
    selector has a fault where *state* has no Namespace.
    """
    namespaces = state.all(Namespace)
    faults = {group.key: _target_faults(group, namespaces) for group in state.all(OperatorGroup)}
    groups = ClusterGroups(settled(state))
    return GroupsReport(
        tuple(_group(group, faults[group.key], groups) for group in groups.state.all(OperatorGroup)),
        tuple(operator_check(csv, groups) for csv in state.all(ClusterServiceVersion) if not csv.is_copied),
    )


def _target_faults(group: OperatorGroup, namespaces: Sequence[Namespace]) -> list[str]:
    """Return the faults in the targets that the specification of *group* names."""
    specified, undetermined = specified_targets(group, namespaces)
    if undetermined:
        return [undetermined]
    faults = list(filter(None, [group_fault(group, namespaces)]))
    misplaced = misplaced_labels(group)
    if misplaced:
        faults.append(f"its selector has {', '.join(misplaced)} outside of matchLabels, which Kubernetes drops")
    # OLM may add a group's own namespace to its status, which is right in either form.
    if group.namespaces and set(group.namespaces) - {group.namespace} != set(specified) - {group.namespace}:
        faults.append(
            f"its status targets {_named(group.namespaces)}, but its specification asks for {_named(specified)}"
        )
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


def operator_check(csv: ClusterServiceVersion, groups: ClusterGroups) -> OperatorCheck:
    """Return whether *csv* may act in its group; the *groups* are :func:`settled` ones."""
    group = group_of(csv.namespace, groups)
    if isinstance(group, Refusal):
        return OperatorCheck(csv.namespace, csv.name, refusal=group)
    found = OperatorCheck(csv.namespace, csv.name, group.name)
    if not group.namespaces:
        return attrs.evolve(found, refusal=NO_TARGETS)
    refusal = mode_refusal(csv, csv.namespace, sorted(group.namespaces))
    if refusal is not None:
        return attrs.evolve(found, refusal=refusal)
    fit = apis_in_group(csv, group, groups)
    contested = tuple((api, other.key) for api, other in fit.contested)
    return attrs.evolve(found, refusal=fit.refusal, change=fit.change, contested=contested)
