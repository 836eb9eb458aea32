"""The preferred solution of a lazy problem.

The solution is defined by a queue of choices, taken breadth first. The queue starts with the roots. A choice
that an earlier selection meets is passed over; otherwise its *first candidate that is consistent with
everything* (full satisfiability) is selected, and the candidate's own choices join the back of the queue.
What the queue has selected when it is empty is the solution.

The search walks that queue over a relaxation of the problem, in which only identifiers that a walk has tried
have clauses:

1. The first walk asks no solver. It rejects a candidate only when it breaks a constraint together with what
   is selected already, and accepts all others. If it gets through, each acceptance is proved by the complete
   selection at its end and each rejection by the constraint, so the selection is the solution.
2. Where a choice has no candidate left, the walk has accepted something too early. What it tried is encoded
   and solved. "Unsatisfiable" is final, because leaving constraints out only makes more satisfiable.
3. The queue is walked again with the model: a candidate that the model selects is accepted; for any other
   the solver is asked, assuming the selection and it: a yes gives the next model, a no is a proof.
4. A dead end now means that the model broke constraints that were not encoded. They have been added: go to 2.

The cost follows the neighbourhood of the answer and not the size of the problem.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import attrs

from olmsolve.solver.backends import DEFAULT, require
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    Identifier,
    Mandatory,
    Tree,
)
from olmsolve.solver.core import preferred_core
from olmsolve.solver.encoding import Encoding
from olmsolve.solver.problem import Problem
from olmsolve.solver.selection import Excludes, Selection, SharedGroup, Violation
from olmsolve.solver.session import Session

__all__ = ["Chosen", "Core", "Solution", "solve"]

# How many candidates are tried between two looks at the clock.
_TRIES_PER_CHECK: Final = 256

_Choosing: TypeAlias = Mandatory | Dependency | Choice | FirstOf


@attrs.frozen
class Chosen:
    """A choice that was met: by selecting *identifier*, or (*selected_before*) by an earlier selection of it.

    *subject* is whose choice it was (None: the request's), *origin* what the constraint carried.
    """

    identifier: Identifier
    subject: Identifier | None
    origin: object
    selected_before: bool


@attrs.frozen
class Solution:
    """The preferred solution: *selected* in the order of their selection, and how each choice was met."""

    selected: tuple[Identifier, ...]
    choices: tuple[Chosen, ...]


@attrs.frozen
class Core:
    """There is no solution: *constraints* cannot hold together, and each of them is needed for that."""

    constraints: tuple[Constraint, ...]


def solve(problem: Problem, *, backend: str = DEFAULT, budget: Budget | None = None) -> Solution | Core:
    """The preferred solution of *problem*, or its preferred minimal core.

    Both are functions of the problem alone, the same on every backend.

    Raises:
        BackendError: there is no such backend, or it cannot keep the limits that *budget* sets.
        Incomplete: the budget ran out.
    """
    budget = budget or Budget()
    require(backend, limited=budget.limited)
    search = _Search(problem, backend, budget)
    try:
        solution = search.run()
    finally:
        search.close()
    return solution or Core(preferred_core(problem, backend=backend, budget=budget))


@attrs.define
class _Item:
    """A choice in the queue."""

    choosing: _Choosing
    subject: Identifier | None
    origin: object


class _Search:
    """The state that walks share: constraints seen, and the relaxation once there is one."""

    def __init__(self, problem: Problem, backend: str, budget: Budget) -> None:
        self._problem = problem
        self._backend = backend
        self._budget = budget
        self._at_most = [root for root in problem.roots if isinstance(root, AtMost)]
        self._constraints: dict[Identifier, Sequence[Constraint]] = {}
        self._relaxation: _Relaxation | None = None
        self._tries = 0

    def close(self) -> None:
        if self._relaxation is not None:
            self._relaxation.close()

    def run(self) -> Solution | None:
        """The preferred solution, None if there is none."""
        tried: list[Identifier] = []
        violations: list[Violation] = []
        solution = self._walk(tried, violations)
        if solution is not None:
            return solution
        relaxation = self._relaxation = _Relaxation(self._problem.roots, self._backend, self._budget)
        for identifier in tried:
            relaxation.expand(identifier, self._constraints_of(identifier))
        for violation in violations:
            relaxation.learn(violation)
        while relaxation.satisfiable(tried):
            solution = self._walk(tried, violations)
            if solution is not None:
                return solution
        return None

    def _constraints_of(self, identifier: Identifier) -> Sequence[Constraint]:
        constraints = self._constraints.get(identifier)
        if constraints is None:
            if isinstance(identifier, Branch):
                constraints = (Formula(identifier, identifier.tree),)
            else:
                constraints = self._problem.constraints(identifier)
            self._constraints[identifier] = constraints
        return constraints

    def _walk(self, tried: list[Identifier], violations: list[Violation]) -> Solution | None:
        """Walk the queue; None at a dead end. Leaves what it selected in *tried*, what it met in *violations*."""
        tried.clear()
        violations.clear()
        selection = Selection(self._at_most)
        selected = selection.selected
        chosen: list[Chosen] = []
        queue: deque[_Item] = deque()
        for root in self._problem.roots:
            if not isinstance(root, AtMost):
                queue.append(_Item(root, None, root.origin))
        while queue:
            item = queue.popleft()
            candidates = _candidates(item.choosing)
            met = _met(item.choosing, candidates, selected)
            if met is not None:
                chosen.append(Chosen(met, item.subject, item.origin, selected_before=True))
                continue
            for candidate in candidates:
                constraints = self._constraints_of(candidate)
                if self._try(candidate, constraints, selection, violations):
                    break
            else:
                tried.extend(selected)
                return None
            selection.select(candidate, constraints)
            chosen.append(Chosen(candidate, item.subject, item.origin, selected_before=False))
            queue.extend(_choices(candidate, constraints, item))
        return Solution(
            tuple(identifier for identifier in selected if not isinstance(identifier, Branch)),
            tuple(choice for choice in chosen if not isinstance(choice.identifier, Branch)),
        )

    def _try(
        self,
        candidate: Identifier,
        constraints: Sequence[Constraint],
        selection: Selection,
        violations: list[Violation],
    ) -> bool:
        self._tries += 1
        if self._tries % _TRIES_PER_CHECK == 0:
            self._budget.check()
        violation = selection.violation(candidate, constraints)
        if self._relaxation is None:
            if violation is not None:
                violations.append(violation)
            return violation is None
        if violation is not None:
            self._relaxation.learn(violation)
            return False
        return self._relaxation.accepts(candidate, constraints, selection.selected)


class _Relaxation:
    """The clauses of what has been tried so far, in a solver, with its last model."""

    def __init__(self, roots: Sequence[Constraint], backend: str, budget: Budget) -> None:
        self._solver = Session(backend, budget)
        self._encoding = Encoding(self._solver.add_clause)
        self._expanded: set[Identifier] = set()
        # Groups that some walk has seen broken; only their members are worth clauses.
        self._broken: set[str] = set()
        self._model: Sequence[int] = ()
        for root in roots:
            self._encoding.add(root)

    def close(self) -> None:
        self._solver.close()

    def expand(self, identifier: Identifier, constraints: Sequence[Constraint]) -> None:
        """Add the clauses of *identifier*'s constraints; of its groups, only those seen broken."""
        if identifier in self._expanded:
            return
        self._expanded.add(identifier)
        for constraint in constraints:
            if isinstance(constraint, Exclusive):
                for group in constraint.groups:
                    if group in self._broken:
                        self._encoding.join(group, identifier)
            else:
                self._encoding.add(constraint)

    def learn(self, violation: Violation) -> None:
        """Add the clauses that forbid *violation*."""
        encoding = self._encoding
        if isinstance(violation, SharedGroup):
            self._broken.add(violation.group)
            encoding.join(violation.group, violation.holder)
            encoding.join(violation.group, violation.candidate)
        elif isinstance(violation, Excludes):
            # The exclusion itself has clauses since its guard was expanded; for one that was only tried:
            guard, excluded = encoding.variable(violation.guard), encoding.variable(violation.identifier)
            self._solver.add_clause([-guard, -excluded])
        elif not isinstance(violation, AtMost):
            encoding.add(violation)

    def satisfiable(self, preferred: Sequence[Identifier]) -> bool:
        """Whether the relaxation has a model; *preferred* is what it should rather select."""
        self._solver.prefer([self._encoding.variable(identifier) for identifier in preferred])
        return self._ask(())

    def accepts(
        self, candidate: Identifier, constraints: Sequence[Constraint], selected: dict[Identifier, None]
    ) -> bool:
        """Whether the relaxation has a model that selects all *selected* and *candidate*."""
        variable = self._encoding.variable(candidate)
        if candidate in self._expanded and variable <= len(self._model) and self._model[variable - 1] > 0:
            return True
        self.expand(candidate, constraints)
        variables = self._encoding.variables
        return self._ask([*(variables[identifier] for identifier in selected), variable])

    def _ask(self, assumptions: Sequence[int]) -> bool:
        answer = self._solver.ask(assumptions)
        if answer:
            self._model = self._solver.model()
        return answer


def _candidates(choosing: _Choosing) -> Sequence[Identifier]:
    if isinstance(choosing, Mandatory):
        return (choosing.subject,)
    if isinstance(choosing, FirstOf):
        return choosing.branches
    return choosing.candidates


def _met(choosing: _Choosing, candidates: Sequence[Identifier], selected: dict[Identifier, None]) -> Identifier | None:
    """What meets a choice already, None if nothing does."""
    if not selected.keys().isdisjoint(candidates):
        return next(candidate for candidate in candidates if candidate in selected)
    if isinstance(choosing, FirstOf):
        for branch in choosing.branches:
            if _holds(branch.tree, selected):
                return branch
    return None


def _holds(tree: Tree, selected: dict[Identifier, None]) -> bool:
    """Whether *tree* is met by what is selected, whatever will be: an exclusion only if nothing can break it."""
    if isinstance(tree, Choice):
        return not selected.keys().isdisjoint(tree.candidates)
    if isinstance(tree, Every):
        return all(_holds(part, selected) for part in tree.parts)
    if isinstance(tree, Exclusion):
        return not tree.excluded
    return any(branch in selected or _holds(branch.tree, selected) for branch in tree.branches)


def _choices(candidate: Identifier, constraints: Sequence[Constraint], item: _Item) -> Iterator[_Item]:
    """The choices that selecting *candidate* for *item* brings, in order."""
    for constraint in constraints:
        if isinstance(constraint, Dependency):
            yield _Item(constraint, candidate, constraint.origin)
        elif isinstance(constraint, Formula):
            if isinstance(candidate, Branch):
                # A branch speaks for the bundle whose formula it belongs to.
                yield from _leaves(constraint.tree, item.subject, item.origin)
            else:
                yield from _leaves(constraint.tree, candidate, constraint.origin)


def _leaves(tree: Tree, subject: Identifier | None, origin: object) -> Iterator[_Item]:
    if isinstance(tree, Every):
        for part in tree.parts:
            yield from _leaves(part, subject, origin)
    elif not isinstance(tree, Exclusion):
        yield _Item(tree, subject, origin)
