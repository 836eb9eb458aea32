"""The verbs of the facade that resolve, for both kinds of request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

from olmsolve import classic, events
from olmsolve._arguments import type_with_article
from olmsolve._limits import Cancellation, scoped
from olmsolve.classic import Request, Semantics, SemanticsName
from olmsolve.classic import is_satisfiable as _is_satisfiable
from olmsolve.classic import resolve as _resolve
from olmsolve.errors import CatalogError, RequestError
from olmsolve.resolution import ResolutionFailure
from olmsolve.solver import Trace
from olmsolve.solver.backends import DEFAULT

_ALIKE_COMPILED: Final = "olmsolve.read_request makes a classic request, with subscriptions"

if TYPE_CHECKING:
    from olmsolve import v1
    from olmsolve.solver.backends import BackendLike


Answer = TypeVar("Answer")
_Answer_co = TypeVar("_Answer_co", covariant=True)


class Answerable(Protocol[_Answer_co]):
    """A request for type checkers: it states the type of its answer.

    Overloads would say the same, but a wrong word for *semantics* would then be four lines of type checkers that do not
    say which words are right.
    """

    def _answered(self) -> _Answer_co: ...


def resolve(
    request: Answerable[Answer],
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Answer:
    """Return the preferred plan for a classic request, or the bundle for a cluster extension (OLM v1).

    *timeout* (seconds of wall-clock time) and *conflicts* (of one question to the SAT solver) limit the work; setting
    *cancel* (a :class:`threading.Event`) from another thread ends it (docs/limits.md). *observer* receives events (see
    :func:`olmsolve.observed`). *semantics*, *backend* and *conflicts* are for classic requests: an extension is
    resolved without a search, in one way.

    Raises:
        ResolutionFailure: there is no solution; :class:`Unsatisfiable` with a core for a classic request,
            :class:`olmsolve.v1.ResolutionError` for an extension.
        CatalogError: a part of a catalog that decides the request is broken.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.

    >>> import olmsolve
    >>> plan = olmsolve.resolve(olmsolve.read_request("olmsolve/examples/install.yaml"))
    >>> [install.name for install in plan.installs][:2]
    ['storefront.v2.1.0', 'ledgerdb.v5.3.0']
    """
    stated: object = request  # type checkers take no Request for an Answerable of any answer
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        if isinstance(stated, Request):
            return cast("Answer", _resolve(stated, semantics=semantics, backend=backend))
        return cast("Answer", _resolve_extension(stated))


def _resolve_extension(request: object) -> v1.ExtensionResolution:
    from olmsolve import v1

    if not isinstance(request, v1.ExtensionRequest):
        raise RequestError(f"{type_with_article(request)} is not a request", hint="olmsolve.read_request makes one")
    current = events.current()
    if current is None:
        return v1.resolve(request)
    with events.question(current, request.name, "", "", Trace()):
        return v1.resolve(request)


def is_satisfiable(
    request: classic.Request | v1.ExtensionRequest,
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> bool:
    """Return True if :func:`resolve` has an answer for *request*, False if it raises ResolutionFailure or CatalogError.

    A "no" comes sooner than from :func:`resolve`, which goes on to the reasons. The parameters are the same.

    Raises:
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        if isinstance(request, Request):
            return _is_satisfiable(request, semantics=semantics, backend=backend)
        try:
            resolve(request)
        except (ResolutionFailure, CatalogError):
            return False
        return True


def compile(  # noqa: A001 - the verb, always written olmsolve.compile
    request: classic.Request,
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    whole: bool = False,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> classic.CompiledProblem:
    """Return a classic request as clauses (CNF) for any SAT solver, with the way back from its model to a plan.

    By default the clauses are about the candidates that the request reaches, with *whole* about all of its catalogs.
    Their models are the valid selections. docs/cnf.md describes the variables, the clauses and the file formats.
    *timeout*, *cancel* and *observer* are as in :func:`resolve`; clauses are made when they are asked for, under the
    limits of the caller (:func:`olmsolve.limited`).

    Raises:
        RequestError: *request* is not a classic request: OLM v1 resolves without a search.
        Unsatisfiable: OLM resolves nothing, because a catalog cannot be read.
        CatalogError: a channel that a subscription names is broken, or the requirements of an operator that must stay.
        Incomplete: a limit was met, or the caller cancelled.

    Example::

        compiled = olmsolve.compile(request)
        with open("request.cnf", "w", encoding="utf-8") as file:
            file.writelines(compiled.to_dimacs())
        print(compiled.decode(printed_by_the_solver).plan)
    """
    if not isinstance(request, Request):
        raise RequestError(
            f"{type_with_article(request)} has no clauses: OLM v1 resolves without a search", hint=_ALIKE_COMPILED
        )
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return classic.compile_request(request, semantics=semantics, whole=whole)
