"""Groups that meet: whether an operator's APIs fit its group, given the groups that target the same namespaces.

Two groups intersect where they target a common namespace. Then at most one of them may provide an API.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

import attrs

from olmsolve.cluster.apis import Apis, annotation_text, common_apis
from olmsolve.cluster.operator_groups.surface import GroupSurface

__all__ = ["ApiChange", "Reconciliation", "api_change", "reconcile"]


class ApiChange(enum.Enum):
    """What an operator's APIs ask of its group's annotation."""

    NONE = "NoAPIConflict"
    ADD = "AddAPIs"
    REMOVE = "RemoveAPIs"
    CONFLICT = "APIConflict"


@attrs.frozen
class Reconciliation:
    """The verdict on an operator's APIs in its group.

    *intersecting* are the groups that target a namespace of the group, in the order given. *union* and *difference*
    are the annotations that adding and removing would write.
    """

    change: ApiChange
    intersecting: tuple[GroupSurface, ...]
    union: str
    difference: str


def api_change(apis: Apis, provided: Apis, *, contested: bool) -> ApiChange:
    """What an operator's *apis* ask of its group, which has *provided*; *contested*: another group has one of them."""
    if apis <= provided:
        return ApiChange.REMOVE if contested else ApiChange.NONE
    return ApiChange.CONFLICT if contested else ApiChange.ADD


def reconcile(apis: Apis, group: GroupSurface, others: Iterable[GroupSurface]) -> Reconciliation:
    """Compare an operator's *apis* with its *group* and with the *others* of the cluster (itself among them or not).

    As recorded, it is the operator's APIs that are compared with those of the intersecting groups (the documentation
    compares the group's).
    """
    intersecting = tuple(other for other in others if other.key != group.key and len(other.targets & group.targets))
    contested = bool(common_apis(apis, *(other.provided_apis for other in intersecting)))
    return Reconciliation(
        api_change(apis, group.provided_apis, contested=contested),
        intersecting,
        annotation_text(group.provided_apis | apis),
        annotation_text(group.provided_apis - apis),
    )
