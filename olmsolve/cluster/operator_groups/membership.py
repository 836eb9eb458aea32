"""Membership: whether an operator may act as a member of its operator group, and the refusal, in OLM's words, if not.

The checks come in this order (as recorded): the namespace has one group, the group has targets, the install modes are
a set (none is named twice), they support the targets, and the operator's APIs fit the group and the groups that
intersect it (``group_apis``).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve.cluster.objects import ClusterServiceVersion, InstallMode, OperatorGroup
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups


class GroupReason(enum.StrEnum):
    """The ``status.reason`` of a CSV that failed by the rules of operator groups."""

    NO_GROUP = "NoOperatorGroup"
    SEVERAL_GROUPS = "TooManyOperatorGroups"
    NO_TARGETS = "NoTargetNamespaces"
    INVALID_MODES = "InvalidInstallModes"
    UNSUPPORTED = "UnsupportedOperatorGroup"
    CONFLICT = "InterOperatorGroupOwnerConflict"
    STATIC = "CannotModifyStaticOperatorGroupProvidedAPIs"


@attrs.frozen
class Refusal:
    """OLM's *reason* and *message* when an operator may not act in its group."""

    reason: GroupReason
    message: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.message}"


NO_GROUP: Final = Refusal(GroupReason.NO_GROUP, "csv in namespace with no operatorgroups")
SEVERAL_GROUPS: Final = Refusal(
    GroupReason.SEVERAL_GROUPS,
    "csv created in namespace with multiple operatorgroups, can't pick one automatically",
)
NO_TARGETS: Final = Refusal(
    GroupReason.NO_TARGETS, "no targetNamespaces are matched operatorgroups namespace selection"
)
CONFLICT: Final = Refusal(GroupReason.CONFLICT, "intersecting operatorgroups provide the same apis")
STATIC: Final = Refusal(GroupReason.STATIC, "static provided api operatorgroup cannot be modified by these apis")

RECOVERED: Final = {
    GroupReason.NO_GROUP: "InstallModes now support target namespaces",
    GroupReason.SEVERAL_GROUPS: "InstallModes now support target namespaces",
    GroupReason.NO_TARGETS: "InstallModes now support target namespaces",
    GroupReason.UNSUPPORTED: "InstallModes now support target namespaces",
    GroupReason.CONFLICT: "OperatorGroup no longer intersecting with conflicting owner",
    GroupReason.STATIC: "static OperatorGroup and intersecting groups now support providedAPIs",
}
"""The message when the reason of a failure is gone. As recorded, OLM never takes back duplicate install modes."""


_OWN: Final = "OwnNamespace"
_SINGLE: Final = "SingleNamespace"
_MULTI: Final = "MultiNamespace"
_ALL: Final = "AllNamespaces"

_INVALID: Final = "operatorgroup has invalid selected namespaces"


def duplicated_modes(modes: Sequence[InstallMode]) -> str:
    """Return OLM's message that *modes* name a mode twice, "" where each is named once."""
    if len({mode.type for mode in modes}) == len(modes):
        return ""
    listed = " ".join(f"{{{mode.type} {'true' if mode.supported else 'false'}}}" for mode in modes)
    return f"InstallMode list contains duplicates, cannot make set: [{listed}]"


def unsupported_targets(modes: Iterable[InstallMode], operator_namespace: str, targets: Sequence[str]) -> str:
    """Return why an operator with *modes* in *operator_namespace* cannot serve *targets*; "" if it can.

    *targets* are the targets of its group in their order, repeated ones too; ``("",)`` is all namespaces.

    >>> unsupported_targets([InstallMode("OwnNamespace", True)], "team", ["team"])
    ''
    >>> unsupported_targets([InstallMode("OwnNamespace", True)], "team", [""])
    'AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces'
    """
    supported = {mode.type for mode in modes if mode.supported}
    if not targets:
        return f"{_INVALID}, cannot configure to watch zero namespaces"
    if len(targets) == 1:
        mode, watched = {
            operator_namespace: (_OWN, "own namespace"),
            "": (_ALL, "all namespaces"),
        }.get(targets[0], (_SINGLE, "one namespace"))
        return "" if mode in supported else _lacking(mode, watched)
    # As recorded, the targets of a multi-namespace operator are judged in their order: the first fault is the message.
    if _MULTI not in supported:
        return _lacking(_MULTI, f"{len(targets)} namespaces")
    for target in targets:
        if target == operator_namespace and _OWN not in supported:
            return _lacking(_OWN, "own namespace")
        if not target:
            return f"{_INVALID}, NamespaceAll found when |selected namespaces| > 1"
    return ""


def _lacking(mode: str, watched: str) -> str:
    return f"{mode} InstallModeType not supported, cannot configure to watch {watched}"


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
