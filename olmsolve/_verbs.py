"""The verbs of the facade that serve both kinds of request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, overload

from olmsolve import classic, events
from olmsolve._arguments import wrong_type
from olmsolve.classic import Semantics, SemanticsName
from olmsolve.errors import CatalogError, RequestError
from olmsolve.resolution import Resolution, ResolutionFailure
from olmsolve.solver import Cancellation, Trace
from olmsolve.solver.backends import DEFAULT, BackendLike

_ALIKE_COMPILED: Final = "olmsolve.read_request makes a classic request, with subscriptions"
_ALIKE: Final = "subscriptions are compared with subscriptions, and extensions with extensions"

if TYPE_CHECKING:
    from olmsolve import v1
    from olmsolve.answers.extensions import ExtensionDiff, ExtensionWhy, ExtensionWhyNot
    from olmsolve.answers.held_back import HeldBackOperator
    from olmsolve.answers.questions import PlanDiff, Why, WhyNot


@overload
def resolve(
    request: classic.Request,
    *,
    semantics: SemanticsName = ...,
    backend: BackendLike = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> Resolution: ...


@overload
def resolve(
    request: v1.ExtensionRequest,
    *,
    semantics: SemanticsName = ...,
    backend: BackendLike = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> v1.ExtensionResolution: ...


@overload
def resolve(
    request: classic.Request | v1.ExtensionRequest,
    *,
    semantics: SemanticsName = ...,
    backend: BackendLike = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> Resolution | v1.ExtensionResolution: ...


def resolve(
    request: classic.Request | v1.ExtensionRequest,
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Resolution | v1.ExtensionResolution:
    """Return the preferred plan for a classic request, or the bundle for a cluster extension (OLM v1).

    *timeout* (seconds of wall-clock time) and *conflicts* (of one question to the SAT solver) limit the work; setting
    *cancel* (a :class:`threading.Event`) from another thread ends it. *observer* is told how it goes (see
    :func:`olmsolve.observed`). All other parameters but *request* are for classic requests: an extension is resolved
    without a search, in one way.

    Raises:
        ResolutionFailure: there is no solution; :class:`Unsatisfiable` with a core for a classic request,
            :class:`olmsolve.v1.ResolutionError` for an extension.
        CatalogError: a part of a catalog that decides the request is broken.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was reached, or the caller cancelled.
    """
    if isinstance(request, classic.Request):
        return classic.resolve(
            request,
            semantics=semantics,
            backend=backend,
            timeout=timeout,
            conflicts=conflicts,
            cancel=cancel,
            observer=observer,
        )
    from olmsolve import v1

    if not isinstance(request, v1.ExtensionRequest):
        raise RequestError(f"a {type(request).__name__} is no request", hint="olmsolve.read_request makes one")
    if observer is None and (observer := events.current()) is None:
        return v1.resolve(request)
    with events.question(observer, request.name, "", "", Trace()):
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
        Incomplete: a limit was reached, or the caller cancelled.
    """
    if isinstance(request, classic.Request):
        return classic.is_satisfiable(
            request,
            semantics=semantics,
            backend=backend,
            timeout=timeout,
            conflicts=conflicts,
            cancel=cancel,
            observer=observer,
        )
    try:
        resolve(request, observer=observer)
    except (ResolutionFailure, CatalogError):
        return False
    return True


def compile(  # noqa: A001 - the verb, always written olmsolve.compile
    request: classic.Request, *, semantics: SemanticsName = Semantics.DOCUMENTED, whole: bool = False
) -> classic.CompiledProblem:
    """Return a classic request as clauses (CNF) for any SAT solver, with the way back from its model to a plan.

    By default the clauses are about the candidates that the request reaches, with *whole* about all of its catalogs.
    Their models are the valid selections. docs/cnf.md describes the variables, the clauses and the file formats.

    Raises:
        RequestError: *request* is no classic request: OLM v1 resolves without a search.
        Unsatisfiable: OLM resolves nothing, because a catalog cannot be read.
        CatalogError: a channel that a subscription names is broken, or the requirements of an operator that must stay.

    Example::

        compiled = olmsolve.compile(request)
        with open("request.cnf", "w", encoding="utf-8") as file:
            file.writelines(compiled.to_dimacs())
        print(compiled.decode(printed_by_the_solver).plan)
    """
    if not isinstance(request, classic.Request):
        raise RequestError(
            f"a {type(request).__name__} has no clauses: OLM v1 resolves without a search", hint=_ALIKE_COMPILED
        )
    return classic.compile_request(request, semantics=semantics, whole=whole)


@overload
def why(resolution: Resolution, name: str, *, request: classic.Request | None = ..., reasons: int = ...) -> Why: ...


@overload
def why(
    resolution: v1.ExtensionResolution | v1.ExtensionRequest,
    name: str = ...,
    *,
    request: v1.ExtensionRequest | None = ...,
    reasons: int = ...,
) -> ExtensionWhy: ...


def why(
    resolution: Resolution | v1.ExtensionResolution | v1.ExtensionRequest,
    name: str = "",
    *,
    request: classic.Request | v1.ExtensionRequest | None = None,
    reasons: int = 50,
) -> Why | ExtensionWhy:
    """Say why the bundle or installed operator *name* is in a plan, or why an extension gets its bundle.

    *resolution* is the plan of a classic request, or an extension's resolution or request. *name* may be left out for
    an extension, which gets one bundle. *request* is only needed if the answer was pickled and so lost its own. At most
    *reasons* of the candidates that a classic plan passed over get reasons, since each takes a search.

    Raises:
        RequestError: *name* is not in the plan, or *resolution* is not the answer to its request.
        ResolutionError: an extension's request has no answer.

    Example::

        for link in olmsolve.why(plan, "keyring.v1.0.2").chain:
            print(link)
    """
    from olmsolve.answers import questions

    if isinstance(resolution, Resolution):
        return questions.why(resolution, name, request=_classic_or_none(request), reasons=reasons)
    from olmsolve.answers.extensions import why_extension

    return why_extension(_extension_request(resolution, request), name)


@overload
def why_not(
    resolution: Resolution,
    package: str,
    *,
    version: str = ...,
    channel: str = ...,
    catalog: str = ...,
    request: classic.Request | None = ...,
) -> WhyNot: ...


@overload
def why_not(
    resolution: v1.ExtensionResolution | v1.ResolutionError | v1.ExtensionRequest,
    package: str = ...,
    *,
    version: str = ...,
    channel: str = ...,
    catalog: str = ...,
    request: v1.ExtensionRequest | None = ...,
) -> ExtensionWhyNot: ...


def why_not(
    resolution: Resolution | v1.ExtensionResolution | v1.ResolutionError | v1.ExtensionRequest,
    package: str = "",
    *,
    version: str = "",
    channel: str = "",
    catalog: str = "",
    request: classic.Request | v1.ExtensionRequest | None = None,
) -> WhyNot | ExtensionWhyNot:
    """Say why there is no bundle of *package* (of this *version*, from this *channel* and *catalog*) in an answer.

    *resolution* is the plan of a classic request, or of an extension the resolution, the failure or the request.
    *version* is compared as a version, build metadata aside; *catalog* is ``namespace/name``, for an extension the name
    of a ClusterCatalog; "" stands for any. *package* may be left out for an extension. *request* is only needed if the
    answer was pickled and so lost its own.

    Raises:
        RequestError: *version* is not a version, or *resolution* is not the answer to its request.
        InvalidWishError: the wish of an extension cannot be read.

    Example::

        answer = olmsolve.why_not(plan, "keyring", version="1.0.1")
        print(answer.verdict.value, answer.reason, answer.change)
    """
    from olmsolve.answers import questions

    asked_for = {"package": package, "version": version, "channel": channel, "catalog": catalog}
    for name, text in asked_for.items():
        if not isinstance(text, str):
            raise wrong_type(text, "text", name)
    if isinstance(resolution, Resolution):
        given = _classic_or_none(request)
        return questions.why_not(resolution, package, version=version, channel=channel, catalog=catalog, request=given)
    from olmsolve.answers.extensions import why_not_extension

    asked = _extension_request(resolution, request)
    return why_not_extension(asked, package, version=version, channel=channel, catalog=catalog)


@overload
def diff(
    request: classic.Request, other: classic.Request, *, semantics: SemanticsName = ..., backend: BackendLike = ...
) -> PlanDiff: ...


@overload
def diff(
    request: v1.ExtensionRequest | Iterable[v1.ExtensionRequest],
    other: v1.ExtensionRequest | Iterable[v1.ExtensionRequest],
    *,
    semantics: SemanticsName = ...,
    backend: BackendLike = ...,
) -> ExtensionDiff: ...


def diff(
    request: classic.Request | v1.ExtensionRequest | Iterable[v1.ExtensionRequest],
    other: classic.Request | v1.ExtensionRequest | Iterable[v1.ExtensionRequest],
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
) -> PlanDiff | ExtensionDiff:
    """Compare the clusters that *request* and *other* would leave, or what two sets of extensions would get.

    *other* may have other subscriptions, operators or catalogs, or the same ones with another priority. Extensions are
    compared by the names of their requests. *semantics* and *backend* are for classic requests.

    Raises:
        RequestError: one of them is a classic request and the other is not, or two extensions have one name.
    """
    if isinstance(request, classic.Request) and isinstance(other, classic.Request):
        from olmsolve.answers import questions

        return questions.diff(request, other, semantics=semantics, backend=backend)
    if isinstance(request, classic.Request) or isinstance(other, classic.Request):
        odd = other if isinstance(request, classic.Request) else request
        raise RequestError(f"a {type(odd).__name__} is no classic request", hint=_ALIKE)
    from olmsolve import v1
    from olmsolve.answers.extensions import diff_extensions

    sides: list[list[v1.ExtensionRequest]] = []
    for name, side in (("request", request), ("other", other)):
        if not isinstance(side, Iterable) and not isinstance(side, v1.ExtensionRequest):
            raise wrong_type(side, "a request", name, _ALIKE)
        sides.append([side] if isinstance(side, v1.ExtensionRequest) else list(side))
    for each in (*sides[0], *sides[1]):
        if not isinstance(each, v1.ExtensionRequest):
            raise RequestError(f"a {type(each).__name__} is no request for an extension", hint=_ALIKE)
    return diff_extensions(*sides)


@overload
def held_back(
    answer: Resolution | classic.Unsatisfiable, *, request: classic.Request | None = ..., timeout: float | None = ...
) -> tuple[HeldBackOperator, ...]: ...


@overload
def held_back(
    answer: v1.ExtensionResolution | v1.ResolutionError | v1.ExtensionRequest,
    *,
    request: v1.ExtensionRequest | None = ...,
    timeout: float | None = ...,
) -> tuple[v1.HeldBack, ...]: ...


def held_back(
    answer: Resolution | classic.Unsatisfiable | v1.ExtensionResolution | v1.ResolutionError | v1.ExtensionRequest,
    *,
    request: classic.Request | v1.ExtensionRequest | None = None,
    timeout: float | None = None,
) -> tuple[HeldBackOperator, ...] | tuple[v1.HeldBack, ...]:
    """Return what an answer leaves aside although it is newer, each bundle with what keeps it away.

    *answer* is the plan of a classic request or its failure (then the installed operators stay as they are), or what
    an extension got: its resolution, its failure, or its request. Of each subscription the newest bundles of its
    channel, of its catalog and of all catalogs are told, and the update that comes next if the plan does not take it;
    of an extension all newer bundles. *request* is only needed if *answer* was pickled and so lost its own. Where
    nothing is held back, nothing is solved. *timeout* is in seconds of wall-clock time, for classic requests: nothing
    is solved for an extension.

    Raises:
        RequestError: *answer* has no request, or is not the answer to it; *timeout* is not above 0.
        Incomplete: the time ended before all obstacles were found.
        InvalidWishError: the wish of an extension cannot be read.

    Example::

        for operator in olmsolve.held_back(olmsolve.resolve(request)):
            print(operator.subscription, *operator.newer, sep="\\n  ")
    """
    if isinstance(answer, (Resolution, classic.Unsatisfiable)):
        from olmsolve.answers.held_back import held_back as held_back_from_plan

        return held_back_from_plan(answer, request=_classic_or_none(request), timeout=timeout)
    from olmsolve import v1

    return v1.held_back(_extension_request(answer, request))


def _classic_or_none(request: object) -> classic.Request | None:
    if request is None or isinstance(request, classic.Request):
        return request
    raise RequestError(f"a {type(request).__name__} is no classic request", field="request")


def _extension_request(answer: object, request: object) -> v1.ExtensionRequest:
    """Return *request*, or the one that *answer* has kept. Raises RequestError where there is none."""
    from olmsolve import v1

    given = request
    if given is None:
        given = answer.request if isinstance(answer, (v1.ExtensionResolution, v1.ResolutionError)) else answer
    if isinstance(given, v1.ExtensionRequest):
        return given
    raise RequestError(
        f"this {type(answer).__name__} does not say what was asked",
        field="request",
        hint="an answer that was pickled leaves its request behind: give it as request=",
    )
