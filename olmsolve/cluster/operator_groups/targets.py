"""Which namespaces an operator group targets, by its specification."""

from __future__ import annotations

from collections.abc import Iterable

from olmsolve.cluster.namespaces import ALL_NAMESPACES, NamespaceSet
from olmsolve.cluster.objects import Namespace, OperatorGroup
from olmsolve.cluster.objects.fields import Place
from olmsolve.cluster.operator_groups.selectors import LabelSelector
from olmsolve.errors import ManifestError

__all__ = ["place_of", "target_annotation", "targets"]


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


def target_annotation(group: OperatorGroup) -> str:
    """The targets in the status of *group* as its operators are annotated with them: sorted, repeated ones too."""
    return ",".join(sorted(group.namespaces))


def place_of(group: OperatorGroup) -> Place:
    return Place(str(group.origin) if group.origin is not None else "", group.KIND, group.key)
