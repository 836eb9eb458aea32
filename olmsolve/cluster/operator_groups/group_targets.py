"""The namespaces that an operator group targets: by its specification, which may select them by labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from olmsolve._records import evolve
from olmsolve.cluster.namespaces import ALL_NAMESPACES, NamespaceSet
from olmsolve.cluster.objects import Namespace, OperatorGroup
from olmsolve.cluster.state import ClusterState
from olmsolve.errors import ManifestError
from olmsolve.fields import Fields, ManifestLocation, Raw

if TYPE_CHECKING:
    from olmsolve.v1 import LabelRequirement, LabelSelector


def read_selector(raw: Raw, location: ManifestLocation) -> LabelSelector:
    """Return the selector *raw*, the field ``spec.selector`` of the group at *location*.

    Raises:
        ManifestError: a field has a value of the wrong type, or Kubernetes refuses a requirement: its operator does
            not exist, or does not go with its values, or a key or value is no label.
    """
    # Few groups have a selector, and loading OLM v1 takes longer than judging most clusters.
    from olmsolve.v1 import LabelSelector

    fields = Fields.of(raw, "spec.selector", location)
    selector = LabelSelector(fields.text_mapping("matchLabels"))
    fault = selector.fault()
    if fault:
        raise fields.error(fault, "matchLabels")
    return LabelSelector(selector.match_labels, map(_requirement, fields.parts("matchExpressions")))


def _requirement(fields: Fields) -> LabelRequirement:
    from olmsolve.v1 import LabelRequirement

    requirement = LabelRequirement(fields.required_text("key"), fields.text("operator"), fields.texts("values"))
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
    """Return the fields of *group*'s selector that Kubernetes drops: labels that do not stand below ``matchLabels``.

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
