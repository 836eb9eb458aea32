"""Dense synthetic problems have one answer, whichever engine or backend finds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pytest

from olmsolve import Unsatisfiable, resolve
from olmsolve.solver import Constraint, Core, Dependency, Exclusive, Identifier, Solution, Trace, Variables, solve
from olmsolve.solver.deciding.core_oracle import Patience
from olmsolve.testing.synthetic import DenseShape, dense_problem
from tests.scale import LONG

BACKENDS = ["minisat22", "cadical153", "glucose4"]


def _problem(size: str, *, hard: bool, unsat: bool, seed: int = 2) -> Variables:
    """The generator's problem: versions of a package exclude each other, and higher ones are preferred."""
    problem = dense_problem(size, "hard" if hard else "easy", satisfiable=not unsat, seed=seed)
    requires = problem.requires

    def wanted(package: int, low: int, high: int) -> tuple[Identifier, ...]:
        return tuple(f"{package} {version}" for version in range(high, low - 1, -1))

    variables: dict[Identifier, Sequence[Constraint]] = {
        f"root {package}": [
            Dependency(None, wanted(package, 0, len(requires[package]) - 1), None, f"package {package}")
        ]
        for package in problem.roots
    }
    for package, rows in enumerate(requires):
        for version, row in enumerate(rows):
            subject = f"{package} {version}"
            needs = [Dependency(subject, wanted(*window), None, f"package {window[0]}") for window in row]
            variables[subject] = [Exclusive(subject, (f"package {package}", f"api {package}")), *needs]
    return Variables(variables)


@pytest.mark.parametrize("unsat", [False, True], ids=["sat", "unsat"])
@pytest.mark.parametrize("hard", [False, True], ids=["easy", "hard"])
def test_one_answer_on_every_backend(hard: bool, unsat: bool) -> None:
    """A thousand bundles that need each other leave room for many plans and many cores; only one is preferred."""
    problem = _problem("S", hard=hard, unsat=unsat)
    answer = solve(problem)
    assert isinstance(answer, Core if unsat else Solution)
    for backend in BACKENDS:
        assert solve(problem, backend=backend) == answer


def test_one_answer_for_twenty_thousand_bundles() -> None:
    """The engines differ most where there are thousands of choices."""
    problem = _problem("M", hard=False, unsat=False)
    assert solve(problem) == solve(problem, backend="minisat22")


@pytest.mark.parametrize(("kind", "seed"), [("hard", 1), ("easy", 9), ("hard", 15), ("hard", 28)])
def test_one_core_where_shorter_ways_to_it_went_wrong(kind: Literal["easy", "hard"], seed: int) -> None:
    """On these problems cores came out one or two constraints longer, when members were taken as needed too early."""
    request = dense_problem("S", kind, satisfiable=False, seed=seed).request()
    cores = []
    for backend in (None, "minisat22"):
        with pytest.raises(Unsatisfiable) as failure:
            resolve(request) if backend is None else resolve(request, backend=backend)
        cores.append(list(map(str, failure.value.core)))
    assert cores[0] == cores[1]
    assert len(cores[0]) == 83


@pytest.mark.parametrize(("kind", "seed"), [("easy", 22), ("easy", 953), ("hard", 73)])
def test_one_core_where_package_and_api_exclude_the_same_bundles(kind: Literal["easy", "hard"], seed: int) -> None:
    """The core names the API; with the package's own group off, two bundles may still not share the API."""
    request = dense_problem(DenseShape(20, 4, 2, 4), kind, satisfiable=False, seed=seed).request()
    cores = []
    for backend in (None, "minisat22"):
        with pytest.raises(Unsatisfiable) as failure:
            resolve(request) if backend is None else resolve(request, backend=backend)
        cores.append(list(map(str, failure.value.core)))
    assert cores[0] == cores[1]


@pytest.mark.parametrize("unsat", [False, True], ids=["sat", "unsat"])
def test_one_answer_however_far_the_engine_looks_ahead(unsat: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking ahead rules candidates out sooner, and never another one."""
    problems = [_problem("S", hard=True, unsat=unsat, seed=seed) for seed in (1, 2)]
    answers = [solve(problem, backend="minisat22") for problem in problems]
    monkeypatch.setattr("olmsolve.solver.deciding.engine._CONFLICTS_UNTIL_AHEAD", 1)
    for steps in (1, 2, 5):
        monkeypatch.setattr("olmsolve.solver.deciding.engine._STEPS_AHEAD", steps)
        assert [solve(problem) for problem in problems] == answers


def test_looking_ahead_spares_conflicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most conflicts of a dense problem come from a candidate that was not looked at before it had to be selected."""
    problem = _problem("M", hard=True, unsat=False)
    ahead, lazy = Trace(), Trace()
    answer = solve(problem, trace=ahead)
    monkeypatch.setattr("olmsolve.solver.deciding.engine._STEPS_AHEAD", 0)
    assert solve(problem, trace=lazy) == answer
    assert ahead.conflicts < 0.7 * lazy.conflicts


@pytest.mark.parametrize(
    ("shape", "kind", "seed"),
    [
        (DenseShape(20, 10, 3, 2), "hard", 297_845),
        (DenseShape(20, 20, 1, 2), "easy", 740_643),
        (DenseShape(30, 20, 3, 4), "easy", 984_669),
    ],
)
def test_no_question_for_a_core_takes_thousands_of_conflicts(
    shape: DenseShape, kind: Literal["easy", "hard"], seed: int
) -> None:
    """The engine refutes these in 25 conflicts, and took thousands for each question without one of their groups.

    A SAT solver, which chooses its own order, needs fewer than 20: it is asked after a few hundred.
    """
    request = dense_problem(shape, kind, satisfiable=False, seed=seed).request()
    with pytest.raises(Unsatisfiable) as failure:
        resolve(request)
    with pytest.raises(Unsatisfiable) as other:
        resolve(request, backend="minisat22")
    assert list(map(str, failure.value.core)) == list(map(str, other.value.core))
    assert failure.value.statistics.conflicts < 500
    assert failure.value.statistics.calls > 0


def test_the_core_of_a_large_problem_is_left_to_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A SAT solver reads all of 100,000 bundles and takes 90 s, the engine a second for a hundred conflicts.

    So the engine's patience grows with the problem. The short run has 20,000 bundles, whose core takes 59 conflicts.
    """
    granted: list[int] = []

    class NotedPatience(Patience):
        def __init__(self, conflicts: int) -> None:
            granted.append(conflicts)
            super().__init__(conflicts)

    monkeypatch.setattr("olmsolve.solver.core.Patience", NotedPatience)
    size, seed, most = ("L", 2, 200) if LONG else ("M", 1, 100)
    with pytest.raises(Unsatisfiable) as failure:
        resolve(dense_problem(size, "hard", satisfiable=False, seed=seed).request())
    assert failure.value.statistics.calls == 0
    assert failure.value.statistics.conflicts < most
    # Without the share of the candidates that the refutation has reached, it would be 200 and two for each conflict.
    assert granted[0] > 200 + 2 * failure.value.statistics.conflicts
