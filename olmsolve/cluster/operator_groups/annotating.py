"""The APIs in the annotations of operator groups: OLM adds what a working operator owns, and prunes what none owns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.cluster.apis import PROVIDED_APIS_ANNOTATION, Api, annotation_text, apis_of_annotation, owned_apis
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup
from olmsolve.cluster.operator_groups.checking import operator_check
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups
from olmsolve.cluster.operator_groups.group_apis import ApiChange, apis_in_group
from olmsolve.cluster.operator_groups.group_targets import settled
from olmsolve.cluster.state import ClusterState

_Key: TypeAlias = tuple[str, str]

# A dump may lack the phase: then the operator is taken to work.
_AT_WORK: Final = ("", "Succeeded")


class Annotating:
    """The groups that one pass annotates; the first operator gets an API, as if passes came one after another."""

    def __init__(self, groups: ClusterGroups) -> None:
        self._groups = groups
        # By API and target, the group that has got it; "" stands for a group that targets all namespaces.
        self._touched: dict[Api, dict[str, _Key]] = {}
        self._apis: dict[_Key, tuple[OperatorGroup, frozenset[Api], set[Api]]] = {}

    def take(self, csv: ClusterServiceVersion) -> None:
        """Add the APIs of *csv* to its group, or take them from it (:func:`~.group_apis.apis_in_group` says which).

        Nothing happens where another group of this pass is in the way: the next pass tries again.
        """
        group = self._groups.in_namespace(csv.namespace)[0]
        key = group.namespace, group.name
        if key not in self._apis:
            before = self._groups.surface(group).provided_apis
            self._apis[key] = group, before, set(before)
        now = self._apis[key][2]
        # Only APIs that the operator owns are ever added or taken away, however long the annotation is.
        verdict = apis_in_group(csv, group, self._groups)
        targets = set(self._groups.surface(group).targets)
        if any(self._is_taken(api, targets, key) for api in verdict.changed):
            return
        for api in verdict.changed:
            self._touched.setdefault(api, {}).update(dict.fromkeys(targets, key))
        if verdict.change is ApiChange.ADD:
            now |= verdict.changed
        else:
            now -= verdict.changed

    def _is_taken(self, api: Api, targets: set[str], key: _Key) -> bool:
        """Return whether another group with a common target has received *api* in this pass."""
        taken = self._touched.get(api)
        if not taken:
            return False
        if "" in targets:
            return any(other != key for other in taken.values())
        return any(taken.get(target, key) != key for target in ("", *targets))

    def changed(self) -> list[OperatorGroup]:
        """Return the groups whose annotation has changed."""
        return [annotated(group, now) for group, before, now in self._apis.values() if now != before]

    def changed_apis(self) -> frozenset[Api]:
        """Return the APIs that a group has got or lost."""
        return frozenset[Api]().union(*(before ^ now for _, before, now in self._apis.values()))


def groups_as_written(state: ClusterState) -> ClusterGroups:
    """Return the groups of *state* as OLM will have written them: each with its targets, and the APIs of its operators.

    A dump may lack both where OLM had not looked yet. Groups whose annotation is empty get the APIs of the operators
    that work. An operator whose API an intersecting group has already adds none: OLM will fail it. Of two groups
    without annotations, the first by namespace gets the API, as in a simulation.
    """
    state = settled(state)
    groups = ClusterGroups(state)
    annotating = Annotating(groups)
    for csv in checked(state.all(ClusterServiceVersion), every=8):
        groups_here = groups.in_namespace(csv.namespace)
        if csv.is_copied or csv.phase not in _AT_WORK or len(groups_here) != 1 or groups_here[0].static_provided_apis:
            continue
        if (
            groups_here[0].metadata.annotations.get(PROVIDED_APIS_ANNOTATION)
            or operator_check(csv, groups).refusal is not None
        ):
            continue
        annotating.take(csv)
    return ClusterGroups(state.having(*annotating.changed()))


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
