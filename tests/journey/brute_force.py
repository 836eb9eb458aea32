"""Small journeys by brute force, with code of its own: every sequence of changes is tried, the cheapest first.

It knows neither catalogs nor clusters of olmsolve: a case is plain data, and OLM is a few lines here. An operator
follows its channel, all subscriptions of a namespace are resolved together or not at all, and one of them that is
Manual makes the install plans of the namespace wait.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

Chain = tuple[int, ...]
"""The versions of a channel from the oldest up; each replaces the one before it."""


class Package(NamedTuple):
    """One package at one version of the cluster: its channels, and up to which stage each version works."""

    channels: Mapping[str, Chain]
    limits: Mapping[int, int]


class Wish(NamedTuple):
    """A subscription: its namespace, package and approval, and what it has at first.

    An *orphan* is the operator alone: nothing updates it. One that *refuses* is not replaced: what would come waits
    for ever.
    """

    namespace: str
    package: str
    is_manual: bool
    channel: str
    version: int
    is_orphan: bool = False
    refuses: bool = False


class Case(NamedTuple):
    """The packages at each stage, the subscriptions, and the stages at which the cluster does not stop."""

    stages: tuple[Mapping[str, Package], ...]
    wishes: tuple[Wish, ...]
    passed: frozenset[int]


class Held(NamedTuple):
    """What a subscription has: a channel, a version, and up to which stage that one works by its own word.

    It is *pending* for another version, 0 where it waits for none.
    """

    channel: str
    version: int
    limit: int
    pending: int = 0


class State(NamedTuple):
    """What the subscriptions have, and the newest plan of each namespace, if it waits: the versions that it brings."""

    held: tuple[Held, ...]
    waiting: tuple[tuple[str, tuple[tuple[int, int, int], ...]], ...]


Act = tuple[str, ...]
"""() updates the cluster, ("1", namespace) approves, ("2", namespace, package, channel) changes a channel."""


class Answer(NamedTuple):
    """The preferred sequence with its numbers of changes and updates."""

    acts: tuple[Act, ...]
    changes: int
    updates: int


Demands = Callable[[int, str, str], bool]
"""Whether a rule counts: at the stage with a number, for a namespace or namespace/package, by its name."""

ALWAYS = 99


def everything(stage: int, subject: str, rule: str) -> bool:
    """Demand all rules."""
    return True


def best(case: Case, demands: Demands = everything) -> Answer | None:
    """Return the preferred journey that keeps what *demands* asks for, None where there is none."""
    last = len(case.stages) - 1
    state, updates = rest(case, State(tuple(_start(case)), ()), 0)
    excused = frozenset(unresolved(case, state, 0))
    heap: list[tuple[int, int, tuple[Act, ...], int, State]] = [(0, updates, (), 0, state)]
    seen: set[tuple[int, State]] = set()
    while heap:
        changes, updates, acts, stage, state = heapq.heappop(heap)
        if (stage, state) in seen:
            continue
        seen.add((stage, state))
        wanting = {name for name in set(unresolved(case, state, stage)) - excused if demands(stage, name, "resolves")}
        stuck = {name for name in _stuck(case, state) if demands(stage, name, "works")}
        is_ready = stage in case.passed or not (wanting or stuck)
        if is_ready and stage == last:
            return Answer(acts, changes, updates)
        if is_ready and _runs(case, state, stage + 1, state, demands):
            after, more = rest(case, state, stage + 1)
            if _runs(case, after, stage + 1, state, demands):
                heapq.heappush(heap, (changes, updates + more, (*acts, ()), stage + 1, after))
        if stage in case.passed:
            continue
        for act, changed, updates_made in _changed(case, state, stage):
            after, more = rest(case, changed, stage)
            if _runs(case, after, stage, state, demands):
                heapq.heappush(heap, (changes + 1, updates + updates_made + more, (*acts, act), stage, after))
    return None


def subject(wish: Wish) -> str:
    """The name of a subscription, or of an operator without one."""
    return f"{wish.namespace}/{wish.package}{f'.v{wish.version}.0.0' if wish.is_orphan else ''}"


def _runs(case: Case, after: State, stage: int, before: State, demands: Demands) -> bool:
    """Whether every operator works at *stage*; at the first stage, what did not before may go on."""
    return all(
        _limit(case, wish, holding) >= stage
        or (stage == 0 and had.limit < 0)
        or not demands(stage, subject(wish), "supports")
        for wish, holding, had in zip(case.wishes, after.held, before.held, strict=True)
    )


def _limit(case: Case, wish: Wish, holding: Held) -> int:
    """The last stage with which everything works that is there: what refuses to be replaced stays beside its heir."""
    first = case.stages[0][wish.package].limits.get(wish.version, ALWAYS)
    return min(holding.limit, first) if wish.refuses else holding.limit


def _stuck(case: Case, state: State) -> Iterator[str]:
    """The subscriptions whose operator refuses to be replaced by what was installed."""
    for wish, holding in zip(case.wishes, state.held, strict=True):
        if wish.refuses and holding.version != wish.version:
            yield subject(wish)


def _start(case: Case) -> Iterator[Held]:
    for wish in case.wishes:
        package = case.stages[0].get(wish.package)
        assert package is not None
        yield Held(wish.channel, wish.version, package.limits.get(wish.version, ALWAYS))


def unresolved(case: Case, state: State, stage: int) -> Iterator[str]:
    """The namespaces with a subscription whose package or channel is not there."""
    for wish, holding in zip(case.wishes, state.held, strict=True):
        package = case.stages[stage].get(wish.package)
        if not wish.is_orphan and (package is None or holding.channel not in package.channels):
            yield wish.namespace


def rest(case: Case, state: State, stage: int) -> tuple[State, int]:
    """The state at rest at *stage*, and how many updates OLM has made.

    OLM resolves a namespace unless all of its subscriptions wait, and makes a plan of everything that is to come where
    one of them is to come to something that it does not wait for.
    """
    updates = 0
    manual = {wish.namespace for wish in case.wishes if wish.is_manual and not wish.is_orphan}
    while True:
        stuck = set(unresolved(case, state, stage))
        idle = {
            wish.namespace
            for wish, holding in zip(case.wishes, state.held, strict=True)
            if not holding.pending and not wish.is_orphan
        }
        coming: dict[str, list[tuple[int, int, int]]] = {}
        news: set[str] = set()
        for number, (wish, holding) in enumerate(zip(case.wishes, state.held, strict=True)):
            if wish.is_orphan or wish.namespace in stuck or wish.namespace not in idle:
                continue
            following = _following(case, wish, holding, stage)
            if following is not None:
                limit = case.stages[stage][wish.package].limits.get(following, ALWAYS)
                coming.setdefault(wish.namespace, []).append((number, following, limit))
                if following != holding.pending:
                    news.add(wish.namespace)
        if not news:
            return state, updates
        for namespace in sorted(news):
            if namespace not in manual:
                state = _installed(state, coming[namespace])
                updates += len(coming[namespace])
                continue
            held_now = list(state.held)
            for number, version, _ in coming[namespace]:
                held_now[number] = held_now[number]._replace(pending=version)
            others = [plan for plan in state.waiting if plan[0] != namespace]
            state = State(tuple(held_now), tuple(sorted([*others, (namespace, tuple(coming[namespace]))])))


def _following(case: Case, wish: Wish, holding: Held, stage: int) -> int | None:
    """The version of the channel that replaces what is there."""
    chain = case.stages[stage][wish.package].channels[holding.channel]
    return next((newer for older, newer in pairwise(chain) if older == holding.version), None)


def _installed(state: State, coming: list[tuple[int, int, int]]) -> State:
    holdings = list(state.held)
    for number, version, limit in coming:
        holdings[number] = Held(holdings[number].channel, version, limit)
    return State(tuple(holdings), state.waiting)


def _changed(case: Case, state: State, stage: int) -> Iterator[tuple[Act, State, int]]:
    """Every change by hand, made, and the updates that it is; nothing that comes of it."""
    for namespace, coming in state.waiting:
        others = tuple(plan for plan in state.waiting if plan[0] != namespace)
        yield ("1", namespace), _installed(State(state.held, others), list(coming)), len(coming)
    for number, (wish, holding) in enumerate(zip(case.wishes, state.held, strict=True)):
        package = case.stages[stage].get(wish.package) if not wish.is_orphan else None
        for channel in sorted(package.channels) if package is not None else ():
            if channel != holding.channel:
                changed = list(state.held)
                changed[number] = holding._replace(channel=channel)
                yield ("2", wish.namespace, wish.package, channel), State(tuple(changed), state.waiting), 0


class ExtensionCase(NamedTuple):
    """An extension of OLM v1: its package at each stage, None where that is gone, and what it has at first.

    *channel* is the only one that it may follow, "" for all; it takes no version above *most*.
    """

    stages: tuple[Package | None, ...]
    channel: str
    version: int
    most: int
    passed: frozenset[int]


def best_of_extension(case: ExtensionCase) -> Answer | None:
    """Return the preferred journey of the extension, None where there is none."""
    last = len(case.stages) - 1
    version, updates, is_stuck = _walked(case, case.channel, case.version, 0)
    excused = is_stuck
    heap: list[tuple[int, int, tuple[Act, ...], int, str, int, bool]] = [
        (0, updates, (), 0, case.channel, version, is_stuck)
    ]
    seen: set[tuple[int, str, int]] = set()
    while heap:
        changes, updates, acts, stage, channel, version, is_stuck = heapq.heappop(heap)
        if (stage, channel, version) in seen:
            continue
        seen.add((stage, channel, version))
        is_ready = stage in case.passed or excused or not is_stuck
        if is_ready and stage == last:
            return Answer(acts, changes, updates)
        if is_ready and _lasts(case, version) > stage:
            after, more, stuck = _walked(case, channel, version, stage + 1)
            if _lasts(case, after) > stage:
                heapq.heappush(heap, (changes, updates + more, (*acts, ()), stage + 1, channel, after, stuck))
        package = case.stages[stage]
        for other in sorted(package.channels) if package is not None and stage not in case.passed else ():
            if other != channel:
                after, more, stuck = _walked(case, other, version, stage)
                if _lasts(case, after) >= stage:
                    act: Act = ("2", other)
                    heapq.heappush(heap, (changes + 1, updates + more, (*acts, act), stage, other, after, stuck))
    return None


def _lasts(case: ExtensionCase, version: int) -> int:
    """The last stage with which a version works, which says the same of itself in every catalog."""
    return next(stage.limits.get(version, ALWAYS) for stage in case.stages if stage is not None)


def _walked(case: ExtensionCase, channel: str, version: int, stage: int) -> tuple[int, int, bool]:
    """What OLM v1 comes to, by how many updates, and whether it then finds nothing that it may have."""
    updates = 0
    package = case.stages[stage]
    while True:
        chains = [] if package is None else [chain for name, chain in package.channels.items() if channel in ("", name)]
        may = {newer for chain in chains for older, newer in pairwise(chain) if older == version}
        may |= {version for chain in chains if version in chain}
        fits = [version for version in may if version <= case.most]
        if not fits or max(fits) == version:
            return version, updates, not fits
        version, updates = max(fits), updates + 1
