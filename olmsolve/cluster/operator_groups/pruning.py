"""The annotation of a group names the APIs of its operators: OLM takes away those that none of them owns any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.cluster.apis import PROVIDED_APIS_ANNOTATION, Api, annotation_text, apis_of_annotation, owned_apis
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup
from olmsolve.cluster.state import ClusterState


def pruned(state: ClusterState) -> tuple[ClusterState, frozenset[Api]]:
    """Return *state* without the annotated APIs that no operator of the group owns, and these APIs.

    Static groups stay as they are.
    """
    changed: list[OperatorGroup] = []
    gone: set[Api] = set()
    for group in checked(state.all(OperatorGroup), every=8):
        have = apis_of_annotation(group.metadata.annotations.get(PROVIDED_APIS_ANNOTATION, ""))
        if not have or group.static_provided_apis:
            continue
        csvs = state.all(ClusterServiceVersion, group.namespace)
        owned = frozenset[Api]().union(*(owned_apis(csv) for csv in csvs if not csv.is_copied))
        if have - owned:
            gone |= have - owned
            changed.append(annotated(group, have & owned))
    return state.having(*changed), frozenset(gone)


def annotated(group: OperatorGroup, apis: Iterable[Api]) -> OperatorGroup:
    """Return *group* with *apis* in its annotation."""
    annotations: Mapping[str, str] = {**group.metadata.annotations, PROVIDED_APIS_ANNOTATION: annotation_text(apis)}
    return evolve(group, metadata=evolve(group.metadata, annotations=annotations))
