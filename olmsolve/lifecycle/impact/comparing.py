"""Two situations of one cluster, with the old catalogs and with the new ones, become the impact of the change."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from olmsolve._named_tuples import NamedTuple
from olmsolve._records import evolve, record
from olmsolve.answers.explain import explanation
from olmsolve.answers.held_back import held_back
from olmsolve.catalog import Catalog
from olmsolve.classic import Unsatisfiable
from olmsolve.cluster import PlanWaits
from olmsolve.cluster.objects import ClusterExtension, ClusterServiceVersion, SubscriptionObject
from olmsolve.errors import Incomplete, OlmsolveError
from olmsolve.lifecycle.cluster_updates import situation_update
from olmsolve.lifecycle.impact.footprints import Side, simulated
from olmsolve.lifecycle.impact.model import (
    BlockingImpact,
    ClusterImpact,
    HeldBackImpact,
    ImpactFailure,
    OperatorImpact,
    OrphanedOperator,
    StrandedOperator,
    WaitingBundles,
)
from olmsolve.lifecycle.impact.rollouts import rollouts
from olmsolve.lifecycle.simulation import Ending, NamespaceUnresolved, Simulation
from olmsolve.requests import Contents, Situation, scheme_in
from olmsolve.semver import VersionScheme, read_version
from olmsolve.solver.backends import DEFAULT, BackendLike

# Each failure of each class of clusters is explained, so with fewer ways out than where somebody asks about one.
_FIXES: Final = 3
_TRIES: Final = 30
_REASONS: Final = 6  # of a failure in a report; `olmsolve explain` has all

_FailureKey: TypeAlias = tuple[str, ...]
_Failures: TypeAlias = Mapping[_FailureKey, ImpactFailure | NamespaceUnresolved]


def compared(
    before: Situation, after: Situation, *, approve: bool = False, openshift: str = "", backend: BackendLike = DEFAULT
) -> ClusterImpact:
    """Return what changes for a cluster whose catalogs contain what *after* says instead of what *before* says.

    Both are simulated to rest, with *approve* with all install plans approved. *openshift* is the version whose update
    installed bundles may block, "" where nobody asks.

    Raises:
        VersionError: *openshift* is not a version.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    old, new = (simulated(side, approve, backend) for side in (before, after))
    return compared_sides(old, new, openshift=openshift, backend=backend)


def compared_sides(old: Side, new: Side, *, openshift: str, backend: BackendLike) -> ClusterImpact:
    """Return what changes from the *old* side to the *new* one; see :func:`compared`."""
    was, now = _failures(old), _failures(new)
    simulation = new.simulation
    orphaned = tuple(_orphaned(old, new))
    # An orphan's updates end, which is reported as such: the operator itself stays.
    staying = {(subscription.namespace, subscription.owner) for subscription in orphaned}
    impact = ClusterImpact(
        operators=tuple(
            operator for operator in _operators(old, new) if (operator.namespace, operator.owner) not in staying
        ),
        failures=tuple(_explained(now[key]) for key in now if key not in was),
        mended=tuple(_in_words(was[key]) for key in was if key not in now),
        lasting=tuple(_in_words(now[key]) for key in now if key in was),
        held_back=tuple(_held_back(new)),
        stranded=tuple(_stranded(old, new)),
        orphaned=orphaned,
        waiting=tuple(_waiting(old, new)),
        blocking=tuple(_blocking(new.situation, openshift, backend)) if openshift else (),
        rollouts=() if simulation is None else tuple(rollouts(simulation)),
        steps=0 if simulation is None else _rounds(simulation),
    )
    return ClusterImpact.of_parts([impact])


def _rounds(simulation: Simulation) -> int:
    extensions = simulation.extensions
    return max(len(simulation.steps), 0 if extensions is None else len(extensions.rounds))


# Operators: which bundle each subscription and each extension comes to.


@record
class _Course:
    """The bundles of one owner: *installed* now, its *updates* in order, the *version* of the last and its *scheme*."""

    package: str
    installed: str
    updates: tuple[str, ...]
    version: str
    scheme: VersionScheme | None = None

    @property
    def last(self) -> str:
        return self.updates[-1] if self.updates else self.installed


_NOWHERE: Final = _Course("", "", (), "")


class _VersionOrder(enum.Enum):
    DOWNGRADE = enum.auto()
    MAJOR = enum.auto()
    OTHER = enum.auto()


def _operators(old: Side, new: Side) -> Iterator[OperatorImpact]:
    was, now = _courses(old), _courses(new)
    for key in sorted({*was, *now}):
        before, after = was.get(key, _NOWHERE), now.get(key, _NOWHERE)
        if before.last == after.last:
            continue
        namespace, owner = key
        order = _compared_versions(before.version, after.version, after.scheme or before.scheme)
        yield OperatorImpact(
            namespace,
            owner,
            after.package or before.package,
            after.installed or before.installed,
            before.last,
            after.last,
            after.updates,
            is_downgrade=order is _VersionOrder.DOWNGRADE,
            is_major=order is _VersionOrder.MAJOR,
        )


def _scheme_of(side: Side, subscription: SubscriptionObject) -> VersionScheme | None:
    cluster = side.situation.cluster
    return (
        None
        if cluster is None
        else scheme_in(cluster.contents, f"{subscription.source_namespace}/{subscription.source}")
    )


def _compared_versions(before: str, after: str, scheme: VersionScheme | None) -> _VersionOrder:
    """Return how *after* compares to *before* in a *scheme*; texts that are not versions cannot be compared.

    Only semantic versions have a major version, which says that something breaks.
    """
    old, new = read_version(before, scheme), read_version(after, scheme)
    if old is None or new is None:
        return _VersionOrder.OTHER
    if new < old:
        return _VersionOrder.DOWNGRADE
    return _VersionOrder.MAJOR if new.major > old.major else _VersionOrder.OTHER


def _courses(side: Side) -> dict[tuple[str, str], _Course]:
    """Map each subscription (namespace and name) and each extension ("" and name) to its course."""
    simulation = side.simulation
    if simulation is None:
        return {}
    courses: dict[tuple[str, str], _Course] = {}
    for last in simulation.state.all(SubscriptionObject):
        start = simulation.start.get(SubscriptionObject, last.namespace, last.name)
        installed = "" if start is None else start.installed_csv
        updates: list[str] = []
        for step in simulation.steps:
            now = step.state.get(SubscriptionObject, last.namespace, last.name)
            if now is not None and now.installed_csv not in ("", installed if not updates else updates[-1]):
                updates.append(now.installed_csv)
        csv = simulation.state.get(ClusterServiceVersion, last.namespace, updates[-1] if updates else installed)
        version = "" if csv is None else csv.version
        scheme = _scheme_of(side, last)
        courses[last.namespace, last.name] = _Course(last.package, installed, tuple(updates), version, scheme)
    courses.update(_extension_courses(simulation))
    return courses


def _extension_courses(simulation: Simulation) -> Iterator[tuple[tuple[str, str], _Course]]:
    extensions = simulation.extensions
    if extensions is None:
        return
    made: dict[str, list[tuple[str, str, str, str]]] = {}
    for change in (update for one in extensions.rounds for update in one.updates):
        made.setdefault(change.extension, []).append((change.package, change.before, change.bundle, change.version))
    for resting in extensions.resting:
        made.setdefault(resting.extension, []).append(
            (resting.package, resting.bundle, resting.bundle, resting.version)
        )
    for failed in extensions.failed:
        # OLM v1 takes nothing away: what is installed stays, whatever the next bundle fails for.
        kept = _installed_before(simulation, failed.extension)
        made.setdefault(failed.extension, [(failed.package, kept.bundle, kept.bundle, kept.version)])
    for name, several in made.items():
        updates = tuple(bundle for _, before, bundle, _ in several if bundle != before)
        yield ("", name), _Course(several[0][0], several[0][1], updates, several[-1][3])


class _BundleAndVersion(NamedTuple):
    """The bundle that the status of an extension names, and its version; "" where nothing is installed."""

    bundle: str
    version: str


def _installed_before(simulation: Simulation, name: str) -> _BundleAndVersion:
    extension = simulation.start.get(ClusterExtension, "", name)
    status = {} if extension is None or extension.installed is None else extension.installed
    return _BundleAndVersion(str(status.get("name") or ""), str(status.get("version") or ""))


# Failures: what is left at the end that nobody wishes for.


def _failures(side: Side) -> _Failures:
    """Map a key to each failure: failures with the same key on both sides are the same failure.

    A namespace that cannot be resolved is one failure, whatever the constraints are; other failures have their message
    in the key.
    """
    failures: dict[_FailureKey, ImpactFailure | NamespaceUnresolved] = {}
    simulation = side.simulation
    if simulation is None:
        assert side.error is not None, "it was not simulated"
        return {("cluster",): ImpactFailure("error", "", str(side.error))}
    if simulation.ended is not Ending.REST:
        text = f"the cluster does not come to rest ({simulation.ended.value})"
        failures["ending", simulation.ended.value] = ImpactFailure("noRest", "", text)
    for hindrance in simulation.left:
        if isinstance(hindrance, NamespaceUnresolved):
            failures["namespace", hindrance.namespace] = hindrance
        elif not isinstance(hindrance, PlanWaits):
            failures[hindrance.kind, str(hindrance)] = ImpactFailure(
                hindrance.kind, hindrance.namespace, str(hindrance)
            )
    failed = simulation.extensions.failed if simulation.extensions is not None else ()
    for one in failed:
        text = f"extension {one.extension}: {one.error}"
        failures["extension", one.extension] = ImpactFailure("extension", "", text)
    for answer in simulation.errors:
        failures["question", answer.question.name] = ImpactFailure("question", "", str(answer.error))
    return failures


def _in_words(failure: ImpactFailure | NamespaceUnresolved) -> ImpactFailure:
    if isinstance(failure, ImpactFailure):
        return failure
    return ImpactFailure(failure.kind, failure.namespace, str(failure))


def _explained(failure: ImpactFailure | NamespaceUnresolved) -> ImpactFailure:
    """Return *failure* with the sentences of its core and its ways out, where it has an explanation."""
    described = _in_words(failure)
    unsatisfiable = failure.failure if isinstance(failure, NamespaceUnresolved) else None
    if not isinstance(unsatisfiable, Unsatisfiable):
        return described
    try:
        explained = explanation(unsatisfiable, fixes=_FIXES, tries=_TRIES)
    except Incomplete:
        raise
    except OlmsolveError:
        # A failure without its request says itself all there is.
        return described
    conflicts = dict.fromkeys(conflict.statement for conflict in explained.conflicts)
    if not conflicts:
        return described
    # The nodes of an explanation are lines of a tree; a reason of the core is a sentence by itself.
    reasons = tuple(text for text in dict.fromkeys(map(str, unsatisfiable.core)) if text not in conflicts)
    text = f"namespace {failure.namespace} cannot be resolved: {'; '.join(conflicts)}"
    return evolve(described, text=text, reasons=reasons[:_REASONS], ways=tuple(map(str, explained.ways_out or ())))


# Bundles that the new catalogs do not change.


def _held_back(side: Side) -> Iterator[HeldBackImpact]:
    """Yield the newer bundles that resting subscriptions do not get, and the install plans that wait."""
    simulation = side.simulation
    if simulation is None:
        return
    for hindrance in simulation.left:
        if isinstance(hindrance, PlanWaits):
            yield HeldBackImpact(hindrance.namespace, "", "", ", ".join(hindrance.operators), str(hindrance))
    for pass_ in simulation.last:
        if pass_.resolution is None:
            continue
        for operator in held_back(pass_.resolution, request=pass_.request):
            newest = operator.newer[0]
            yield HeldBackImpact(
                pass_.namespace,
                operator.subscription,
                operator.candidate.name,
                newest.candidate.name,
                newest.reason,
            )
    for resting in simulation.extensions.resting if simulation.extensions is not None else ():
        for bundle in resting.held_back[:1]:
            yield HeldBackImpact("", resting.extension, resting.bundle, bundle.bundle, str(bundle))


def _orphaned(old: Side, new: Side) -> Iterator[OrphanedOperator]:
    """Yield the operators that stay although the change deletes their subscription: OLM deletes no operator with it."""
    if old.simulation is None or new.simulation is None:
        return
    for subscription in old.simulation.start.all(SubscriptionObject):
        is_deleted = new.simulation.start.get(SubscriptionObject, subscription.namespace, subscription.name) is None
        csv = new.simulation.state.get(ClusterServiceVersion, subscription.namespace, subscription.installed_csv)
        owners = {other.installed_csv for other in new.simulation.state.all(SubscriptionObject, subscription.namespace)}
        if is_deleted and csv is not None and subscription.installed_csv not in owners:
            yield OrphanedOperator(subscription.namespace, subscription.name, subscription.installed_csv)


def _waiting(old: Side, new: Side) -> Iterator[WaitingBundles]:
    """Yield what waits for approval at the end of *new*, and not at the end of *old*."""
    was, now = (
        {
            (hindrance.namespace, hindrance.operators)
            for hindrance in (() if side.simulation is None else side.simulation.left)
            if isinstance(hindrance, PlanWaits)
        }
        for side in (old, new)
    )
    yield from (WaitingBundles(namespace, bundles) for namespace, bundles in sorted(now - was))


def _stranded(old: Side, new: Side) -> Iterator[StrandedOperator]:
    """Yield the operators that stay with a bundle which the old catalog offers and the new one does not."""
    simulation = new.simulation
    if simulation is None or old.situation.cluster is None or new.situation.cluster is None:
        return
    offered, still_offered = old.situation.cluster.contents, new.situation.cluster.contents
    for subscription in simulation.state.all(SubscriptionObject):
        bundle, catalog = subscription.installed_csv, f"{subscription.source_namespace}/{subscription.source}"
        was = bundle and _offers(offered, catalog, subscription.package, bundle)
        if was and not _offers(still_offered, catalog, subscription.package, bundle):
            yield StrandedOperator(subscription.namespace, subscription.name, bundle)


def _offers(contents: Contents, catalog: str, package: str, bundle: str) -> bool:
    content = contents.get(catalog)
    offered_package = content.packages.get(package) if isinstance(content, Catalog) else None
    return offered_package is not None and bundle in offered_package.bundles


def _blocking(situation: Situation, openshift: str, backend: BackendLike) -> Iterator[BlockingImpact]:
    update = situation_update(situation, openshift, backend=backend)
    for operator in update.operators:
        blocking, way = operator.blocking, "" if operator.way is None else str(operator.way)
        yield BlockingImpact(blocking.namespace, blocking.name, update.update, str(blocking), way)
    for one in update.extensions:
        way = f"extension {one.extension} gets {', then '.join(one.updates)}" if one.updates else ""
        yield BlockingImpact("", one.blocking.name, update.update, str(one.blocking), way)
