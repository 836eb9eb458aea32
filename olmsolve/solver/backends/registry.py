"""The backends by name: our own, those of python-sat, and those that other packages register.

A package registers a backend as an entry point of the group ``olmsolve.backends``: the name, and a
:class:`~olmsolve.solver.backends.Backend` or a function or class that makes a solver::

    [project.entry-points."olmsolve.backends"]
    picosat = "our_package.olm:PICOSAT"

Nothing of such a package is imported before somebody asks for its backend, or for the list of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Final, NoReturn

from olmsolve._arguments import type_with_article
from olmsolve._records import evolve
from olmsolve.errors import BackendError, Incomplete
from olmsolve.solver.backends import DECIDING, DEFAULT, PORTABLE
from olmsolve.solver.backends.model import Backend, BackendLike, Clauses, SatSolver, StoppedBy, missing_module

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "olmsolve.backends"
"""The group of entry points under which packages register backends."""

_PYTHON: Final = "python"

# python-sat's solvers that take assumptions and give a core. Kissat does neither; CryptoMiniSat is an optional build.
_SUITABLE: Final = (
    "cadical103",
    "cadical153",
    "cadical195",
    "cadical300",
    "ergo",
    "gluecard3",
    "gluecard4",
    "glucose3",
    "glucose4",
    "glucose42",
    "lingeling",
    "maplechrono",
    "maplecm",
    "maplesat",
    "mergesat3",
    "minicard",
    "minisat-ep",
    "minisat-gh",
    "minisat22",
)
# Lingeling takes no limit on conflicts, so it cannot be run in slices; and after an answer it ends the process if a new
# clause mentions a variable that it has eliminated.
_UNSTOPPABLE: Final = frozenset({"lingeling"})
_FOR_ONE_ANSWER: Final = frozenset({"lingeling"})
# Solvers whose traces of learned clauses are proofs, as tests check them.
_PROVING: Final = frozenset({"gluecard3", "gluecard4", "glucose3", "glucose4", "glucose42"})


# The solvers that repeat refutations of others, in the order in which they are taken.
_PROVERS: Final = (PORTABLE, "glucose4", _PYTHON)


def _engine() -> NoReturn:
    raise BackendError(DECIDING, "decides for itself and answers no clauses")


def _python() -> SatSolver:
    from olmsolve.solver.backends.python import PythonSolver

    return PythonSolver()


def _pysat(name: str) -> SatSolver:
    from olmsolve.solver.backends import pysat

    if name not in pysat.names():
        raise BackendError(name, "not in the python-sat that is installed")
    return pysat.PySATSolver(name)


def _prove(name: str, clauses: Clauses) -> list[tuple[int, ...]] | None:
    from olmsolve.solver.backends.pysat import learned
    from olmsolve.solver.budget import Budget

    return learned(clauses, Budget(), name)


def _wrapped(name: str) -> Backend:
    stopped_by = StoppedBy.NOTHING if name in _UNSTOPPABLE else StoppedBy.CONFLICTS
    prove = partial(_prove, name) if name in _PROVING else None
    incremental = name not in _FOR_ONE_ANSWER
    create = partial(_pysat, name)
    # CaDiCaL tidies its clauses between two conflicts, where no limit reaches it.
    punctual = not name.startswith("cadical")
    return Backend(
        name,
        create,
        stopped_by=stopped_by,
        prove=prove,
        install="python-sat",
        incremental=incremental,
        punctual=punctual,
    )


_ENGINE: Final = Backend(DECIDING, _engine, assumptions=False, incremental=False, stopped_by=StoppedBy.CONFLICTS)
_OURS: Final[dict[str, Backend]] = {
    DECIDING: _ENGINE,
    _PYTHON: Backend(_PYTHON, _python, stopped_by=StoppedBy.CONFLICTS),
    **{name: _wrapped(name) for name in _SUITABLE},
}


def _turning() -> SatSolver:
    from olmsolve.solver.backends.python import TurningSolver

    return TurningSolver()


IN_TURN: Final = Backend(_PYTHON, _turning, stopped_by=StoppedBy.CONFLICTS, install="python-sat")
"""Solvers for cores of problems that are not dense: in plain Python first, then one of python-sat's."""


def backends() -> tuple[Backend, ...]:
    """Return all backends, the default first, with what each can do.

    Solvers of python-sat that the installed one lacks are left out. A backend that another package has registered is
    listed even if it cannot be used: ``missing`` then says why. If it is registered under the name of one of our own,
    it is listed by its entry point (``module:name``) instead.

    >>> [backend.name for backend in backends()][:2]
    ['deciding', 'minisat22']
    """
    known = [backend for name, backend in _OURS.items() if name not in _SUITABLE or name in _installed()]
    for name in _registered():
        if name not in _OURS:
            known.extend(listed(name))
    known.extend(_shadowing(_registered()))
    known.sort(
        key=lambda backend: (backend.name != DEFAULT, backend.name != PORTABLE, backend.name == _PYTHON, backend.name)
    )
    return tuple(known)


def listed(name: str) -> tuple[Backend, ...]:
    """Return the backend *name*, or why it cannot be loaded (``missing``), and what others register under our name.

    Raises:
        BackendError: nothing has this name.
    """
    if name not in _OURS and name not in _registered():
        raise _unknown(name)
    try:
        backend = find(name)
    except BackendError as error:
        backend = _missing(name, error.reason)
    return (backend, *_shadowing([name]))


def _shadowing(every: Iterable[str]) -> Iterator[Backend]:
    """Yield the backends that other packages have registered under a name in *every* that is one of our own."""
    for name in every:
        for entry in _registered().get(name, ()) if name in _OURS else ():
            # Listed by its entry point, so that a name means one backend.
            yield _missing(entry.value, f"it is registered as {name}, which is the name of one of olmsolve's own")


def _missing(name: str, reason: str) -> Backend:
    return Backend(name, _engine, False, False, incremental=False, missing=reason)


def names() -> tuple[str, ...]:
    """Return the names of all backends that can answer here, the default first.

    >>> names()[:2]
    ('deciding', 'minisat22')
    """
    return tuple(backend.name for backend in backends() if not backend.missing)


def find(backend: BackendLike) -> Backend:
    """Return the backend that *backend* names, or that makes its solvers.

    Names of this package cannot be registered by others.

    Raises:
        BackendError: there is no such backend, or it cannot be loaded.
    """
    if isinstance(backend, Backend):
        return backend
    if isinstance(backend, str):
        return _OURS.get(backend) or _load(backend)
    if callable(backend):
        return Backend.of(backend)
    raise _no_backend(backend)


def is_ours(backend: Backend) -> bool:
    """Return whether *backend* is one of this package's own, which its tests hold to their answers."""
    return backend in (_OURS.get(backend.name), IN_TURN)


def prover(name: str) -> Backend:
    """Return the backend of ours that repeats refutations of the backend *name*: another one, which is installed."""
    return find(next(class_ for class_ in _PROVERS if class_ != name and (class_ in _installed() or class_ == _PYTHON)))


def require(backend: BackendLike, *, limited: bool, counted: bool = False) -> Backend | None:
    """Return the backend that *backend* stands for, None for the deciding engine. This loads no solver of ours.

    Raises:
        BackendError: there is no such backend, or it cannot keep limits although it has to: it is to end early
            (*limited*), or after a number of conflicts (*counted*).
    """
    backend_found = find(backend)
    if limited and not backend_found.limits:
        raise BackendError(backend_found.name, "cannot be stopped, so it keeps no time, conflict or cancellation limit")
    if counted and backend_found.stopped_by is not StoppedBy.CONFLICTS:
        raise BackendError(
            backend_found.name, "counts no conflicts, so it keeps no limit on them; it keeps a time limit"
        )
    return None if backend_found == _ENGINE else backend_found


def portable_name(backend: BackendLike) -> str:
    """Return a name that stands for *backend* in other processes too: its own if it is registered, else the default.

    The answer is the same on every backend, so questions about an answer can be asked of the default.
    """
    if isinstance(backend, Backend) and (backend.name in _OURS or backend.name in _registered()):
        return backend.name
    return backend if isinstance(backend, str) else DEFAULT


def _installed() -> frozenset[str]:
    try:
        from olmsolve.solver.backends import pysat
    except ImportError:
        return frozenset()
    return pysat.names()


def _no_backend(given: object) -> BackendError:
    name = type(given).__name__
    if hasattr(given, "add_clause"):
        return BackendError(name, "is a solver, and solves one problem: give a class or function that makes solvers")
    return BackendError(
        name, "is not a backend: give a name, an olmsolve.Backend, or a function that makes a SAT solver"
    )


# Looking at the metadata of all installed packages takes 3 ms.
@cache
def _registered() -> dict[str, tuple[EntryPoint, ...]]:
    """Return the entry points of all packages, by name."""
    from importlib.metadata import entry_points

    by_name: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in entry_points(group=GROUP):
        by_name[entry.name] = (*by_name.get(entry.name, ()), entry)
    return by_name


def _unknown(name: str) -> BackendError:
    from olmsolve._near_names import did_you_mean, near_names

    near = did_you_mean(near_names(name, names()))
    return BackendError(name, f"unknown; {near or 'there are ' + ', '.join(names())}")


def _load(name: str) -> Backend:
    """Return the backend that a package has registered as *name*."""
    entries = _registered().get(name, ())
    if not entries:
        raise _unknown(name)
    if len({entry.value for entry in entries}) > 1:
        raise BackendError(name, f"registered more than once, as {' and '.join(entry.value for entry in entries)}")
    from olmsolve._waiting import awaited

    value = entries[0].value
    try:
        # Another package may do anything while it is imported, and take any time.
        loaded = awaited(entries[0].load)
    except ImportError as error:
        raise BackendError(name, f"registered as {value}: {missing_module(error)}") from error
    except AttributeError as error:
        raise BackendError(name, f"registered as {value}, which is not there: {error}") from error
    except Incomplete:
        raise
    except (Exception, SystemExit) as error:
        # Whatever another package does while it is imported.
        reason = f"registered as {value}, which cannot be imported: {type(error).__name__}: {error}"
        raise BackendError(name, reason) from error
    if isinstance(loaded, Backend):
        return evolve(loaded, name=name)
    if callable(loaded):
        return Backend.of(loaded, name)
    raise BackendError(name, f"registered as {value}, which is not a backend but {type_with_article(loaded)}")
