"""The search: the preferred sequence of changes and cluster updates of one part of a cluster, or why there is none.

The search (A*) extends the cheapest sequence first: the changes so far, plus a lower bound on the changes to come. A
state is simulated only when its sequence is extended::

    4.20, nothing changed        bound 1 + 0: one channel must change some day
    4.21                         the same, and it comes first, because changes are made as late as they can be
    4.20, ledger to channel 2    taken where 4.21 has turned out to lead nowhere
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Final, Generic, Self, TypeAlias, TypeVar

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve.lifecycle.journey.bounds import Bound
from olmsolve.lifecycle.journey.model import Demands, JourneyChange, JourneyRequirement, JourneyRule, JourneyUpdate
from olmsolve.lifecycle.journey.stages import VersionStage
from olmsolve.requests import ClusterSituation

S = TypeVar("S")

Rank: TypeAlias = tuple[str, ...]
"""The position of a change among others: the update of the cluster, (), comes before every change by hand."""

MOST_SIMULATIONS: Final = 3000
"""The bound on simulated states of one part, where none is given."""


@attrs.frozen(eq=False)
class JourneyState(Generic[S]):
    """A part of the cluster at rest: its *value*, a *key* that identifies it, and the *updates* that led there.

    *unmet* are the rules that its subjects break here, each with the fault in words; *unsupported* maps each subject to
    the stages with whose version it does not work. *held* are the subjects that never run again, whatever comes.
    """

    value: S
    key: str
    updates: tuple[JourneyUpdate, ...] = ()
    unmet: Mapping[tuple[str, JourneyRule], str] = attrs.field(factory=dict)
    unsupported: Mapping[str, frozenset[int]] = attrs.field(factory=dict)
    held: frozenset[str] = frozenset()


class JourneyPart(ABC, Generic[S]):
    """A part of the cluster *given* that others do not influence, on the way through *stages*.

    *last* is the number of the last stage. *standing* are the faults that are there from the start, which the journey
    leaves as they are.
    """

    def __init__(self, given: ClusterSituation, stages: Sequence[VersionStage]) -> None:
        self.given: Final = given
        self.last: int = len(stages) - 1
        self.standing: tuple[str, ...] = ()
        self._stages: Final = stages

    @property
    def passed(self) -> frozenset[int]:
        """The stages at which the cluster does not stop."""
        return frozenset(number for number, stage in enumerate(self._stages) if stage.is_passed and number < self.last)

    def until(self, last: int) -> Self:
        """Return the same part on the way to the stage *last*."""
        shorter = copy(self)
        shorter.last = last
        return shorter

    @abstractmethod
    def start(self) -> JourneyState[S]:
        """Return the part at rest at the first stage, and note what is at fault there already."""

    @abstractmethod
    def moved(self, state: JourneyState[S], stage: int) -> JourneyState[S]:
        """Return *state* at rest once the cluster, and with it each catalog, has come to *stage*."""

    @abstractmethod
    def changed(self, state: JourneyState[S], change: JourneyChange, stage: int) -> JourneyState[S]:
        """Return *state* at rest after a *change* at *stage*."""

    @abstractmethod
    def changes(self, state: JourneyState[S], stage: int) -> Iterable[tuple[Rank, JourneyChange]]:
        """Yield the changes that can be made in *state* at *stage*."""

    @abstractmethod
    def bound(
        self, state: JourneyState[S], stage: int, demands: Demands, change: JourneyChange | None = None
    ) -> Bound | None:
        """Return a lower bound on the acts that *state* needs at *stage*, after *change*; None if no way leads on."""

    def hopeless(self, demands: Demands) -> tuple[str, ...]:
        """Return the subscriptions that alone keep the part from every journey that *demands* ask for."""
        return ()

    @abstractmethod
    def subjects(self) -> Mapping[str, tuple[JourneyRule, ...]]:
        """Return the subjects of the part at the start, each with the rules that it has to keep."""

    @abstractmethod
    def is_demanded(self, stage: int, subject: str, rule: JourneyRule) -> bool:
        """Return whether the rule counts at all; not where it was broken before the start."""


@attrs.frozen(eq=False)
class Leg(Generic[S]):
    """One step of a journey: the *state* at *stage* after a *change*, None where the cluster itself was updated."""

    stage: int
    state: JourneyState[S]
    change: JourneyChange | None = None


@attrs.frozen(eq=False)
class Found(Generic[S]):
    """The *legs* of the preferred journey, None where there is none; *broken* are the rules that ended other ways.

    *furthest* is the last stage that any way got to. Where the search *gave_up*, nothing is known.
    """

    legs: tuple[Leg[S], ...] | None
    broken: frozenset[JourneyRequirement]
    furthest: int = 0
    gave_up: bool = False


@attrs.frozen(eq=False)
class _End(Generic[S]):
    """An open end: what is done next from the end *before*, and its *state* once it is simulated."""

    stage: int
    changes: int
    updates: int
    ranks: tuple[Rank, ...]
    before: _End[S] | None
    change: JourneyChange | None
    state: JourneyState[S] | None = None


class JourneySearch(Generic[S]):
    """Searches over one *part*, which share the states that they simulate; *most* bounds how many there are."""

    def __init__(self, part: JourneyPart[S], most: int = MOST_SIMULATIONS) -> None:
        self.part = part
        self._most = most
        self._start: JourneyState[S] | None = None
        self._moved: dict[tuple[int, str], JourneyState[S]] = {}
        self._changed: dict[tuple[int, str, JourneyChange], JourneyState[S]] = {}
        self.simulated: int = 0

    def until(self, last: int) -> JourneySearch[S]:
        """Return the search for journeys to the stage *last*, which shares the simulated states with this one."""
        self.start()
        shorter = copy(self)
        shorter.part = self.part.until(last)
        return shorter

    def start(self) -> JourneyState[S]:
        """Return the part at rest at the first stage, simulated once."""
        if self._start is None:
            self._start = self.part.start()
            self.simulated += 1
        return self._start

    def run(self, demands: Demands) -> Found[S]:
        """Return the preferred journey to the last stage that keeps what *demands* says."""
        part = self.part
        last = part.last
        start = self.start()

        def is_demanded(stage: int, subject: str, rule: JourneyRule) -> bool:
            return demands(stage, subject, rule) and part.is_demanded(stage, subject, rule)

        broken: set[JourneyRequirement] = set()
        furthest = 0
        # Sorted for A*: changes, then updates, each with a lower bound of the changes or updates to come, then the
        # ranks of the changes. The count is unique, so that the heap never compares two ends.
        heap: list[tuple[int, int, tuple[Rank, ...], int, _End[S]]] = []
        count = 0
        limit = self.simulated + self._most

        def push(end: _End[S], bound: Bound | None) -> None:
            nonlocal count
            if bound is not None:
                count += 1
                changes, updates = end.changes + bound.channels, end.updates + bound.updates
                heapq.heappush(heap, (changes, updates, end.ranks, count, end))

        first = _End(0, 0, len(start.updates), (), None, None, start)
        push(first, part.bound(start, 0, is_demanded))
        closed: set[tuple[int, str]] = set()
        while heap:
            check()
            end = heapq.heappop(heap)[-1]
            state = end.state
            # Simulating takes nearly all of the time: an end is simulated once it is the best, not when pushed.
            if state is None:
                if self.simulated >= limit:
                    return Found(None, frozenset(broken), furthest, gave_up=True)
                assert end.before is not None
                assert end.before.state is not None
                state = self._next(end.before.state, end)
                end = attrs.evolve(end, state=state, updates=end.updates + len(state.updates))
                never = [*_unsupported(state, end.stage, is_demanded), *_unsettled(state, end.stage, is_demanded)]
                never += _held(state, end.stage, part, is_demanded)
                broken.update(never)
                if never:
                    continue
                push(end, part.bound(state, end.stage, is_demanded))
                continue
            # Another way led to the same state before, and as the heap gives the best first, at no higher cost.
            if (end.stage, state.key) in closed:
                continue
            closed.add((end.stage, state.key))
            furthest = max(furthest, end.stage)
            unmet = tuple(self._unmet(state, end.stage, last, is_demanded))
            broken.update(unmet)
            if not unmet and end.stage == last:
                return Found(_legs(end), frozenset(broken), furthest)
            if not unmet:
                following = attrs.evolve(
                    end, stage=end.stage + 1, ranks=(*end.ranks, ()), before=end, change=None, state=None
                )
                push(following, part.bound(state, end.stage + 1, is_demanded))
            if end.stage in part.passed:
                continue
            for rank, change in part.changes(state, end.stage):
                following = attrs.evolve(
                    end, changes=end.changes + 1, ranks=(*end.ranks, rank), before=end, change=change, state=None
                )
                push(following, part.bound(state, end.stage, is_demanded, change))
        return Found(None, frozenset(broken), furthest)

    def _next(self, before: JourneyState[S], end: _End[S]) -> JourneyState[S]:
        if end.change is None:
            key = end.stage, before.key
            if key not in self._moved:
                self._moved[key] = self.part.moved(before, end.stage)
                self.simulated += 1
            return self._moved[key]
        changed = end.stage, before.key, end.change
        if changed not in self._changed:
            self._changed[changed] = self.part.changed(before, end.change, end.stage)
            self.simulated += 1
        return self._changed[changed]

    def _unmet(
        self, state: JourneyState[S], stage: int, last: int, is_demanded: Demands
    ) -> Iterable[JourneyRequirement]:
        """Yield the rules that keep the cluster from leaving *stage*, or from ending there."""
        if stage not in self.part.passed:
            for subject, rule in sorted(state.unmet, key=lambda unmet_rule: (unmet_rule[0], unmet_rule[1].value)):
                if is_demanded(stage, subject, rule):
                    yield JourneyRequirement(stage, subject, rule)
        if stage < last:
            yield from _unsupported(state, stage + 1, is_demanded)


def _unsupported(state: JourneyState[S], stage: int, is_demanded: Demands) -> list[JourneyRequirement]:
    """Return the subjects of *state* that do not work with the version of *stage*."""
    rule = JourneyRule.SUPPORTS
    return [
        JourneyRequirement(stage, subject, rule)
        for subject, stages in sorted(state.unsupported.items())
        if stage in stages and is_demanded(stage, subject, rule)
    ]


def _unsettled(state: JourneyState[S], stage: int, is_demanded: Demands) -> list[JourneyRequirement]:
    """Return the subjects of *state* that go round in a circle, or came there by a step back."""
    rule = JourneyRule.SETTLES
    subjects = sorted(subject for subject, broken in state.unmet if broken is rule)
    return [JourneyRequirement(stage, subject, rule) for subject in subjects if is_demanded(stage, subject, rule)]


def _held(
    state: JourneyState[S], stage: int, part: JourneyPart[S], is_demanded: Demands
) -> Iterable[JourneyRequirement]:
    """Yield for each subject of *state* that never runs again the next stage at which it has to.

    Without this, every channel of every other subscription would be tried at every later stage.
    """
    stops = [number for number in range(stage, part.last + 1) if number not in part.passed]
    for subject in sorted(state.held):
        broken = next((number for number in stops if is_demanded(number, subject, JourneyRule.WORKS)), None)
        if broken is not None:
            yield JourneyRequirement(broken, subject, JourneyRule.WORKS)


def _legs(end: _End[S]) -> tuple[Leg[S], ...]:
    legs: list[Leg[S]] = []
    at: _End[S] | None = end
    while at is not None:
        assert at.state is not None
        legs.append(Leg(at.stage, at.state, at.change))
        at = at.before
    return tuple(reversed(legs))
