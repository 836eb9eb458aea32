"""The deciding engine beside SAT solvers by name, on the dense problems: the answer, and the verdict alone."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Final

from benchmarks.measuring import table
from benchmarks.synthetic_problem import generated
from olmsolve import Request, Unsatisfiable, is_satisfiable, resolve
from olmsolve.catalog.index import index_of
from olmsolve.testing.synthetic import DenseProblem

__all__ = ["run"]

_ENGINES: Final = ("deciding", "minisat22", "glucose4", "cadical195")
# What takes longer than so many seconds is measured once.
_PATIENCE: Final = 4.0


def run(*, quick: bool = False) -> None:
    """Measure sizes S, M and L; *quick*: S, and M without the hard problems.

    Raises:
        AssertionError: two engines give different plans or cores.
    """
    print("CPU seconds from the ready index to the plan, or to the minimal core (least of 3), and their ratio:")
    rows = []
    for size in "SM" if quick else "SML":
        for hard in (False,) if quick and size == "M" else (False, True):
            for unsat in (False, True):
                rows += _rows(f"{size} {'hard' if hard else 'easy'}", generated(size, hard=hard, unsat=unsat), unsat)
    table(("", *_ENGINES), rows)


def _rows(name: str, problem: DenseProblem, unsat: bool) -> list[tuple[str, ...]]:
    """Return the table's rows for one *problem*: with a core and without if it has no solution."""
    answers = {engine: _least(problem, lambda request, by=engine: _answer(request, by)) for engine in _ENGINES}  # type: ignore[misc]
    assert len({answer for _, answer in answers.values()}) == 1, f"{name}: the engines differ"
    if not unsat:
        return [(name, *_cells([seconds for seconds, _ in answers.values()]))]
    verdicts = [
        _least(problem, lambda request, by=engine: is_satisfiable(request, backend=by))[0]  # type: ignore[misc]
        for engine in _ENGINES
    ]
    return [
        (f"{name}, core", *_cells([seconds for seconds, _ in answers.values()])),
        (f"{name}, no solution", *_cells(verdicts)),
    ]


def _least(problem: DenseProblem, ask: Callable[[Request], object]) -> tuple[float, object]:
    """Return the least CPU seconds of three questions, each over a new index, and the answer."""
    least = float("inf")
    answer: object = None
    for _ in range(3):
        catalog = problem.catalog()
        index_of(catalog)
        request = problem.request(catalog)
        gc.collect()
        started = time.process_time()
        answer = ask(request)
        taken = time.process_time() - started
        least = min(least, taken)
        if taken > _PATIENCE:
            break
    return least, answer


def _answer(request: Request, backend: str) -> tuple[str, ...]:
    try:
        return tuple(map(str, resolve(request, backend=backend).installs))
    except Unsatisfiable as failure:
        return tuple(map(str, failure.core))


def _cells(seconds: list[float]) -> list[str]:
    return [f"{seconds[0]:.4f}", *(f"{each:.4f} ({each / seconds[0]:.1f}x)" for each in seconds[1:])]
