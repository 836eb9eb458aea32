"""The verb: from a failure to its explanation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import attrs

from olmsolve.answers.explain.conflicts import conflicting
from olmsolve.answers.explain.fixes import FixSearch
from olmsolve.answers.explain.model import Conflict, Explanation, Node, NodeKind, NodeLocation
from olmsolve.answers.explain.near_misses import NearMisses
from olmsolve.answers.explain.tree import conflict
from olmsolve.answers.explain.wording import enumerated
from olmsolve.catalog import Source
from olmsolve.classic import Asked, CatalogsUnreadable, ClassicProblem, Request, Semantics, Unsatisfiable
from olmsolve.errors import OlmsolveError, RequestError
from olmsolve.resolution import ResolutionFailure
from olmsolve.solver import Budget, Core
from olmsolve.solver.backends import DEFAULT

__all__ = ["explanation"]

FIXES: Final = 5
TRIES: Final = 100


def explanation(
    failure: OlmsolveError,
    *,
    request: Request | None = None,
    catalogs: Iterable[Source] = (),
    fixes: int = FIXES,
    tries: int = TRIES,
    timeout: float | None = None,
) -> Explanation:
    """Why *failure* was raised, as a tree of facts for each independent conflict, and what would give a plan.

    *failure* is what :func:`olmsolve.resolve` raised: an :class:`Unsatisfiable`, a CatalogError that one caused, or
    an :class:`olmsolve.v1.ResolutionError` (which has no fixes). A failure that was pickled has left its request
    behind: give it as *request*. *catalogs* are known ones
    that the cluster could be given. At most *fixes* ways out are looked for, with at most *tries* requests resolved
    for that; 0 fixes is none, and costs nothing. The answer depends on these numbers alone, not on time,
    unless there is a *timeout* (seconds of wall-clock time): then the search for ways out ends with it.

    Raises:
        RequestError: the failure has no request, or it has a solution.
        Incomplete: the timeout ended before all conflicts were found.
    """
    if not isinstance(failure, Unsatisfiable) and isinstance(failure, ResolutionFailure):
        from olmsolve.answers.explain.extension import extension_explanation

        return extension_explanation(failure)
    given, asked = _asked(failure, request)
    same = given is asked.request
    problem = ClassicProblem.of(given, asked.semantics)
    unreadable = _unreadable(failure) if same else ()
    budget = Budget(timeout)
    cores = conflicting(problem, asked.core if same else (), backend=asked.backend, budget=budget)
    if not cores and not unreadable:
        raise RequestError("there is nothing to explain: the request has a solution")
    told = _told(problem, cores, NearMisses(problem), unreadable)
    result = Explanation(told, None, asked.semantics.value)
    if fixes > 0:
        search = FixSearch(problem, asked.backend, tuple(catalogs), tries, budget)
        # While catalogs cannot be read, nothing else matters yet.
        found, exhausted = search.fixes([Core(())] if unreadable else cores, fixes)
        result = attrs.evolve(result, fixes=found, exhausted=exhausted)
    return result


def _told(
    problem: ClassicProblem, cores: list[Core], near_misses: NearMisses, unreadable: tuple[CatalogsUnreadable, ...]
) -> tuple[Conflict, ...]:
    conflicts = [_unread(number, reason) for number, reason in enumerate(unreadable, start=1)]
    number = len(conflicts) + 1
    for core in cores:
        told = conflict(problem, core, number, near_misses)
        number += len(told.nodes)
        conflicts.append(told)
    return tuple(conflicts)


def _unreadable(failure: OlmsolveError) -> tuple[CatalogsUnreadable, ...]:
    reasons = failure.core if isinstance(failure, Unsatisfiable) else ()
    return tuple(reason for reason in reasons if isinstance(reason, CatalogsUnreadable))


def _unread(number: int, reason: CatalogsUnreadable) -> Conflict:
    places = tuple(NodeLocation(catalog=catalog.key) for catalog in reason.catalogs)
    names = enumerated(tuple(catalog.key for catalog in reason.catalogs))
    noun = "catalog" if len(reason.catalogs) == 1 else "catalogs"
    node = Node(number, NodeKind.UNREADABLE, str(reason), places=places)
    return Conflict(f"{noun} {names} cannot be read", (number,), (node,))


def _asked(failure: OlmsolveError, request: Request | None) -> tuple[Request, Asked]:
    unsatisfiable = failure if isinstance(failure, Unsatisfiable) else failure.__cause__
    asked = unsatisfiable.asked if isinstance(unsatisfiable, Unsatisfiable) else None
    if asked is None:
        asked = Asked(None, Semantics.DOCUMENTED, DEFAULT)
    given = request if request is not None else asked.request
    if given is None:
        raise RequestError(
            f"this {type(failure).__name__} does not say what was asked",
            field="request",
            hint="a failure that was pickled leaves its request behind: give it as request=",
        )
    return given, asked
