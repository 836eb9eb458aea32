"""Which namespaces an operator group targets, by its specification."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from olmsolve.cluster.namespaces import ALL_NAMESPACES, NamespaceSet
from olmsolve.cluster.objects import Namespace, OperatorGroup, Place
from olmsolve.cluster.operator_groups.selectors import LabelSelector
from olmsolve.cluster.state import ClusterState
from olmsolve.errors import ManifestError

__all__ = ["asked_targets", "place_of", "settled", "target_annotation", "targets"]


def targets(group: OperatorGroup, namespaces: Iterable[Namespace]) -> NamespaceSet:
    """The namespaces that *group* asks for, where *namespaces* are those of the cluster.

    A list of targets stands above a selector; with neither (or with a selector that asks nothing) the group is for
    all namespaces. A target in the list need not exist. A selector may match nothing: then the set is empty.

    Raises:
        ManifestError: the selector is none (even where a list of targets stands above it), or the list names all
            namespaces.
    """
    selector = LabelSelector.of(group.selector, place_of(group)) if group.selector is not None else LabelSelector()
    if group.target_namespaces:
        if "" in group.target_namespaces:
            listed = " ".join(group.target_namespaces)
            raise ManifestError(
                f"TargetNamespaces cannot contain NamespaceAll: [{listed}]",
                field="spec.targetNamespaces",
                hint="a group without targets is for all namespaces",
                source=place_of(group).origin,
                kind=group.KIND,
                object=group.key,
            )
        return NamespaceSet(group.target_namespaces)
    if not selector.requirements:
        return ALL_NAMESPACES
    return NamespaceSet(namespace.name for namespace in namespaces if selector.matches(namespace.metadata.labels))


def asked_targets(group: OperatorGroup, namespaces: Sequence[Namespace]) -> tuple[tuple[str, ...], str]:
    """The targets that *group* asks for, sorted, and why they are not known ("" if they are)."""
    try:
        asked = tuple(targets(group, namespaces))
    except ManifestError as error:
        return (), f"{error.field}: {error.reason}"
    if not group.target_namespaces and asked != ("",) and not namespaces:
        return (), "its selector cannot be judged: no Namespace is among the objects"
    return asked, ""


def settled(state: ClusterState) -> ClusterState:
    """*state* as it will be once every group whose status has no targets has those that it asks for."""
    namespaces = state.all(Namespace)
    waiting = [group for group in state.all(OperatorGroup) if not group.namespaces]
    return state.having(*(attrs.evolve(group, namespaces=asked_targets(group, namespaces)[0]) for group in waiting))


def target_annotation(group: OperatorGroup) -> str:
    """The targets in the status of *group* as its operators are annotated with them: sorted, repeated ones too."""
    return ",".join(sorted(group.namespaces))


def place_of(group: OperatorGroup) -> Place:
    return Place(str(group.origin) if group.origin is not None else "", group.KIND, group.key)
