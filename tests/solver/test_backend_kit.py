"""The kit for backends: what conforms passes, and each kind of fault is found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pytest

from olmsolve.solver.backends import Backend, PythonSolver, create, names
from olmsolve.testing import backends as kit
from tests.scale import LONG
from tests.solver.foreign import FOREIGN
from tests.solver.own_solvers import KNOWN, CrashingSolver, Stoppable, Whole, WrongSolver

SAMPLES = 200 if LONG else 24
TRIED = (*KNOWN, "lingeling", "maplesat", "python")
# Glucose writes proofs too, so all checks are for it.
CHECKS = tuple(check.name for check in kit.checks("glucose4"))


@pytest.mark.parametrize("name", [name for name in names() if LONG or name in TRIED])
@pytest.mark.parametrize("check", CHECKS)
def test_our_backends_conform(name: str, check: str) -> None:
    """The kit holds for what is shipped; the short run takes five of python-sat's solvers."""
    for kit_check in kit.checks(name, samples=SAMPLES):
        if kit_check.name == check:
            kit_check()


@pytest.mark.parametrize("solver", [Whole, Stoppable], ids=["whole", "stoppable"])
def test_the_least_that_a_solver_can_do_is_enough(solver: Callable[[], Any]) -> None:
    """Three methods, one answer: assumptions and cores are made up for, and pass the checks for solvers with them."""
    assert kit.failures(solver, samples=SAMPLES // 2) == {}
    assert {"assumptions", "cores"} <= kit.untried(solver).keys()
    completed = Backend("completed", lambda: create(solver))
    tried = {check.name: check for check in kit.checks(completed, samples=SAMPLES // 2)}
    for name in ("clauses one by one", "solvers side by side", "assumptions", "cores"):
        tried[name]()


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_backends_conform(name: str) -> None:
    """What the documentation shows is right, whatever kind of thing the solver is."""
    assert kit.failures(FOREIGN[name](), samples=8 if LONG else 4) == {}


class _Optimist(WrongSolver):
    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        super().solve(assumptions)
        return True


class _Pessimist(WrongSolver):
    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        return bool(super().solve(assumptions)) and not assumptions


class _WrongModel(WrongSolver):
    def model(self) -> Sequence[int]:
        return [-literal for literal in super().model()]


class _NoLiterals(WrongSolver):
    def model(self) -> Sequence[int]:
        return [0, *super().model()]


class _BothWays(WrongSolver):
    def model(self) -> Sequence[int]:
        return [*super().model(), *(-literal for literal in super().model())]


class _Hasty(WrongSolver):
    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        return True if conflicts == 1 else super().solve(assumptions, conflicts=conflicts)


class _Late(WrongSolver):
    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        time.sleep(0.25)
        return super().solve(assumptions, conflicts=conflicts)


class _WrongCore(WrongSolver):
    def core(self) -> Sequence[int]:
        return super().core()[1:]


class _ForeignCore(WrongSolver):
    def core(self) -> Sequence[int]:
        return [77]


class _Forgetful(WrongSolver):
    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        verdict = super().solve(assumptions)
        for literal in assumptions:
            self.add_clause([literal])
        return verdict


class _Sharing(WrongSolver):
    _kept: ClassVar[list[Sequence[int]]] = []

    def add_clause(self, literals: Sequence[int]) -> None:
        super().add_clause(literals)
        if len(literals) == 1 and len(self._kept) < 1:
            self._kept.append(literals)
        for clause in self._kept:
            super().add_clause(clause)


@pytest.mark.parametrize(
    ("solver", "check"),
    [
        (_Optimist, "random clauses"),
        (_Pessimist, "assumptions"),
        (_WrongModel, "random clauses"),
        (_NoLiterals, "random clauses"),
        (_BothWays, "random clauses"),
        (_Hasty, "limits"),
        (_Pessimist, "whole requests"),
        (_WrongCore, "cores"),
        (_ForeignCore, "cores"),
        (_Forgetful, "assumptions"),
        (_Sharing, "solvers side by side"),
        (CrashingSolver, "clauses one by one"),
    ],
)
def test_the_kit_finds_faults(solver: Callable[[], PythonSolver], check: str) -> None:
    """A kit that passes everything would be worse than none."""
    by_name = {kit_check.name: kit_check for kit_check in kit.checks(solver, samples=40)}
    with pytest.raises(kit.NonconformanceError):
        by_name[check]()


def test_a_limit_that_is_met_late_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever gives half a second does not wait for two."""
    monkeypatch.setattr(kit, "_PATIENCE", 0.0)
    with pytest.raises(kit.NonconformanceError, match=r"was met \d\.\d seconds late"):
        next(check for check in kit.checks(_Late) if check.name == "limits")()


def test_proofs_are_checked() -> None:
    """A step that does not follow is a fault, and so is a proof that stops short."""
    for prove in (lambda clauses: [(1,), ()], lambda clauses: None, lambda clauses: []):
        backend = Backend("proving", PythonSolver, prove=prove)
        by_name = {check.name: check for check in kit.checks(backend, samples=30)}
        with pytest.raises(kit.NonconformanceError):
            by_name["proofs"]()


@pytest.mark.parametrize("backend", [*TRIED, "deciding", Whole, Stoppable])
def test_each_check_is_tried_or_has_a_reason(backend: Any) -> None:
    """ "passed" is said of what was asked of the solver, and of nothing that olmsolve does in its place."""
    tried, untried = [str(check) for check in kit.checks(backend)], kit.untried(backend)
    assert sorted([*tried, *untried]) == sorted(CHECKS)
    assert all(untried.values())


def test_what_is_not_tried_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The author of a solver without assumptions learns that they were not tested, and that none are needed."""
    assert kit.main(["tests.solver.own_solvers:Whole", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "passed  assumptions" not in lines
    assert [line.partition(":")[0] for line in lines if line.startswith("not tried")] == [
        "not tried  assumptions",
        "not tried  cores",
        "not tried  limits",
        "not tried  proofs",
    ]


def test_the_kit_runs_without_pytest(capsys: pytest.CaptureFixture[str]) -> None:
    """Who writes a backend may use another test runner, or none."""
    assert kit.main(["olmsolve.solver.backends:PythonSolver", "20"]) == 0
    assert "passed  whole requests" in capsys.readouterr().out
    assert kit.main(["tests.solver.own_solvers:CrashingSolver", "20"]) == 1
    assert "out of order" in capsys.readouterr().out
    for wrong in (["nonesuch"], ["nowhere:x"], ["olmsolve:x"], [], ["python", "few"]):
        assert kit.main(wrong) == 2
        assert capsys.readouterr().err
