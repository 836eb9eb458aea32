"""The work of the portable search: what its observers are told, and what it does no second time."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pytest

from olmsolve import Incomplete
from olmsolve.solver import (
    Budget,
    Constraint,
    Dependency,
    Exclusive,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    Solution,
    Trace,
    Variables,
    attempt,
    reachable,
    solve,
)
from olmsolve.solver.backends import DECIDING, PORTABLE, Backend, PythonSolver
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem
from tests.solver.checks import Checks, Closed
from tests.solver.core_problems import Blocks, layered, some_packages
from tests.solver.test_passed_over import _more_wanted, _rules_out


class _Recorder(Trace):
    """A trace that keeps what it is told."""

    observed = True

    def __init__(self) -> None:
        super().__init__()
        self.passed: list[tuple[Identifier, Any]] = []
        self.conditions: list[int] = []

    def passed_over(self, identifier: Identifier, cause: Any) -> None:
        self.passed.append((identifier, cause))

    def learnt(self, conditions: int) -> None:
        self.conditions.append(conditions)


def _searched(problem: Variables) -> tuple[Solution | None, _Recorder]:
    observer = _Recorder()
    return attempt(problem, backend=PORTABLE, trace=observer), observer


def test_observers_are_told_of_each_candidate_that_is_passed_over() -> None:
    """Somebody who asks why the wanted version was not taken reads this, so nothing is missing and nothing invented."""
    at_once = later = 0
    for seed in range(scaled(1600)):
        problem = random_problem(random.Random(f"told {seed}"), "abcdefgh", formulas=False)
        solution, observer = _searched(problem)
        assert len(observer.conditions) == observer.conflicts
        if not observer.conflicts:
            # Without a dead end it is found at a glance, as for the deciding engine.
            glanced = _Recorder()
            assert attempt(problem, trace=glanced) == solution
            assert solution is not None
            assert [identifier for identifier, _ in observer.passed] == _more_wanted(problem, solution)
            assert all(_rules_out(problem, solution, *entry) for entry in observer.passed if _is_constraint(entry[1]))
            assert glanced.passed == observer.passed
            # Each candidate that is looked at is passed over or selected.
            assert glanced.candidates == observer.candidates == len(observer.passed) + len(solution.selected)
            assert observer.calls == glanced.calls == glanced.conflicts == 0
            at_once += bool(observer.passed)
        elif solution is not None:
            assert {identifier for identifier, _ in observer.passed} >= set(_more_wanted(problem, solution))
            later += 1
        else:
            # The last conflict needs none of the selections.
            assert observer.conditions[-1] >= 0
    assert at_once > scaled(160)
    assert later > scaled(80)


def _is_constraint(cause: object) -> bool:
    return isinstance(cause, Prohibited | Incompatible)


class _Remembering(PythonSolver):
    """A solver that notes the sets which it has refuted, and holds the questions of a search to them."""

    trace: ClassVar[Trace]
    dead_ends: ClassVar[int]
    last: ClassVar[list[int]]
    refuted: ClassVar[list[set[int]]]

    @classmethod
    def begin(cls) -> None:
        cls.trace, cls.dead_ends, cls.last, cls.refuted = Trace(), 0, [], []

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        cls, literals = type(self), list(assumptions)
        if literals == self.core():
            # A core of a solver from outside is asked about once more, by itself.
            return super().solve(assumptions, conflicts=conflicts)
        is_dead_end, cls.dead_ends = self.trace.conflicts > self.dead_ends, self.trace.conflicts
        # To find out which selection a dead end is about, the search asks about a part of its last question.
        is_part = not is_dead_end and literals == self.last[: len(literals)]
        assert is_part or not any(known <= set(literals) for known in self.refuted)
        cls.last = literals
        answer = super().solve(assumptions, conflicts=conflicts)
        # Without the candidate, which comes last, it is a conflict of the selections: a dead end is about to show it.
        if answer is False and (is_dead_end or is_part or literals[-1] in self.core()):
            self.refuted.append(set(self.core()))
        return answer


def test_a_search_runs_into_no_dead_end_twice() -> None:
    """It remembers the sets that a SAT solver has refuted, also those that it found before selecting all of them."""
    repeated = 0
    for seed in range(scaled(1600)):
        _Remembering.begin()
        problem = random_problem(random.Random(f"dead ends {seed}"), "abcdefghijklmnopqrst")
        attempt(problem, backend=Backend("remembering", _Remembering), trace=_Remembering.trace)
        repeated += _Remembering.trace.conflicts > 1
    assert repeated > scaled(400)


def _chains(count: int, length: int, *, shared: int) -> Variables:
    """Return versions v0, v1, ... of a root, of which all but the last need a chain that ends with a prohibition.

    The last *shared* links of the chains are the same for all of them. The last version has twenty needs, and twenty
    more roots follow.
    """
    variables: dict[Identifier, list[Constraint]] = {
        "first": [Mandatory("z")],
        "z": [],
        "root": [Dependency(None, tuple(f"v{number}" for number in range(count)))],
        f"v{count - 1}": [Dependency(f"v{count - 1}", (f"need {number}",)) for number in range(20)],
    }
    for number in range(count - 1):
        names = [f"v{number}"]
        names += [f"link {n}{'' if n >= length - shared else f' of {number}'}" for n in range(length)]
        for name, following in zip(names, [*names[1:], None], strict=True):
            variables[name] = [Prohibited(name)] if following is None else [Dependency(name, (following,))]
    variables |= {f"more {number}": [Mandatory(f"other {number}")] for number in range(20)}
    variables |= {f"{name} {number}": [] for name in ("other", "need") for number in range(20)}
    return Variables(variables)


def test_candidates_before_the_dead_end_are_looked_at_once() -> None:
    """A rejected candidate is left behind, and so is what was before it in the queue.

    z, v0 and twenty others, link 0, and link 1, which is prohibited: the first dead end. From then on the search looks
    one step ahead, so link 0 of v1 is seen to be hopeless, and that of v2 as well. Then v3 is selected, and all others.
    """
    solution, observer = _searched(_chains(4, 2, shared=0))
    assert solution is not None
    assert solution.selected == ("z", "v3", *(f"{name} {number}" for name in ("other", "need") for number in range(20)))
    assert observer.conflicts == 3
    assert observer.candidates == (1 + 1 + 20 + 1 + 1) + 2 * (1 + 20 + 1) + (1 + 20 + 20)
    assert [identifier for identifier, _ in observer.passed if str(identifier).startswith("v")] == ["v0", "v1", "v2"]


def test_versions_that_fail_for_the_same_reason_take_one_dead_end() -> None:
    """After a rejection the next version is often wrong for the same reason, which a SAT solver knows by then.

    It is asked for the version that follows a rejected one, not for the choices after it.
    """
    for length in (2, 3, 4, 5):
        solution, observer = _searched(_chains(8, length, shared=length))
        assert solution is not None
        assert solution.selected[1] == "v7"
        assert observer.conflicts == 1, length
        # At most one question for each version and each selection of the dead end, and one more.
        assert observer.calls <= 8 + length + 1


def test_versions_that_share_an_api_with_what_is_wanted_take_one_dead_end() -> None:
    """The first shows that the API is what they share with c; each further version is known to have it before c comes.

    v7 alone does without the API. A group that only the versions share is never broken, and gets no clauses.
    """
    versions = [f"v{number}" for number in range(8)]
    clauses = set()
    for groups in (("api",), ("api", "package v"), ("package v", "api", "other")):
        variables: dict[Identifier, Sequence[Constraint]] = {
            "first": [Dependency(None, tuple(versions))],
            "last": [Dependency(None, ("c",))],
            **{name: [Exclusive(name, groups)] for name in versions[:-1]},
            "v7": [],
            "c": [Exclusive("c", ("api",))],
        }
        solution, observer = _searched(Variables(variables))
        assert solution is not None
        assert solution.selected == ("v7", "c")
        assert observer.conflicts == 1
        clauses.add(observer.clauses)
    assert len(clauses) == 1


class _Noting(PythonSolver):
    """A solver that notes the clauses of each solver."""

    clauses: ClassVar[list[list[frozenset[int]]]] = []

    def __init__(self) -> None:
        super().__init__()
        self.clauses.append([])

    def add_clause(self, literals: Sequence[int]) -> None:
        self.clauses[-1].append(frozenset(literals))
        super().add_clause(literals)


def test_hardly_a_clause_is_given_twice() -> None:
    """Thousands of dead ends share subjects, groups and lists of candidates, and each clause slows all questions.

    Two constraints may say the same, as when two bundles exclude each other; so a few clauses come twice.
    """
    known = twice = 0
    for seed in range(scaled(160)):
        _Noting.clauses.clear()
        attempt(layered(random.Random(f"clauses {seed}"), 4, 4), backend=Backend("noting", _Noting))
        for clauses in _Noting.clauses:
            known += len(clauses)
            twice += len(clauses) - len(set(clauses))
    assert known > scaled(1600)
    assert 10 * twice < known


class _Listed(tuple[Identifier, ...]):
    """Candidates that count how often they are read."""

    read = 0

    def __iter__(self) -> Iterator[Identifier]:
        type(self).read += 1
        return super().__iter__()


def test_a_list_that_requirements_share_joins_its_group_once() -> None:
    """Hundreds of bundles require the same, with one list of thousands of candidates.

    None of twenty bundles can have what it needs of package g: each requirement reads the list for its clause, and all
    of them together once for the group, and once to see that nothing in it does.
    """
    shared = _Listed(("v2", "v1"))
    names = [f"a{number}" for number in range(20)]
    variables: dict[Identifier, Sequence[Constraint]] = {
        "first": [Dependency(None, ("v0",), None, "g")],
        "last": [Dependency(None, tuple(names))],
        **{name: [Dependency(name, shared, None, "g")] for name in names},
        **{f"v{number}": [Exclusive(f"v{number}", ("g",))] for number in range(3)},
    }
    problem = Variables(variables)
    _Listed.read = 0
    assert attempt(problem, backend=PORTABLE) is None
    assert _Listed.read <= len(names) + 2


def test_needs_of_the_request_are_seen_from_the_start() -> None:
    """Two wishes for one package leave few of its versions: a bundle that needs another one is passed over at once."""
    variables: dict[Identifier, Sequence[Constraint]] = {
        "first": [Dependency(None, ("a1", "a0"))],
        "last": [Dependency(None, ("x0",), None, "x")],
        "a1": [Dependency("a1", ("x1",), None, "x")],
        "a0": [Dependency("a0", ("x0",), None, "x")],
        "x0": [Exclusive("x0", ("x",))],
        "x1": [Exclusive("x1", ("x",))],
    }
    solution, observer = _searched(Variables(variables))
    assert solution is not None
    assert solution.selected == ("a0", "x0")
    assert observer.conflicts == 0


def test_limits_are_looked_at_between_256_candidates() -> None:
    """A look takes longer than a candidate, and a thousand candidates less time than anybody notices."""
    names = [f"v{number}" for number in range(511)]
    problem = Variables(
        {"root": [Dependency(None, tuple(names))], **{name: [Prohibited(name)] for name in names[:-1]}, names[-1]: []}
    )
    for backend in (DECIDING, PORTABLE):
        budget = Checks(timeout=60)
        assert attempt(problem, backend=backend, budget=budget) is not None
        # The first look is at the question itself.
        assert budget.checks == 1 + 1
        assert budget.trace.candidates == 511


class _Cancelling(Closed):
    """A solver during whose first question somebody cancels."""

    cancelled: ClassVar[threading.Event]

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        self.cancelled.set()
        return None


def test_every_solver_is_closed() -> None:
    """Its memory is outside Python, so nobody else frees it; also if the search ends with an error."""
    Closed.made = Closed.closed = 0
    assert attempt(Variables({"a": [Mandatory("a")]}), backend=Closed) is not None
    # To see what a class can do takes one solver.
    assert Closed.made == Closed.closed == 1
    assert attempt(_chains(3, 2, shared=0), backend=Closed) is not None
    assert Closed.made == Closed.closed == 1 + 2
    _Cancelling.cancelled = threading.Event()
    with pytest.raises(Incomplete, match="cancel"):
        attempt(_chains(3, 2, shared=0), backend=_Cancelling, budget=Budget(cancel=_Cancelling.cancelled))
    assert Closed.made == Closed.closed == 1 + 2 + 2


class _Dense(Blocks):
    """Packages where dead ends are likely, so that a search walks their families."""

    dense = True


def test_a_bundle_may_hold_the_group_of_another_package() -> None:
    """Sets of bits have one value for each package, which says nothing of a bundle of another one in the same group.

    So a dense problem with such a bundle is searched through its constraints, and has the same answers.
    """
    solved = guests = 0
    for seed in range(scaled(2400)):
        drawn = some_packages(random.Random(f"guests {seed}"))
        reached = {name for name, _ in reachable(drawn)}
        if len(reached) > 8:
            continue
        problem = _Dense(drawn.variables, drawn.packages, drawn.masked)
        # The oracle would try all sets of the others.
        small = {name: own for name, own in drawn.variables.items() if name in reached or str(name).startswith("root")}
        answer, expected = solve(problem, backend=PORTABLE), oracle.preferred(Variables(small))
        assert (list(answer.selected) if isinstance(answer, Solution) else None) == expected, seed
        assert answer == solve(problem), seed
        solved += expected is not None
        shared = {group for name in reached & drawn.masked.keys() for group in drawn.masked[name].groups}
        guests += not shared.isdisjoint(drawn.packages)
    assert solved > scaled(480)
    assert guests > scaled(240)
