"""States of a cluster told apart: a digest of everything that the next resolution depends on."""

from __future__ import annotations

import hashlib

import attrs

from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import (
    ClusterObject,
    ClusterServiceVersion,
    CustomResourceDefinition,
    OperatorGroup,
    SubscriptionObject,
)

__all__ = ["Digests"]

_KINDS: tuple[type[ClusterObject], ...] = (
    ClusterServiceVersion,
    CustomResourceDefinition,
    OperatorGroup,
    SubscriptionObject,
)


class Digests:
    """Digests of states that share most of their objects: each object is looked at once.

    Install plans do not count, nor which of them a subscription waits for: they are counted up, so that no state would
    ever come back.
    """

    def __init__(self) -> None:
        # With the object, so that no other can get its identity meanwhile.
        self._known: dict[int, tuple[ClusterObject, bytes]] = {}

    def of(self, state: ClusterState) -> str:
        """The digest of *state*, in hexadecimal."""
        whole = hashlib.sha256()
        for kind in _KINDS:
            for item in state.all(kind):
                whole.update(self._of_object(item))
        return whole.hexdigest()

    def _of_object(self, item: ClusterObject) -> bytes:
        known = self._known.get(id(item))
        if known is None or known[0] is not item:
            # Annotations say the same in any order.
            told = attrs.evolve(item, metadata=attrs.evolve(item.metadata, annotations={}))
            if isinstance(told, SubscriptionObject):
                told = attrs.evolve(told, install_plan="", install_plan_generation=0)
            text = f"{told!r} {sorted(item.metadata.annotations.items())}"
            known = self._known[id(item)] = (item, hashlib.sha256(text.encode("utf-8", "backslashreplace")).digest())
        return known[1]
