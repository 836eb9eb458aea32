"""States of a cluster told apart: a digest of everything that the next resolution depends on."""

from __future__ import annotations

import hashlib

import attrs

from olmsolve._limits import checked
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import (
    ClusterObject,
    ClusterServiceVersion,
    CustomResourceDefinition,
    InstallPlan,
    OperatorGroup,
    SubscriptionObject,
)

_KINDS: tuple[type[ClusterObject], ...] = (
    ClusterServiceVersion,
    CustomResourceDefinition,
    OperatorGroup,
    SubscriptionObject,
)


class Digests:
    """Digests of states that share most of their objects: each object is hashed once.

    Install plans do not count, nor the plan that a subscription waits for: their names are counted up, so a state with
    them would never come back.
    """

    def __init__(self) -> None:
        # By identity; holding the object keeps another from getting the same identity.
        self._hashed: dict[int, tuple[ClusterObject, bytes]] = {}

    def of(self, state: ClusterState) -> str:
        """Return the digest of *state*, in hexadecimal."""
        whole = hashlib.sha256()
        for kind in _KINDS:
            for item in checked(state.all(kind), every=16):
                whole.update(self._of_object(item))
        for item in checked(state.all(SubscriptionObject), every=16):
            # OLM writes a plan anew that is gone: this is a state of its own.
            if item.install_plan and state.get(InstallPlan, item.namespace, item.install_plan) is None:
                whole.update(item.key.encode("utf-8", "backslashreplace"))
        return whole.hexdigest()

    def _of_object(self, item: ClusterObject) -> bytes:
        hashed = self._hashed.get(id(item))
        if hashed is None or hashed[0] is not item:
            # The order of annotations has no meaning.
            relevant = attrs.evolve(item, metadata=attrs.evolve(item.metadata, annotations={}))
            if isinstance(relevant, SubscriptionObject):
                relevant = attrs.evolve(relevant, install_plan="", install_plan_generation=0)
            # A definition only collects the names of all operators that it ever came with.
            kept = () if isinstance(item, CustomResourceDefinition) else sorted(item.metadata.annotations.items())
            text = f"{relevant!r} {kept}"
            hashed = self._hashed[id(item)] = (item, hashlib.sha256(text.encode("utf-8", "backslashreplace")).digest())
        return hashed[1]
