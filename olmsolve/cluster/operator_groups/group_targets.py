"""The namespaces that an operator group targets, and the account with which OLM carries out the plans of its namespace.

A group names its targets in its specification, or selects them by labels. It may name an account, or leave it to OLM.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.cluster.objects import Namespace, OperatorGroup, condition_of
from olmsolve.cluster.state import ClusterState
from olmsolve.errors import ManifestError
from olmsolve.fields import Fields, ManifestLocation, Raw, read_record

if TYPE_CHECKING:
    from olmsolve.v1 import LabelRequirement, LabelSelector


def _names(values: Iterable[str]) -> frozenset[str]:
    return frozenset(values)


@attrs.frozen
class NamespaceSet:
    """An immutable set of namespaces; iteration yields the *names* sorted."""

    names: frozenset[str] = attrs.field(converter=_names, default=frozenset())

    @classmethod
    def from_text(cls, text: str) -> NamespaceSet:
        """Return the set in the text of an annotation: names between commas, spaces and empty names included."""
        return cls(text.split(","))

    @property
    def is_all(self) -> bool:
        """Whether the set is all namespaces."""
        return self.names == {""}

    def __contains__(self, namespace: object) -> bool:
        return self.is_all or namespace in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.names))

    def __len__(self) -> int:
        """Return the number of names, which is 1 for all namespaces and 0 for the empty set."""
        return len(self.names)

    def __and__(self, other: NamespaceSet) -> NamespaceSet:
        """Return the namespaces in both sets: ``ALL & {"a"}`` is ``{"a"}``, and ``ALL & {}`` is ``{}``."""
        if self.is_all:
            return other
        if other.is_all:
            return self
        return NamespaceSet(self.names & other.names)

    def __or__(self, other: NamespaceSet) -> NamespaceSet:
        if self.is_all or other.is_all:
            return ALL_NAMESPACES
        return NamespaceSet(self.names | other.names)

    def __str__(self) -> str:
        """Return the text of an annotation: sorted names, joined by commas; "" for all namespaces and the empty set."""
        return ",".join(self)


ALL_NAMESPACES: Final = NamespaceSet({""})
NO_NAMESPACES: Final = NamespaceSet()


def read_selector(raw: Raw, location: ManifestLocation) -> LabelSelector:
    """Return the selector *raw*, the field ``spec.selector`` of the group at *location*.

    Raises:
        ManifestError: a field has a value of the wrong type, or Kubernetes refuses a requirement: its operator does
            not exist, or does not go with its values, or a key or value is no label.
    """
    # Few groups have a selector, and loading OLM v1 takes longer than judging most clusters.
    from olmsolve.v1 import LabelSelector

    fields = Fields.read(raw, "spec.selector", location)
    selector = LabelSelector(fields.text_mapping("matchLabels"))
    fault = selector.fault()
    if fault:
        raise fields.error(fault, "matchLabels")
    return LabelSelector(selector.match_labels, map(_requirement, fields.parts("matchExpressions")))


def _requirement(fields: Fields) -> LabelRequirement:
    from olmsolve.v1 import LabelRequirement

    requirement = read_record(LabelRequirement, fields, key=fields.required_text("key"))
    fault = requirement.fault()
    if fault:
        raise fields.error(fault)
    return requirement


def target_namespaces(group: OperatorGroup, namespaces: Iterable[Namespace]) -> NamespaceSet:
    """Return the namespaces that the specification of *group* names, among the *namespaces* of the cluster.

    A list of targets counts over a selector. With neither, or with an empty selector, the group is for all
    namespaces. A listed target need not exist. A selector may match nothing: then the set is empty.

    Raises:
        ManifestError: the selector cannot be read (even if a list of targets counts over it), or the list names
            all namespaces.

    >>> import olmsolve
    >>> from olmsolve.cluster.objects import Metadata, OperatorGroup
    >>> group = OperatorGroup(metadata=Metadata("own", "tools"), target_namespaces=("tools",))
    >>> list(olmsolve.target_namespaces(group, ()))
    ['tools']
    """
    location = _location(group)
    selector = read_selector(group.selector, location) if group.selector else None
    if group.target_namespaces:
        if "" in group.target_namespaces:
            listed = " ".join(group.target_namespaces)
            raise ManifestError(
                f"TargetNamespaces cannot contain NamespaceAll: [{listed}]",
                field="spec.targetNamespaces",
                hint="a group without targets is for all namespaces",
                source=str(location.origin),
                kind=location.kind,
                object=location.object,
            )
        return NamespaceSet(group.target_namespaces)
    if selector is None or not (selector.match_labels or selector.match_expressions):
        return ALL_NAMESPACES
    return NamespaceSet(namespace.name for namespace in namespaces if selector.matches(namespace.metadata.labels))


def specified_targets(group: OperatorGroup, namespaces: Sequence[Namespace]) -> tuple[tuple[str, ...], str]:
    """Return the :func:`target_namespaces` of *group*, sorted, and why they cannot be determined ("" if they can)."""
    try:
        targets = tuple(target_namespaces(group, namespaces))
    except ManifestError as error:
        return (), f"{error.field}: {error.reason}{f' ({error.hint})' if error.hint else ''}"
    if not group.target_namespaces and targets != ("",) and not namespaces:
        return (), "its selector cannot be judged: no Namespace is among the objects"
    return targets, ""


def group_fault(group: OperatorGroup, namespaces: Sequence[Namespace]) -> str:
    """Return why the specification of *group* names no namespace, "" where it names one or all."""
    specified, undetermined = specified_targets(group, namespaces)
    return undetermined or ("" if specified else "its selector matches no namespace")


def misplaced_labels(group: OperatorGroup) -> tuple[str, ...]:
    """Return the fields of *group*'s selector that Kubernetes drops: labels that are not below ``matchLabels``.

    OLM's documentation writes them so. The rest of such a selector selects all namespaces.
    """
    if group.target_namespaces or group.selector is None:
        return ()
    return tuple(sorted(str(name) for name in group.selector if name not in ("matchLabels", "matchExpressions")))


def settled(state: ClusterState) -> ClusterState:
    """Return *state* as it will be once OLM has written the targets of every group whose status has none."""
    namespaces = state.all(Namespace)
    waiting = [group for group in state.all(OperatorGroup) if not group.namespaces]
    return state.having(*(evolve(group, namespaces=specified_targets(group, namespaces)[0]) for group in waiting))


def target_annotation(group: OperatorGroup) -> str:
    """Return the targets in the status of *group* as OLM annotates its operators: sorted, repeated ones too."""
    return ",".join(sorted(group.namespaces))


def _location(group: OperatorGroup) -> ManifestLocation:
    return ManifestLocation(str(group.origin) if group.origin is not None else "", group.KIND, group.key)


def account_is_missing(group: OperatorGroup, state: ClusterState) -> bool:
    """Return whether the service account that *group* names is not in its namespace.

    OLM writes a condition into the status of the group, and gives it no targets. A dump may hold ServiceAccounts, which
    count for more: the account may have come after OLM last looked.
    """
    fault = condition_of(group.conditions, "OperatorGroupServiceAccount")
    if not group.service_account_name or fault is None or fault.reason != "ServiceAccountNotFound":
        return False
    wanted = "ServiceAccount", group.namespace, group.service_account_name
    return not any((other.kind, other.namespace, other.name) == wanted for other in state.others)


def plan_refusal(namespace: str, state: ClusterState) -> str:
    """Return OLM's message where it carries out no plan of *namespace*, because it cannot determine the account.

    As recorded, the namespace needs exactly one group with targets, whose account is there. "" where it has one.
    """
    managing: list[OperatorGroup] = []
    for group in state.all(OperatorGroup, namespace):
        if account_is_missing(group, state):
            name = f"sa={group.service_account_name} operatorgroup={group.key}"
            return f"please make sure the service account exists. {name}"
        specified, undetermined = specified_targets(group, state.all(Namespace))
        if group.namespaces or specified or undetermined:
            managing.append(group)
    if not managing:
        return "no operator group found that is managing this namespace"
    if len(managing) > 1:
        return f"more than one operator group(s) are managing this namespace count={len(managing)}"
    return ""
