"""Questions to a SAT solver within a budget: asked in slices, ended in time, counted, and told to an observer."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, ClassVar

import pytest

import olmsolve
from olmsolve import BackendError, Incomplete, events
from olmsolve.solver import (
    Budget,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    Identifier,
    Mandatory,
    MaskedNeeds,
    Prohibited,
    Session,
    Solution,
    ToldTrace,
    Trace,
    Variables,
    attempt,
    solve,
)
from olmsolve.solver.backends import Backend, StoppedBy
from tests.solver.dense import dense
from tests.solver.test_families import Packages


class Scripted:
    """A solver that gives *answers* in turn, the last one for ever, and notes the limits that it is given."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.limits: list[dict[str, Any]] = []
        self.closed = 0

    def add_clause(self, literals: Sequence[int]) -> None:
        """Take no note of it."""

    def solve(self, assumptions: Sequence[int] = (), **limits: Any) -> Any:
        self.limits.append(limits)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(**limits) if callable(answer) else answer

    def model(self) -> Sequence[int]:
        return [1, 2, 3, 7]

    def core(self) -> Sequence[int]:
        return [-7]

    def close(self) -> None:
        self.closed += 1


def session_of(solver: Scripted, budget: Budget, stopped_by: StoppedBy = StoppedBy.CONFLICTS) -> Session:
    return Session(Backend("scripted", lambda: solver, stopped_by=stopped_by, install="a-package"), budget)


class Even(Budget):
    """A budget whose slices stay as long as the first; it notes the seconds of each."""

    def __init__(self, **limits: Any) -> None:
        super().__init__(**limits)
        self.seconds: list[float] = []

    def learn(self, seconds: float) -> None:
        self.seconds.append(seconds)


def conflicts_of(solver: Scripted) -> list[object]:
    return [limits.get("conflicts") for limits in solver.limits]


def test_a_limited_question_is_asked_in_slices() -> None:
    """Nothing ends a solver between two looks at the limits, so each slice has its number of conflicts."""
    solver, budget = Scripted(None), Even(timeout=600)
    assert session_of(solver, budget).solve_within(120, ()) is None
    assert conflicts_of(solver) == [50, 50, 20]
    assert len(budget.seconds) == 3
    assert all(0 <= seconds < 60 for seconds in budget.seconds)
    solver = Scripted(None, None, True)
    assert session_of(solver, Even(timeout=600)).solve() is True
    assert conflicts_of(solver) == [50, 50, 50]


def test_no_slice_goes_beyond_the_conflicts_of_the_budget() -> None:
    """The last slice has what is left, whether the question has a limit of its own or not."""
    for most in (None, 500):
        solver = Scripted(None)
        session = session_of(solver, Even(conflicts=70))
        with pytest.raises(Incomplete, match="conflict"):
            session.solve() if most is None else session.solve_within(most, ())
        assert conflicts_of(solver) == [50, 20]


def test_a_limit_of_one_question_is_for_solvers_that_count() -> None:
    """Without a budget it is one slice; a solver that counts no conflicts is not told of any."""
    solver = Scripted(None)
    assert session_of(solver, Budget()).solve_within(70, ()) is None
    assert solver.limits == [{"conflicts": 70}]
    solver = Scripted(True)
    assert session_of(solver, Budget(), StoppedBy.FUNCTION).solve_within(70, ()) is True
    assert session_of(solver, Budget()).solve() is True
    assert solver.limits == [{}, {}]


def test_a_solver_that_asks_is_told_when_to_stop() -> None:
    """Who has cancelled gets no answer: before the question, the solver is not even asked."""
    cancelled = threading.Event()
    stops: list[bool] = []

    def until_cancelled(stop: Callable[[], bool]) -> bool | None:
        stops.append(stop())
        cancelled.set()
        stops.append(stop())
        return None

    solver = Scripted(until_cancelled)
    session = session_of(solver, Budget(cancel=cancelled), StoppedBy.FUNCTION)
    for _ in range(2):
        with pytest.raises(Incomplete, match="cancel"):
            session.solve()
    assert stops == [False, True]
    assert session_of(Scripted(True), Budget(timeout=600), StoppedBy.FUNCTION).solve() is True


@pytest.mark.parametrize("timeout", [None, 600], ids=["without limits", "with limits"])
def test_no_answer_without_a_reason_is_an_error(timeout: float | None) -> None:
    """It is none of the limits', so the solver is to blame."""
    with pytest.raises(BackendError, match="no answer, although no limit was met"):
        # A budget's time begins when it is made: here, and not when tests are collected.
        session_of(Scripted(None), Budget(timeout=timeout), StoppedBy.FUNCTION).solve()


def test_answers_are_truth_values() -> None:
    """Solvers in C answer with numbers; models, cores and the end go to the solver."""
    solver = Scripted(1, 0)
    session = session_of(solver, Budget())
    assert session.solve() is True
    assert session.solve([-7]) is False
    assert (session.model(), session.core()) == ([1, 2, 3, 7], [-7])
    session.close()
    assert solver.closed == 1


def test_failures_of_a_solver_are_said() -> None:
    """A module that is imported late is missing late, and the message says what to install all the same."""
    for error, message in [
        (ModuleNotFoundError("no", name="lib.part"), "needs the module lib.part, which is missing: pip install a-pack"),
        (ZeroDivisionError("by 0"), "failed with ZeroDivisionError: by 0"),
        (BackendError("other", "its own words"), "its own words"),
    ]:
        with pytest.raises(BackendError, match=message):
            session_of(Scripted(error), Budget()).solve()


class Heard(events.Observer):
    """An observer that keeps what it is told of conflicts and SAT solvers."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def learnt(self, event: events.ConflictLearnt) -> None:
        self.events.append(event)

    def backend_asked(self, event: events.BackendAsked) -> None:
        self.events.append(event)

    def backend_answered(self, event: events.BackendAnswered) -> None:
        self.events.append(event)


def test_an_observer_hears_of_questions_and_conflicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clauses are counted up to the question, and seconds from the question to its answer."""
    monkeypatch.setattr(events, "now", lambda: 99.0)
    heard = Heard()
    budget = Budget()
    budget.trace = ToldTrace(heard)
    session = session_of(Scripted(True), budget)
    session.add_clause([1])
    session.add_clauses([[2], [3]])
    monkeypatch.setattr("time.perf_counter", accumulate([100.0, 4.0]).__next__)
    assert session.solve([1, 2])
    budget.trace.conflicts += 5
    budget.trace.learnt(2)
    assert heard.events == [
        events.BackendAsked("scripted", 3, 2, 99.0),
        events.BackendAnswered("scripted", True, 99.0, 4.0),
        events.ConflictLearnt(5, 2, 99.0),
    ]


def test_the_observer_of_a_scope_is_told_of_each_question() -> None:
    """Who gives a trace of their own has no use for it; without both, the search has nobody to tell."""
    heard = Heard()
    with olmsolve.observed(heard):
        assert attempt(Variables(DEAD_END), backend="python", trace=Trace()) is not None
        assert heard.events == []
        assert attempt(Variables(DEAD_END), backend="python") is not None
    recorded = list(heard.events)
    assert {type(event) for event in recorded} == {events.BackendAsked, events.BackendAnswered, events.ConflictLearnt}
    assert attempt(Variables(DEAD_END), backend="python") is not None
    assert heard.events == recorded
    assert Trace().statistics()[:4] == (0, 0, 0, 0)


def test_phases_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each phase lasts from the end of the one before; one that was not reached takes no time."""
    for steps, expected in [
        (("begin_search", "end_search", "end"), (2, 4, 8, 16)),
        (("begin_search", "end_search"), (2, 4, 0, 8)),
        (("begin_search",), (2, 0, 0, 4)),
        ((), (0, 0, 0, 2)),
        (("end_search",), (0, 2, 0, 4)),
    ]:
        monkeypatch.setattr("time.perf_counter", accumulate([1.0, 2.0, 4.0, 8.0, 16.0]).__next__)
        trace = Trace()
        for step in steps:
            getattr(trace, step)()
        assert trace.statistics().seconds == expected


class Noted(Trace):
    """A trace that notes the phases."""

    def __init__(self) -> None:
        super().__init__()
        self.phases: list[str] = []

    def begin_search(self) -> None:
        self.phases.append("begin")

    def end_search(self) -> None:
        self.phases.append("end")


class Recorder(Noted):
    """A trace that is observed, and notes what was passed over."""

    observed = True

    def __init__(self) -> None:
        super().__init__()
        self.passed: dict[Identifier, object] = {}

    def passed_over(self, identifier: Identifier, cause: object) -> None:
        self.passed[identifier] = cause


EASY = Variables({"a": [Mandatory("a"), Dependency("a", ("b", "c"))], "b": [Prohibited("b")], "c": []})
REFUTED = Variables({"a": [Mandatory("a"), Prohibited("a")]})


@pytest.mark.parametrize("backend", ["deciding", "python"])
def test_both_entrances_tell_the_trace_that_they_are_given(backend: str) -> None:
    """The phases of a question are measured, whatever its answer is."""
    for problem, kind in ((EASY, Solution), (REFUTED, Core)):
        for entrance in (solve, attempt):
            trace, budget = Noted(), Budget()
            answer = entrance(problem, backend=backend, budget=budget, trace=trace)
            assert trace.phases == ["begin", "end"]
            assert budget.trace is trace
            assert isinstance(answer, type(None) if kind is Core and entrance is attempt else kind)


DEAD_END: dict[Identifier, Sequence[Constraint]] = {
    "a": [Dependency(None, ("b1", "b2"))],
    "c": [Dependency(None, ("c1",))],
    "b1": [Exclusive("b1", ("b",)), Dependency("b1", ("d1",))],
    "b2": [Exclusive("b2", ("b",))],
    "c1": [Dependency("c1", ("d2",))],
    "d1": [Exclusive("d1", ("d",))],
    "d2": [Exclusive("d2", ("d",))],
}


def test_a_request_without_dead_ends_needs_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """To set it up takes longer than to look at the first candidates, which most requests take."""

    def engine(*_: object, **__: object) -> None:
        raise AssertionError("not needed")

    monkeypatch.setattr("olmsolve.solver.deciding.Engine", engine)
    solution = attempt(EASY)
    assert solution is not None
    assert solution.selected == ("a", "c")
    with pytest.raises(AssertionError, match="not needed"):
        attempt(Variables(DEAD_END))


def test_work_on_a_dead_end_is_counted_and_told() -> None:
    """The first candidate of the first root leads nowhere, which no glance at it shows."""
    for backend in ("deciding", "python"):
        budget, trace = Budget(), Recorder()
        solution = attempt(Variables(DEAD_END), backend=backend, budget=budget, trace=trace)
        assert solution is not None
        assert solution.selected == ("b2", "c1", "d2")
        # A search may have tried others before it came back.
        assert "b1" in trace.passed
        assert trace.statistics().candidates > 0


class Walked(Packages):
    """Dense packages that note whether somebody reads their needs as sets of bits, as a walk of families does."""

    dense = True
    walks: ClassVar[list[Identifier]] = []

    def masked_needs(self, identifier: Identifier) -> MaskedNeeds | None:
        self.walks.append(identifier)
        return super().masked_needs(identifier)


def test_dense_problems_are_walked_by_families_unless_somebody_looks_on() -> None:
    """That takes a fraction of the time, but does not know why a candidate is passed over; answers are the same."""

    class WalkedIfDense(Walked):
        dense = False

    solutions = walked = 0
    for seed in range(30):
        packages = dense(random.Random(f"dense {seed}"))
        expected = attempt(packages)
        solutions += expected is not None
        for kind, trace in [(Walked, None), (Walked, Recorder()), (WalkedIfDense, None)]:
            Walked.walks.clear()
            problem = kind(packages.variables, packages.packages, packages.masked)
            assert attempt(problem, backend="python", trace=trace) == expected, seed
            assert not Walked.walks or (kind is Walked and trace is None)
            walked += bool(Walked.walks)
    assert 0 < solutions < 30
    assert walked > 20


@pytest.mark.parametrize("backend", ["deciding", "python"])
def test_who_has_cancelled_gets_no_answer(backend: str) -> None:
    """Even where the answer would take no time: a second question would not know that it is the last."""
    cancelled = threading.Event()
    cancelled.set()
    for entrance in (solve, attempt):
        with pytest.raises(Incomplete, match="cancel"):
            entrance(EASY, backend=backend, budget=Budget(cancel=cancelled))


def test_a_slice_looks_at_the_limits_first() -> None:
    """A slice after the last one would keep who has cancelled waiting."""
    cancelled = threading.Event()
    budget = Budget(cancel=cancelled)
    assert budget.slice(0) == 50
    cancelled.set()
    with pytest.raises(Incomplete, match="cancel"):
        budget.slice(0)


def test_a_budget_keeps_the_limits_around_it() -> None:
    """The limits of a scope hold for every question inside."""
    with olmsolve.limited(conflicts=7):
        assert Budget().conflicts == 7
        assert Budget(conflicts=9).slice(0) == 7
        assert Budget(conflicts=5).slice(0) == 5


def test_a_dense_problem_is_not_glanced_at() -> None:
    """Where dead ends are likely, the glance would be in vain, and the engine looks at fewer candidates by itself."""

    class Dense(Variables):
        dense = True

    # The glance takes both wishes and finds no third candidate; the engine sees at once that none is left.
    wishes = [Dependency(None, candidates, None, "g") for candidates in (("a", "b"), ("b", "c"), ("c", "a"))]
    variables: dict[Identifier, Sequence[Constraint]] = {name: [Exclusive(name, ("g",))] for name in "abc"}
    variables["roots"] = wishes
    candidates = []
    for kind in (Variables, Dense):
        trace = Trace()
        assert attempt(kind(variables), trace=trace) is None
        candidates.append(trace.candidates)
    assert candidates[0] > candidates[1]
