"""Backends that break their contract: no wrong plan, no wrong core, no hang, and no error but one that names them."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

import pytest

import olmsolve
from olmsolve.errors import BackendError
from olmsolve.solver import Budget, Constraint, Core, Dependency, Exclusive, Prohibited, Solution, Variables, solve
from olmsolve.solver.backends import Backend, BackendLike, PythonSolver, checked, find, is_ours
from olmsolve.solver.clauses import CNF
from olmsolve.testing import backends as kit
from tests.scale import LONG, scaled
from tests.solver.breaking import BREAKING, LIARS, Sharing


def problem_of(generator: random.Random) -> Variables:
    """Return a problem whose queue comes to dead ends; about half of them have no solution."""
    names = [f"{package}{version}" for package in "abcdef" for version in range(3)]
    variables: dict[Any, list[Constraint]] = {}
    for name in names:
        constraints: list[Constraint] = [Exclusive(name, (name[0],))]
        needs = [generator.sample(names, generator.randint(1, 3)) for _ in range(generator.randint(0, 3))]
        constraints += [Dependency(name, tuple(need)) for need in needs]
        if generator.random() < 0.3:
            constraints.append(Prohibited(name))
        variables[name] = constraints
    for number in range(3):
        wanted = generator.choice("abcdef")
        variables[f"root {number}"] = [
            Dependency(None, tuple(candidate for candidate in names if candidate[0] == wanted))
        ]
    return Variables(variables)


def pigeons(holes: int) -> Variables:
    """Return one pigeon more than *holes*, each of which takes a hole of its own: hard to refute."""
    variables: dict[Any, list[Constraint]] = {}
    for pigeon in range(holes + 1):
        names = [f"{pigeon} in {hole}" for hole in range(holes)]
        variables[f"root {pigeon}"] = [Dependency(None, tuple(names))]
        variables |= {name: [Exclusive(name, (f"hole {hole}",))] for hole, name in enumerate(names)}
    return Variables(variables)


def outcome(problem: Variables, backend: BackendLike) -> Solution | Core | BackendError:
    """Return the answer of *backend*, or its error; anything else that is raised is a fault."""
    Sharing.kept.clear()
    try:
        return solve(problem, backend=backend)
    except BackendError as error:
        return error


PROBLEMS = [problem_of(random.Random(seed)) for seed in range(scaled(240))]
ANSWERS = [solve(problem) for problem in PROBLEMS]


def test_the_problems_ask_for_both_answers() -> None:
    """Problems of one kind would show half of what a backend can break."""
    kinds = [type(answer) for answer in ANSWERS]
    assert min(kinds.count(Solution), kinds.count(Core)) > len(kinds) / 8
    assert len(BREAKING) >= 33


@pytest.mark.parametrize("name", BREAKING)
def test_a_checked_backend_is_right_or_refused(name: str) -> None:
    """With every "no" proved, an answer is that of every other backend, or there is none."""
    try:
        backend = checked(BREAKING[name])
    except BackendError:
        assert name in ("fails at once", "makes nothing", "fails in the end")
        return
    started = time.monotonic()
    outcomes = [outcome(problem, backend) for problem in PROBLEMS]
    assert all(
        isinstance(actual, BackendError) or actual == answer for actual, answer in zip(outcomes, ANSWERS, strict=True)
    )
    errors = [actual for actual in outcomes if isinstance(actual, BackendError)]
    assert all(error.backend == backend.name for error in errors)
    # Some faults do no harm: a copy is given away, and a solver of its own is made for each question.
    assert errors or name in ("changes what it is given", "deaf after its answer")
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("name", sorted(BREAKING))
def test_a_backend_by_itself_gives_no_wrong_core(name: str) -> None:
    """Without a second solver, plans of liars may be wrong; models and cores never are, and errors name the backend."""
    for problem, answer in zip(PROBLEMS, ANSWERS, strict=True):
        actual = outcome(problem, BREAKING[name])
        if isinstance(actual, Solution) and name in LIARS:
            assert isinstance(answer, Solution)
        else:
            assert isinstance(actual, BackendError) or actual == answer


class _No(PythonSolver):
    """A solver that says no to every question, for the sake of all that it assumes."""

    assumed: Sequence[int] = ()

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        self.assumed = list(assumptions)
        return False

    def core(self) -> Sequence[int]:
        return self.assumed


class _NoToMany(_No):
    """A solver that says no for the sake of any four assumptions, and to a question without any."""

    lies = False

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        truth = PythonSolver.solve(self, assumptions)
        self.lies = bool(truth) and len(assumptions) not in (1, 2, 3)
        self.assumed = assumptions[:4]
        return truth and not self.lies

    def core(self) -> Sequence[int]:
        return self.assumed if self.lies else PythonSolver.core(self)


def test_an_error_shows_three_constraints_that_can_hold_together() -> None:
    """Whoever wrote the solver looks for its fault there; a core may have hundreds of constraints."""
    variables: dict[Any, list[Constraint]] = {}
    for number in range(5):
        variables[f"root {number}"] = [Dependency(None, (f"a{number}", f"b{number}"))]
        variables[f"a{number}"] = [Dependency(f"a{number}", (f"c{number}",))]
        variables |= {f"b{number}": [], f"c{number}": [Prohibited(f"c{number}")]}
    problem = Variables(variables)
    beginning = "answered that these constraints cannot hold together, although they can: "
    shown = "; ".join(f"the request requires at least one of a{number}, b{number}" for number in range(3))
    for solver, constraints in ((_No, "no constraint at all"), (_NoToMany, shown)):
        with pytest.raises(BackendError) as error:
            solve(problem, backend=Backend("liar", solver))
        assert error.value.reason == beginning + constraints


@pytest.mark.parametrize("backend", ["minisat22", "glucose4", PythonSolver, "lingeling"])
def test_honest_backends_stay_right_when_they_are_checked(backend: BackendLike) -> None:
    """Checks that refuse what is right would be worth as little as none."""
    both = checked(backend)
    assert both.name == find(backend).name
    assert not is_ours(both)
    assert [outcome(problem, both) for problem in PROBLEMS] == ANSWERS
    assert kit.failures(both, samples=60 if LONG else 12) == {}


def test_proofs_keep_the_limits_of_their_question() -> None:
    """A solver that is quick with its "no" must not have us prove it for hours."""

    class Quick(PythonSolver):
        def solve(self, assumptions: Any = (), *, conflicts: int | None = None, stop: Any = bool) -> bool | None:
            return False

        def core(self) -> Any:
            return []

    solver = checked(Quick).create()
    problem = pigeons(11)
    for clause in CNF(problem).clauses():
        solver.add_clause(clause.literals)
    asking: Any = solver
    assert asking.solve(conflicts=100) is None
    ends = time.monotonic() + 0.1
    assert asking.solve(stop=lambda: time.monotonic() > ends) is None
    assert time.monotonic() - ends < 2
    with pytest.raises(BackendError, match="cannot be stopped"):
        solve(problem, backend=checked(BREAKING["a function of one model"]), budget=Budget(timeout=0.1))


def test_the_engine_cannot_be_checked() -> None:
    """It answers no clauses, and who asks for a check must not believe that there was one."""
    for given in ({"backend": "deciding"}, {"backend": "python", "by": "deciding"}):
        with pytest.raises(BackendError, match="decides for itself"):
            checked(**given)


def test_whole_requests_and_explanations_end(failure: olmsolve.Request) -> None:
    """A backend that always says no gave an empty core, and its explanation took ten minutes."""
    with pytest.raises(olmsolve.Unsatisfiable) as caught:
        olmsolve.resolve(failure)
    expected = caught.value.core
    for name in ("always False", "an empty core", "too short a core", "a program that says no"):
        for backend in (BREAKING[name], checked(BREAKING[name])):
            try:
                olmsolve.resolve(failure, backend=backend)
            except olmsolve.Unsatisfiable as unsatisfiable:
                reasons = unsatisfiable.core
                text = str(olmsolve.explanation(unsatisfiable, timeout=10.0))
                assert reasons == expected
                assert text
            except BackendError as error:
                assert error.backend == find(backend).name  # noqa: PT017


@pytest.fixture
def failure() -> olmsolve.Request:
    """A request that cannot be satisfied, and whose search has dead ends."""
    from olmsolve.testing import synthetic

    return synthetic.request("S", "hard", satisfiable=False)
