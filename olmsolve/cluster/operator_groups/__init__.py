"""Operator groups: which namespaces the operators of a namespace serve, and which of them may act there."""

from olmsolve.cluster.operator_groups.checking import GroupCheck, GroupsReport, OperatorCheck, check
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups
from olmsolve.cluster.operator_groups.group_targets import settled, target_annotation, targets
from olmsolve.cluster.operator_groups.install_modes import duplicated_modes, unsupported_targets
from olmsolve.cluster.operator_groups.intersections import ApiChange, Reconciliation, reconcile
from olmsolve.cluster.operator_groups.membership import group_of
from olmsolve.cluster.operator_groups.reasons import CONFLICT, NO_TARGETS, STATIC, GroupReason, Refusal
from olmsolve.cluster.operator_groups.surface import GroupSurface, surface
from olmsolve.cluster.operator_groups.transition import CsvStatus, Transition, csv_transition

__all__ = [
    "CONFLICT",
    "NO_TARGETS",
    "STATIC",
    "ApiChange",
    "ClusterGroups",
    "CsvStatus",
    "GroupCheck",
    "GroupReason",
    "GroupSurface",
    "GroupsReport",
    "OperatorCheck",
    "Reconciliation",
    "Refusal",
    "Transition",
    "check",
    "csv_transition",
    "duplicated_modes",
    "group_of",
    "reconcile",
    "settled",
    "surface",
    "target_annotation",
    "targets",
    "unsupported_targets",
]
