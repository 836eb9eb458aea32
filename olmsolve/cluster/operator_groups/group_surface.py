"""The surface of an operator group, its targets and annotated APIs, and whether an operator's APIs fit into it.

Whether they fit depends on the groups that intersect it: those that target one of its namespaces.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

import olmsolve._attrs as attrs
from olmsolve.cluster.apis import PROVIDED_APIS_ANNOTATION, Apis, annotation_text, apis_of_annotation, common_apis
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


class ApiChange(enum.Enum):
    """The change that an operator's APIs require in its group's annotation, by OLM's names."""

    NONE = "NoAPIConflict"
    ADD = "AddAPIs"
    REMOVE = "RemoveAPIs"
    CONFLICT = "APIConflict"


@attrs.frozen
class Reconciliation:
    """The verdict on an operator's APIs in its group.

    *intersecting* are the groups that target a namespace of the group, in the order given. *union* and *difference*
    are the group's annotation after the operator's APIs are added and removed.
    """

    change: ApiChange
    intersecting: tuple[GroupSurface, ...]
    union: str
    difference: str


def api_change(apis: Apis, provided: Apis, *, contested: bool) -> ApiChange:
    """Return the change that an operator's *apis* require in its group, whose annotation has *provided*.

    *contested* says that an intersecting group provides one of *apis*.

    ======================  =============  =========
    the group provides      not contested  contested
    ======================  =============  =========
    all of *apis*           NONE           REMOVE
    not all of *apis*       ADD            CONFLICT
    ======================  =============  =========
    """
    if apis <= provided:
        return ApiChange.REMOVE if contested else ApiChange.NONE
    return ApiChange.CONFLICT if contested else ApiChange.ADD


def reconcile(apis: Apis, group: GroupSurface, others: Iterable[GroupSurface]) -> Reconciliation:
    """Compare an operator's *apis* with its *group* and the *others* of the cluster, *group* itself among them or not.

    As recorded, OLM compares the operator's APIs with the APIs of intersecting groups (the documentation compares the
    group's).
    """
    intersecting = tuple(other for other in others if other.key != group.key and len(other.targets & group.targets))
    contested = bool(common_apis(apis, *(other.provided_apis for other in intersecting)))
    return Reconciliation(
        api_change(apis, group.provided_apis, contested=contested),
        intersecting,
        annotation_text(group.provided_apis | apis),
        annotation_text(group.provided_apis - apis),
    )
