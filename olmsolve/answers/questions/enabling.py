"""The smallest changes that make a request select a given bundle, each tested by resolving the changed request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.answers.explain import (
    AcceptDeprecated,
    ChangeCatalog,
    ChangeChannel,
    ChangeStart,
    DropSubscription,
    LiftRule,
    RemoveOperator,
    RequestChange,
    cluster_changes,
    operator_changes,
    root_key,
)
from olmsolve.answers.rerunning import Rerun
from olmsolve.answers.resting import Rest, followed
from olmsolve.catalog import namespace_and_name
from olmsolve.classic import IsDeprecated, IsNotEligible, Never, Prefer, Request, Subscription, resolve
from olmsolve.errors import CatalogError, RequestError
from olmsolve.resolution import EXISTING, Candidate, ResolutionFailure
from olmsolve.solver import Core, Identifier

_EACH: Final = 4
"""The most changes of a kind to try."""
_ALL: Final = 40
"""The most changes to try in all; each is a request to resolve."""
_PLANS: Final = 20
"""The most plans that are followed for each change."""


@attrs.frozen
class AddSubscription:
    """Add a subscription to the request."""

    subscription: Subscription

    @property
    def rank(self) -> int:
        """Its position among the kinds of changes; one with a ``startingCSV`` is the larger change."""
        # Beside the largest kinds of changes in answers/explain/changes.py, whose ranks end with 11, and after them.
        return 12 if self.subscription.starting_csv else 11

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, subscriptions=[*request.subscriptions, self.subscription])

    def __str__(self) -> str:
        wish = self.subscription
        text = f"create a subscription for package {wish.package}, channel {wish.channel}"
        text += f", catalog {wish.catalog}"
        return f"{text}, with startingCSV {wish.starting_csv}" if wish.starting_csv else text


@attrs.frozen
class Together:
    """Several changes, none of which can be left out."""

    changes: tuple[RequestChange | AddSubscription, ...]

    def apply(self, request: Request) -> Request:
        for change in self.changes:
            request = change.apply(request)
        return request

    def __str__(self) -> str:
        return "; and ".join(map(str, self.changes))


Enabling: TypeAlias = RequestChange | AddSubscription | Together
_Changes: TypeAlias = tuple[RequestChange | AddSubscription, ...]


def enabling(
    rerun: Rerun, numbers: Sequence[int], core: Core | None = None, *, strict: bool
) -> tuple[Enabling, int] | None:
    """Return the smallest change tried after which one of *numbers* is selected, and by which plan; None if none does.

    Plan 1 answers the changed request; later ones follow when it is carried out. *core* is the core that forbids
    the candidates, if they are impossible. Fewer changes come before more, then smaller kinds, then changes for
    preferred candidates. Only a few of each kind are tried. If *strict*, a change after which the namespace ends
    without a plan, or with a lower version, is none.
    """
    wanted = _Wanted(frozenset(map(rerun.problem.candidate, numbers)), strict)
    tried: Counter[tuple[type, ...]] = Counter()
    attempts = _ALL
    for changes in sorted(dict.fromkeys(_changes(rerun, numbers, core)), key=_size):
        kinds = tuple(map(type, changes))
        # A package of fifty channels would take all attempts with one kind of change.
        if tried[kinds] == _EACH or not attempts:
            continue
        tried[kinds] += 1
        attempts -= 1
        count = wanted.selected_after(rerun, changes)
        if count is not None:
            return _needed(rerun, changes, wanted, count)
    return None


@attrs.frozen
class _Wanted:
    """The wanted *candidates*; if *strict*, only changes that come to a good rest count."""

    candidates: frozenset[Candidate]
    strict: bool

    def selected_after(self, rerun: Rerun, changes: _Changes) -> int | None:
        """Return the number of the plan after *changes*, from 1, that has one of the candidates; None if none has."""
        problem = rerun.problem
        try:
            request = Together(changes).apply(problem.request)
            plan = resolve(request, semantics=problem.semantics, backend=rerun.backend)
        except (RequestError, CatalogError, ResolutionFailure):
            return None
        following = followed(request, plan, semantics=problem.semantics, backend=rerun.backend, most=_PLANS)
        if self.strict and not following.is_sound:
            return None
        return plan_with(following, self.candidates)


def plan_with(following: Rest, candidates: Collection[Candidate]) -> int | None:
    """Return the number of the first plan, counted from 1, that has one of *candidates*; None if none has."""
    for count, plan in enumerate(following.plans, start=1):
        if any(number in candidates for number in (*plan.kept, *plan.selected)):
            return count
    return None


def _needed(rerun: Rerun, changes: _Changes, wanted: _Wanted, count: int) -> tuple[Enabling, int]:
    """Return *changes* without needless ones, and the number of the plan, from 1, that selects the wanted bundle."""
    for change in changes:
        fewer = tuple(other for other in changes if other != change)
        sooner = wanted.selected_after(rerun, fewer) if fewer else None
        if sooner is not None:
            return _needed(rerun, fewer, wanted, sooner)
    return (changes[0] if len(changes) == 1 else Together(changes)), count


def _size(changes: _Changes) -> tuple[int, list[int]]:
    return len(changes), sorted((change.rank for change in changes), reverse=True)


def _changes(rerun: Rerun, numbers: Sequence[int], core: Core | None) -> Iterator[_Changes]:
    """Yield the changes to try: to wishes for the package, or a new one, alone and with an obstacle removed."""
    problem, request = rerun.problem, rerun.problem.request
    owners = {owner.name: operator for operator, owner in request.owners().items()}
    obstacles = list(_obstacles(rerun, core))
    yield from obstacles
    deprecated, refused = set(_prohibited(core, IsDeprecated)), set(_prohibited(core, IsNotEligible))
    for number in numbers:
        candidate = problem.candidate(number)
        if number in refused:
            yield from ((change,) for change in cluster_changes(problem, number))
        if number in deprecated:
            yield (AcceptDeprecated(candidate.catalog, candidate.package, candidate.name),)
        if candidate.catalog == EXISTING:
            continue
        namespace, name = namespace_and_name(candidate.catalog)
        wishes = [wish for wish in request.subscriptions if wish.package == candidate.package]
        for wish in wishes:
            steps: list[RequestChange] = []
            if wish.source and (wish.source, wish.source_namespace) != (name, namespace):
                steps.append(ChangeCatalog(wish.name, name, namespace))
            if wish.channel and wish.channel != candidate.channel:
                steps.append(ChangeChannel(wish.name, candidate.channel))
            # OLM ignores the startingCSV of a subscription that owns an operator, so the operator has to go.
            owned = owners.get(wish.name)
            last = ChangeStart(wish.name, candidate.name) if owned is None else RemoveOperator(owned)
            ways: list[_Changes] = [tuple(steps), (*steps, last)] if steps else [(last,)]
            if wish.starting_csv:
                ways.insert(0, (*steps, ChangeStart(wish.name, "")))
            yield from ways
            others = (obstacle for obstacle in obstacles if DropSubscription(wish.name) not in obstacle)
            yield from ((*obstacle, *way) for obstacle in others for way in ways)
        if not wishes:
            target = request.namespaces[0]
            new = Subscription(
                _fresh(request, candidate.package), target, candidate.package, candidate.channel, name, namespace
            )
            for wish in (new, attrs.evolve(new, starting_csv=candidate.name)):
                yield (AddSubscription(wish),)
                yield from ((*obstacle, AddSubscription(wish)) for obstacle in obstacles)


def _obstacles(rerun: Rerun, core: Core | None) -> Iterator[_Changes]:
    """Yield the removals of wishes and house rules that contradict the candidates.

    An owned operator must be removed with its wish.
    """
    request = rerun.problem.request
    owners = {owner.name: operator for operator, owner in request.owners().items()}
    if core is None:
        # Nothing forbids the candidates: a preference may put others first.
        yield from ((LiftRule(rule.name),) for rule in request.house_rules if isinstance(rule, Prefer))
    for constraint in () if core is None else core.constraints:
        kind, name = root_key(rerun.problem, constraint) or ("", "")
        if isinstance(constraint.origin, Never):
            yield (LiftRule(constraint.origin.name),)
        elif kind == "rule":
            yield (LiftRule(name),)
        elif kind == "operator":
            yield from (
                (change,) for change in operator_changes(rerun.problem, rerun.problem.candidate(constraint.subject))
            )
        elif any(wish.name == name for wish in request.subscriptions):
            yield (DropSubscription(name),)
            if name in owners:
                yield RemoveOperator(owners[name]), DropSubscription(name)


def _prohibited(core: Core | None, origin: type[IsDeprecated | IsNotEligible]) -> Iterator[Identifier]:
    """Yield the candidates that the core forbids for reasons of the kind *origin*."""
    for constraint in () if core is None else core.constraints:
        if isinstance(constraint.origin, origin):
            yield constraint.subject


def _fresh(request: Request, name: str) -> str:
    """Return *name*, or one made from it, that no subscription of the request has."""
    taken = {wish.name for wish in request.subscriptions}
    while name in taken:
        name += "-2"
    return name
