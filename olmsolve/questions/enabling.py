"""The smallest change to a request after which it selects what it does not: each is resolved before it is offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import attrs

from olmsolve.classic import Request, Subscription, resolve
from olmsolve.classic.problem import IsDeprecated
from olmsolve.errors import CatalogError, RequestError
from olmsolve.explain import Change
from olmsolve.explain.changes import (
    AcceptDeprecated,
    ChangeCatalog,
    ChangeChannel,
    ChangeStart,
    DropSubscription,
    RemoveOperator,
)
from olmsolve.explain.conflicts import root_name
from olmsolve.questions.answered import Answered
from olmsolve.resolution import EXISTING, ResolutionFailure
from olmsolve.solver import Core, Identifier, Prohibited

__all__ = ["AddSubscription", "Enabling", "Together", "enabling"]

_EACH: Final = 4
"""How many changes of a kind are tried."""


@attrs.frozen
class AddSubscription:
    """A subscription that the request does not have."""

    subscription: Subscription

    @property
    def rank(self) -> int:
        """Its place among the kinds of changes; one that says where to begin is the larger one."""
        return 12 if self.subscription.starting_csv else 11

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, subscriptions=[*request.subscriptions, self.subscription])

    def __str__(self) -> str:
        wish = self.subscription
        text = f"create a subscription for package {wish.package}, channel {wish.channel}"
        text += f", catalog {wish.source}/{wish.source_namespace}"
        return f"{text}, with startingCSV {wish.starting_csv}" if wish.starting_csv else text


@attrs.frozen
class Together:
    """Several changes, of which none alone is enough."""

    changes: tuple[Change | AddSubscription, ...]

    def apply(self, request: Request) -> Request:
        for change in self.changes:
            request = change.apply(request)
        return request

    def __str__(self) -> str:
        return "; and ".join(map(str, self.changes))


Enabling: TypeAlias = Change | AddSubscription | Together


def enabling(again: Answered, numbers: Sequence[int], core: Core | None = None) -> Enabling | None:
    """The first change, from the smallest on, after which the request selects one of *numbers*; None if none does.

    *core* is what forbids them, if anything. Fewer changes come before more, then smaller kinds, then those for
    the candidates that are preferred. Of each kind only some are tried.
    """
    wanted = {(each.catalog, each.name) for each in map(again.problem.candidate, numbers)}
    tried: Counter[tuple[type, ...]] = Counter()
    for changes in sorted(dict.fromkeys(_changes(again, numbers, core)), key=_size):
        kinds = tuple(map(type, changes))
        tried[kinds] += 1
        change = changes[0] if len(changes) == 1 else Together(changes)
        if tried[kinds] <= _EACH and _selects(again, change, wanted):
            return change
    return None


def _size(changes: tuple[Change | AddSubscription, ...]) -> tuple[int, list[int]]:
    return len(changes), sorted((change.rank for change in changes), reverse=True)


def _selects(again: Answered, change: Enabling, wanted: set[tuple[str, str]]) -> bool:
    problem = again.problem
    try:
        plan = resolve(change.apply(problem.request), semantics=problem.semantics, backend=again.backend)
    except (RequestError, CatalogError, ResolutionFailure):
        return False
    return any((each.catalog, each.name) in wanted for each in (*(i.candidate for i in plan.installs), *plan.kept))


def _changes(
    again: Answered, numbers: Sequence[int], core: Core | None
) -> Iterator[tuple[Change | AddSubscription, ...]]:
    problem, request = again.problem, again.problem.request
    owners = {owner.name: operator for operator, owner in request.owners().items()}
    obstacles = list(_obstacles(again, core))
    for obstacle in obstacles:
        yield (obstacle,)
    deprecated = set(_deprecated(core))
    for number in numbers:
        candidate = problem.candidate(number)
        if number in deprecated:
            yield (AcceptDeprecated(candidate.catalog, candidate.package, candidate.name),)
        if candidate.catalog == EXISTING:
            continue
        name, _, namespace = candidate.catalog.partition("/")
        wishes = [wish for wish in request.subscriptions if wish.package == candidate.package]
        for wish in wishes:
            steps: list[Change] = []
            if wish.source and (wish.source, wish.source_namespace) != (name, namespace):
                steps.append(ChangeCatalog(wish.name, name, namespace))
            if wish.channel and wish.channel != candidate.channel:
                steps.append(ChangeChannel(wish.name, candidate.channel))
            if steps:
                yield tuple(steps)
            if wish.name in owners:
                # Where something is installed, a startingCSV says nothing.
                yield (*steps, RemoveOperator(owners[wish.name]))
            else:
                yield (*steps, ChangeStart(wish.name, candidate.name))
        if not wishes:
            target = request.namespaces[0]
            new = Subscription(
                _fresh(request, candidate.package), target, candidate.package, candidate.channel, name, namespace
            )
            for wish in (new, attrs.evolve(new, starting_csv=candidate.name)):
                yield (AddSubscription(wish),)
                for obstacle in obstacles:
                    yield obstacle, AddSubscription(wish)


def _obstacles(again: Answered, core: Core | None) -> Iterator[Change]:
    """The wishes that contradict it, to be given up."""
    for constraint in () if core is None else core.constraints:
        kind, name = root_name(again.problem, constraint) or ("", "")
        if kind == "operator":
            yield RemoveOperator(name)
        elif any(wish.name == name for wish in again.problem.request.subscriptions):
            yield DropSubscription(name)


def _deprecated(core: Core | None) -> Iterator[Identifier]:
    for constraint in () if core is None else core.constraints:
        if isinstance(constraint, Prohibited) and isinstance(constraint.origin, IsDeprecated):
            yield constraint.subject


def _fresh(request: Request, name: str) -> str:
    taken = {wish.name for wish in request.subscriptions}
    while name in taken:
        name += "-2"
    return name
