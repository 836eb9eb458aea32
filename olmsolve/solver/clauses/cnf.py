"""A problem as clauses (CNF), for other programs: each variable with its meaning, each clause with its constraint.

The clauses are streamed: every pass over them encodes the problem anew, in the same order and with the same numbers. So
a problem whose text has gigabytes takes the memory of its variables.

The first variables are the identifiers, breadth first from the roots; helpers and branches follow as clauses need them.
An assignment of all variables that meets all clauses selects identifiers that meet all constraints; and any such
selection is completed to such an assignment in one way at least, since helpers and branches follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.constraints import (
    Branch,
    Constraint,
    Every,
    Exclusive,
    FirstOf,
    Formula,
    Identifier,
    Incompatible,
    Tree,
    holds,
)
from olmsolve.solver.encoding import Encoding, Helper
from olmsolve.solver.problem import Problem
from olmsolve.solver.queue import Solution, choices_of, met_by, root_choices, solution_of


class BranchOf(NamedTuple):
    """The meaning of a branch's variable: one way to meet a disjunction in *formula* is taken.

    *path* leads to it: the positions of parts, from 0, in the disjunctions and conjunctions from the outermost one on.
    """

    formula: Formula
    path: tuple[int, ...]
    branch: Branch


class EncodedIdentifier(NamedTuple):
    """The meaning of a variable that is true when *identifier* is selected."""

    identifier: Identifier


Meaning: TypeAlias = EncodedIdentifier | BranchOf | Helper


class ConstraintClause(NamedTuple):
    """A clause: one of *literals* is true. *constraint* brought it; of an Exclusive, the one group that it is about."""

    literals: tuple[int, ...]
    constraint: Constraint


class CNF:
    """The clauses of *problem*, over what its roots reach; *further* identifiers have variables as well."""

    def __init__(self, problem: Problem, further: Iterable[Identifier] = ()) -> None:
        self._problem = problem
        self._reached = _closure(problem, further)
        self.clause_count: int = 0
        self.literal_count: int = 0
        self._meanings: dict[int, BranchOf | Helper] = {}
        encoding = Encoding(self._count)
        for constraint in self._constraints(encoding):
            encoding.add(constraint)
            if isinstance(constraint, Formula):
                for meaning in _branches(constraint, constraint.tree, ()):
                    self._meanings[encoding.variable(meaning.branch)] = meaning
        self._meanings.update(encoding.helpers)
        self.variable_count: int = len(encoding.identifiers) - 1

    @property
    def identifiers(self) -> Sequence[Identifier]:
        """The identifiers of the variables 1, 2, ..., in this order."""
        return self._reached

    def meaning(self, variable: int) -> Meaning:
        """Return what *variable* (from 1 to ``variable_count``) stands for."""
        if variable <= len(self._reached):
            return EncodedIdentifier(self._reached[variable - 1])
        return self._meanings[variable]

    def clauses(self) -> Iterator[ConstraintClause]:
        """Yield the clauses in their order: first the roots', then each identifier's."""
        # Encoded once more for each pass: that takes time, and no memory for a list of all clauses.
        buffer: list[Sequence[int]] = []
        encoding = Encoding(buffer.append)
        for constraint in self._constraints(encoding):
            encoding.add(constraint)
            for literals in buffer:
                yield ConstraintClause(tuple(literals), constraint)
            buffer.clear()

    def first_broken(self, selected: AbstractSet[Identifier]) -> tuple[int, ConstraintClause] | None:
        """Return the first clause that is false if *selected* are selected and nothing else, and its number from 1.

        None means that the selection meets all constraints. Branches and helpers have the values that follow.
        """
        values = [False, *[identifier in selected for identifier in self._reached]]
        for variable in range(len(values), self.variable_count + 1):
            meaning = self._meanings[variable]
            if isinstance(meaning, Helper):
                values.append(any(all(values[literal] for literal in way) for way in meaning.ways))
            else:
                values.append(holds(meaning.branch.tree, selected))
        for number, clause in enumerate(self.clauses(), start=1):
            if not any(values[abs(literal)] == (literal > 0) for literal in clause.literals):
                return number, clause
        return None

    def solution_within(self, selected: AbstractSet[Identifier]) -> Solution:
        """Return what the queue of choices takes where nothing but *selected* could be selected.

        *selected* meets all constraints (:meth:`first_broken`). So does the solution: a part of it, which nobody has
        to want in vain. Of the preferred solution's selection, it is the preferred solution.
        """
        queue = root_choices(self._problem.roots)
        taken: dict[Identifier, None] = {}
        for queued in checked(queue, every=16):  # more choices join while the loop runs
            queued.answer = met_by(queued, taken)
            if queued.answer is None:
                queued.taken = True
                queued.answer = next(candidate for candidate in queued.candidates if _is_taken(candidate, selected))
                taken[queued.answer] = None
                queue.extend(choices_of(queued.answer, self._constraints_of(queued.answer), queued))
        return solution_of(taken, queue)

    def _constraints_of(self, identifier: Identifier) -> Sequence[Constraint]:
        if isinstance(identifier, Branch):
            return (Formula(identifier, identifier.tree),)
        return self._problem.constraints(identifier)

    def _count(self, literals: Sequence[int]) -> None:
        self.clause_count += 1
        self.literal_count += len(literals)

    def _constraints(self, encoding: Encoding) -> Iterator[Constraint]:
        """Give each identifier its variable in *encoding*; then yield all constraints, one for each group."""
        for identifier in self._reached:
            encoding.variable(identifier)
        problem = self._problem
        yield from problem.roots
        for identifier in checked(self._reached, every=16):
            for constraint in problem.constraints(identifier):
                for group in constraint.groups:
                    yield Exclusive(identifier, (group,))
                if not constraint.groups:
                    yield constraint


def _is_taken(identifier: Identifier, selected: AbstractSet[Identifier]) -> bool:
    return holds(identifier.tree, selected) if isinstance(identifier, Branch) else identifier in selected


def _closure(problem: Problem, further: Iterable[Identifier]) -> list[Identifier]:
    """Return everything that the roots reach, breadth first, and then *further* identifiers and what these reach."""
    reached: dict[Identifier, None] = {}
    # Tuples of candidates by identity: bundles with the same requirement share one, which is then read once. The value
    # keeps the tuple alive, so that no other object gets its id.
    read: dict[int, Sequence[Identifier]] = {}

    def reach(identifiers: Sequence[Identifier]) -> None:
        if id(identifiers) not in read:
            read[id(identifiers)] = identifiers
            for identifier in identifiers:
                if identifier not in reached:
                    reached[identifier] = None
                    queue.append(identifier)

    queue: list[Identifier] = []
    for root in problem.roots:
        reach(root.candidates or tuple(root.mentions()))
    position = 0
    for group in ((), tuple(further)):
        reach(group)
        while position < len(queue):
            if position % 16 == 0:
                check()
            for constraint in problem.constraints(queue[position]):
                reach((constraint.other,) if isinstance(constraint, Incompatible) else constraint.leads_to())
            position += 1
    return list(reached)


def _branches(formula: Formula, tree: Tree, path: tuple[int, ...]) -> Iterator[BranchOf]:
    """Yield the meaning of each branch in *tree*, which *path* leads to."""
    if isinstance(tree, Every):
        for position, part in enumerate(tree.parts):
            yield from _branches(formula, part, (*path, position))
    elif isinstance(tree, FirstOf):
        for position, branch in enumerate(tree.branches):
            yield BranchOf(formula, (*path, position), branch)
            yield from _branches(formula, branch.tree, (*path, position))
