"""The work for one answer: how it is counted and limited, and what becomes of it between two questions."""

from __future__ import annotations

import pytest

from olmsolve.errors import BackendError, Incomplete
from olmsolve.solver import (
    Budget,
    Dependency,
    Exclusive,
    Mandatory,
    Prohibited,
    Session,
    Solution,
    Trace,
    Variables,
    solve,
)
from olmsolve.solver.backends import PythonSolver, create, find, from_command, from_function
from tests.solver.engines import decided_solution


def test_slices_end_with_the_conflicts() -> None:
    """The last slice is what is left; who has spent all gets no further one, and who has no limit gets full slices."""
    budget = Budget(conflicts=70)
    assert [budget.slice(0), budget.slice(30), budget.slice(69)] == [50, 40, 1]
    for spent in (70, 71):
        with pytest.raises(Incomplete):
            budget.slice(spent)
    assert Budget().slice(10**9) == 50


def test_slices_follow_the_speed_of_the_solver() -> None:
    """A slice should take a twentieth of a second: shorter ones are doubled, twice as long ones halved."""
    budget = Budget()
    for seconds, conflicts in [(0.01, 100), (0.05, 100), (0.06, 100), (0.1, 100), (0.11, 50), (1.0, 25)]:
        budget.learn(seconds)
        assert budget.slice(0) == conflicts
    for _ in range(20):
        budget.learn(0.0)
    assert budget.slice(0) == 50_000
    for _ in range(40):
        budget.learn(9.0)
    assert budget.slice(0) == 1


def test_clauses_and_calls_are_counted_once() -> None:
    """Observers add them up, so a clause counts for the question before which it came, and for no other."""
    budget = Budget()
    session = Session(find("minisat22"), budget)
    session.add_clause([1, 2])
    assert session.solve()
    session.add_clauses([[-1], [-2, 3]])
    assert session.solve([3])
    assert not session.solve([-3])
    session.close()
    assert (budget.trace.calls, budget.trace.clauses) == (3, 3)


class _Questions(Trace):
    """A trace that keeps what it is told of a SAT solver."""

    observed = True

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, object]] = []

    def asked(self, backend: str, assumptions: int) -> None:
        self.told.append((backend, assumptions))

    def answered(self, backend: str, answer: bool | None, seconds: float) -> None:
        self.told.append((backend, answer))


def test_observers_are_told_each_question_before_its_answer() -> None:
    """Whoever waits for a solver sees what it was asked, and not only when it is done."""
    budget = Budget()
    budget.trace = trace = _Questions()
    session = Session(find("minisat22"), budget)
    session.add_clause([1, 2])
    assert session.solve()
    assert not session.solve([-1, -2])
    session.close()
    assert trace.told == [("minisat22", 0), ("minisat22", True), ("minisat22", 2), ("minisat22", False)]


def test_conflicts_are_counted_from_the_first() -> None:
    """A solver with a limit stops at that conflict: what it has learned by then lets the next run go on.

    Variable 1 is tried as false first, which is the only conflict on the way to the model.
    """
    for conflicts, answer in [(1, None), (2, True), (None, True)]:
        solver = PythonSolver()
        solver.add_clause([1, 2])
        solver.add_clause([1, -2])
        assert solver.solve(conflicts=conflicts) is answer
        assert solver.solve(conflicts=1) is True


def test_work_is_counted_up() -> None:
    """Observers read these numbers: what a search looked at, and never less than nothing."""
    problem = Variables({"r": [Mandatory("r"), Dependency("r", ("a", "b"))], "a": [Prohibited("a")], "b": []})
    for backend in ("deciding", "python"):
        budget = Budget()
        assert isinstance(solve(problem, budget=budget, backend=backend), Solution)
        statistics = budget.trace.statistics()
        assert 1 <= statistics.candidates <= 10
        assert min(statistics.conflicts, statistics.calls, statistics.clauses, *statistics.seconds) >= 0


def test_phases_follow_each_other() -> None:
    """What was not reported took no time, and the last phase goes on until now."""
    trace = Trace()
    trace.end_search()
    posed, searched, cored, finished = trace.statistics().seconds
    assert posed == cored == 0
    assert searched > 0
    assert finished > 0
    trace.calls, trace.clauses, trace.conflicts, trace.candidates = 1, 2, 3, 4
    assert trace.statistics()[:4] == (4, 3, 1, 2)


@pytest.mark.parametrize(("length", "shown"), [(8, "1, 2, 3, 4, 5, 6, 7, 8"), (9, "1, 2, 3, 4, 5, 6, 7, 8, ...")])
def test_a_wrong_model_is_shown_by_its_clause(length: int, shown: str) -> None:
    """The first eight literals are enough to find the clause."""
    solver = create(from_function(lambda clauses: [-number for number in range(1, length + 1)], "odd"))
    solver.add_clause(list(range(1, length + 1)))
    with pytest.raises(BackendError) as caught:
        solver.solve()
    assert f"({shown})" in str(caught.value)


def test_a_command_is_named_after_its_program() -> None:
    """Messages name the backend, and the path of a program says less."""
    assert from_command(["/opt/bin/kissat", "-q"]).name == "kissat"
    assert from_command(["kissat", "-q"], name="mine").name == "mine"


def test_a_program_is_not_started_when_the_time_is_over() -> None:
    """Who has cancelled should not wait for a program, nor hear that it is missing."""
    missing = create(from_command(["/nowhere/solver"], "mine"))
    missing.add_clause([1])
    assert missing.solve(stop=lambda: True) is None
    with pytest.raises(BackendError, match="cannot run /nowhere/solver"):
        missing.solve(stop=lambda: False)
    with pytest.raises(BackendError, match="cannot run /nowhere/solver"):
        missing.solve()


def test_candidates_before_the_chosen_one_were_passed_over() -> None:
    """Observers are told which they were, and the constraint that rules each of them out."""
    banned = Prohibited("v3")
    problem = Variables(
        {
            "r": [Mandatory("r"), Dependency("r", ("v3", "v2", "v1"), group="g"), Dependency("r", ("x", "y"))],
            "v3": [Exclusive("v3", ("g",)), banned],
            "v2": [Exclusive("v2", ("g",)), Dependency("v2", ())],
            "v1": [Exclusive("v1", ("g",))],
            "x": [Prohibited("x")],
            "y": [],
        }
    )

    class Recorder(Trace):
        observed = True

        def passed_over(self, identifier: object, cause: object) -> None:
            passed[identifier] = cause

    passed: dict[object, object] = {}
    solution = decided_solution(problem, trace=Recorder())
    assert solution is not None
    assert solution.selected == ("r", "v1", "y")
    assert set(passed) == {"v3", "v2", "x"}
    assert passed["v3"] is banned
