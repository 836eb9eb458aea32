"""The conflicts that end a part's way, each with its requirements, what they come to, and verified ways out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from olmsolve._limits import checked
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterExtension, ClusterServiceVersion, SubscriptionObject
from olmsolve.lifecycle.journey.bounds import BoundedWish, JourneyTables, WishRules
from olmsolve.lifecycle.journey.extensions import ExtensionPart
from olmsolve.lifecycle.journey.model import (
    ChannelOutlook,
    Demands,
    JourneyConflict,
    JourneyReason,
    JourneyRequirement,
    JourneyRule,
    JourneyWayOut,
    ManualApproval,
    OperatorRemoval,
    only,
)
from olmsolve.lifecycle.journey.objects import maximum_of, version_of
from olmsolve.lifecycle.journey.searching import Found, JourneySearch
from olmsolve.lifecycle.journey.ways import candidates, extension_candidates

_S = TypeVar("_S")


def _without_subjects(subjects: Iterable[str]) -> Demands:
    """Return the demands of everything, except for these *subjects*."""
    free = frozenset(subjects)
    return lambda stage, subject, rule: subject not in free


def _subjects(search: JourneySearch[_S], outcome: Found[_S]) -> Mapping[str, None]:
    """Return the subjects, first the subjects that broke a rule on some way."""
    broken = dict.fromkeys(requirement.subject for requirement in sorted(outcome.broken))
    return broken | dict.fromkeys(search.part.subjects())


def _core(search: JourneySearch[_S], outcome: Found[_S], subjects: set[str]) -> tuple[JourneyRequirement, ...]:
    """Return requirements of *subjects* that cannot hold together, none where they can, or nobody knows.

    *outcome* is the outcome of the search without the rules of all other subjects, which has no journey.
    """
    everything = {
        JourneyRequirement(stage, subject, rule)
        for subject in subjects
        for rule in search.part.subjects().get(subject, tuple(JourneyRule))
        for stage in range(search.part.last + 1)
    }
    if not _impossible(search, everything):
        return ()
    # A subject that cannot get there by itself is a shorter reason than several that are in each other's way.
    for subject in _subjects(search, outcome):
        alone = {requirement for requirement in everything if requirement.subject == subject}
        if alone and _impossible(search, alone):
            return _smallest(search, alone)
    kept = everything
    for subject in [subject for subject in _subjects(search, outcome) if subject in subjects]:
        fewer = {requirement for requirement in kept if requirement.subject != subject}
        if _impossible(search, fewer):
            kept = fewer
    return _smallest(search, kept)


def _smallest(search: JourneySearch[_S], requirements: set[JourneyRequirement]) -> tuple[JourneyRequirement, ...]:
    """Return *requirements* without those that are not needed; the later versions are dropped first."""
    kept = set(requirements)
    for requirement in sorted(requirements, key=lambda ordered: (-ordered.stage, ordered.subject, ordered.rule.value)):
        if _impossible(search, kept - {requirement}):
            kept.discard(requirement)
    return tuple(sorted(kept, key=lambda requirement: (requirement.stage, requirement.subject, requirement.rule.value)))


def _impossible(search: JourneySearch[_S], requirements: Iterable[JourneyRequirement]) -> bool:
    """Return whether no journey keeps *requirements*; False where the search gave up."""
    outcome = search.run(only(requirements))
    return outcome.legs is None and not outcome.gave_up


def _counterexample(
    search: JourneySearch[_S], core: Sequence[JourneyRequirement], exempted: JourneyRequirement
) -> Found[_S]:
    """Return a journey to the version of the requirement *exempted*, which shows how that is broken.

    It keeps every other rule if it can, else all rules of the versions before, and else what *core* has besides.
    """
    exempt = exempted.stage, exempted.subject, exempted.rule
    shorter = search.until(exempted.stage)
    outcome = shorter.run(lambda *requirement: requirement != exempt)
    if outcome.legs is not None and _breaks(outcome, exempted):
        return outcome
    if outcome.legs is None:
        # Others have conflicts at this version, too: until then, all rules can be kept.
        outcome = shorter.run(lambda stage, subject, rule: stage < exempted.stage)
        if outcome.legs is not None and _breaks(outcome, exempted):
            return outcome
    # The change that breaks the rule may be needed for a later version only.
    longer = search.run(only(requirement for requirement in core if requirement != exempted))
    return outcome if longer.legs is None else longer


def _breaks(outcome: Found[_S], requirement: JourneyRequirement) -> bool:
    """Return whether the journey that was *outcome* breaks *requirement*."""
    subject, rule = requirement.subject, requirement.rule
    if rule is JourneyRule.SUPPORTS:
        return any(requirement.stage in leg.state.unsupported.get(subject, ()) for leg in outcome.legs or ())
    here = (leg.state for leg in outcome.legs or () if leg.stage == requirement.stage)
    return any((subject, rule) in state.unmet for state in here)


_Search: TypeAlias = JourneySearch[Any]

Retried: TypeAlias = Callable[[Any, Sequence[JourneyWayOut]], _Search | None]
"""Makes the search of a part once ways out are made on its objects; None where nothing of it is left."""

# A part with more conflicts has another problem.
_MOST_CONFLICTS: Final = 20


class PartConflicts:
    """The *conflicts* of the part of *search*, which *found* no journey, and *ways* out of all of them together.

    It *is_freed* where a whole search after these *ways* has found a journey.
    """

    def __init__(self, tables: JourneyTables, retried: Retried, search: _Search, outcome: Found[Any]) -> None:
        self._tables, self._retried = tables, retried
        self._part = search.part
        self.ways: list[JourneyWayOut] = []
        self.conflicts: list[JourneyConflict] = []
        self.is_freed: bool = False
        free: set[str] = set()
        while len(self.conflicts) < _MOST_CONFLICTS:
            core = _core(search, outcome, set(_subjects(search, outcome)) - free)
            if not core:
                return
            reasons = tuple(_reason(tables, search, core, constraint) for constraint in core)
            options = tuple(self._options(search, core))
            jointly = () if options else self._jointly(search, core)
            self.conflicts.append(JourneyConflict(reasons, options, jointly))
            if options or jointly:
                self.ways += options[:1] or jointly
                following = retried(self._part, self.ways)
                if following is None:
                    self.is_freed = not free
                    return
                search = following
            else:
                # Nothing helps here; what else is in the way can still be reported.
                free.update(constraint.subject for constraint in core)
            outcome = search.run(_without_subjects(free))
            if outcome.legs is not None:
                self.is_freed = not free
                return

    def _options(self, search: _Search, core: Sequence[JourneyRequirement]) -> Iterator[JourneyWayOut]:
        """Yield the ways out that each make a journey possible that keeps all rules of *core*."""
        given = search.part.given
        if isinstance(search.part, ExtensionPart):
            extension = given.state.get(ClusterExtension, "", search.part.name)
            assert extension is not None
            tried: Iterator[JourneyWayOut] = extension_candidates(extension)
        else:
            tried = candidates(given.state, (constraint.subject for constraint in core), self._tables.stages)
        taken: set[tuple[str, ...]] = set()
        for way in tried:
            # One way of each kind is enough for an operator.
            owner = getattr(way, "operator", "") or getattr(way, "subscription", "") or str(way)
            # One subscription that waits for approval makes all updates of its namespace wait.
            key = way.kind, getattr(way, "namespace", ""), "" if isinstance(way, ManualApproval) else owner
            if key not in taken and self._helps([way], core):
                taken.add(key)
                yield way

    def _jointly(self, search: _Search, core: Sequence[JourneyRequirement]) -> tuple[JourneyWayOut, ...]:
        """Return the removal of all subscriptions that block the journey by themselves, if it helps."""
        hopeless = set(search.part.hopeless(only(core)))
        removals = candidates(search.part.given.state, hopeless, self._tables.stages)
        ways = tuple(
            removal
            for removal in removals
            if isinstance(removal, OperatorRemoval) and f"{removal.namespace}/{removal.subscription}" in hopeless
        )
        return ways if ways and self._helps(ways, core) else ()

    def _helps(self, ways: Sequence[JourneyWayOut], core: Sequence[JourneyRequirement]) -> bool:
        """Return whether a journey keeps all of *core* once *ways* are carried out, after the ways found before."""
        following = self._retried(self._part, [*self.ways, *ways])
        return following is None or following.run(only(core)).legs is not None


def _reason(
    tables: JourneyTables, search: _Search, core: Sequence[JourneyRequirement], requirement: JourneyRequirement
) -> JourneyReason:
    example = _counterexample(search, core, requirement)
    subject, rule = requirement.subject, requirement.rule
    # A version is left with what it had last, and what it must work with comes one version later.
    at = max(requirement.stage - 1, 0) if rule is JourneyRule.SUPPORTS else requirement.stage
    here = [leg.state for leg in example.legs or () if leg.stage == at]
    causes = [constraint.unmet[subject, rule] for constraint in here if (subject, rule) in constraint.unmet]
    cause = causes[-1] if causes else ""
    bundle, package = "", ""
    outlook: tuple[ChannelOutlook, ...] = ()
    start = search.start().value
    if isinstance(start, ClusterState):
        namespace, _, name = subject.partition("/")
        subscription = start.get(SubscriptionObject, namespace, name)
        if rule is JourneyRule.SUPPORTS and here:
            cause = _limit(here[-1].value, subject)
        if subscription is not None:
            bundle, package = subscription.installed_csv, subscription.package
            outlook = tuple(_outlook(tables, subscription, start, at))
        elif name:
            bundle = name
        elif rule is JourneyRule.RESOLVES:
            package = ", ".join(_hopeless_packages(search, requirement))
    else:
        assert isinstance(search.part, ExtensionPart)
        package = search.part.package
        bundle = start.installed.name if start.installed is not None else ""
    return JourneyReason(tables.stages[requirement.stage].text, rule, subject, bundle, package, cause, outlook)


def _hopeless_packages(search: _Search, requirement: JourneyRequirement) -> Iterator[str]:
    """Yield the packages of the subscriptions that alone keep their namespace from the *requirement*."""
    hopeless = set(search.part.hopeless(only([requirement])))
    for subscription in search.part.given.state.all(SubscriptionObject):
        if subscription.key in hopeless:
            yield subscription.package


def _limit(state: ClusterState, subject: str) -> str:
    """Return what the operator of *subject* in *state* says of the versions that it works with."""
    namespace, _, name = subject.partition("/")
    subscription = state.get(SubscriptionObject, namespace, name)
    has = subscription.installed_csv if subscription is not None else name
    csv = state.get(ClusterServiceVersion, namespace, has)
    if csv is None:
        return ""
    maximum = maximum_of(csv)
    return f"{csv.name} works up to OpenShift {maximum}" if maximum else f"{csv.name} has a limit that cannot be read"


def _outlook(
    tables: JourneyTables, subscription: SubscriptionObject, state: ClusterState, number: int
) -> Iterator[ChannelOutlook]:
    """Yield for each channel of the subscription's package, at the stage *number*, where its updates lead."""
    csv = state.get(ClusterServiceVersion, subscription.namespace, subscription.installed_csv)
    catalog = f"{subscription.source_namespace}/{subscription.source}"
    table = tables.package(catalog, subscription.package)
    if csv is None or table.packages[number] is None or not table.is_known:
        return
    version = version_of(csv, table.scheme)
    wish = BoundedWish(catalog, subscription.package, csv.name, version, subscription.channel, frozenset())
    rules = WishRules(frozenset(), frozenset(), len(tables.stages) - 1)
    reachable = tables.bounds(wish, rules).reachable(number)
    for channel in checked(table.channels(number)):
        chain = table.chain(number, channel)
        newest = next((step for step in chain if step in reachable), "")
        head = chain[0] if chain else ""
        yield ChannelOutlook(tables.stages[number].text, channel, head, newest, table.maximum(number, newest))
