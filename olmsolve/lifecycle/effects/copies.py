"""Copies of operators: OLM makes them in the namespaces that operators serve, and deletes them with their originals.

Copies matter to resolution: a subscription whose operator is in its namespace as a copy counts as served. A cluster may
have them switched off for operators that serve all namespaces, and a dump may leave them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import COPIED_LABEL, NAMESPACE_ANNOTATION, ClusterServiceVersion, Namespace, OperatorGroup
from olmsolve.lifecycle.effects.operators import OperatorKey

_COPIED: Final = "Copied"
# Reasons for which OLM makes no copies of an operator. A copy that is there stays.
_UNCOPIABLE: Final = frozenset(
    {
        "Copied",
        "InvalidInstallModes",
        "NoTargetNamespaces",
        "UnsupportedOperatorGroup",
        "NoOperatorGroup",
        "TooManyOperatorGroups",
        "InterOperatorGroupOwnerConflict",
        "CannotModifyStaticOperatorGroupProvidedAPIs",
    }
)


def has_copies(state: ClusterState) -> bool:
    """Return whether *state* has the copies of its operators, so that they can be followed.

    A dump without any copy may have been shortened: then an operator that works has none where it should have one. To
    decide, the namespaces of the cluster must be known.
    """
    if any(csv.is_copied for csv in state.all(ClusterServiceVersion)):
        return True
    return bool(state.all(Namespace)) and not any(csv.phase == "Succeeded" for _, csv in _wanted(state))


def with_copies(state: ClusterState) -> ClusterState:
    """Return *state* with one copy of each operator in every other namespace that its group targets, and no others.

    A namespace that has an operator of that name itself gets no copy. Of two operators with one name, the one keeps its
    copy that has it.
    """
    sources: dict[OperatorKey, dict[str, ClusterServiceVersion]] = {}
    for key, csv in _wanted(state):
        sources.setdefault(key, {})[csv.namespace] = csv
    # A group without targets is left alone, and with it the copies that were made for it before.
    kept = {group.namespace for group in state.all(OperatorGroup) if not group.namespaces}
    gone: list[ClusterServiceVersion] = []
    present: set[OperatorKey] = set()
    for copy in checked(state.all(ClusterServiceVersion), every=64):
        if not copy.is_copied:
            continue
        home = copy.metadata.labels.get(COPIED_LABEL) or copy.metadata.annotations.get(NAMESPACE_ANNOTATION, "")
        original = state.get(ClusterServiceVersion, home, copy.name)
        wanted = sources.get((copy.namespace, copy.name), {})
        if home in wanted or (home in kept and original is not None) or (not home and wanted):
            # Only the presence of a copy matters here, so that a copy that is there stays as it is.
            present.add((copy.namespace, copy.name))
        else:
            gone.append(copy)
    new = []
    for key, owners in checked(sources.items(), every=16):
        # By namespace: of two operators of one name that may be copied there, the first is, in each run.
        copiable = [csv for _, csv in sorted(owners.items()) if csv.reason not in _UNCOPIABLE]
        if key not in present and copiable:
            new.append(_copy(copiable[0], key[0]))
    return state.without(*gone).having(*new) if gone or new else state


def _wanted(state: ClusterState) -> Iterator[tuple[OperatorKey, ClusterServiceVersion]]:
    """Yield the key (namespace and name) of each copy that OLM makes for targets of groups, and its original."""
    existing = {namespace.name for namespace in state.all(Namespace)}
    everywhere = sorted(existing) or list(state.namespaces())
    originals = {(csv.namespace, csv.name) for csv in state.all(ClusterServiceVersion) if not csv.is_copied}
    is_disabled = _is_disabled(state)
    for group in state.all(OperatorGroup):
        is_all = group.namespaces == ("",)
        if len(state.all(OperatorGroup, group.namespace)) != 1 or (is_all and is_disabled):
            continue
        targets = everywhere if is_all else group.namespaces
        for csv in state.all(ClusterServiceVersion, group.namespace):
            if csv.is_copied:
                continue
            for target in checked(targets, every=64):
                # A dump without Namespaces says nothing of which there are: then each target counts.
                is_there = not existing or target in existing
                if is_there and target not in ("", csv.namespace) and (target, csv.name) not in originals:
                    yield (target, csv.name), csv


def _is_disabled(state: ClusterState) -> bool:
    """Return whether the cluster's OLMConfig switches copies off for operators that serve all namespaces."""
    for other in state.others:
        if other.kind == "OLMConfig":
            spec = other.raw.get("spec")
            features = spec.get("features") if isinstance(spec, dict) else None
            if isinstance(features, dict) and features.get("disableCopiedCSVs") is True:
                return True
    return False


def _copy(csv: ClusterServiceVersion, namespace: str) -> ClusterServiceVersion:
    labels = {**csv.metadata.labels, COPIED_LABEL: csv.namespace}
    message = f"The operator is running in {csv.namespace} but is managing this namespace"
    metadata = evolve(csv.metadata, namespace=namespace, labels=labels, uid="", owner_references=())
    return evolve(csv, metadata=metadata, raw={}, reason=_COPIED, message=message)
