"""The completion of dumps: what people and tools leave out of working operators when they shorten a dump by hand."""

from __future__ import annotations

from olmsolve._records import evolve
from olmsolve.cluster.objects import ClusterServiceVersion, SubscriptionObject
from olmsolve.cluster.operator_groups import EVERY_MODE
from olmsolve.cluster.state import ClusterState


def completed(state: ClusterState) -> ClusterState:
    """Return *state* with the missing phases of operators, and the missing install modes of working operators.

    An operator without a phase counts as working, because OLM gives it one within seconds; beside operators that have a
    phase it is new, unless a subscription has it installed. And OLM lets no operator work that supports no install
    mode, so that one that works has lost its modes on the way; it counts as supporting all.
    """
    operators = state.all(ClusterServiceVersion)
    has_phases = any(csv.phase for csv in operators)
    installed = {(subscription.namespace, subscription.installed_csv) for subscription in state.all(SubscriptionObject)}

    def works(csv: ClusterServiceVersion) -> bool:
        return bool(csv.phase) or not has_phases or csv.is_copied or (csv.namespace, csv.name) in installed

    return state.having(
        *(
            evolve(csv, phase="Succeeded", install_modes=csv.install_modes or EVERY_MODE)
            for csv in operators
            if csv.phase in ("", "Succeeded") and not (csv.phase and csv.install_modes) and works(csv)
        )
    )
