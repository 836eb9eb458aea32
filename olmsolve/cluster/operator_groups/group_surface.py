"""The surface of an operator group: the namespaces that it targets and the APIs in its annotation."""

from __future__ import annotations

import attrs

from olmsolve.cluster.apis import PROVIDED_APIS_ANNOTATION, Apis, annotation_text, apis_of_annotation
from olmsolve.cluster.namespaces import NO_NAMESPACES, NamespaceSet
from olmsolve.cluster.objects import OperatorGroup


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
