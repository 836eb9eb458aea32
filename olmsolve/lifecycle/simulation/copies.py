"""Copies of operators in the namespaces that they serve: OLM makes them, and deletes them with their originals.

Copies matter to resolution: a subscription whose operator is in its namespace as a copy counts as served. A cluster may
have them switched off, and a dump may leave them out; so they are kept up to date only where the dump has any.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from olmsolve._limits import checked
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import COPIED_LABEL, ClusterServiceVersion, Namespace, OperatorGroup

_REASON: Final = "Copied"


def has_copies(state: ClusterState) -> bool:
    """Return whether *state* has the copy of any operator."""
    return any(csv.is_copied for csv in state.all(ClusterServiceVersion))


def with_copies(state: ClusterState) -> ClusterState:
    """Return *state* with one copy of each operator in every other namespace that its group targets, and no others.

    An operator that failed is copied as well. A namespace that has an operator of that name itself gets no copy.
    """
    wanted = {(copy.namespace, copy.name): copy for copy in _copies(state)}
    present = {(csv.namespace, csv.name): csv for csv in state.all(ClusterServiceVersion) if csv.is_copied}
    gone = [csv for key, csv in present.items() if key not in wanted]
    # What a copy shows besides its presence is of no account here, so that a copy that is there stays as it is.
    new = [csv for key, csv in wanted.items() if key not in present]
    return state.without(*gone).having(*new) if gone or new else state


def _copies(state: ClusterState) -> Iterator[ClusterServiceVersion]:
    everywhere = [namespace.name for namespace in state.all(Namespace)] or list(state.namespaces())
    originals = {(csv.namespace, csv.name) for csv in state.all(ClusterServiceVersion) if not csv.is_copied}
    for group in state.all(OperatorGroup):
        if len(state.all(OperatorGroup, group.namespace)) != 1:
            continue
        targets = everywhere if group.namespaces == ("",) else group.namespaces
        for csv in state.all(ClusterServiceVersion, group.namespace):
            if csv.is_copied:
                continue
            for target in checked(targets, every=64):
                if target not in ("", csv.namespace) and (target, csv.name) not in originals:
                    yield _copy(csv, target)


def _copy(csv: ClusterServiceVersion, namespace: str) -> ClusterServiceVersion:
    labels = {**csv.metadata.labels, COPIED_LABEL: csv.namespace}
    message = f"The operator is running in {csv.namespace} but is managing this namespace"
    metadata = attrs.evolve(csv.metadata, namespace=namespace, labels=labels, uid="", owner_references=())
    return attrs.evolve(csv, metadata=metadata, raw={}, reason=_REASON, message=message)
