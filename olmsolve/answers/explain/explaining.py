"""The verb of the room: from a failure to its explanation."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

import olmsolve._attrs as attrs
from olmsolve import events
from olmsolve._arguments import must_be_whole, type_with_article
from olmsolve._limits import Cancellation, scoped
from olmsolve._records import evolve
from olmsolve.answers.explain.conflicts import conflict_tree, conflicting
from olmsolve.answers.explain.fixes import FIXES, FixSearch
from olmsolve.answers.explain.model import Conflict, Explanation, Node, NodeKind, NodeLocation
from olmsolve.answers.explain.statements import Unread
from olmsolve.catalog import Source
from olmsolve.classic import (
    ClassicProblem,
    Request,
    RequestContext,
    Semantics,
    UnknownCatalog,
    UnknownPackage,
    Unsatisfiable,
    Wish,
)
from olmsolve.errors import CatalogError, OlmsolveError, RequestError
from olmsolve.resolution import Resolution, ResolutionFailure
from olmsolve.solver import Constraint, Core
from olmsolve.solver.backends import DEFAULT

if TYPE_CHECKING:
    from olmsolve import v1
    from olmsolve.answers.explain.near_misses import NearMisses
    from olmsolve.classic import CatalogsUnreadable

# Over real catalogs a try takes 1 ms, and the first five ways out take seven tries at most: this bounds hard failures.
TRIES: Final = 100


def explanation(
    failure: OlmsolveError | Resolution | v1.ExtensionResolution,
    *,
    request: Request | v1.ExtensionRequest | None = None,
    catalogs: Iterable[Source] = (),
    fixes: int = FIXES,
    tries: int = TRIES,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Explanation:
    """Explain a failure: a tree of facts for each independent conflict, and the changes that would give a plan.

    *failure* was raised by :func:`olmsolve.resolve`: an :class:`Unsatisfiable`, a CatalogError caused by one, or an
    :class:`olmsolve.v1.ResolutionError`. A plan, or the resolution of an extension, is explained by what is held back.
    Pickling an answer drops its request: pass it as *request*.

    At most *fixes* fixes are looked for, by resolving at most *tries* changed requests; with ``fixes=0`` there is no
    such search. *catalogs* are further catalogs that could be added to the cluster of a classic request.

    The answer depends on these numbers and not on time, unless there are limits (*timeout*, *conflicts*, *cancel* and
    *observer* are as in :func:`olmsolve.resolve`). A limit ends the search for fixes, and the explanation then has the
    fixes found so far (``exhausted``).

    Raises:
        RequestError: the failure has no request, or the request has a solution; *fixes* or *tries* is negative.
        Incomplete: a limit was met before all conflicts, or all that is held back from a plan, were found.

    Example::

        try:
            plan = olmsolve.resolve(request)
        except olmsolve.Unsatisfiable as failure:
            print(olmsolve.explanation(failure).fixes)
    """
    must_be_whole(fixes, "fixes", least=0)
    must_be_whole(tries, "tries", least=0)
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return _explanation(failure, request, tuple(catalogs), fixes, tries)


def _explanation(
    failure: OlmsolveError | Resolution | v1.ExtensionResolution,
    request: Request | v1.ExtensionRequest | None,
    catalogs: tuple[Source, ...],
    fixes: int,
    tries: int,
) -> Explanation:
    if isinstance(failure, Resolution):
        return _plan_explanation(failure, request)
    if not isinstance(failure, OlmsolveError) or (
        isinstance(failure, ResolutionFailure) and not isinstance(failure, Unsatisfiable)
    ):
        # Classic failures are explained without OLM v1.
        from olmsolve.answers.explain.extension import extension_explanation

        return extension_explanation(failure, request, fixes=fixes, tries=tries)
    return _classic_explanation(failure, request, catalogs, fixes, tries)


def _plan_explanation(plan: Resolution, request: object) -> Explanation:
    # Bundles that are held back are found with the help of explanations.
    from olmsolve.answers.held_back import held_back

    operators = held_back(plan, request=_classic_or_none(request))
    return Explanation((), semantics=plan.semantics, held_back=tuple(newer for one in operators for newer in one.newer))


def _classic_or_none(request: object) -> Request | None:
    if request is None or isinstance(request, Request):
        return request
    raise RequestError(f"{type_with_article(request)} is not a classic request", field="request")


def _classic_explanation(
    failure: OlmsolveError,
    request: object,
    catalogs: tuple[Source, ...],
    fixes: int,
    tries: int,
) -> Explanation:
    given, context = _request_and_context(failure, _classic_or_none(request))
    # Another request than the one that failed may have other cores, so its own are found anew.
    same = given is context.request
    unreadable = _unreadable(failure, given) if same else ()
    try:
        problem = ClassicProblem.of_request(given, context.semantics, context.visible)
    except CatalogError:
        if not unreadable:
            raise
        # A catalog is broken beside those that cannot be read, and that comes to light only once these can be read.
        return Explanation(_unread_conflicts(unreadable), None, context.semantics.value)
    first = context.core if same else ()
    cores = conflicting(problem, first, backend=context.backend, aside=_waiting(given))
    if not cores and not unreadable:
        raise RequestError("there is nothing to explain: the request has a solution")
    conflicts = _conflicts(problem, cores, unreadable)
    result = Explanation(conflicts, None, context.semantics.value)
    if fixes > 0:
        if any(_lacks(constraint) for core in cores for constraint in core.constraints):
            from olmsolve.answers.explain.near_misses import hidden_sources

            # Sources of other namespaces decide nothing, and a change can show them.
            shown = attrs.evolve(given, sources=(*given.sources, *hidden_sources(given)))
            problem = ClassicProblem.of_request(shown, context.semantics)
        search = FixSearch(problem, context.backend, catalogs, tries)
        # While catalogs cannot be read, resolution does not even begin, so only changes to them can help.
        offered, exhausted = search.fixes([Core(())] if unreadable else cores, fixes)
        result = evolve(result, fixes=offered, exhausted=exhausted)
    return result


def _lacks(constraint: Constraint) -> bool:
    """Return whether *constraint* of a core asks for something that no visible catalog has, but another could have."""
    if all(constraint.choices()):
        return False
    wish = constraint.origin
    return not isinstance(wish, Wish) or isinstance(wish.unknown and wish.unknown(), UnknownCatalog | UnknownPackage)


def _conflicts(
    problem: ClassicProblem, cores: list[Core], unreadable: tuple[CatalogsUnreadable, ...]
) -> tuple[Conflict, ...]:
    """Return a conflict for each reason of *unreadable* and each core, with consecutive numbers."""

    @cache
    def near_misses() -> NearMisses:
        from olmsolve.answers.explain.near_misses import NearMisses  # most conflicts lack nothing

        return NearMisses(problem)

    conflicts = list(_unread_conflicts(unreadable))
    number = len(conflicts) + 1
    for core in cores:
        conflict = conflict_tree(problem, core, number, near_misses)
        number += len(conflict.nodes)
        conflicts.append(conflict)
    return tuple(conflicts)


def _unread_conflicts(unreadable: tuple[CatalogsUnreadable, ...]) -> tuple[Conflict, ...]:
    return tuple(_unread(number, reason) for number, reason in enumerate(unreadable, start=1))


def _unreadable(failure: OlmsolveError, request: Request) -> tuple[CatalogsUnreadable, ...]:
    """Return the reasons of *failure* about unreadable catalogs; of subscriptions that name one, a failure has one."""
    if not request.unreadable:
        return ()
    from olmsolve.classic import CatalogsUnreadable, named_unreadable

    reasons = failure.core if isinstance(failure, Unsatisfiable) else ()
    unreadable = tuple(reason for reason in reasons if isinstance(reason, CatalogsUnreadable))
    if any(reason.is_named for reason in unreadable):
        return tuple(dict.fromkeys((*unreadable, *named_unreadable(request))))
    return unreadable


def _waiting(request: Request) -> set[tuple[str, str]]:
    """Return the keys of the subscriptions whose own catalog cannot be read.

    Which bundles could serve such a subscription is unknown, so the unreadable catalog is its only conflict.
    """
    if not request.unreadable:
        return set()
    from olmsolve.classic import visible_unreadable

    keys = {unreadable.key for unreadable in visible_unreadable(request)}
    return {("subscription", wish.name) for wish in request.subscriptions if wish.source and wish.catalog in keys}


def _unread(number: int, reason: CatalogsUnreadable) -> Conflict:
    locations = tuple(NodeLocation(catalog=catalog.key) for catalog in reason.catalogs)
    node = Node(number, NodeKind.UNREADABLE, reason, locations=locations)
    return Conflict(Unread(reason), (number,), (node,))


def _request_and_context(failure: OlmsolveError, request: Request | None) -> tuple[Request, RequestContext]:
    """Return the request to explain and how it was resolved. Raises RequestError if the request is lost."""
    unsatisfiable = failure if isinstance(failure, Unsatisfiable) else failure.__cause__
    context = unsatisfiable.context if isinstance(unsatisfiable, Unsatisfiable) else None
    if context is None:
        context = RequestContext(None, Semantics.DOCUMENTED, DEFAULT)
    given = request if request is not None else context.request
    if given is None:
        raise RequestError(
            f"this {type(failure).__name__} has lost its request",
            field="request",
            hint="a pickled failure has lost its request: give it as request=",
        )
    return given, context
