"""The account with which OLM carries out the plans of a namespace: its operator group names it, or leaves it to OLM."""

from __future__ import annotations

from olmsolve.cluster.objects import Namespace, OperatorGroup, condition_of
from olmsolve.cluster.operator_groups.group_targets import specified_targets
from olmsolve.cluster.state import ClusterState


def account_is_missing(group: OperatorGroup, state: ClusterState) -> bool:
    """Return whether the service account that *group* names is not in its namespace.

    OLM writes a condition into the status of the group, and gives it no targets. A dump may hold ServiceAccounts, which
    count for more: the account may have come after OLM last looked.
    """
    noted = condition_of(group.conditions, "OperatorGroupServiceAccount")
    if not group.service_account_name or noted is None or noted.reason != "ServiceAccountNotFound":
        return False
    wanted = "ServiceAccount", group.namespace, group.service_account_name
    return not any((other.kind, other.namespace, other.name) == wanted for other in state.others)


def plan_refusal(namespace: str, state: ClusterState) -> str:
    """Return OLM's message where it carries out no plan of *namespace*, because it cannot tell with which account.

    As recorded, the namespace needs exactly one group with targets, whose account is there. "" where it has one.
    """
    managing: list[OperatorGroup] = []
    for group in state.all(OperatorGroup, namespace):
        if account_is_missing(group, state):
            name = f"sa={group.service_account_name} operatorgroup={group.key}"
            return f"please make sure the service account exists. {name}"
        specified, undetermined = specified_targets(group, state.all(Namespace))
        if group.namespaces or specified or undetermined:
            managing.append(group)
    if not managing:
        return "no operator group found that is managing this namespace"
    if len(managing) > 1:
        return f"more than one operator group(s) are managing this namespace count={len(managing)}"
    return ""
