"""The cores of the recorded unsatisfiable requests: short, true, minimal, and the same on every backend."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from pysat.solvers import Solver

from olmsolve import Semantics
from olmsolve.classic.problem import ClassicProblem
from olmsolve.solver import (
    AtMost,
    Choice,
    Constraint,
    Core,
    Dependency,
    Every,
    Exclusion,
    FirstOf,
    Formula,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    Tree,
    solve,
)
from tests.recorded import VENDORED, Record, records, request_of, shared
from tests.scale import LONG

BACKENDS = ["minisat22", "cadical153", "glucose4"]


class _Clauses:
    """Constraints as clauses, the plainest way; shares nothing with olmsolve's encoding."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self.clauses: list[list[int]] = []
        self.numbers: dict[Identifier, int] = {}
        self.count = 0
        self.mentioned = set(itertools.chain.from_iterable(map(_mentioned, constraints)))
        for constraint in constraints:
            self._add(constraint)

    def satisfiable(self) -> bool:
        with Solver(name="glucose3", bootstrap_with=self.clauses) as solver:
            return bool(solver.solve())

    def _new(self) -> int:
        self.count += 1
        return self.count

    def _of(self, identifier: Identifier) -> int:
        if identifier not in self.numbers:
            self.numbers[identifier] = self._new()
        return self.numbers[identifier]

    def _add(self, constraint: Constraint) -> None:
        if isinstance(constraint, Mandatory):
            self.clauses.append([self._of(constraint.subject)])
        elif isinstance(constraint, Prohibited):
            self.clauses.append([-self._of(constraint.subject)])
        elif isinstance(constraint, Dependency):
            guard = [] if constraint.subject is None else [-self._of(constraint.subject)]
            self.clauses.append(guard + [self._of(candidate) for candidate in constraint.candidates])
        elif isinstance(constraint, Incompatible):
            self.clauses.append([-self._of(constraint.subject), -self._of(constraint.other)])
        elif isinstance(constraint, AtMost):
            assert constraint.limit == 1
            for pair in itertools.combinations(constraint.identifiers, 2):
                self.clauses.append([-self._of(identifier) for identifier in pair])
        else:
            assert isinstance(constraint, Formula)
            self._tree(constraint.tree, -self._of(constraint.subject))

    def _tree(self, tree: Tree, guard: int) -> None:
        if isinstance(tree, Choice):
            self.clauses.append([guard, *(self._of(candidate) for candidate in tree.candidates)])
        elif isinstance(tree, Exclusion):
            self.clauses.extend([guard, -self._of(other)] for other in self.mentioned if other in tree.excluded)
        elif isinstance(tree, Every):
            for part in tree.parts:
                self._tree(part, guard)
        else:
            branches = [self._new() for _ in tree.branches]
            self.clauses.append([guard, *branches])
            for number, branch in zip(branches, tree.branches, strict=True):
                self._tree(branch.tree, -number)


def _mentioned(constraint: Constraint) -> list[Identifier]:
    if isinstance(constraint, AtMost):
        return list(constraint.identifiers)
    if isinstance(constraint, Formula):
        return [constraint.subject, *_candidates(constraint.tree)]
    found: list[Identifier] = [] if constraint.subject is None else [constraint.subject]
    if isinstance(constraint, Dependency):
        found.extend(constraint.candidates)
    elif isinstance(constraint, Incompatible):
        found.append(constraint.other)
    return found


def _candidates(tree: Tree) -> list[Identifier]:
    if isinstance(tree, Choice):
        return list(tree.candidates)
    if isinstance(tree, Exclusion):
        return []
    parts = [branch.tree for branch in tree.branches] if isinstance(tree, FirstOf) else list(tree.parts)
    return [candidate for part in parts for candidate in _candidates(part)]


def _unsatisfiable(record: Record) -> bool:
    return any(outcome.get("unsatisfiable") for outcome in record["outcomes"])


@pytest.mark.parametrize("part", range(4))
def test_cores_of_random_requests(part: int) -> None:
    """A core that is not one, that is longer than needed, or that changes with the solver, misleads.

    The default engine answers every request, and the others in their turn; in the long run all answer each.
    """
    found = records(VENDORED / "classic_random.jsonl.gz")
    assert sum(map(_unsatisfiable, found)) == 802
    for number, record in enumerate(found[part::4]):
        others = BACKENDS if LONG else BACKENDS[number % len(BACKENDS) :][:1]
        # Both semantics share the catalogs of one request, whose index takes longer than an answer.
        request = request_of(record)
        cores = {
            semantics: _checked_core(ClassicProblem.of(request, semantics), record["name"], others)
            for semantics in Semantics
        }
        assert (cores[Semantics.CONTROLLER] is not None) == _unsatisfiable(record), record["name"]


def test_cores_of_real_requests() -> None:
    """The same on the community's own catalogs, and on the scenarios of the controller's unit tests."""
    checked = 0
    for path in ("classic/real.jsonl.gz", "upstream/classic.jsonl.gz"):
        for record in filter(_unsatisfiable, records(shared() / "conformance" / path)):
            problem = ClassicProblem.of(request_of(record), Semantics.CONTROLLER)
            assert _checked_core(problem, record["name"])
            checked += 1
    assert checked == 35


def _checked_core(problem: ClassicProblem, name: str, others: Sequence[str] = BACKENDS) -> Core | None:
    answers = [solve(problem), *(solve(problem, backend=backend) for backend in others)]
    assert len(set(map(repr, answers))) == 1, name
    answer = answers[0]
    if not isinstance(answer, Core):
        return None
    core = answer.constraints
    assert not _Clauses(core).satisfiable(), name
    for position in range(len(core)):
        rest = core[:position] + core[position + 1 :]
        # What is left out takes its own restriction of exclusions with it, so the rest is judged as it stands.
        assert _Clauses(rest).satisfiable(), (name, str(core[position]))
    return answer
