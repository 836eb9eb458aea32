"""The progress of operators: OLM's passes over them, repeated until no operator changes.

Facts that only a running cluster has are assumed in the operator's favour: an operator that may be installed, and whose
definitions are there, works at once, unless the caller names it as failing. Objects that are being deleted go first.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import check, checked
from olmsolve._records import evolve
from olmsolve.cluster import (
    REQUIREMENTS_NOT_MET,
    Api,
    ClusterState,
    Definitions,
    completed,
    going,
    is_deleted,
    owned_apis,
    unmet_on_cluster,
)
from olmsolve.cluster.objects import (
    ClusterServiceVersion,
    CustomResourceDefinition,
    Namespace,
    OperatorGroup,
    RequirementStatus,
)
from olmsolve.cluster.operator_groups import (
    Annotating,
    ApiChange,
    ClusterGroups,
    Transition,
    account_is_missing,
    apis_in_group,
    csv_transition,
    install_fault,
    pruned,
    specified_targets,
)
from olmsolve.semver import Version

GONE: Final = "gone"
"""The phase of an operator that is there no longer."""

Entry: TypeAlias = tuple[str, str, str, str]
"""A change of an operator: namespace, name, the new phase, and why."""

_DELETION_REQUESTED: Final = "its deletion was requested"


def without_going(state: ClusterState) -> tuple[ClusterState, list[Entry]]:
    """Return *state* without the objects that are being deleted, and what happened to its operators.

    With a namespace that is Terminating, everything in it goes. Objects with a finalizer stay.
    """
    leaving = tuple(going(state))
    gone = [object_ for object_ in leaving if isinstance(object_, ClusterServiceVersion) and not object_.is_copied]
    log = [(object_.namespace, object_.name, GONE, _DELETION_REQUESTED) for object_ in gone]
    return state.without(*leaving) if leaving else state, log


# Passes of one round: of operators that all replace each other, each pass takes one away.
_MOST_PASSES: Final = 1000
# The least number of passes of a round, however many operators there are: enough for a chain of a few replacements.
_FEWEST_PASSES: Final = 20
# A pass looks at every pending operator again; this bound keeps 10,000 that wait for each other to seconds.
_MOST_LOOKS: Final = 200_000

_INSTALLING: Final = frozenset({"InstallReady", "Installing"})
# Phase, reason and message.
_SUCCEEDED: Final = ("Succeeded", "InstallSucceeded", "install strategy completed with no errors")
_FAILED: Final = ("Failed", "InstallCheckFailed", "its installation is assumed to fail")

OperatorKey: TypeAlias = tuple[str, str]
"""The namespace and the name of an operator."""


def as_found(state: ClusterState) -> ClusterState:
    """Return *state* with the fields that OLM filled in long ago on a real cluster, where a dump lacks them.

    The fields are the targets in the status of groups, the group and its targets in the annotations of working
    operators, their APIs in the group's annotation, and those of :func:`~olmsolve.cluster.completed`. An operator that
    is bound to fail is left for the first step.
    """
    state = retargeted(completed(state), only_empty=True)
    waiting = {_key(csv) for csv in state.all(ClusterServiceVersion) if csv.phase == "Succeeded" and not csv.is_copied}
    while waiting:
        check()
        state, waiting = _annotated(state, waiting)
    return state


def _annotated(state: ClusterState, waiting: Iterable[OperatorKey]) -> tuple[ClusterState, set[OperatorKey]]:
    """Return *state* with annotations on the operators *waiting* and their groups, and the operators that changed."""
    groups = ClusterGroups(state)
    annotating = Annotating(groups)
    changed: list[ClusterServiceVersion] = []
    for csv in (state.get(ClusterServiceVersion, *key) for key in checked(sorted(waiting), every=8)):
        assert csv is not None
        transition = csv_transition(csv, groups)
        if transition.status.phase == csv.phase and dict(transition.annotations) != dict(csv.metadata.annotations):
            changed.append(evolve(csv, metadata=evolve(csv.metadata, annotations=transition.annotations)))
        elif transition.group_annotation is not None:
            group = groups.in_namespace(csv.namespace)[0]
            # Only APIs that nobody contests are added in silence; taking some away is an event.
            if apis_in_group(csv, group, groups).change is ApiChange.ADD:
                annotating.take(csv)
    return state.having(*changed, *annotating.changed()), set(map(_key, changed))


def operator_keys(state: ClusterState) -> Iterator[OperatorKey]:
    """Yield the operators of *state*, copies left out."""
    return (_key(csv) for csv in state.all(ClusterServiceVersion) if not csv.is_copied)


@attrs.frozen
class _Cluster:
    """The facts about a cluster that stay the same while its operators settle."""

    definitions: Definitions
    kubernetes: Version | None
    failing: frozenset[str]


@attrs.frozen
class Settled:
    """A *state* after passes over its operators, and what happened to them in order (*log*).

    *pending* operators had not come to rest after so many *passes*: that takes hundreds of operators that all replace
    each other, and of which not one was ever installed.
    """

    state: ClusterState
    log: tuple[Entry, ...]
    pending: frozenset[OperatorKey]
    passes: int


def most_passes(count: int) -> int:
    """Return how many passes one round may take over *count* operators. Copies do not count: they are never pending."""
    return min(_MOST_PASSES, max(_FEWEST_PASSES, _MOST_LOOKS // (1 + count)))


def settled(
    state: ClusterState,
    waiting: Iterable[OperatorKey],
    failing: frozenset[str] = frozenset(),
    kubernetes: Version | None = None,
) -> Settled:
    """Return *state* after passes over its operators, until nothing changes or :func:`most_passes` are made.

    The first pass looks at the operators *waiting*. An operator that changes adds its neighbours to the next pass, and
    a group that gets or loses an API adds the operators that own the API. *kubernetes* is the cluster's version.
    """
    log: list[Entry] = []
    pending = set(waiting)
    most = most_passes(sum(1 for _ in operator_keys(state)))
    passes = 0
    # Only plans change definitions, and none is carried out here.
    cluster = _Cluster(Definitions(state.all(CustomResourceDefinition)), kubernetes, failing)
    groups: ClusterGroups | None = None
    while passes < most:
        check()
        if not pending:
            state, gone = pruned(state)
            pending = _owners(state, gone)
            if not pending:
                break
        passes += 1
        groups = ClusterGroups(state, groups)
        state, pending = _pass(groups, pending, cluster, log)
    return Settled(state, tuple(log), frozenset(pending), passes)


def _pass(
    groups: ClusterGroups, pending: set[OperatorKey], cluster: _Cluster, log: list[Entry]
) -> tuple[ClusterState, set[OperatorKey]]:
    state = groups.state
    changed: dict[OperatorKey, ClusterServiceVersion] = {}
    deleted: list[ClusterServiceVersion] = []
    annotating = Annotating(groups)
    following: set[OperatorKey] = set()
    for key in checked(sorted(pending), every=8):
        csv = state.get(ClusterServiceVersion, *key)
        # OLM does nothing for an operator that is being deleted, however long something keeps it.
        if csv is None or csv.is_copied or is_deleted(csv):
            continue
        older = functools.partial(_replaced, csv, groups)
        unmet = tuple(unmet_on_cluster(csv, cluster.definitions, cluster.kubernetes, older))
        transition = csv_transition(csv, groups, unmet=bool(unmet))
        if transition.group_annotation is not None:
            annotating.take(csv)
            following.add(key)
            continue
        after = _after(csv, transition, unmet, cluster.failing, state)
        if after.phase == "Deleting":
            deleted += _with_all_behind(csv, groups)
            changed.pop(key, None)
        elif after != csv:
            changed[key] = after
        else:
            continue
        following |= _neighbours(csv, groups) | {key}
        if after.phase == "Succeeded":
            # The oldest operator of a chain goes once a later one works, however far away that is.
            following.add(_oldest(csv, groups))
        if after.phase not in (csv.phase, "Deleting"):
            log.append((*key, after.phase, reason_of(after)))
    log += [(*_key(csv), GONE, _why_gone(csv)) for csv in dict(zip(map(_key, deleted), deleted, strict=True)).values()]
    state = state.having(*changed.values(), *annotating.changed()).without(*deleted)
    return state, following | _owners(state, annotating.changed_apis())


def _owners(state: ClusterState, apis: frozenset[Api]) -> set[OperatorKey]:
    """Return the operators that own one of *apis*: OLM looks at them again when other groups provide an API."""
    if not apis:
        return set()
    csvs = checked(state.all(ClusterServiceVersion), every=16)
    return {_key(csv) for csv in csvs if not csv.is_copied and not apis.isdisjoint(owned_apis(csv))}


def _key(csv: ClusterServiceVersion) -> OperatorKey:
    return csv.namespace, csv.name


def reason_of(csv: ClusterServiceVersion) -> str:
    """Return OLM's reason for the phase of *csv*, with its message."""
    return f"{csv.reason}: {csv.message}" if csv.message else csv.reason


def _after(
    csv: ClusterServiceVersion,
    transition: Transition,
    unmet: tuple[RequirementStatus, ...],
    failing: frozenset[str],
    state: ClusterState,
) -> ClusterServiceVersion:
    phase, reason, message = transition.status.phase, transition.status.reason, transition.status.message
    if csv.phase in _INSTALLING and phase == csv.phase:
        phase, reason, message = _FAILED if csv.key in failing else _SUCCEEDED
        group = next(iter(state.all(OperatorGroup, csv.namespace)), None)
        fault = install_fault(csv, group, state)
        if fault is not None:
            phase, reason, message = fault.phase, fault.reason, fault.message
    annotations = csv.metadata.annotations
    if dict(transition.annotations) != dict(annotations):
        csv = evolve(csv, metadata=evolve(csv.metadata, annotations=transition.annotations))
    if reason == REQUIREMENTS_NOT_MET:
        csv = evolve(csv, requirements=unmet)
    return evolve(csv, phase=phase, reason=reason, message=message)


def _with_all_behind(csv: ClusterServiceVersion, groups: ClusterGroups) -> list[ClusterServiceVersion]:
    """Return *csv* and the newer operators that give way too: pass by pass, OLM would delete them one at a time.

    An operator found ``Deleting`` goes by itself, whatever else there is.
    """
    if csv.phase == "Deleting":
        return [csv]
    neighbours = groups.neighbours(csv.namespace)
    chain, seen = [csv], {csv.name}
    newer = neighbours.replacing(csv)
    while newer is not None and newer.name not in seen:
        chain.append(newer)
        seen.add(newer.name)
        newer = neighbours.replacing(newer)
    works = max(position for position, operator in enumerate(chain) if operator.phase == "Succeeded")
    end = next(position for position, operator in enumerate(chain) if operator.phase != "Replacing")
    return chain[: min(works, end)]


def _why_gone(csv: ClusterServiceVersion) -> str:
    return reason_of(csv) if csv.phase == "Deleting" else "Replaced: a newer one works"


def _neighbours(csv: ClusterServiceVersion, groups: ClusterGroups) -> set[OperatorKey]:
    """Return the operators before and after *csv*."""
    neighbours = groups.neighbours(csv.namespace)
    return {
        _key(neighbour)
        for neighbour in (neighbours.replaced_by(csv), neighbours.replacing(csv))
        if neighbour is not None
    }


def _oldest(csv: ClusterServiceVersion, groups: ClusterGroups) -> OperatorKey:
    """Return the operator that *csv* replaces at the greatest distance: the first to go when *csv* works."""
    chain = _replaced(csv, groups)
    return csv.namespace, chain[-1] if chain else csv.name


def _replaced(csv: ClusterServiceVersion, groups: ClusterGroups) -> list[str]:
    """Return the operators of the namespace that *csv* replaces, one after the other, the nearest first."""
    neighbours = groups.neighbours(csv.namespace)
    seen = {csv.name: None}
    older = neighbours.replaced_by(csv)
    while older is not None and older.name not in seen:
        seen[older.name] = None
        older = neighbours.replaced_by(older)
    return list(seen)[1:]


def retargeted(state: ClusterState, *, only_empty: bool = False) -> ClusterState:
    """Return *state* with the targets that each group's specification names in the group's status.

    A status stays where the specification cannot be judged (a selector that cannot be read, or no Namespace among the
    objects), and where it differs in the group's own namespace alone: OLM's releases differ there. With *only_empty*,
    only a status without targets is written.
    """
    namespaces = state.all(Namespace)
    changed = []
    for group in checked(state.all(OperatorGroup), every=8):
        if (only_empty and group.namespaces) or account_is_missing(group, state):
            continue
        specified, undetermined = specified_targets(group, namespaces)
        own_namespace = {group.namespace}
        if undetermined or (
            group.namespaces and set(group.namespaces) - own_namespace == set(specified) - own_namespace
        ):
            continue
        if tuple(sorted(group.namespaces)) != specified:
            changed.append(evolve(group, namespaces=specified))
    return state.having(*changed)
