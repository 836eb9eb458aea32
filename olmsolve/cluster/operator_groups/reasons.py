"""The refusals of operators by the rules of operator groups: OLM's reasons with OLM's messages."""

from __future__ import annotations

import enum
from typing import Final

import olmsolve._attrs as attrs


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
