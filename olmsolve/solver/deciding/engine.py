"""The queue of choices, decided in order.

A choice takes its first candidate that is not ruled out: a decision, which opens a level. What follows from the
decisions rules candidates out; a candidate that *must* be selected ends a choice only if all before it are ruled
out, because being implied is not being selected. So everything that is passed over is impossible beside what the
queue has selected before, and nothing else is passed over.

A conflict ends in a nogood that forbids what the last decision in it has led to. That decision is taken back, with all
after it, and the queue goes on from its choice. The decisions before it stand: the nogood follows from the problem, so
it can rule out candidates that were not taken yet and cannot change why those before them were passed over.

When the queue is empty, every choice of what is selected is met and nothing is broken: it is the preferred solution.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from olmsolve.solver.answer import Chosen, Solution
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import AtMost, Branch, Dependency, GroupName, Identifier, Mandatory
from olmsolve.solver.deciding.analysis import Blamed, analyse, blamed
from olmsolve.solver.deciding.compiling import Need
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.inheriting import inherit
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.deciding.propagation import Propagation
from olmsolve.solver.problem import FamilyView, Problem
from olmsolve.solver.queue import QueuedChoice, choices, met, roots

__all__ = ["Engine", "decide"]

# How many steps of the queue are taken between two looks at the clock.
_STEPS_PER_CHECK: Final = 256


def decide(problem: Problem, budget: Budget, *, families: FamilyView | None = None) -> Solution | None:
    """The preferred solution of *problem*, None if there is none. Raises Incomplete when the budget runs out."""
    engine = Engine(problem, budget, families=families)
    return engine.solution() if engine.run() else None


class Engine:
    """One run over *problem*, which must give the same objects each time, and its formula for a branch.

    Without a solution, :attr:`refutation` says why. *idle* is that of :func:`olmsolve.solver.queue.met`, *families*
    what is known of the problem besides its constraints.
    """

    def __init__(
        self, problem: Problem, budget: Budget, *, idle: bool = True, families: FamilyView | None = None
    ) -> None:
        self.refutation: Nogood | None = None
        self._idle = idle
        self._problem = problem
        self._budget = budget
        self._roots = problem.roots
        self._domains = Domains()
        limits = [root for root in self._roots if isinstance(root, AtMost)]
        self._families = families
        self._propagation = Propagation(self._domains, problem.constraints, limits, families)
        self._items: list[QueuedChoice | Need] = [*roots(self._roots)]
        # What was selected, and the place that it holds.
        self._selected: dict[Identifier, int] = {}
        # By place: what was selected there, and the position of the choice that took it.
        self._taken: dict[int, int] = {}
        self._takers: dict[int, int] = {}
        # By candidate that was selected: its choices.
        self._brought: dict[Identifier, Sequence[QueuedChoice | Need]] = {}
        # For each decision: the position of its choice in the queue, the queue's length, the number of selections.
        self._marks: list[tuple[int, int, int]] = []
        self._conflicts = 0

    def run(self) -> bool:
        """Whether there is a solution; then the preferred one is selected."""
        if not self._require_roots():
            return False
        propagation, items, taken = self._propagation, self._items, self._taken
        position = steps = 0
        while True:
            conflict = propagation.run()
            if conflict is not None:
                back = self._learn(conflict)
                if back is None:
                    return False
                position = back
                continue
            while position < len(items):
                steps += 1
                if steps % _STEPS_PER_CHECK == 0:
                    self._budget.check()
                item = items[position]
                if isinstance(item, Need):
                    if not taken.get(item[0], 0) & item[1] and not self._take(position, item):
                        break
                else:
                    item.taken = False
                    item.answer = met(item, self._selected, idle=self._idle)
                    if item.answer is None and not self._choose(position, item):
                        break
                position += 1
            else:
                return True

    @property
    def selected(self) -> Iterable[Identifier]:
        """After a run with a solution: what is selected, in order."""
        return self._selected

    def solution(self) -> Solution:
        """After a run with a solution: that, and how each choice was met."""
        return Solution(
            tuple([identifier for identifier in self._selected if not isinstance(identifier, Branch)]),
            tuple(chosen for position, item in enumerate(self._items) for chosen in self._met(position, item)),
        )

    def blamed(self) -> Blamed:
        """After a run without a solution: what that follows from; see :func:`.analysis.blamed`."""
        assert self.refutation is not None, "there is a solution"
        return blamed(self._domains, self.refutation, self._propagation.variables.place_of, self._source)

    def inherit(self, before: Engine, lost: AbstractSet[GroupName]) -> None:
        """Before a run: know what *before* has found out over the same problem but for the groups *lost*, now off."""
        inherit(before._propagation, self._propagation, lost)

    def _take(self, position: int, need: Need) -> bool:
        """Select the first possible of *need*, the choice at *position*; False if something changed."""
        place = need[0]
        value = self._domains.domains[place]
        left = value & need[1]
        assert left, "a choice without candidates is a conflict"
        bit = left & -left
        candidate = self._domains.members[place][bit.bit_length() - 1]
        if value == bit:
            self._select(candidate, place, bit, position)
            return True
        self._try(candidate, place, bit, position)
        return False

    def _choose(self, position: int, item: QueuedChoice) -> bool:
        """Select a candidate for the choice at *position*; False if something changed that must be followed up."""
        values = self._domains.domains
        of = self._propagation.variables.of
        for candidate in item.candidates:
            place, bit = of(candidate)
            value = values[place]
            if value == bit:
                item.taken, item.answer = True, candidate
                self._select(candidate, place, bit, position)
                return True
            if value & bit:
                self._try(candidate, place, bit, position)
                return False
        raise AssertionError("a choice without candidates is a conflict")

    def _try(self, candidate: Identifier, place: int, bit: int, position: int) -> None:
        """Decide for *candidate*, unless looking at it shows that it is impossible, or something else."""
        if self._propagation.possible(candidate, place, bit) and not self._domains.pending:
            self._marks.append((position, len(self._items), len(self._selected)))
            self._propagation.decide(place, bit)

    def _select(self, candidate: Identifier, place: int, bit: int, position: int) -> None:
        """Select a candidate, which must be, for the choice at *position*."""
        self._selected[candidate] = place
        self._taken[place] = bit
        self._takers[place] = position
        rules = self._propagation.rules(candidate)
        self._items.extend(rules.needs if rules.sketched else self._choices(candidate, position))

    def _met(self, position: int, item: QueuedChoice | Need) -> Iterator[Chosen]:
        """How the choice at *position* was met; branches are how formulas were met, and no part of it."""
        if isinstance(item, Need):
            place, subject = item.place, item.subject
            answer = self._domains.members[place][self._taken[place].bit_length() - 1]
            assert self._families is not None, "only what is known in numbers has needs in the queue"
            assert isinstance(item.source, int)
            yield Chosen(answer, subject, self._families.origin(subject, item.source), self._takers[place] != position)
        elif item.answer is not None and not isinstance(item.answer, Branch):
            yield Chosen(item.answer, item.subject, item.origin, not item.taken)

    def _source(self, need: Need) -> object:
        """The source of what follows from *need*."""
        return self._dependency(need) if isinstance(need.source, int) else need.source

    def _dependency(self, need: Need) -> Dependency:
        """What a need of a sketch stands for."""
        constraints = self._problem.constraints(need.subject)
        dependencies = [constraint for constraint in constraints if isinstance(constraint, Dependency)]
        assert isinstance(need.source, int), "it was made from a constraint"
        return dependencies[need.source]

    def _choices(self, candidate: Identifier, position: int) -> Sequence[QueuedChoice | Need]:
        """The choices that selecting *candidate* for the choice at *position* brings; made once."""
        known = self._brought.get(candidate)
        if known is None:
            item = self._items[position]
            if isinstance(item, Need):
                # It matters for branches only, which no sketch has.
                item = QueuedChoice(Mandatory(candidate), item.subject, None)
            known = tuple(choices(candidate, self._problem.constraints(candidate), item))
            # A branch speaks for whom it was selected.
            if not isinstance(candidate, Branch):
                self._brought[candidate] = known
        return known

    def _learn(self, conflict: int) -> int | None:
        """Learn from a conflict, and take back the last decision in it; the position of its choice."""
        self._conflicts += 1
        self._budget.slice(self._conflicts - 1)
        nogood, level = analyse(self._domains, conflict)
        if not level:
            self.refutation = nogood
            return None
        position, length, count = self._marks[level - 1]
        del self._marks[level - 1 :], self._items[length:]
        while len(self._selected) > count:
            del self._taken[self._selected.popitem()[1]]
        self._propagation.take_back(level - 1)
        self._propagation.nogoods.add(nogood)
        return position

    def _require_roots(self) -> bool:
        for root in self._roots:
            if isinstance(root, Mandatory):
                self._propagation.require((root.subject,), None, root)
            elif not isinstance(root, AtMost):
                if not root.candidates:
                    self.refutation = Nogood([], [(-1, root)])
                    return False
                self._propagation.require(root.candidates, root.group, root)
        return True
