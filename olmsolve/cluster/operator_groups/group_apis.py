"""The last check of a member: what an operator's APIs change in its group's annotation, and OLM's refusal of a change.

:func:`judge_apis` decides; everybody else only finds the groups that have the same APIs. :func:`apis_in_group` looks
them up in the index of a cluster, of thousands of groups as well, and :func:`apis_among` compares with each group of a
list, as OLM does.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import olmsolve._attrs as attrs
from olmsolve.cluster.apis import Api, Apis, annotation_text, owned_apis
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups, GroupSurface
from olmsolve.cluster.operator_groups.membership import CONFLICT, STATIC, Refusal

Contested: TypeAlias = Sequence[tuple[Api, GroupSurface]]
"""Pairs of an operator's API and a group that provides it as well."""


class ApiChange(enum.Enum):
    """The change that an operator's APIs require in its group's annotation, by OLM's names."""

    NONE = "NoAPIConflict"
    ADD = "AddAPIs"
    REMOVE = "RemoveAPIs"
    CONFLICT = "APIConflict"


@attrs.frozen
class ApisInGroup:
    """The verdict on an operator's APIs in its group.

    *changed* are the APIs that the group's annotation would get (ADD) or lose (REMOVE), and *annotation* is the text of
    ``olm.providedAPIs`` afterwards, None where it stays or where *refusal* says why it may not change. *contested*
    pairs each API that an intersecting group provides with that group, by API and group.
    """

    change: ApiChange
    contested: Contested = ()
    changed: Apis = frozenset()
    refusal: Refusal | None = None
    annotation: str | None = None


def judge_apis(apis: Apis, group: GroupSurface, contested: Contested, *, is_static: bool = False) -> ApisInGroup:
    """Return the verdict on an operator's *apis* in its *group*, where other groups provide the *contested* ones.

    As recorded, OLM compares the operator's APIs with the annotations of its group and of the groups that intersect it
    (its documentation compares the group's APIs):

    ======================  =============  =========
    the group provides      not contested  contested
    ======================  =============  =========
    all of *apis*           NONE           REMOVE
    not all of *apis*       ADD            CONFLICT
    ======================  =============  =========

    With ADD and REMOVE, OLM writes the annotation first, and looks at the operator again when that is seen. It fails
    the operator for a conflict (``InterOperatorGroupOwnerConflict``), and for any change of a group that *is_static*
    (``CannotModifyStaticOperatorGroupProvidedAPIs``).
    """
    provided = group.provided_apis
    has_all = apis <= provided
    if has_all and not contested:
        return ApisInGroup(ApiChange.NONE)
    if contested and not has_all:
        return ApisInGroup(ApiChange.CONFLICT, contested, refusal=CONFLICT)
    change, changed = (ApiChange.REMOVE, apis) if has_all else (ApiChange.ADD, apis - provided)
    if is_static:
        return ApisInGroup(change, contested, changed, STATIC)
    return ApisInGroup(change, contested, changed, annotation=annotation_text(provided ^ changed))


def apis_in_group(csv: ClusterServiceVersion, group: OperatorGroup, groups: ClusterGroups) -> ApisInGroup:
    """Judge the APIs that *csv* owns in *group*, among all *groups* of the cluster; twenty contest an API at most."""
    apis, surface = owned_apis(csv), groups.surface(group)
    contested = tuple((api, other) for api in sorted(apis, key=str) for other in groups.contesting(api, surface))
    return judge_apis(apis, surface, contested, is_static=group.static_provided_apis)


def apis_among(
    apis: Apis, group: GroupSurface, others: Iterable[GroupSurface], *, is_static: bool = False
) -> ApisInGroup:
    """Judge an operator's *apis* in *group*, among the *others*, which may be *group* itself, or may not intersect it.

    >>> from olmsolve.cluster.operator_groups import NamespaceSet
    >>> shop = GroupSurface("og", "shop", NamespaceSet(["shop"]))
    >>> everywhere = GroupSurface("og", "olm", NamespaceSet([""]), frozenset({Api("g.io", "v1", "Keys")}))
    >>> apis_among(frozenset({Api("g.io", "v1", "Keys")}), shop, [everywhere]).change.value
    'APIConflict'
    """
    contested = [(api, other) for other in others for api in apis & other.provided_apis if _intersect(group, other)]
    contested.sort(key=lambda pair: (str(pair[0]), pair[1].namespace, pair[1].name))
    return judge_apis(apis, group, tuple(contested), is_static=is_static)


def _intersect(group: GroupSurface, other: GroupSurface) -> bool:
    return other.key != group.key and len(other.targets & group.targets) > 0


@attrs.frozen
class Reconciliation:
    """The verdict on an operator's APIs in its group, as 0.2.0 gave it; :class:`ApisInGroup` takes its place.

    *intersecting* are the groups that target a namespace of the group, in the order given. *union* and *difference*
    are the group's annotation after the operator's APIs are added and removed.
    """

    change: ApiChange
    intersecting: tuple[GroupSurface, ...]
    union: str
    difference: str


def reconcile(apis: Apis, group: GroupSurface, others: Iterable[GroupSurface]) -> Reconciliation:
    """Compare an operator's *apis* with its *group* and the *others* of the cluster, as in :func:`apis_among`."""
    intersecting = tuple(other for other in others if _intersect(group, other))
    return Reconciliation(
        apis_among(apis, group, intersecting).change,
        intersecting,
        annotation_text(group.provided_apis | apis),
        annotation_text(group.provided_apis - apis),
    )
