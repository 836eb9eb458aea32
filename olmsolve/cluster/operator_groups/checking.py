"""The check of a whole cluster by the rules of operator groups: each group's targets, and which operators may act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.cluster.apis import Api, annotation_text, owned_apis
from olmsolve.cluster.objects import ClusterServiceVersion, Namespace, OperatorGroup
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups
from olmsolve.cluster.operator_groups.group_apis import ApiChange, apis_in_group
from olmsolve.cluster.operator_groups.group_targets import group_fault, misplaced_labels, settled, specified_targets
from olmsolve.cluster.operator_groups.membership import (
    NO_TARGETS,
    GroupReason,
    Refusal,
    group_of,
    mode_refusal,
)
from olmsolve.cluster.state import ClusterState


@record
class GroupCheck(Record):
    """An operator group with its faults.

    Targets come from the status; where it has none, from the specification.
    """

    namespace: str = field("Its namespace.")
    name: str = field("The group.")
    targets: tuple[str, ...] = field("The target namespaces; one empty name stands for all.", default=())
    provided_apis: str = field("The annotation of provided APIs.", path="providedAPIs", default="")
    unprovided: str = field(
        "APIs of the annotation that no operator provides: OLM removes them, unless the group is static.", default=""
    )
    faults: tuple[str, ...] = field("What is wrong with it.", default=())


_CHANGES: Final = ["", *(change.value for change in ApiChange)]


def _change_word(change: ApiChange | None) -> str:
    return change.value if change else ""


@record
class ContestedApi(Record):
    """An API that another group provides already."""

    api: str = field("The API.")
    group: str = field("The group that provides it, too.")


def _contested_apis(pairs: tuple[tuple[Api, str], ...]) -> list[ContestedApi]:
    return [ContestedApi(str(api), group) for api, group in pairs]


@record(layout=("namespace", "name", "group", "reason", "message", ...))
class OperatorCheck(Record):
    """An operator: whether it may act in its *group*, and the *refusal* if it may not.

    *change* is None where an earlier check already refused the operator. *contested* pairs each API that an
    intersecting group provides with that group (``namespace/name``), of many groups the first twenty.
    """

    namespace: str = field("Its namespace.")
    name: str = field("The operator.")
    group: str = field("Its group, empty for none.", default="")
    refusal: Refusal | None = None
    change: ApiChange | None = field(
        "What it means for the annotation of its group.", written=_change_word, schema={"enum": _CHANGES}, default=None
    )
    contested: tuple[tuple[Api, str], ...] = field(
        "The APIs that another group provides already.", written=_contested_apis, default=()
    )

    @property
    @documented(
        "Why it may not act, empty where it may.", schema={"enum": ["", *(reason.value for reason in GroupReason)]}
    )
    def reason(self) -> str:
        return self.refusal.reason.value if self.refusal else ""

    @property
    @documented("OLM's message.")
    def message(self) -> str:
        return self.refusal.message if self.refusal else ""

    def __str__(self) -> str:
        if self.refusal is None:
            return f"{self.namespace}/{self.name} may act in group {self.group}"
        contested = ", ".join(f"group {group} provides {api}" for api, group in self.contested)
        return f"{self.namespace}/{self.name} may not act: {self.refusal}{f' ({contested})' if contested else ''}"


@record(
    definition="olmsolve.groups",
    title="Operator groups, and the operators in them",
    about="docs/operator-groups.md gives the meaning of the fields.",
)
class GroupsReport(Record):
    """The checks of a cluster's groups and operators, each by namespace and name; copies of operators are left out."""

    groups: tuple[GroupCheck, ...] = field("The operator groups.")
    operators: tuple[OperatorCheck, ...] = field("The operators, and whether they may act.")

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


def check_operator_groups(state: ClusterState) -> GroupsReport:
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
        current, wanted = _namespaces_text(group.namespaces), _namespaces_text(specified)
        faults.append(f"its status targets {current}, but its specification asks for {wanted}")
    return faults


def _namespaces_text(namespaces: tuple[str, ...]) -> str:
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
    check = OperatorCheck(csv.namespace, csv.name, group.name)
    if not group.namespaces:
        return evolve(check, refusal=NO_TARGETS)
    refusal = mode_refusal(csv, csv.namespace, sorted(group.namespaces))
    if refusal is not None:
        return evolve(check, refusal=refusal)
    fit = apis_in_group(csv, group, groups)
    contested = tuple((api, other.key) for api, other in fit.contested)
    return evolve(check, refusal=fit.refusal, change=fit.change, contested=contested)
