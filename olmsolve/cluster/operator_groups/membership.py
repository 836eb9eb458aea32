"""Membership: whether an operator may act as a member of its operator group.

The checks come in this order (as recorded): the namespace has one group, the group has targets, the install modes are
a set, they support the targets, and the operator's APIs fit the group and the groups that intersect it.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from olmsolve.cluster.apis import Api, annotation_text, owned_apis
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups
from olmsolve.cluster.operator_groups.group_surface import GroupSurface
from olmsolve.cluster.operator_groups.install_modes import duplicated_modes, unsupported_targets
from olmsolve.cluster.operator_groups.intersections import ApiChange, api_change
from olmsolve.cluster.operator_groups.reasons import CONFLICT, NO_GROUP, SEVERAL_GROUPS, STATIC, GroupReason, Refusal


def group_of(namespace: str, groups: ClusterGroups) -> OperatorGroup | Refusal:
    """Return the group of *namespace*, or the refusal where there is not exactly one."""
    members = groups.in_namespace(namespace)
    if len(members) == 1:
        return members[0]
    return SEVERAL_GROUPS if members else NO_GROUP


def mode_refusal(csv: ClusterServiceVersion, namespace: str, targets: Sequence[str]) -> Refusal | None:
    """Return the refusal of *csv* in *namespace* where its install modes do not fit *targets*, sorted."""
    duplicates = duplicated_modes(csv.install_modes)
    if duplicates:
        return Refusal(GroupReason.INVALID_MODES, duplicates)
    unsupported = unsupported_targets(csv.install_modes, namespace, targets)
    return Refusal(GroupReason.UNSUPPORTED, unsupported) if unsupported else None


@attrs.frozen
class ApisInGroup:
    """The verdict on an operator's APIs in its group.

    *contested* pairs each API that an intersecting group provides with that group. *annotation* is the new
    ``olm.providedAPIs`` of the operator's group, None where it stays or where *refusal* says why it may not change.
    """

    change: ApiChange
    contested: tuple[tuple[Api, GroupSurface], ...] = ()
    refusal: Refusal | None = None
    annotation: str | None = None


def apis_in_group(csv: ClusterServiceVersion, group: OperatorGroup, groups: ClusterGroups) -> ApisInGroup:
    """Judge whether the APIs that *csv* owns fit *group*, among all *groups* of the cluster."""
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
