"""Intersecting groups: whether an operator's APIs fit its group, given the groups that target the same namespaces.

Two groups intersect where they target a common namespace. Then at most one of the two may provide an API.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

import attrs

from olmsolve.cluster.apis import Apis, annotation_text, common_apis
from olmsolve.cluster.operator_groups.group_surface import GroupSurface


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
