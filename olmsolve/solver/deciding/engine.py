"""The engine: the queue of choices, decided in order.

A choice takes its first candidate that is not ruled out. This *decision* opens a level, and propagation then rules
other candidates out. A candidate that *must* be selected ends a choice only if all before it are ruled out,
because being implied is not being selected. So every candidate that is passed over is impossible beside the earlier
selections of the queue, and no other candidate is.

A conflict ends in a nogood against the last decision in it. That decision is taken back with all after it, and the
queue goes on from its choice. The decisions before it stay: the nogood follows from the problem, so it can rule out
candidates that were not taken yet, and cannot change why earlier ones were passed over.

When the queue is empty, every choice is met and nothing is broken: the selections are the preferred solution.

Also here: the candidates that a run passed over, before the selected one of each choice, and what rules each out; and
what one run has worked out, copied into the next run over nearly the same problem. That pays on the largest problems
alone: with it and without, the core of the easy one of 100,000 bundles takes 0.25 and 0.29 s, that of the hard one 0.8
and 0.9.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Branch, Dependency, Formula, GroupName, Identifier, Limit, Mandatory
from olmsolve.solver.deciding.analysis import Blamed, analyse, blame
from olmsolve.solver.deciding.compiling import Need, Shared
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.deciding.propagation import Propagation
from olmsolve.solver.deciding.unions import Union
from olmsolve.solver.problem import FamilyView, Problem
from olmsolve.solver.queue import Chosen, QueuedChoice, Solution, choices_of, limits_of, met_by, root_choices
from olmsolve.solver.selection import SharedGroup


def members_before(domains: Domains, variable: int, mask: int, bit: int) -> Iterator[tuple[Identifier, int]]:
    """Yield the candidates of *variable* in *mask* that are more wanted than the candidate of *bit*, with their bits.

    For the mask 0b1110 and the bit 0b1000 these are the candidates of 0b0010 and 0b0100.
    """
    left = mask & (bit - 1)
    while left:
        lowest = left & -left
        left ^= lowest
        yield domains.members[variable][lowest.bit_length() - 1], lowest


def cause(
    domains: Domains, identifier: Identifier, variable: int, bit: int, source_of: Callable[[Need], object]
) -> object:
    """Return what ruled out *identifier*, *bit* of *variable*: a constraint, a group; None if a search did.

    *source_of* gives the constraint of a need.
    """
    event = next(listed_event for listed_event in domains.events[variable] if not domains.keeps[listed_event] & bit)
    reason = domains.reasons[event]
    if reason is None:
        return _beside_selected(domains, identifier, variable, event)
    source = reason[1]
    while isinstance(source, Nogood):
        source = source.source
    if isinstance(source, Union):
        if source.variable == variable:
            # A union may have two needs on one target: take the one that the domain of the target does not meet.
            source = next(need for need in source.needs(bit) if not need.mask & domains.domains[source.target])
        else:
            # All values of the union exclude the candidate, so the selected one does.
            source = next(need for need in source.needs(domains.domains[source.variable]) if not need.mask & bit)
    if isinstance(source, Need):
        source = source_of(source)
    if isinstance(source, Shared):
        source = source.constraint
    # The steps of an analysis are a list; they name many constraints, none of which rules it out alone.
    return None if isinstance(source, list) else source


def _beside_selected(domains: Domains, identifier: Identifier, variable: int, event: int) -> SharedGroup:
    """Return the group of *variable*, which the decision of *event* gave to another candidate."""
    group: GroupName | None = domains.groups[variable]
    assert group is not None, "a variable of several candidates is a group"
    return SharedGroup(group, identifier, domains.members[variable][domains.keeps[event].bit_length() - 1])


# How many steps of the queue are taken between two looks at the clock.
_STEPS_PER_CHECK: Final = 256
# After so many conflicts propagation looks ahead, by so many steps. On the hard problem of 100,000 bundles that
# leaves 124 of 260 conflicts. Problems with few conflicts would only have more candidates compiled.
_CONFLICTS_UNTIL_AHEAD: Final = 10
_STEPS_AHEAD: Final = 2
# After so many conflicts propagation draws unions. From the tenth on, easy problems of 100,000 bundles, which have
# fewer than 20, take up to 1.8 times as long, because more bundles are read.
_CONFLICTS_UNTIL_UNIONS: Final = 30
# How many conflicts pass until the collector of cyclic garbage may run: about a tenth of a second in 100,000 bundles.
_CONFLICTS_PER_COLLECTION: Final = 32


class GivenUpError(Exception):
    """A run met more conflicts than it may."""


class Engine:
    """One run over *problem*, which must give the same constraint objects each time, and the formula of a branch.

    After a run without a solution, :attr:`refutation` says why. *idle* is handed to
    :func:`olmsolve.solver.queue.met_by`, *families* spares most candidates their constraints. After *most_conflicts*
    the run is given up.

    The queue holds two kinds of choices. A :class:`Need` of a masked candidate goes in as it is, because most choices
    are of this kind; that saves an object for each. All others are
    :class:`QueuedChoice` objects.
    """

    def __init__(
        self,
        problem: Problem,
        budget: Budget,
        *,
        idle: bool = True,
        families: FamilyView | None = None,
        most_conflicts: int = sys.maxsize,
    ) -> None:
        self.refutation: Nogood | None = None
        self._idle = idle
        self._problem = problem
        self._budget = budget
        self._roots = problem.roots
        self._domains = Domains()
        limits = limits_of(self._roots)
        self._families = families
        self._propagation = Propagation(self._domains, problem.constraints, limits, families, budget)
        self._queue: list[QueuedChoice | Need] = [*root_choices(self._roots)]
        # The selections of the queue, in order, with the variable of each.
        self._selected: dict[Identifier, int] = {}
        # By variable: the bit that was selected, and the position of the choice that took it.
        self._taken: dict[int, int] = {}
        self._takers: dict[int, int] = {}
        # By selected candidate: the choices that it brought. It brings the same ones after each conflict.
        self._brought: dict[Identifier, Sequence[QueuedChoice | Need]] = {}
        # For each decision: the position of its choice, the queue's length, and the number of selections before.
        self._marks: list[tuple[int, int, int]] = []
        self.conflicts: int = 0
        """The conflicts that the run has met."""
        self._most_conflicts = most_conflicts

    def run(self) -> bool:
        """Select the preferred solution and return True, or return False if there is no solution.

        Raises:
            Incomplete: the budget ran out.
            GivenUpError: there were too many conflicts.
        """
        if not self._require_roots():
            return False
        propagation, queue, taken = self._propagation, self._queue, self._taken
        position = steps = 0
        while True:
            conflict = propagation.run()
            if conflict is not None:
                back = self._learn(conflict)
                if back is None:
                    return False
                position = back
                continue
            while position < len(queue):
                steps += 1
                if steps % _STEPS_PER_CHECK == 0:
                    self._budget.check()
                queued = queue[position]
                if isinstance(queued, Need):
                    # Met already if the selected bit of its variable is in its mask; fields by number for speed.
                    if not taken.get(queued[0], 0) & queued[1] and not self._take(position, queued):
                        break
                else:
                    queued.taken = False
                    queued.answer = met_by(queued, self._selected, idle=self._idle)
                    if queued.answer is None and not self._choose(position, queued):
                        break
                position += 1
            else:
                return True

    @property
    def selected(self) -> Iterable[Identifier]:
        """The selections in order, after a run with a solution; branches included."""
        return self._selected

    def solution(self) -> Solution:
        """Return the solution after a run that found one, with how each choice was met."""
        return Solution(
            tuple([identifier for identifier in self._selected if not isinstance(identifier, Branch)]),
            tuple(self._choices_met()),
        )

    @property
    def candidates(self) -> int:
        """The number of candidates that the run has looked at."""
        return len(self._propagation.compiled)

    def passed_over(self) -> Iterator[tuple[Identifier, object]]:
        """Yield the candidates that the choices of a solution passed over, each with what rules it out, if known."""
        domains, variable_of = self._domains, self._propagation.variables.variable_of
        passed: list[tuple[Identifier, int, int]] = []
        for position, queued in enumerate(self._queue):
            if isinstance(queued, Need):
                variable, mask = queued[0], queued[1]
                if self._takers[variable] == position:
                    before = members_before(domains, variable, mask, self._taken[variable])
                    passed.extend((identifier, variable, bit) for identifier, bit in before)
            elif queued.taken:
                before_it = itertools.takewhile(lambda candidate, it=queued.answer: candidate != it, queued.candidates)  # type: ignore[misc]
                passed.extend((identifier, *variable_of(identifier)) for identifier in before_it)
        for identifier, variable, bit in passed:
            yield identifier, cause(domains, identifier, variable, bit, self._source)

    def blame(self) -> Blamed:
        """Return the constraints and groups that the refutation uses, after a run without a solution."""
        assert self.refutation is not None, "there is a solution"
        return blame(self._domains, self.refutation, self._propagation.variables.existing, self._source)

    def inherit(self, before: Engine, lost: AbstractSet[GroupName]) -> None:
        """Start this run with what *before* learned over the same problem, in which the groups *lost* were on."""
        _inherit(before._propagation, self._propagation, lost)

    def _take(self, position: int, need: Need) -> bool:
        """Select the first value left of *need*, the choice at *position*; return False if propagation must run.

        With the domain 0b1101 and the mask 0b1100 of the need, the values left are 0b1100 and the first is 0b0100.
        """
        variable = need[0]
        value = self._domains.domains[variable]
        left = value & need[1]
        assert left, "a choice without candidates is a conflict"
        bit = left & -left
        candidate = self._domains.members[variable][bit.bit_length() - 1]
        if value == bit:
            self._select(candidate, variable, bit, position)
            return True
        self._try(candidate, variable, bit, position)
        return False

    def _choose(self, position: int, queued: QueuedChoice) -> bool:
        """Select the first candidate left for the choice at *position*; return False if propagation must run."""
        values = self._domains.domains
        variable_of = self._propagation.variables.variable_of
        for candidate in queued.candidates:
            variable, bit = variable_of(candidate)
            value = values[variable]
            if value == bit:
                queued.taken, queued.answer = True, candidate
                self._select(candidate, variable, bit, position)
                return True
            if value & bit:
                self._try(candidate, variable, bit, position)
                return False
        raise AssertionError("a choice without candidates is a conflict")

    def _try(self, candidate: Identifier, variable: int, bit: int, position: int) -> None:
        """Decide for *candidate*, unless looking at it rules out it or something else.

        Propagation then runs, and the choice comes up once more.
        """
        if self._propagation.possible(candidate, variable, bit) and not self._domains.pending:
            self._marks.append((position, len(self._queue), len(self._selected)))
            self._propagation.decide(variable, bit)

    def _select(self, candidate: Identifier, variable: int, bit: int, position: int) -> None:
        """Select *candidate*, the only value left of its variable, for the choice at *position*."""
        self._selected[candidate] = variable
        self._taken[variable] = bit
        self._takers[variable] = position
        compiled = self._propagation.compile(candidate)
        needs = (
            [need for _, _, need in compiled.needs_by_mask] if compiled.masked else self._choices(candidate, position)
        )
        self._queue.extend(needs)

    def _choices_met(self) -> list[Chosen]:
        """Return how each choice was met, in order; branches are left out, as they are no part of a solution."""
        chosen: list[Chosen] = []
        answers, takers = {variable: identifier for identifier, variable in self._selected.items()}, self._takers
        # The needs of a subject are neighbours in the queue, so its origins are looked up once.
        last: Identifier = None
        origins: Sequence[object] = ()
        # What `Chosen(...)` does, without a call of a Python function: 5.6 instead of 7.2 million instructions for the
        # 1,200 choices of the easy dense problem of 20,000 bundles.
        new = tuple.__new__
        for position, queued in enumerate(self._queue):
            if isinstance(queued, Need):
                variable, _, _, subject, number, _ = queued
                assert isinstance(number, int), "only masked candidates have needs in the queue"
                if subject != last:
                    assert self._families is not None, "only families have masked candidates"
                    last, origins = subject, self._families.origins(subject)
                chosen.append(new(Chosen, (answers[variable], subject, origins[number], takers[variable] != position)))
            elif queued.answer is not None and not isinstance(queued.answer, Branch):
                chosen.append(Chosen(queued.answer, queued.subject, queued.origin, not queued.taken))
        return chosen

    def _source(self, need: Need) -> object:
        """Return the constraint of *need*: for a masked candidate, the dependency with the need's number."""
        if not isinstance(need.source, int):
            return need.source
        constraints = self._problem.constraints(need.subject)
        return [constraint for constraint in constraints if isinstance(constraint, Dependency)][need.source]

    def _choices(self, candidate: Identifier, position: int) -> Sequence[QueuedChoice | Need]:
        """Return the choices that *candidate* brings, selected for the choice at *position*; made once."""
        brought = self._brought.get(candidate)
        if brought is None:
            queued = self._queue[position]
            if isinstance(queued, Need):
                # Only the choices of branches depend on the choice that took them, and no need takes a branch.
                queued = QueuedChoice(Mandatory(candidate), queued.subject, None)
            brought = tuple(choices_of(candidate, self._problem.constraints(candidate), queued))
            # A branch speaks for the subject that it was selected for, which can change.
            if not isinstance(candidate, Branch):
                self._brought[candidate] = brought
        return brought

    def _learn(self, conflict: int) -> int | None:
        """Learn a nogood from *conflict* and take back the last decision in it; return its choice's position.

        None means that the conflict rests on no decision: it is the refutation.
        """
        self.conflicts += 1
        if self.conflicts > self._most_conflicts:
            raise GivenUpError
        if self.conflicts == _CONFLICTS_UNTIL_AHEAD:
            self._propagation.steps_ahead = _STEPS_AHEAD
        if self.conflicts == _CONFLICTS_UNTIL_UNIONS:
            self._propagation.drawing_unions = True
        if self.conflicts % _CONFLICTS_PER_COLLECTION == 0:
            COLLECTOR_PAUSE.make_up()
        self._budget.slice(self.conflicts - 1)
        nogood, level = analyse(self._domains, conflict)
        trace = self._budget.trace
        trace.conflicts += 1
        if trace.observed:
            trace.learnt(len(nogood.conditions))
        if not level:
            self.refutation = nogood
            return None
        position, length, count = self._marks[level - 1]
        del self._marks[level - 1 :], self._queue[length:]
        while len(self._selected) > count:
            del self._taken[self._selected.popitem()[1]]
        self._propagation.backtrack(level - 1)
        self._propagation.nogoods.add(nogood)
        return position

    def _require_roots(self) -> bool:
        """Narrow the domains by the roots; return False if one of them has no candidates."""
        for root in self._roots:
            if not isinstance(root, Limit):
                if not root.candidates:
                    self.refutation = Nogood([], [(-1, root)])
                    return False
                self._propagation.require(root.candidates, root.group, root)
        return True


def _inherit(before: Propagation, after: Propagation, lost: AbstractSet[GroupName]) -> None:
    """Copy from *before* the nogoods that do not depend on the groups *lost*.

    *after* is new, and its problem differs from the other one in these groups only. The nogoods talk about variables
    by number, so the variables are copied too, and the compiled candidates. Variables of lost groups, and candidates
    that are about them, are left out.
    """
    variables = before.variables
    gone = {variable for group in lost if (variable := variables.existing(group)) is not None}
    after.variables.copy_from(variables, gone)
    for identifier, compiled in before.compiled.items():
        about = [compiled.variable, *(variable for variable, _, _ in compiled.needs_by_mask)]
        # Other candidates are compiled afresh, from the constraints as the new problem gives them.
        if compiled.masked and lost.isdisjoint(compiled.groups) and gone.isdisjoint(about):
            after.add(identifier, compiled)
    for nogood in _learned(before, gone, lost):
        after.nogoods.add(Nogood(list(nogood.conditions), nogood.source))


def _learned(before: Propagation, gone: AbstractSet[int], lost: AbstractSet[GroupName]) -> Iterator[Nogood]:
    """Yield the learned nogoods that hold without the groups *lost*, in the order of their variables."""
    verdicts: dict[int, bool] = {}
    seen: set[int] = set()
    for variable in sorted(before.nogoods.watched):
        for _, nogood in before.nogoods.watched[variable]:
            if id(nogood) not in seen and isinstance(nogood.source, list):
                seen.add(id(nogood))
                if gone.isdisjoint([condition for condition, _ in nogood.conditions]) and _holds(
                    nogood, gone, lost, verdicts
                ):
                    yield nogood


def _holds(nogood: Nogood, gone: AbstractSet[int], lost: AbstractSet[GroupName], verdicts: dict[int, bool]) -> bool:
    """Return True if *nogood* follows without the groups *lost*, whose variables are *gone*.

    A nogood rests on others, which rest on others; *verdicts* keeps the result for each. The stack in place of
    recursion allows chains of any length.
    """
    waiting = [nogood]
    while waiting:
        current = waiting[-1]
        if id(current) in verdicts:
            waiting.pop()
            continue
        source = current.source
        steps = source if isinstance(source, list) else [(-1, source)]
        verdict = True
        deeper: list[Nogood] = []
        for variable, origin in steps:
            if isinstance(origin, Need):
                origin = origin.source
            if isinstance(origin, Union):
                origin = origin.nogood
            if isinstance(origin, Nogood):
                # By identity: many nogoods are derived from the same one, and judging each once takes 292 looks, of
                # which 154 find a verdict, on the hard problem of 100,000 bundles without a solution.
                judged = verdicts.get(id(origin))
                if judged is None:
                    deeper.append(origin)
                    continue
                verdict = verdict and judged
            group = origin.group if isinstance(origin, Shared) else origin
            # The formula of a branch is known only to the problem that made it, so such a nogood is not copied.
            if variable in gone or isinstance(group, Formula) or (isinstance(group, (str, tuple)) and group in lost):
                verdict = False
        if deeper and verdict:
            waiting.extend(deeper)
        else:
            # The nogood stays on the stack: the next turn finds its verdict and takes it off.
            verdicts[id(current)] = verdict
    return verdicts[id(nogood)]
