"""Objects that are being deleted: somebody has asked for it, and only finalizers hold them for a moment."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterObject, ClusterServiceVersion, Namespace
from olmsolve.lifecycle.simulation.model import GONE
from olmsolve.lifecycle.simulation.operators import Entry

_WHY = "its deletion was asked for"


def without_going(state: ClusterState) -> tuple[ClusterState, list[Entry]]:
    """Return *state* without the objects that are being deleted, and what happened to its operators.

    With a namespace that is Terminating, everything in it goes.
    """
    going = tuple(_going(state))
    gone = [each for each in going if isinstance(each, ClusterServiceVersion) and not each.is_copied]
    log = [(each.namespace, each.name, GONE, _WHY) for each in gone]
    return state.without(*going) if going else state, log


def _going(state: ClusterState) -> Iterator[ClusterObject]:
    namespaces = {each.name for each in state.all(Namespace) if each.phase == "Terminating" or _is_going(each)}
    for each in state:
        if _is_going(each) or (each.name if isinstance(each, Namespace) else each.namespace) in namespaces:
            yield each


def _is_going(each: ClusterObject) -> bool:
    return each.metadata.deletion_timestamp != ""
