"""The progress of operators: OLM's passes over them, repeated until no operator changes.

Facts that only a running cluster has are assumed in the operator's favour: an operator that may be installed works at
once, unless the caller names it as failing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

import attrs

from olmsolve.cluster import (
    PROVIDED_APIS_ANNOTATION,
    Api,
    ClusterState,
    annotation_text,
    apis_of_annotation,
    owned_apis,
)
from olmsolve.cluster.objects import ClusterServiceVersion, InstallMode, Namespace, OperatorGroup
from olmsolve.cluster.operator_groups import ClusterGroups, Transition, csv_transition, targets
from olmsolve.errors import ManifestError
from olmsolve.lifecycle.simulation.model import GONE

Entry: TypeAlias = tuple[str, str, str, str]
"""A change of an operator: namespace, name, the new phase, and why."""

_MOST_PASSES: Final = 1000
_FEWEST_PASSES: Final = 20
# A pass looks at every pending operator again; this bound keeps 10,000 that wait for each other to seconds.
_MOST_LOOKS: Final = 200_000

ALL_MODES: Final = tuple(
    InstallMode(name, supported=True) for name in ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
)
_INSTALLING: Final = frozenset({"InstallReady", "Installing"})
# Phase, reason and message.
_SUCCEEDED: Final = ("Succeeded", "InstallSucceeded", "install strategy completed with no errors")
_FAILED: Final = ("Failed", "InstallCheckFailed", "its installation is assumed to fail")

_Key: TypeAlias = tuple[str, str]


def as_found(state: ClusterState) -> ClusterState:
    """Return *state* with the targets in the status of its groups, which OLM writes and a dump may lack.

    An operator without a phase counts as working, and a working operator without install modes as supporting all.
    """
    changed: list[OperatorGroup | ClusterServiceVersion] = []
    for group in state.all(OperatorGroup):
        if not group.namespaces:
            try:
                found = tuple(targets(group, state.all(Namespace)))
            except ManifestError:
                # The group's operators then fail for want of targets, as they do on a cluster.
                found = ()
            if found:
                changed.append(attrs.evolve(group, namespaces=found))
    changed += [
        attrs.evolve(csv, phase="Succeeded", install_modes=csv.install_modes or ALL_MODES)
        for csv in state.all(ClusterServiceVersion)
        if csv.phase in ("", "Succeeded") and not (csv.phase and csv.install_modes)
    ]
    return state.having(*changed)


def unsettled(state: ClusterState) -> Iterator[_Key]:
    """Yield the operators of *state* that OLM would change: operators that do not work, or are replaced."""
    replaced = {(csv.namespace, csv.replaces) for csv in state.all(ClusterServiceVersion) if not csv.is_copied}
    for csv in state.all(ClusterServiceVersion):
        if not csv.is_copied and (csv.phase != "Succeeded" or (csv.namespace, csv.name) in replaced):
            yield csv.namespace, csv.name


@attrs.frozen
class Settled:
    """A *state* after passes over its operators, and what happened to them in order (*log*).

    *pending* operators had not come to rest after so many *passes*: that takes hundreds of operators that all replace
    each other, and of which not one was ever installed.
    """

    state: ClusterState
    log: tuple[Entry, ...]
    pending: frozenset[_Key]
    passes: int


def settled(state: ClusterState, waiting: Iterable[_Key], failing: frozenset[str] = frozenset()) -> Settled:
    """Return *state* after as many passes over its operators as change anything.

    The passes begin with the operators *waiting*; an operator that changes adds its neighbours.
    """
    log: list[Entry] = []
    pending = set(waiting)
    most = min(_MOST_PASSES, max(_FEWEST_PASSES, _MOST_LOOKS // (1 + len(state.all(ClusterServiceVersion)))))
    passes = 0
    while pending and passes < most:
        passes += 1
        state, pending = _pass(state, pending, failing, log)
    return Settled(_pruned(state), tuple(log), frozenset(pending), passes)


def _pass(
    state: ClusterState, pending: set[_Key], failing: frozenset[str], log: list[Entry]
) -> tuple[ClusterState, set[_Key]]:
    groups = ClusterGroups(state)
    changed: dict[_Key, ClusterServiceVersion] = {}
    deleted: list[ClusterServiceVersion] = []
    annotating = _Annotating(groups)
    following: set[_Key] = set()
    for key in sorted(pending):
        csv = state.get(ClusterServiceVersion, *key)
        if csv is None or csv.is_copied:
            continue
        done = csv_transition(csv, groups)
        if done.group_annotation is not None:
            annotating.take(csv)
            following.add(key)
            continue
        after = _after(csv, done, failing)
        if after.phase == "Deleting":
            deleted += _with_all_behind(csv, groups)
            changed.pop(key, None)
        elif after != csv:
            changed[key] = after
        else:
            continue
        following |= _neighbours(csv, groups) | {key}
        if after.phase == "Succeeded":
            following.add(_oldest(csv, groups))
        if after.phase not in (csv.phase, "Deleting"):
            log.append((*key, after.phase, reason_of(after)))
    log += [(*key, GONE, "Replaced: a newer one works") for key in dict.fromkeys(map(_key, deleted))]
    annotated = annotating.changed()
    state = state.having(*changed.values(), *annotated).without(*deleted)
    if annotated:
        # Groups provide other APIs now, which may matter to any operator that does not work.
        following |= {_key(csv) for csv in state.all(ClusterServiceVersion) if csv.phase != "Succeeded"}
    return state, following


def _key(csv: ClusterServiceVersion) -> _Key:
    return csv.namespace, csv.name


def reason_of(csv: ClusterServiceVersion) -> str:
    """OLM's reason for the phase of *csv*, with its message."""
    return f"{csv.reason}: {csv.message}" if csv.message else csv.reason


def _after(csv: ClusterServiceVersion, done: Transition, failing: frozenset[str]) -> ClusterServiceVersion:
    phase, reason, message = done.status.phase, done.status.reason, done.status.message
    if csv.phase in _INSTALLING and phase == csv.phase:
        phase, reason, message = _FAILED if csv.key in failing else _SUCCEEDED
    annotations = csv.metadata.annotations
    if dict(done.annotations) != dict(annotations):
        csv = attrs.evolve(csv, metadata=attrs.evolve(csv.metadata, annotations=done.annotations))
    return attrs.evolve(csv, phase=phase, reason=reason, message=message)


def _with_all_behind(csv: ClusterServiceVersion, groups: ClusterGroups) -> list[ClusterServiceVersion]:
    """Return *csv* and the newer operators that give way too: pass by pass, OLM would delete them one at a time."""
    neighbours = groups.neighbours(csv.namespace)
    chain, seen = [csv], {csv.name}
    newer = neighbours.replacing(csv)
    while newer is not None and newer.name not in seen:
        chain.append(newer)
        seen.add(newer.name)
        newer = neighbours.replacing(newer)
    works = max(position for position, each in enumerate(chain) if each.phase == "Succeeded")
    end = next(position for position, each in enumerate(chain) if each.phase != "Replacing")
    return chain[: min(works, end)]


def _neighbours(csv: ClusterServiceVersion, groups: ClusterGroups) -> set[_Key]:
    """Return the operators before and after *csv*."""
    neighbours = groups.neighbours(csv.namespace)
    return {_key(each) for each in (neighbours.replaced_by(csv), neighbours.replacing(csv)) if each is not None}


def _oldest(csv: ClusterServiceVersion, groups: ClusterGroups) -> _Key:
    """Return the operator that *csv* replaces at the greatest distance: the first to go when *csv* works."""
    neighbours = groups.neighbours(csv.namespace)
    seen = {csv.name}
    older = neighbours.replaced_by(csv)
    while older is not None and older.name not in seen:
        seen.add(older.name)
        csv, older = older, neighbours.replaced_by(older)
    return _key(csv)


class _Annotating:
    """The groups that one pass annotates; the first operator gets an API, as if passes came one after another."""

    def __init__(self, groups: ClusterGroups) -> None:
        self._groups = groups
        # By API and target, the group that has got it; "" stands for a group that targets all namespaces.
        self._touched: dict[Api, dict[str, _Key]] = {}
        self._apis: dict[_Key, tuple[OperatorGroup, frozenset[Api], set[Api]]] = {}

    def take(self, csv: ClusterServiceVersion) -> None:
        """Add the APIs of *csv* to its group, or take them from it if the group has them all.

        Nothing happens where another group of this pass is in the way: the next pass tries again.
        """
        group = self._groups.in_namespace(csv.namespace)[0]
        key = group.namespace, group.name
        if key not in self._apis:
            before = self._groups.surface(group).provided_apis
            self._apis[key] = group, before, set(before)
        _, before, now = self._apis[key]
        # Only APIs that the operator owns are ever added or taken away, however long the annotation is.
        owned = owned_apis(csv)
        adds = not owned <= before
        changes = owned - before if adds else owned & before
        targets = set(self._groups.surface(group).targets)
        if any(self._is_taken(api, targets, key) for api in changes):
            return
        for api in changes:
            self._touched.setdefault(api, {}).update(dict.fromkeys(targets, key))
        if adds:
            now |= changes
        else:
            now -= changes

    def _is_taken(self, api: Api, targets: set[str], key: _Key) -> bool:
        """Return whether another group with a common target has got *api* in this pass."""
        taken = self._touched.get(api)
        if not taken:
            return False
        if "" in targets:
            return any(other != key for other in taken.values())
        return any(taken.get(target, key) != key for target in ("", *targets))

    def changed(self) -> list[OperatorGroup]:
        """Return the groups whose annotation has changed."""
        return [_annotated(group, now) for group, before, now in self._apis.values() if now != before]


def _annotated(group: OperatorGroup, apis: Iterable[Api]) -> OperatorGroup:
    annotations: Mapping[str, str] = {**group.metadata.annotations, PROVIDED_APIS_ANNOTATION: annotation_text(apis)}
    return attrs.evolve(group, metadata=attrs.evolve(group.metadata, annotations=annotations))


def _pruned(state: ClusterState) -> ClusterState:
    """Return *state* without the annotated APIs that no operator of the group owns; static groups stay as they are."""
    changed = []
    for group in state.all(OperatorGroup):
        have = apis_of_annotation(group.metadata.annotations.get(PROVIDED_APIS_ANNOTATION, ""))
        if not have or group.static_provided_apis:
            continue
        csvs = state.all(ClusterServiceVersion, group.namespace)
        owned = frozenset[Api]().union(*(owned_apis(csv) for csv in csvs if not csv.is_copied))
        if have - owned:
            changed.append(_annotated(group, have & owned))
    return state.having(*changed)
