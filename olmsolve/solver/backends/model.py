"""A backend as a value, and the Protocol of the SAT solvers that backends make."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import olmsolve._attrs as attrs
from olmsolve._arguments import type_with_article
from olmsolve._records import Record, documented, field, record

if TYPE_CHECKING:
    import inspect
from olmsolve.errors import BackendError, OlmsolveError

T = TypeVar("T")


class SatSolver(Protocol):
    """A SAT solver with one set of clauses. Literals are integers other than 0: ``v`` is true, ``-v`` is false.

    These three methods are enough, for one set of clauses and one answer. A solver that can do more says so by its
    signatures, which :meth:`Backend.of` reads:

    - ``solve(assumptions)``: answer as if each of these literals were a clause, only for this question; an assumption
      may be about a variable that no clause has. Such a solver takes more clauses after an answer, and more questions.
    - ``core()``: after a False, return assumptions that cannot hold together with the clauses; none if the clauses
      alone cannot hold.
    - ``solve(..., conflicts=number)``: return None after so many conflicts without an answer. Called again, it
      continues with the same question.
    - ``solve(..., stop=function)``: return None soon after *function* has returned True; ask it ten times a second.
    - ``close()``: free what the solver holds outside Python.
    """

    def add_clause(self, literals: Sequence[int], /) -> object:
        """Require one of *literals*; a variable exists once it is mentioned, and nothing satisfies an empty clause."""
        ...

    def solve(self) -> bool | None:
        """Return True if all clauses can hold, False if not, None if a limit was reached before an answer."""
        ...

    def model(self) -> Sequence[int]:
        """Return the true literals after a True, in any order; a variable that is left out is false."""
        ...


class StoppedBy(enum.Enum):
    """A cause that ends a backend's solvers before their answer.

    NOTHING: requests with a limit are refused. CONFLICTS: a number of conflicts, which keeps every limit. FUNCTION: a
    function that says so, which keeps time limits and cancellation, but no limit on conflicts.
    """

    NOTHING = "nothing"
    CONFLICTS = "conflicts"
    FUNCTION = "function"


Clauses: TypeAlias = Sequence[Sequence[int]]

Prove: TypeAlias = Callable[[Clauses], Sequence[Sequence[int]] | None]
"""A function that returns None for clauses that can hold, else the steps of a proof that they cannot."""


@record(layout=("name", "assumptions", "cores", "limits", "_keeps_limits_in_time", "proofs", "missing"))
class Backend(Record):
    """A SAT solver that can answer requests: its *name*, how one is made, and what it can do.

    *create* returns a new, empty :class:`SatSolver`. *assumptions*, *cores* and *stopped_by* say which of the optional
    abilities its solvers have, and *incremental* whether they take more clauses and questions after an answer; what is
    missing is made up for by solving more often. *prove*, if there is one, returns the clauses that a solver learned
    until its clauses were contradictory: each follows by unit propagation from the clauses and the steps before it (a
    DRUP proof). *install* is what ``pip`` installs if a module is missing. *punctual*: a limit ends its work within
    0.1 s however large the problem is; without it, it may end later on problems of 100,000 bundles.
    """

    name: str = field("The name by which it is chosen.")
    create: Callable[[], SatSolver] = attrs.field(repr=False)
    assumptions: bool = field("Whether it solves under assumptions.", default=True, repr=False)
    cores: bool = field("Whether it tells which assumptions contradict each other.", default=True, repr=False)
    stopped_by: StoppedBy = attrs.field(default=StoppedBy.NOTHING, repr=False)
    prove: Prove | None = attrs.field(default=None, repr=False)
    install: str = attrs.field(default="", repr=False)
    missing: str = field("Why it cannot be used, empty if it can.", default="", repr=False)
    incremental: bool = attrs.field(default=True, repr=False)
    punctual: bool = attrs.field(default=True, repr=False)

    @property
    @documented("Whether it writes proofs.")
    def proofs(self) -> bool:
        """Whether it can prove that clauses cannot hold."""
        return self.prove is not None

    @property
    @documented("Whether its work can be limited.")
    def limits(self) -> bool:
        """Whether it keeps time limits and cancellation."""
        return self.stopped_by is not StoppedBy.NOTHING

    @property
    @documented("Whether limits are kept within 0.1 s on problems of any size.", path="punctual")
    def _keeps_limits_in_time(self) -> bool:
        """Whether it keeps limits, and does so in time."""
        return self.limits and self.punctual

    @classmethod
    def of(cls, factory: Callable[[], SatSolver], name: str = "") -> Backend:
        """Return the backend whose solvers *factory* makes; one is made now, and shows what they can do.

        Raises:
            BackendError: *factory* makes no solver, or a module that it needs is missing.
        """
        name = name or getattr(factory, "__name__", type(factory).__name__)
        solver_of = cls(name, factory)
        solver = made(solver_of)
        for method in ("add_clause", "solve", "model"):
            if not callable(getattr(solver, method, None)):
                raise BackendError(name, f"{type_with_article(solver)} is not a SAT solver: it has no method {method}")
        parameters = _parameters(solver.solve)
        close = getattr(solver, "close", None)
        if close is not None:
            guarded_call(solver_of, close)
        stops = {"conflicts": StoppedBy.CONFLICTS, "stop": StoppedBy.FUNCTION}
        stopped_by = next((how for word, how in stops.items() if word in parameters), StoppedBy.NOTHING)
        assumptions = any(
            parameter.kind is not parameter.KEYWORD_ONLY and parameter.name not in stops
            for parameter in parameters.values()
        )
        return cls(
            name, factory, assumptions, assumptions and hasattr(solver, "core"), stopped_by, incremental=assumptions
        )


BackendLike: TypeAlias = str | Backend | Callable[[], SatSolver]
"""A backend as callers give it: a name, a :class:`Backend`, or a function or class that makes a :class:`SatSolver`."""


def made(backend: Backend) -> Any:
    """Return a new solver of *backend*.

    Raises:
        BackendError: a module that it needs is missing, or it fails.
    """
    if backend.missing:
        raise BackendError(backend.name, backend.missing)
    return guarded_call(backend, backend.create)


def guarded_call(backend: Backend, call: Callable[[], T]) -> T:
    """Return what *call* returns; whatever the solver of *backend* raises becomes a BackendError that names it."""
    try:
        return call()
    except OlmsolveError:
        raise
    except ImportError as error:
        raise BackendError(backend.name, missing_module(error, backend.install)) from error
    except (Exception, SystemExit) as error:
        raise BackendError(backend.name, f"failed with {type(error).__name__}: {_text(error)}") from error


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - an error may be wrong as well
        return ""


def missing_module(error: ImportError, install: str = "") -> str:
    """Return what *error* says is missing, and what to do: ``pip`` installs *install*, or what the module is called."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = install or error.name.partition(".")[0]
        return f"needs the module {error.name}, which is missing: pip install {package}"
    return f"cannot be imported: {error}"


def _parameters(function: Callable[..., object]) -> dict[str, inspect.Parameter]:
    import inspect  # slow to load, and only backends of other packages are looked at

    try:
        return dict(inspect.signature(function).parameters)
    except ValueError:  # functions in C may have no signature
        return {}
