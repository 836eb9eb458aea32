"""A relaxation: clauses of what a search has met, which refute nothing else, and none of them twice."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from olmsolve.solver import (
    AtMost,
    Budget,
    Constraint,
    Dependency,
    Exclusive,
    Hopeless,
    Incompatible,
    Limit,
    Needs,
    Prohibited,
    SharedGroup,
)
from olmsolve.solver.backends import Backend, PythonSolver
from olmsolve.solver.portable import Relaxation
from olmsolve.solver.selection import Excludes, Inconsistent, Violation
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem


def noted(constraints: Iterable[Constraint], roots: Sequence[Constraint]) -> tuple[Relaxation, list[Sequence[int]]]:
    """A relaxation of *roots* in which each subject has its *constraints*, and the clauses that its solver gets.

    They end with () when the solver is closed.
    """
    clauses: list[Sequence[int]] = []

    class Noting(PythonSolver):
        def add_clause(self, literals: Sequence[int]) -> None:
            clauses.append(tuple(literals))
            super().add_clause(literals)

        def close(self) -> None:
            clauses.append(())

    own = list(constraints)
    relaxation = Relaxation(
        roots,
        lambda subject: [each for each in own if not isinstance(each, Limit) and each.subject == subject],
        Backend("noting", Noting),
        Budget(),
    )
    return relaxation, clauses


def test_a_relaxation_refutes_what_it_has_met() -> None:
    """With all constraints but groups it allows what they allow; a group counts from the dead end on that it causes.

    A set of selections that it refutes is refuted by the part that it names.
    """
    refuted = 0
    for seed in range(scaled(400)):
        generator = random.Random(f"relaxation {seed}")
        problem = random_problem(generator, "abcdefg", formulas=False)
        own = [each for name in "abcdefg" for each in problem.constraints(name)]
        relaxation, _ = noted(own, problem.roots)
        for name in "abcdefg":
            relaxation.expand(name)
        groups = [each for each in own if isinstance(each, Exclusive)]
        others = [*problem.roots, *(each for each in own if not isinstance(each, Exclusive))]
        valid = oracle.models(others, "abcdefg")
        refuted += _agrees(relaxation, valid, generator)
        for one in groups:
            for other in groups:
                for group in set(one.groups) & set(other.groups) if one is not other else ():
                    relaxation.learn(SharedGroup(group, one.subject, other.subject))
        valid = oracle.models([*others, *groups], "abcdefg")
        refuted += _agrees(relaxation, valid, generator)
        relaxation.close()
    assert refuted > scaled(400)


def _agrees(relaxation: Relaxation, valid: Sequence[oracle.Model], generator: random.Random) -> int:
    refuted = 0
    for _ in range(8):
        selected = generator.sample("abcdefg", generator.randint(0, 5))
        positions = relaxation.conflict(selected)
        possible = any(model.issuperset(selected) for model in valid)
        assert (positions is None) == possible
        if positions is not None:
            refuted += 1
            part = {selected[position] for position in positions}
            assert not any(model >= part for model in valid)
    return refuted


def test_a_relaxation_adds_nothing_twice() -> None:
    """Thousands of dead ends share subjects, groups and lists of candidates, and each clause slows all questions."""
    candidates = ("v2", "v1")
    needs = Dependency("a", candidates, None, "g")
    root = Dependency(None, candidates, None, "g")
    own: list[Constraint] = [
        needs,
        Exclusive("a", ("h",)),
        Incompatible("b", "c"),
        *(Exclusive(each, ("g",)) for each in candidates),
    ]
    relaxation, clauses = noted(own, [root])
    violation = Needs("g", "a", (needs, root), ("v2",))
    for _ in range(2):
        relaxation.expand("b")
        assert len(clauses) == 2
    steps: list[tuple[Violation, int]] = [
        # The need of "a", and the exclusion of v2 and v1.
        (violation, 4),
        (violation, 4),
        (Inconsistent(frozenset("a")), 4),
        (AtMost(1, ("a",)), 4),
        (Excludes("b", "v1"), 5),
        (Prohibited("c"), 6),
        (Hopeless("c", needs, (Incompatible("a", "c"),)), 7),
    ]
    for learnt, count in steps:
        relaxation.learn(learnt)
        assert len(clauses) == count
    assert relaxation.conflict(["v1", "b"]) == [0, 1]
    assert relaxation.conflict(["a", "c"]) is not None
    relaxation.close()


def test_a_dead_end_adds_what_it_shows_and_no_more() -> None:
    """The members of a broken group exclude each other, those that are met later too, and a candidate's needs count."""
    needs = Dependency("a", ("v1",), None, "g")
    own: list[Constraint] = [*(Exclusive(f"v{number}", ("h", "g")) for number in range(1, 6)), needs]
    relaxation, clauses = noted(own, [])
    relaxation.expand("v5")
    assert not clauses
    relaxation.learn(Needs("g", "a", (), ("v1", "v2")))
    assert relaxation.conflict(["v2", "v3", "v1"]) == [0, 2]
    assert relaxation.conflict(["v5", "v3", "v1"]) is None
    relaxation.expand("v3")
    assert relaxation.conflict(["v5", "v3", "v1"]) == [1, 2]
    assert relaxation.conflict(["a", "v2"]) is None
    relaxation.learn(Hopeless("a", needs, ()))
    assert relaxation.conflict(["a", "v2"]) == [0, 1]
    relaxation.close()
    assert clauses[-1] == ()


def test_a_relaxation_reads_a_shared_list_once() -> None:
    """Hundreds of dependencies share one list of thousands of candidates."""

    class Listed(tuple[str, ...]):
        read = 0

        def __iter__(self) -> Iterator[str]:
            type(self).read += 1
            return super().__iter__()

    shared = Listed(("v2", "v1"))
    relaxation, _ = noted([], [])
    dependencies = tuple(Dependency(None, shared, number, "g") for number in range(10))
    for _ in range(3):
        relaxation.learn(Needs("g", "a", dependencies, ()))
    assert Listed.read == 1
    relaxation.learn(Needs("h", "a", dependencies, ()))
    assert Listed.read == 2
