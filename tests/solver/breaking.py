"""Solvers that break the contract of backends, each in one way: what they answer, raise, forget or change."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, cast

from olmsolve.solver.backends import BackendLike, PythonSolver, from_command, from_function


class Breaking(PythonSolver):
    """A solver that is right but for what subclasses do; they may ask for *truth*."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> Any:
        self.asked += 1
        return self.verdict(assumptions, lambda: super(Breaking, self).solve(assumptions, conflicts=conflicts))

    def verdict(self, assumptions: Sequence[int], truth: Callable[[], bool | None]) -> Any:
        return truth()


def answering(verdict: Callable[[Any, Sequence[int], Callable[[], bool | None]], Any]) -> type[Breaking]:
    """Return a solver with this *verdict*."""
    return type("Answering", (Breaking,), {"verdict": verdict})


def telling(**methods: Callable[[Any], Any]) -> type[Breaking]:
    """Return a solver with these methods."""
    return type("Telling", (Breaking,), dict(methods))


def raising(error: BaseException) -> Callable[..., Any]:
    """Return a method that raises *error*."""

    def method(*_: object, **__: object) -> Any:
        raise error

    return method


class Sharing(Breaking):
    """Solvers with one set of clauses for all."""

    kept: ClassVar[list[Sequence[int]]] = []

    def add_clause(self, literals: Sequence[int]) -> None:
        super().add_clause(literals)
        if len(literals) == 1 and len(self.kept) < 3:
            self.kept.append([-literals[0]])
        for clause in self.kept:
            super().add_clause(clause)


class Forgetful(Breaking):
    """A solver that keeps its assumptions."""

    def verdict(self, assumptions: Sequence[int], truth: Callable[[], bool | None]) -> Any:
        answer = truth()
        for literal in assumptions:
            self.add_clause([literal])
        return answer


class Deaf(Breaking):
    """A solver that takes no clause after its first answer."""

    def add_clause(self, literals: Sequence[int]) -> None:
        if not self.asked:
            super().add_clause(literals)


class Greedy(Breaking):
    """A solver that changes what it is given."""

    def add_clause(self, literals: Sequence[int]) -> None:
        super().add_clause(literals)
        literals.clear()  # type: ignore[attr-defined]

    def verdict(self, assumptions: Sequence[int], truth: Callable[[], bool | None]) -> Any:
        answer = truth()
        assumptions.clear()  # type: ignore[attr-defined]
        return answer


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class Incomparable:
    def __eq__(self, other: object) -> bool:
        raise ValueError("not to be compared")

    def __hash__(self) -> int:
        return 0


def literals_of(solver: Any) -> list[int]:
    return list(PythonSolver.model(solver))


def core_of(solver: Any) -> list[int]:
    return list(PythonSolver.core(solver))


def coin() -> Callable[..., Any]:
    generator = random.Random(5)
    return lambda solver, assumptions, truth: (truth(), generator.random() < 0.7)[1]


def every(number: int) -> Callable[..., Any]:
    counter = itertools.count(1)
    return lambda solver, assumptions, truth: truth() is not (next(counter) % number == 0)


def endless() -> Iterator[int]:
    yield 1
    raise OSError("the literals broke off")


BREAKING: dict[str, BackendLike] = {
    # Verdicts.
    "always True": answering(lambda solver, assumptions, truth: (truth(), True)[1]),
    "always False": answering(lambda solver, assumptions, truth: (truth(), False)[1]),
    "always None": answering(lambda solver, assumptions, truth: None),
    "False under assumptions": answering(lambda solver, assumptions, truth: truth() and not assumptions),
    "False under three assumptions": answering(lambda solver, assumptions, truth: truth() and len(assumptions) < 3),
    "by a coin": answering(coin()),
    "wrong each third time": answering(every(3)),
    "wrong each seventh time": answering(every(7)),
    "without the assumptions": answering(lambda solver, assumptions, truth: PythonSolver.solve(solver)),
    "in words": answering(lambda solver, assumptions, truth: "SAT" if truth() else "UNSAT"),
    "as 2": answering(lambda solver, assumptions, truth: 2),
    "as a list": answering(lambda solver, assumptions, truth: [truth()]),
    "as something odd": answering(lambda solver, assumptions, truth: Incomparable()),
    # Models.
    "no model": telling(model=lambda solver: None),
    "an empty model": telling(model=lambda solver: []),
    "a model of words": telling(model=lambda solver: " ".join(map(str, literals_of(solver)))),
    "a model of halves": telling(model=lambda solver: [literal + 0.5 for literal in literals_of(solver)]),
    "a model with 0": telling(model=lambda solver: [*literals_of(solver), 0]),
    "a model of truth values": telling(model=lambda solver: [literal > 0 for literal in literals_of(solver)]),
    "a model both ways": telling(
        model=lambda solver: [*literals_of(solver), *(-literal for literal in literals_of(solver))]
    ),
    "a model upside down": telling(model=lambda solver: [-literal for literal in literals_of(solver)]),
    "half a model": telling(model=lambda solver: [literal for literal in literals_of(solver) if literal > 0][::2]),
    "a model that breaks off": telling(model=lambda solver: endless()),
    # Cores.
    "no core": telling(core=lambda solver: None),
    "a core of others": telling(core=lambda solver: [77_777]),
    "a core upside down": telling(core=lambda solver: [-literal for literal in core_of(solver)]),
    "too short a core": telling(core=lambda solver: core_of(solver)[1:]),
    "an empty core": telling(core=lambda solver: []),
    "a core of words": telling(core=lambda solver: list(map(str, core_of(solver)))),
    # Memory.
    "one memory for all": Sharing,
    "keeps its assumptions": Forgetful,
    "deaf after its answer": Deaf,
    "changes what it is given": Greedy,
    # Errors.
    "fails when asked": telling(solve=raising(ValueError("out of order"))),
    "fails without words": telling(solve=raising(UnprintableError())),
    "ends the program": telling(solve=raising(SystemExit(3))),
    "ends an iteration": telling(solve=raising(StopIteration())),
    "fails on a clause": telling(add_clause=raising(TypeError("no lists"))),
    "fails on its model": telling(model=raising(KeyError("model"))),
    "fails on its core": telling(core=raising(AssertionError())),
    "fails in the end": telling(close=raising(OSError("the device is busy"))),
    "fails at once": raising(RuntimeError("no license")),
    "makes nothing": cast("BackendLike", lambda: None),
    # Functions and programs.
    "a function that says True": from_function(lambda clauses: True, "says True"),  # type: ignore[arg-type,return-value]
    "a function of one model": from_function(lambda clauses: [1, 2, 3], "one model"),
    "a function that knows no model": from_function(lambda clauses: None, "knows none"),
    "a function that runs late": from_function(raising(TimeoutError()), "late"),
    "a program that says yes": from_command(["echo", "s SATISFIABLE"], "yes"),
    "a program that says no": from_command(["echo", "s UNSATISFIABLE"], "no"),
    "a program that says nothing": from_command(["true"], "nothing"),
}

# Their lies are about what cannot hold, which one solver alone cannot prove.
LIARS = {
    "always False",
    "False under assumptions",
    "False under three assumptions",
    "by a coin",
    "wrong each third time",
    "wrong each seventh time",
    "one memory for all",
    "keeps its assumptions",
    "a function that knows no model",
    "a program that says no",
}
