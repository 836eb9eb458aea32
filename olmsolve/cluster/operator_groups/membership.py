"""Whether an operator may act as a member of its operator group.

The checks, in this order (as recorded): the number of groups in its namespace, targets, the list of install modes,
whether the modes support the targets, and whether its APIs fit the group and those that intersect it.
"""

from __future__ import annotations

import attrs

from olmsolve.cluster.apis import Api, annotation_text, owned_apis
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups
from olmsolve.cluster.operator_groups.install_modes import duplicated_modes, unsupported_targets
from olmsolve.cluster.operator_groups.intersections import ApiChange, api_change
from olmsolve.cluster.operator_groups.reasons import CONFLICT, NO_GROUP, SEVERAL_GROUPS, STATIC, GroupReason, Refusal
from olmsolve.cluster.operator_groups.surface import GroupSurface

__all__ = ["ApisInGroup", "apis_in_group", "group_of", "modes_refused"]


def group_of(namespace: str, groups: ClusterGroups) -> OperatorGroup | Refusal:
    """The group of the operators of *namespace*, or why they have none."""
    found = groups.in_namespace(namespace)
    if len(found) == 1:
        return found[0]
    return SEVERAL_GROUPS if found else NO_GROUP


def modes_refused(csv: ClusterServiceVersion, group: OperatorGroup) -> Refusal | None:
    """Why the install modes of *csv* do not do for the targets in the status of *group*."""
    duplicates = duplicated_modes(csv.install_modes)
    if duplicates:
        return Refusal(GroupReason.INVALID_MODES, duplicates)
    unsupported = unsupported_targets(csv.install_modes, csv.namespace, sorted(group.namespaces))
    return Refusal(GroupReason.UNSUPPORTED, unsupported) if unsupported else None


@attrs.frozen
class ApisInGroup:
    """How an operator's APIs fit its group: refused, or fine; then *annotation* is what the group's must become.

    *contested* are those of its APIs that groups with a common target provide, by API, each with such a group.
    """

    change: ApiChange
    contested: tuple[tuple[Api, GroupSurface], ...] = ()
    refusal: Refusal | None = None
    annotation: str | None = None


def apis_in_group(csv: ClusterServiceVersion, group: OperatorGroup, groups: ClusterGroups) -> ApisInGroup:
    """Whether the APIs that *csv* owns fit *group*."""
    apis, own = owned_apis(csv), groups.surface(group)
    contested = tuple((api, other) for api in sorted(apis, key=str) for other in groups.contesting(api, own))
    change = api_change(apis, own.provided_apis, contested=bool(contested))
    if change is ApiChange.CONFLICT:
        return ApisInGroup(change, contested, CONFLICT)
    if change is ApiChange.NONE:
        return ApisInGroup(change)
    if group.static_provided_apis:
        return ApisInGroup(change, contested, STATIC)
    after = own.provided_apis | apis if change is ApiChange.ADD else own.provided_apis - apis
    return ApisInGroup(change, contested, annotation=annotation_text(after))
