"""The portable search: the queue of choices, with any SAT solver for its dead ends.

The search is an optimist. It passes over a candidate only if selecting it breaks a constraint together with earlier
selections (see :mod:`olmsolve.solver.selection`), and selects the first other one. If it gets through, no SAT solver
was asked, and the selection is the solution: it is complete, which proves each acceptance, and every rejection
comes with a broken constraint.

At a dead end, something was accepted too early. The clauses of everything selected go to the solver, with the
constraints that the candidates of the dead end break. It names selections that cannot hold together; let *i* be the
last of them. If the selections before *i* can hold together, *i* is rejected: everything after it is taken back, and
its choice goes on with the next candidate. Otherwise the solver has named earlier selections, and the same is done
with them. If it names none, there is no solution, because every clause follows from the problem.

The search remembers each set that the solver named, and does not run into it a second time. After the first dead end it
also looks one step further: whether each dependency that a candidate brings could be met at all.

Only a proof that holds for the earlier selections rejects a candidate. So the result is the solution by its
definition, on every backend, and the cost follows the neighbourhood of the answer, not the size of the problem.

Also here: a relaxation: the part of a problem that a search has met, as clauses in a SAT solver.

A problem with fewer constraints has more solutions. So a "no" of the relaxation is a proof, and a "yes" means: go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from olmsolve.solver.backends import Backend
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Constraint, GroupName, Identifier, Limit
from olmsolve.solver.encoding import Encoding
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.queue import TRIES_PER_CHECK, QueuedChoice, Solution, begin, choices_of, met_by, solution_of
from olmsolve.solver.selection import Excludes, Hopeless, Inconsistent, Needs, SharedGroup, Violation
from olmsolve.solver.session import Session


class Relaxation:
    """A growing set of clauses: the *roots*, the constraints of selections, and the violations found at dead ends.

    *constraints_of* gives the constraints of an identifier, *backend* makes the SAT solver.
    """

    def __init__(
        self,
        roots: Sequence[Constraint],
        constraints_of: Callable[[Identifier], Sequence[Constraint]],
        backend: Backend,
        budget: Budget,
    ) -> None:
        self._constraints_of = constraints_of
        self._session = Session(backend, budget)
        self._encoding = Encoding(self._session.add_clause)
        self._expanded: set[Identifier] = set()
        # Groups that some dead end has broken. Only these get clauses, since a bundle is in many groups.
        self._broken: set[GroupName] = set()
        # Tuples of candidates that have joined a group, by group and identity: a hundred versions that require the same
        # have one tuple of, say, 20 candidates, and it is walked once instead of a hundred times.
        self._memberships: set[tuple[GroupName, int]] = set()
        for root in roots:
            self._encoding.add(root)

    def close(self) -> None:
        """Free the memory of the SAT solver."""
        self._session.close()

    def expand(self, identifier: Identifier) -> None:
        """Add the clauses of *identifier*: its constraints, and its membership in groups that were broken."""
        if identifier in self._expanded:
            return
        self._expanded.add(identifier)
        for constraint in self._constraints_of(identifier):
            for group in constraint.groups:
                if group in self._broken:
                    self._encoding.join(group, identifier)
            if not constraint.groups:
                self._encoding.add(constraint)

    def learn(self, violation: Violation) -> None:
        """Add the clauses that rule out *violation*."""
        if isinstance(violation, SharedGroup):
            self._join(violation.group, (violation.holder, violation.candidate))
        elif isinstance(violation, Needs):
            self._join(violation.group, violation.members)
            for dependency in violation.dependencies:
                if dependency.subject is not None:
                    self.expand(dependency.subject)
                key = violation.group, id(dependency.candidates)
                if key not in self._memberships:
                    self._memberships.add(key)
                    self._join(violation.group, dependency.candidates)
        elif isinstance(violation, Hopeless):
            self.expand(violation.candidate)
            for reason in violation.violations:
                self.learn(reason)
        elif isinstance(violation, Excludes):
            guard = self._encoding.variable(violation.guard)
            self._session.add_clause([-guard, -self._encoding.variable(violation.identifier)])
        elif not isinstance(violation, Limit | Inconsistent):
            self._encoding.add(violation)

    def conflict(self, selected: Sequence[Identifier]) -> list[int] | None:
        """Return positions in *selected* that cannot be selected together; None if the relaxation allows all."""
        assumptions = [self._encoding.variable(identifier) for identifier in selected]
        if self._session.solve(assumptions):
            return None
        core = set(self._session.core())
        return [position for position, variable in enumerate(assumptions) if variable in core]

    def _join(self, group: GroupName, identifiers: Sequence[Identifier]) -> None:
        self._broken.add(group)
        for identifier in identifiers:
            self._encoding.join(group, identifier)


def search(problem: CachedProblem, backend: Backend, budget: Budget) -> Solution | None:
    """Return the preferred solution of *problem*, or None if it has no solution; *backend* makes the SAT solver.

    Raises:
        Incomplete: the budget ran out.
    """
    searching = _PortableSearch(problem, backend, budget)
    try:
        return searching.run()
    finally:
        searching.close()


class _PortableSearch:
    """The state of a search: the queue, the selections so far, and the solver that judges dead ends."""

    def __init__(self, problem: CachedProblem, backend: Backend, budget: Budget) -> None:
        self._problem = problem
        self._backend = backend
        self._budget = budget
        # Made at the first dead end.
        self._relaxation: Relaxation | None = None
        self._selection, self._queue = begin(problem)
        # For each selection: the position of its choice in the queue, and the length of the queue before it.
        self._decisions: list[tuple[int, int]] = []

    def close(self) -> None:
        """Free the memory of the SAT solver."""
        if self._relaxation is not None:
            self._relaxation.close()

    def run(self) -> Solution | None:
        """Return the preferred solution, or None if there is no solution."""
        position = 0
        while (dead_end := self._advance(position)) is not None:
            rejected = self._dead_end(dead_end)
            if rejected is None:
                return None
            position = self._reject(rejected)
        return solution_of(self._selection.selected, self._queue)

    def _advance(self, position: int) -> int | None:
        """Meet the choices from *position* on; return the position of a dead end, or None if all are met."""
        while position < len(self._queue):
            if not self._take(position):
                return position
            position += 1
        return None

    def _take(self, position: int) -> bool:
        """Meet the choice at *position* with its next candidate that fits; return False at a dead end."""
        queued = self._queue[position]
        selection = self._selection
        queued.taken = False
        queued.answer = met_by(queued, selection.selected)
        if queued.answer is not None:
            return True
        trace = self._budget.trace
        candidates = queued.candidates
        violations: dict[int, tuple[Violation, ...]] = {}
        for index in range(queued.index, len(candidates)):
            trace.candidates += 1
            if trace.candidates % TRIES_PER_CHECK == 0:
                self._budget.check()
            candidate = candidates[index]
            constraints = self._problem.constraints(candidate)
            broken = selection.violation(candidate, constraints)
            if broken is None and not self._refuted(queued, candidate, violations):
                queued.suspect = False
                queued.index, queued.answer, queued.taken = index, candidate, True
                self._decisions.append((position, len(self._queue)))
                selection.select(candidate, constraints)
                self._queue.extend(choices_of(candidate, constraints, queued))
                return True
            if trace.observed:
                trace.passed_over(candidate, broken)
        return False

    def _refuted(
        self, queued: QueuedChoice, candidate: Identifier, violations: dict[int, tuple[Violation, ...]]
    ) -> bool:
        """Return True if *candidate* is impossible although it breaks nothing at once.

        Before the first dead end this asks nothing, because most requests have no dead end. *violations* is the cache
        of :meth:`.Selection.hopeless`.
        """
        relaxation = self._relaxation
        if relaxation is None:
            return False
        selection = self._selection
        constraints_of = self._problem.constraints
        if selection.hopeless(candidate, constraints_of(candidate), constraints_of, violations) is not None:
            return True
        if not queued.suspect:
            return False
        relaxation.expand(candidate)
        selected = [*selection.selected, candidate]
        conflict = relaxation.conflict(selected)
        if conflict is None:
            return False
        selection.forbid(frozenset(selected[number] for number in conflict))
        return True

    def _dead_end(self, position: int) -> int | None:
        """Return the number of the selection to reject for the dead end at *position*; None if there is no solution."""
        relaxation = self._relaxation
        if relaxation is None:
            relaxation = Relaxation(self._problem.roots, self._problem.constraints, self._backend, self._budget)
            self._relaxation = relaxation
        selection, constraints_of = self._selection, self._problem.constraints
        trace = self._budget.trace
        trace.conflicts += 1
        selected = list(selection.selected)
        for identifier in self._budget.checked(selected, every=16):
            relaxation.expand(identifier)
        violations: dict[int, tuple[Violation, ...]] = {}
        for candidate in self._budget.checked(self._queue[position].candidates, every=16):
            constraints = constraints_of(candidate)
            violation = selection.violation(candidate, constraints)
            violation = violation or selection.hopeless(candidate, constraints, constraints_of, violations)
            if violation is not None:
                relaxation.learn(violation)
        conflict = relaxation.conflict(selected)
        assert conflict is not None, "the clauses of a dead end must show it"
        if trace.observed:
            trace.learnt(len(conflict))
        while conflict:
            selection.forbid(frozenset(selected[number] for number in conflict))
            last = conflict[-1]
            earlier = relaxation.conflict(selected[:last])
            if earlier is None:
                return last
            conflict = earlier
        return None

    def _tell_rejected(self, queued: QueuedChoice) -> None:
        """Tell the observer that the candidate of *queued* is passed over, and why if it is for itself."""
        candidate, constraints_of = queued.candidates[queued.index], self._problem.constraints
        cause = self._selection.hopeless(candidate, constraints_of(candidate), constraints_of, {})
        self._budget.trace.passed_over(candidate, cause)

    def _reject(self, number: int) -> int:
        """Take back the selections from *number* on and pass over the first of them; return its choice's position."""
        while len(self._decisions) > number:
            position, length = self._decisions.pop()
            self._selection.unselect()
        del self._queue[length:]
        if self._budget.trace.observed:
            self._tell_rejected(self._queue[position])
        for queued in self._queue[position + 1 :]:
            queued.index = 0
        self._queue[position].index += 1
        self._queue[position].suspect = True
        return position
