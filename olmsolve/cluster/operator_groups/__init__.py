"""Operator groups: which namespaces the operators of a namespace serve, and which operators may act there.

Read in this order: ``group_targets`` (the namespaces of a group, with ``selectors``), ``surface`` (what a group
covers), ``install_modes`` and ``intersections`` (the two rules for a member), ``membership`` (the checks in their
order, with ``reasons``), ``cluster_groups`` (all groups, indexed). Upon these stand ``checking``, the report about a
cluster, and ``transition``, one pass of OLM's controller over one operator.
"""

from olmsolve.cluster.operator_groups.checking import GroupCheck, GroupsReport, OperatorCheck, check
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups
from olmsolve.cluster.operator_groups.group_targets import (
    group_fault,
    settled,
    specified_targets,
    target_annotation,
    targets,
)
from olmsolve.cluster.operator_groups.install_modes import duplicated_modes, unsupported_targets
from olmsolve.cluster.operator_groups.intersections import ApiChange, Reconciliation, reconcile
from olmsolve.cluster.operator_groups.membership import group_of, mode_refusal
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
    "group_fault",
    "group_of",
    "mode_refusal",
    "reconcile",
    "settled",
    "specified_targets",
    "surface",
    "target_annotation",
    "targets",
    "unsupported_targets",
]
