"""Objects that are being deleted, taken away: the first thing that happens on a cluster."""

from __future__ import annotations

from typing import Final, TypeAlias

from olmsolve.cluster import ClusterState, going
from olmsolve.cluster.objects import ClusterServiceVersion

GONE: Final = "gone"
"""The phase of an operator that is there no longer."""

Entry: TypeAlias = tuple[str, str, str, str]
"""A change of an operator: namespace, name, the new phase, and why."""

_WHY: Final = "its deletion was requested"


def without_going(state: ClusterState) -> tuple[ClusterState, list[Entry]]:
    """Return *state* without the objects that are being deleted, and what happened to its operators.

    With a namespace that is Terminating, everything in it goes. What a finalizer keeps stays.
    """
    leaving = tuple(going(state))
    gone = [object_ for object_ in leaving if isinstance(object_, ClusterServiceVersion) and not object_.is_copied]
    log = [(object_.namespace, object_.name, GONE, _WHY) for object_ in gone]
    return state.without(*leaving) if leaving else state, log
