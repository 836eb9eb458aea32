"""A solver of others, held to its answers: models meet the clauses, cores are of the question, errors are named.

The clauses are kept, and each model is compared with them. That would cost all clauses for each answer, so each clause
is kept under one literal that met it in the last model. A new model costs the clauses under the literals that it turns:

    clauses (1 2) and (-1 3), model 1 3       (1 2) is kept under 1, (-1 3) under 3
    model 2 3                                 1 is turned, so (1 2) is looked at once more, and kept under 2

A solver that is new, or that nobody trusts yet, may be *checked*: another solver then proves each of its refutations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import index
from typing import Any, Final, NoReturn, TypeVar

from olmsolve._records import evolve
from olmsolve.errors import BackendError
from olmsolve.solver.backends import DECIDING
from olmsolve.solver.backends.completing import CompleteSolver, create
from olmsolve.solver.backends.model import Backend, BackendLike, guarded_call
from olmsolve.solver.backends.registry import find, prover

T = TypeVar("T")

# How many literals a message lists.
_SHOWN: Final = 8
# Conflicts of a proof between two looks at whether to stop.
_SLICE: Final = 1000


class GuardedSolver:
    """A new solver of *backend*, whose answers are checked as far as one solver alone can be.

    A True is believed with its model, which has to meet every clause and assumption. After a False, the core has to be
    a part of the assumptions; the last model must not meet it, and the solver itself has to refute it, asked about the
    core alone. That all assumptions cannot hold is believed: :func:`~olmsolve.solver.backends.checked` has it proved.

    Raises:
        BackendError: from each method, where the solver fails or contradicts itself; it names the backend.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend: Final = backend
        self._solver: CompleteSolver = self._guarded(lambda: create(backend))
        # Clauses that no model was compared with yet, and the others by the literal that met them in the last model.
        self._new: list[tuple[int, ...]] = []
        self._met: dict[int, list[tuple[int, ...]]] = {}
        self._true: frozenset[int] = frozenset()
        self._has_model = False
        self._model: Sequence[int] = ()
        self._refuted: Sequence[int] = ()
        self._core: Sequence[int] | None = None
        self._limits: dict[str, Any] = {}

    @property
    def inner(self) -> CompleteSolver:
        """The solver itself."""
        return self._solver

    def add_clause(self, literals: Sequence[int]) -> None:
        """Require one of *literals*."""
        clause = tuple(literals)
        self._new.append(clause)
        # A list of its own: solvers may change what they are given.
        self._guarded(lambda: self._solver.add_clause(list(clause)))

    def solve(self, assumptions: Sequence[int] = (), **limits: Any) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*, None if one of *limits* ended it."""
        answer = self._solve(assumptions, limits)
        if answer:
            self._believe(assumptions)
        elif answer is not None:
            self._refuted, self._limits, self._core = tuple(assumptions), limits, None
        return answer

    def model(self) -> Sequence[int]:
        """Return the true literals after a True."""
        return self._model

    def core(self) -> Sequence[int]:
        """Return assumptions that cannot hold together after a False."""
        if self._core is None:
            self._core = self._checked_core()
        return self._core

    def close(self) -> None:
        """Free the memory that the solver holds outside Python."""
        self._guarded(self._solver.close)

    def _checked_core(self) -> Sequence[int]:
        assumed = set(self._refuted)
        core = self._literals("core", self._guarded(self._solver.core))
        for literal in core:
            if literal not in assumed:
                self._fail(f"its core has the literal {literal}, which was not assumed")
        if self._has_model and self._meets_new() and all(map(self._is_true, core)):
            self._fail(f"its core {_literals_text(core)} can hold: its own last model meets it")
        # Cores that were found by asking need no other question.
        if self._backend.cores and len(set(core)) < len(assumed):
            answer = self._refutes(core, self._limits)
            if answer is None:
                return self._refuted
            if not answer:
                self._fail(f"its core {_literals_text(core)} can hold, as it answers itself")
        return core

    def _refutes(self, core: Sequence[int], limits: dict[str, Any]) -> bool | None:
        """Return whether *core* alone cannot hold; None if one of *limits* ended the question."""
        answer = self._solve(core, limits)
        return None if answer is None else not answer

    def _solve(self, assumptions: Sequence[int], limits: dict[str, Any]) -> bool | None:
        answer = self._guarded(lambda: self._solver.solve(list(assumptions), **limits))
        if answer is None:
            return None
        try:
            # Other truth values than Python's are equal to them.
            is_truth = bool(answer == True) or bool(answer == False)  # noqa: E712
        except Exception:  # noqa: BLE001 - whatever a foreign value does when it is compared
            is_truth = False
        if not is_truth:
            self._fail(f"answered {answer!r:.80}; only True, False and None are answers")
        return bool(answer)

    def _believe(self, assumptions: Sequence[int]) -> None:
        """Compare the model of the last answer with all clauses and *assumptions*."""
        model = self._literals("model", self._guarded(self._solver.model))
        true = frozenset(literal for literal in model if literal > 0)
        if not true.isdisjoint([-literal for literal in model if literal < 0]):
            self._fail("its model has a literal and its negation")
        before, self._true, self._has_model = self._true, true, True
        for variable in before ^ true:
            for clause in self._met.pop(variable if variable in before else -variable, ()):
                self._keep(clause)
        while self._new:
            self._keep(self._new[-1])
            self._new.pop()
        for literal in assumptions:
            if not self._is_true(literal):
                self._fail(f"its model does not have the assumption {literal}")
        self._model = model

    def _keep(self, clause: tuple[int, ...]) -> None:
        for literal in clause:
            if self._is_true(literal):
                self._met.setdefault(literal, []).append(clause)
                return
        self._fail(f"its model meets no literal of the clause {_literals_text(clause)}")

    def _meets_new(self) -> bool:
        return all(any(map(self._is_true, clause)) for clause in self._new)

    def _is_true(self, literal: int) -> bool:
        # A variable that a model leaves out is false.
        return literal in self._true if literal > 0 else -literal not in self._true

    def _literals(self, what: str, given: Any) -> list[int]:
        """Return the literals of a model or a core. Raises BackendError for anything else."""
        if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
            self._fail(f"its {what} is {given!r:.80}, and not a list of literals")
        literals = self._guarded(lambda: list(given))
        kinds = set(map(type, literals))
        if kinds - {int}:
            if bool in kinds:
                self._fail(f"its {what} holds truth values, and not literals")
            try:
                literals = [index(literal) for literal in literals]
            except Exception:  # noqa: BLE001 - whatever a foreign value does when it is read
                self._fail(f"its {what} holds more than literals: {next(iter(kinds - {int})).__name__}")
        if 0 in literals:
            self._fail(f"its {what} holds 0, which is not a literal")
        return literals

    def _guarded(self, call: Callable[[], T]) -> T:
        return guarded_call(self._backend, call)

    def _fail(self, what: str) -> NoReturn:
        raise BackendError(self._backend.name, what)


def guarded(backend: Backend) -> CompleteSolver:
    """Return a new solver of *backend* that is held to its answers.

    Raises:
        BackendError: the backend makes none.
    """
    solver = GuardedSolver(backend)
    # A solver that proves its answers is guarded already.
    inner = solver.inner
    return inner if isinstance(inner, GuardedSolver) else solver


def _literals_text(literals: Sequence[int]) -> str:
    more = ", ..." if len(literals) > _SHOWN else ""
    return f"({', '.join(map(str, literals[:_SHOWN]))}{more})"


def checked(backend: BackendLike, by: BackendLike | None = None) -> Backend:
    """Return *backend* in a checking mode: each False of its solvers is proved by a solver of the backend *by*.

    A True is compared with the clauses anyway. So an answer that a plan or a core rests on is right, or a BackendError
    names *backend* and what was wrong. It takes the time of both solvers. *by* is one of our own by default, and not
    *backend* itself; it should keep limits if *backend* does.

    >>> from olmsolve.solver.backends import PythonSolver
    >>> class Pessimist(PythonSolver):
    ...     def solve(self, assumptions=(), *, conflicts=None):
    ...         return not assumptions
    ...
    ...     def core(self):
    ...         return [1]
    >>> solver = checked(Pessimist).create()
    >>> solver.add_clause([1, 2])
    >>> solver.solve([1])
    Traceback (most recent call last):
        ...
    olmsolve.errors.BackendError: backend 'Pessimist': answered False, and minisat22 has a model

    Raises:
        BackendError: there is no such backend, or it takes no clauses.
    """
    backend_found = find(backend)
    by_whom = prover(backend_found.name) if by is None else find(by)
    for literal in (backend_found, by_whom):
        if literal.name == DECIDING:
            raise BackendError(DECIDING, "decides for itself; only a backend that answers clauses can be checked")
    making = partial(_ProvingSolver, backend_found, by_whom)
    return evolve(backend_found, create=making, assumptions=True, cores=True, incremental=True)


class _ProvingSolver(GuardedSolver):
    """A solver of *backend* whose refutations a solver of *prover* repeats."""

    def __init__(self, backend: Backend, prover: Backend) -> None:
        super().__init__(backend)
        self._prover = create(prover)
        self._by = prover

    def add_clause(self, literals: Sequence[int]) -> None:
        """Require one of *literals*."""
        super().add_clause(literals)
        self._prover.add_clause(literals)

    def solve(self, assumptions: Sequence[int] = (), **limits: Any) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*, None if one of *limits* ended it."""
        answer = super().solve(assumptions, **limits)
        if answer is not False:
            return answer
        # A proof for the core is one for all assumptions; where cores are found by asking, nobody may want one.
        refuted = self._refutes(self.core() if self._backend.cores else assumptions, limits)
        if refuted is None:
            return None
        if not refuted:
            self._fail(f"answered False, and {self._by.name} has a model")
        return False

    def close(self) -> None:
        """Free the memory that both solvers hold outside Python."""
        try:
            super().close()
        finally:
            self._prover.close()

    def _refutes(self, core: Sequence[int], limits: dict[str, Any]) -> bool | None:
        conflicts, stop = limits.get("conflicts"), limits.get("stop")
        if stop is None:
            return _negated(self._prover.solve(core, **({} if conflicts is None else {"conflicts": conflicts})))
        while True:
            answer = self._prover.solve(core, conflicts=_SLICE)
            if answer is not None or stop():
                return _negated(answer)


def _negated(answer: bool | None) -> bool | None:
    return None if answer is None else not answer
