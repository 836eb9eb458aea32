"""Deletion: objects that are going, and objects that a finalizer keeps although their deletion was asked for.

As recorded, OLM treats an object that is being deleted like any other until it is gone: a Subscription that a finalizer
of somebody else keeps is still resolved and updated, an operator still counts as installed. OLM takes its own finalizer
off, and the API server those of a deletion in the foreground or of one that leaves dependents alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from olmsolve.cluster.objects import ClusterObject, Namespace
from olmsolve.cluster.state import ClusterState

_TAKEN_OFF: Final = frozenset(
    {
        "operators.coreos.com/csv-cleanup",
        "foregroundDeletion",
        "orphan",
    }
)
TERMINATING: Final = "Terminating"


def is_deleted(object_: ClusterObject) -> bool:
    """Return whether the deletion of *object_* was asked for."""
    return object_.metadata.deletion_timestamp != ""


def holders(object_: ClusterObject) -> tuple[str, ...]:
    """Return the finalizers that keep *object_*, whose deletion was asked for, until somebody else takes them off."""
    metadata: Any = object_.raw.get("metadata")
    finalizers = metadata.get("finalizers") if isinstance(metadata, dict) else None
    names = finalizers if isinstance(finalizers, list) else []
    return tuple(str(name) for name in names if name not in _TAKEN_OFF)


def is_terminating(namespace: Namespace | None) -> bool:
    """Return whether *namespace* is being deleted, so that nothing new can be created in it; not if it is unknown."""
    return namespace is not None and (namespace.phase == TERMINATING or is_deleted(namespace))


def terminating_namespaces(state: ClusterState) -> frozenset[str]:
    """Return the namespaces that are being deleted."""
    return frozenset(namespace.name for namespace in state.all(Namespace) if is_terminating(namespace))


def going(state: ClusterState) -> Iterator[ClusterObject]:
    """Yield the objects of *state* that go by themselves: deleted ones, and everything in a namespace that is deleted.

    What a finalizer keeps stays, and with it the namespace.
    """
    namespaces = terminating_namespaces(state)
    kept = {object_.namespace for object_ in state if object_.namespace in namespaces and holders(object_)}
    for object_ in state:
        if isinstance(object_, Namespace):
            is_going = object_.name in namespaces and object_.name not in kept
        else:
            is_going = is_deleted(object_) or object_.namespace in namespaces
        if is_going and not holders(object_):
            yield object_


def goes(object_: ClusterObject) -> bool:
    """Return whether *object_* goes by itself: its deletion was requested, and no foreign finalizer keeps it."""
    return is_deleted(object_) and not holders(object_)


def without_deleted(state: ClusterState) -> ClusterState:
    """Return *state* without the objects that go by themselves; a namespace that goes stays, with all that is in it.

    A moment after the dump they are gone, and OLM resolves without them.
    """
    return state.without(*(object_ for object_ in state if goes(object_) and not isinstance(object_, Namespace)))
