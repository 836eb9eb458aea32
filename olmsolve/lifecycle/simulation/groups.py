"""The targets that OLM writes into the status of operator groups."""

from __future__ import annotations

import attrs

from olmsolve._limits import checked
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import Namespace, OperatorGroup
from olmsolve.cluster.operator_groups import account_is_missing, specified_targets


def retargeted(state: ClusterState, *, only_empty: bool = False) -> ClusterState:
    """Return *state* with the targets that each group's specification names in the group's status.

    A status stays where the specification cannot be judged (a selector that cannot be read, or no Namespace among the
    objects), and where it differs in the group's own namespace alone: OLM's releases differ there. With *only_empty*,
    only a status without targets is written.
    """
    namespaces = state.all(Namespace)
    changed = []
    for group in checked(state.all(OperatorGroup), every=8):
        if (only_empty and group.namespaces) or account_is_missing(group, state):
            continue
        specified, undetermined = specified_targets(group, namespaces)
        own = {group.namespace}
        if undetermined or (group.namespaces and set(group.namespaces) - own == set(specified) - own):
            continue
        if tuple(sorted(group.namespaces)) != specified:
            changed.append(attrs.evolve(group, namespaces=specified))
    return state.having(*changed)
