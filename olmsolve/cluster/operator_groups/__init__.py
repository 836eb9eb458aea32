"""Operator groups: which namespaces the operators of a namespace serve, and which operators may act there.

Read in this order: ``group_targets`` (the namespaces of a group), ``cluster_groups`` (what a group covers, and all
groups, indexed), ``membership`` (the checks of a member in their order, with OLM's refusals), ``group_apis`` (the last
of them: whether its APIs fit into the group). Built on these are ``checking``, the report about a cluster,
``annotating`` (APIs that a group gets and loses), and ``transition``, one pass of OLM's controller over one operator.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster.objects import EVERY_MODE as EVERY_MODE
    from olmsolve.cluster.operator_groups.annotating import Annotating as Annotating
    from olmsolve.cluster.operator_groups.annotating import annotated as annotated
    from olmsolve.cluster.operator_groups.annotating import groups_as_written as groups_as_written
    from olmsolve.cluster.operator_groups.annotating import pruned as pruned
    from olmsolve.cluster.operator_groups.checking import GroupCheck as GroupCheck
    from olmsolve.cluster.operator_groups.checking import GroupsReport as GroupsReport
    from olmsolve.cluster.operator_groups.checking import OperatorCheck as OperatorCheck
    from olmsolve.cluster.operator_groups.checking import check_operator_groups as check_operator_groups
    from olmsolve.cluster.operator_groups.checking import operator_check as operator_check
    from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups as ClusterGroups
    from olmsolve.cluster.operator_groups.cluster_groups import GroupSurface as GroupSurface
    from olmsolve.cluster.operator_groups.cluster_groups import surface as surface
    from olmsolve.cluster.operator_groups.group_apis import ApiChange as ApiChange
    from olmsolve.cluster.operator_groups.group_apis import Reconciliation as Reconciliation
    from olmsolve.cluster.operator_groups.group_apis import apis_among as apis_among
    from olmsolve.cluster.operator_groups.group_apis import apis_in_group as apis_in_group
    from olmsolve.cluster.operator_groups.group_apis import reconcile as reconcile
    from olmsolve.cluster.operator_groups.group_targets import NamespaceSet as NamespaceSet
    from olmsolve.cluster.operator_groups.group_targets import account_is_missing as account_is_missing
    from olmsolve.cluster.operator_groups.group_targets import group_fault as group_fault
    from olmsolve.cluster.operator_groups.group_targets import plan_refusal as plan_refusal
    from olmsolve.cluster.operator_groups.group_targets import settled as settled
    from olmsolve.cluster.operator_groups.group_targets import specified_targets as specified_targets
    from olmsolve.cluster.operator_groups.group_targets import target_annotation as target_annotation
    from olmsolve.cluster.operator_groups.group_targets import target_namespaces as target_namespaces
    from olmsolve.cluster.operator_groups.membership import CONFLICT as CONFLICT
    from olmsolve.cluster.operator_groups.membership import NO_GROUP as NO_GROUP
    from olmsolve.cluster.operator_groups.membership import NO_TARGETS as NO_TARGETS
    from olmsolve.cluster.operator_groups.membership import RECOVERED as RECOVERED
    from olmsolve.cluster.operator_groups.membership import SEVERAL_GROUPS as SEVERAL_GROUPS
    from olmsolve.cluster.operator_groups.membership import STATIC as STATIC
    from olmsolve.cluster.operator_groups.membership import GroupReason as GroupReason
    from olmsolve.cluster.operator_groups.membership import Refusal as Refusal
    from olmsolve.cluster.operator_groups.membership import duplicated_modes as duplicated_modes
    from olmsolve.cluster.operator_groups.membership import group_of as group_of
    from olmsolve.cluster.operator_groups.membership import mode_refusal as mode_refusal
    from olmsolve.cluster.operator_groups.membership import unsupported_targets as unsupported_targets
    from olmsolve.cluster.operator_groups.transition import CsvStatus as CsvStatus
    from olmsolve.cluster.operator_groups.transition import InstallFault as InstallFault
    from olmsolve.cluster.operator_groups.transition import Transition as Transition
    from olmsolve.cluster.operator_groups.transition import csv_transition as csv_transition
    from olmsolve.cluster.operator_groups.transition import install_fault as install_fault
    from olmsolve.cluster.operator_groups.transition import webhook_fault as webhook_fault
else:
    __getattr__, __dir__ = lazily(__name__)
