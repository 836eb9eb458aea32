"""A conformance kit for backends: checks that any SAT solver has to pass before it answers requests.

With pytest, each check is a test of its own::

    @pytest.mark.parametrize("check", olmsolve.testing.backends.checks(MINE), ids=str)
    def test_my_backend(check):
        check()

Without it, :func:`failures` returns what is wrong, and ``python -m olmsolve.testing.backends NAME`` prints it; NAME is
the name of a backend, or ``module:attribute``. A check draws its problems from a seed, the same in every process, and a
failure shows the clauses.
"""

from __future__ import annotations

import importlib
import itertools
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, Self, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.classic import Request, Semantics, Unsatisfiable, resolve
from olmsolve.errors import BackendError, CatalogError, Incomplete
from olmsolve.solver import Budget, Dependency, Exclusive, Variables, solve
from olmsolve.solver.backends import DECIDING, Backend, BackendLike, CompleteSolver, StoppedBy, checked, create, find
from olmsolve.testing import reference
from olmsolve.testing.random_requests import random_request

ClauseList: TypeAlias = Sequence[Sequence[int]]

# All 128 assignments are tried for each question.
_VARIABLES: Final = 7
# Seconds after which a solver that was told to stop has to be back.
_PATIENCE: Final = 2.0
_HARD: Final = 11  # holes for twelve pigeons: a question of minutes, which a limit has to end
# Random requests of a few kilobytes that are remembered.
_REMEMBERED: Final = 200


class NonconformanceError(AssertionError):
    """A backend that answered wrongly; the text says what was asked, and what the right answer is."""


@attrs.frozen
class Check:
    """One check of *backend*; calling it raises :class:`NonconformanceError` if the backend fails."""

    name: str
    backend: Backend
    _test: Callable[[Backend, int], None] = attrs.field(repr=False)
    _samples: int = attrs.field(repr=False)

    def __call__(self) -> None:
        try:
            self._test(self.backend, self._samples)
        except NonconformanceError:
            raise
        except Exception as error:
            raise NonconformanceError(f"{type(error).__name__}: {error}") from error

    def __str__(self) -> str:
        return self.name


def checks(backend: BackendLike, *, samples: int = 200) -> tuple[Check, ...]:
    """Return the checks that fit what *backend* can do; *samples* is the number of random problems of each kind.

    :func:`untried` has the others.

    Raises:
        BackendError: there is no such backend, or it cannot be loaded.

    >>> [str(check) for check in checks("python")][:2]
    ['clauses one by one', 'random clauses']
    """
    backend_found = find(backend)
    left_out = untried(backend_found)
    return tuple(Check(name, backend_found, test, samples) for name, test in _CHECKS.items() if name not in left_out)


def untried(backend: BackendLike) -> dict[str, str]:
    """Return the checks that *backend* is not to pass, by name, each with the reason.

    A backend need not do everything: what it lacks is made up for, and that is olmsolve's own work.

    Raises:
        BackendError: there is no such backend, or it cannot be loaded.

    >>> untried("python")
    {'proofs': 'python writes none'}
    """
    backend_found = find(backend)
    if backend_found == find(DECIDING):
        reason = f"{backend_found.name} takes whole requests, and no clauses"
        return {name: reason for name, test in _CHECKS.items() if test is not _requests}
    reasons = {}
    if not backend_found.assumptions:
        reasons["assumptions"] = (
            f"{backend_found.name} takes none; olmsolve asks again with each assumption as a clause"
        )
    if not backend_found.cores:
        reasons["cores"] = f"{backend_found.name} names none; olmsolve finds them by asking more often"
    if not backend_found.limits:
        reasons["limits"] = f"nothing can stop {backend_found.name}; olmsolve refuses a request with a limit"
    if backend_found.prove is None:
        reasons["proofs"] = f"{backend_found.name} writes none"
    return reasons


def failures(backend: BackendLike, *, samples: int = 200) -> dict[str, str]:
    """Return the failed checks of *backend* by name, each with what is wrong; none if the backend conforms.

    >>> failures("python", samples=20)
    {}
    """
    failures_by_name: dict[str, str] = {}
    for check in checks(backend, samples=samples):
        try:
            check()
        except NonconformanceError as error:
            failures_by_name[check.name] = str(error)
    return failures_by_name


def _single_clauses(backend: Backend, _: int) -> None:
    """Try clauses of every form: none, empty ones, repeated literals, variables with gaps between them."""
    cases: list[tuple[ClauseList, bool]] = [
        ([], True),
        ([[1]], True),
        ([[-1]], True),
        ([[1], [-1]], False),
        ([[]], False),
        ([[1], []], False),
        ([[1, -1]], True),
        ([[2, 2], [-2, -2, 3]], True),
        ([[1, 1000], [-1]], True),
        ([(1, 2), (-1, 2), (1, -2), (-1, -2)], False),
    ]
    for clauses, expected in cases:
        with _Trial(backend, clauses) as trial:
            trial.expect(expected)


def _random_clauses(backend: Backend, samples: int) -> None:
    """Compare verdicts with brute force, and models with every clause."""
    for seed in range(samples):
        clauses = _drawn(_generator("clauses", seed))
        with _Trial(backend, clauses) as trial:
            trial.expect(bool(_models(clauses)))


def _side_by_side(backend: Backend, _: int) -> None:
    """Use two solvers at once, since one request makes several: none may know of another."""
    with _Trial(backend, [[1]]) as first, _Trial(backend, [[-1]]) as second:
        first.expect(True)
        second.expect(True)


def _assumptions(backend: Backend, samples: int) -> None:
    """Ask under assumptions, which hold for one question, and add clauses, which hold from then on."""
    for seed in range(samples // 4):
        generator = _generator("assumptions", seed)
        clauses = _drawn(generator, fewest=4, most=14)
        with _Trial(backend, clauses) as trial:
            for _ in range(4):
                assumed = _literals(generator, generator.randint(0, 4))
                trial.expect(bool(_models([*trial.clauses, *([literal] for literal in assumed)])), assumed)
                trial.add(_literals(generator, generator.randint(1, 3)))


def _cores(backend: Backend, samples: int) -> None:
    """Check that each core is made of assumptions, and cannot hold."""
    for seed in range(samples // 4):
        generator = _generator("cores", seed)
        clauses = _drawn(generator, fewest=8, most=20)
        with _Trial(backend, clauses) as trial:
            for _ in range(3):
                assumed = _literals(generator, generator.randint(2, _VARIABLES))
                if _models([*clauses, *([literal] for literal in assumed)]):
                    continue
                trial.expect(False, assumed)
                core = list(trial.solver.core())
                if not set(core) <= set(assumed):
                    raise trial.wrong(f"its core {core} is not part of the assumptions", assumed)
                if _models([*clauses, *([literal] for literal in core)]):
                    raise trial.wrong(f"its core {core} can hold", assumed)


def _limits(backend: Backend, _: int) -> None:
    """Check that a limit ends a hard problem soon, and that the solver is of use afterwards."""
    started = time.monotonic()
    try:
        solve(_pigeons(_HARD), backend=backend, budget=Budget(timeout=0.2))
    except Incomplete:
        late = time.monotonic() - started - 0.2
        if late > _PATIENCE:
            raise NonconformanceError(f"a limit of 0.2 seconds was met {late:.1f} seconds late") from None
    with _Trial(backend, [[1, 2], [-1, 2]]) as trial:
        limit: dict[str, Any] = {"conflicts": 1} if backend.stopped_by is StoppedBy.CONFLICTS else {"stop": bool}
        if trial.solver.solve([-2], **limit) is True:
            raise trial.wrong("it answered True to a question with a limit, and the answer is False", [-2])
        trial.expect(True)


def _proofs(backend: Backend, samples: int) -> None:
    """Check that each step of a proof follows by unit propagation, and that the last one leaves a contradiction."""
    assert backend.prove is not None
    for seed in range(samples):
        clauses = _drawn(_generator("proofs", seed), fewest=20, most=40)
        steps = backend.prove(clauses)
        if (steps is None) != bool(_models(clauses)):
            raise NonconformanceError(f"it proved the wrong answer for {_clauses_text(clauses)}")
        derived = [list(clause) for clause in clauses]
        for step in steps or ():
            if not _refuted(derived, [-literal for literal in step]):
                raise NonconformanceError(f"its step {list(step)} does not follow for {_clauses_text(clauses)}")
            derived.append(list(step))
        if steps is not None and not _refuted(derived, []):
            raise NonconformanceError(f"its proof ends without a contradiction for {_clauses_text(clauses)}")


def _requests(backend: Backend, samples: int) -> None:
    """Compare plans with the plans of the brute-force reference, and cores with the cores of the default engine."""
    for seed in range(samples):
        for semantics in Semantics:
            answer, expected = _answer(_random_request(seed), semantics, backend), _default_answer(seed, semantics)
            if answer != expected:
                raise NonconformanceError(f"random request {seed}, {semantics.value}: {answer}, and not {expected}")
            installed = _reference_answer(seed, semantics) if isinstance(answer, list) else None
            if installed is not None and sorted(answer) != installed:
                said = f"installs {answer}, and not {installed}"
                raise NonconformanceError(f"random request {seed}, {semantics.value}: {said}")


def _refutations(backend: Backend, samples: int) -> None:
    """Let another solver prove each "no" of a search and of its core (:func:`.checked`)."""
    _requests(checked(backend), max(samples // 2, 1))


# The checks of all backends ask about the same requests, whose catalogs are indexed and whose answers known then.
@lru_cache(maxsize=_REMEMBERED)
def _random_request(seed: int) -> Request:
    return random_request(_generator("requests", seed))


# Every backend is asked the same requests: both answers to compare with are found for the first one alone.
@lru_cache(maxsize=2 * _REMEMBERED)
def _default_answer(seed: int, semantics: Semantics) -> list[str] | tuple[str, ...]:
    return _answer(_random_request(seed), semantics)


# Each backend is asked about the same requests, under both semantics, and the reference tries every selection.
@lru_cache(maxsize=2 * _REMEMBERED)
def _reference_answer(seed: int, semantics: Semantics) -> list[str] | None:
    """Return the names of the bundles that the reference installs, in order; None where it cannot say."""
    try:
        solution = reference.resolve(_random_request(seed), semantics)
    except (reference.TooLarge, CatalogError):
        return None
    return sorted(literal.name for literal in solution or () if literal.catalog != reference.EXISTING)


def _answer(request: Request, semantics: Semantics, backend: BackendLike = DECIDING) -> list[str] | tuple[str, ...]:
    """Return the names of the installed bundles, or the reasons why there is no plan."""
    try:
        plan = resolve(request, semantics=semantics, backend=backend)
    except Unsatisfiable as failure:
        return tuple(map(str, failure.core))
    except CatalogError as error:
        return (str(error),)
    return [install.name for install in plan.installs]


class _Trial:
    """A solver with its clauses, which the message about a wrong answer lists."""

    def __init__(self, backend: Backend, clauses: ClauseList) -> None:
        self.clauses = [list(clause) for clause in clauses]
        self.solver: CompleteSolver = create(backend)
        for clause in clauses:
            self.solver.add_clause(clause)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.close()

    def add(self, clause: Sequence[int]) -> None:
        """Add one more *clause*."""
        self.clauses.append(list(clause))
        self.solver.add_clause(clause)

    def expect(self, expected: bool, assumed: Sequence[int] = ()) -> None:
        """Ask under *assumed*, and check the answer and its model."""
        answer = self.solver.solve(assumed)
        if answer is not expected and answer != expected:
            raise self.wrong(f"it answered {answer!r}, and the answer is {expected}", assumed)
        if not expected:
            return
        model = list(self.solver.model())
        if any(isinstance(literal, bool) or not isinstance(literal, int) or literal == 0 for literal in model):
            raise self.wrong(f"its model {model} holds more than literals", assumed)
        true = set(model)
        if any(-literal in true for literal in true):
            raise self.wrong(f"its model {model} holds a literal and its negation", assumed)
        for clause in [*self.clauses, *([literal] for literal in assumed)]:
            if not any(literal in true or (literal < 0 and -literal not in true) for literal in clause):
                raise self.wrong(f"its model {model} meets no literal of {clause}", assumed)

    def wrong(self, what: str, assumed: Sequence[int]) -> NonconformanceError:
        """Return the error that says *what* went wrong with these clauses."""
        under = f" under the assumptions {list(assumed)}" if assumed else ""
        return NonconformanceError(f"{what}, for the clauses {_clauses_text(self.clauses)}{under}")


def _generator(kind: str, seed: int) -> random.Random:
    return random.Random(f"{kind} {seed}")  # noqa: S311 - problems, not secrets


def _clauses_text(clauses: ClauseList) -> str:
    return " ".join(str(list(clause)) for clause in clauses)


def _drawn(generator: random.Random, *, fewest: int = 1, most: int = 34) -> list[list[int]]:
    """Return random clauses, about half of which can hold where there are many."""
    return [_literals(generator, generator.randint(1, 3)) for _ in range(generator.randint(fewest, most))]


def _literals(generator: random.Random, count: int) -> list[int]:
    """Return *count* literals of different variables."""
    return [generator.choice((1, -1)) * variable for variable in generator.sample(range(1, _VARIABLES + 1), count)]


def _models(clauses: ClauseList) -> list[tuple[bool, ...]]:
    """Return every assignment that meets *clauses*, by trying all; variables are counted from 1."""
    return [
        values
        for values in itertools.product((False, True), repeat=_VARIABLES)
        if all(any(values[abs(literal) - 1] is (literal > 0) for literal in clause) for clause in clauses)
    ]


def _refuted(clauses: Sequence[Sequence[int]], assumed: Sequence[int]) -> bool:
    """Return True if unit propagation from *assumed* leaves a clause without a literal."""
    true = set(assumed)
    changed = True
    while changed:
        changed = False
        for clause in clauses:
            if not true.isdisjoint(clause):
                continue
            open_literals = {literal for literal in clause if -literal not in true}
            if not open_literals:
                return True
            if len(open_literals) == 1:
                true |= open_literals
                changed = True
    return False


def _pigeons(holes: int) -> Variables:
    """Return a problem without a solution, hard for every solver that learns clauses: one more pigeon than holes."""
    variables: dict[Any, list[Any]] = {}
    for pigeon in range(holes + 1):
        places = tuple(f"{pigeon} in {hole}" for hole in range(holes))
        variables[f"pigeon {pigeon}"] = [Dependency(None, places)]
        for hole, place in enumerate(places):
            variables[place] = [Exclusive(place, (f"hole {hole}",))]
    return Variables(variables)


_CHECKS: Final[dict[str, Callable[[Backend, int], None]]] = {
    "clauses one by one": _single_clauses,
    "random clauses": _random_clauses,
    "solvers side by side": _side_by_side,
    "assumptions": _assumptions,
    "cores": _cores,
    "limits": _limits,
    "proofs": _proofs,
    "whole requests": _requests,
    "refutations": _refutations,
}


def _backend_named(text: str) -> BackendLike:
    """Return the backend that *text* names: the attribute of a module, or a registered name."""
    module, _, attribute = text.partition(":")
    if not attribute:
        return text
    backend: BackendLike = getattr(importlib.import_module(module), attribute)
    return backend


def _lines(backend: Backend, samples: int) -> Iterator[str]:
    """Yield what the checks of *backend* find, a line for each, and why the others were not tried."""
    for check in checks(backend, samples=samples):
        try:
            check()
        except NonconformanceError as error:
            yield f"failed  {check}: {error}"
        else:
            yield f"passed  {check}"
    for name, reason in untried(backend).items():
        yield f"not tried  {name}: {reason}"


def main(arguments: Sequence[str]) -> int:
    """Print the checks of the backend that *arguments* name; return 0 if it conforms, 1 if not, 2 if there is none."""
    name, *rest = arguments or [""]
    samples = rest[0] if rest else "200"
    if not name or len(rest) > 1 or not samples.isdecimal():
        sys.stderr.write("usage: python -m olmsolve.testing.backends NAME (or MODULE:ATTRIBUTE) [SAMPLES]\n")
        return 2
    try:
        backend = find(_backend_named(name))
        lines = list(_lines(backend, int(samples)))
    except (BackendError, ImportError, AttributeError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write("\n".join([f"backend {backend.name}", *lines, ""]))
    return int(any(line.startswith("failed") for line in lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
