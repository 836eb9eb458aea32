"""The verbs of the facade that ask about answers, and compare them, for both kinds of request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast, overload

from olmsolve import classic, events
from olmsolve._arguments import type_with_article, wrong_type
from olmsolve._limits import Cancellation, scoped
from olmsolve.classic import Semantics, SemanticsName
from olmsolve.errors import RequestError
from olmsolve.resolution import Resolution
from olmsolve.solver.backends import DEFAULT

_ALIKE: Final = "subscriptions are compared with subscriptions, and extensions with extensions"

if TYPE_CHECKING:
    from olmsolve import v1
    from olmsolve.answers.extensions import ExtensionWhy, ExtensionWhyNot
    from olmsolve.answers.held_back import HeldBackOperator
    from olmsolve.answers.questions import Why, WhyNot
    from olmsolve.solver.backends import BackendLike


@overload
def why(
    resolution: Resolution,
    name: str,
    *,
    request: classic.Request | None = ...,
    reasons: int = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> Why: ...


@overload
def why(
    resolution: v1.ExtensionResolution | v1.ExtensionRequest,
    name: str = ...,
    *,
    request: v1.ExtensionRequest | None = ...,
    reasons: int = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> ExtensionWhy: ...


def why(
    resolution: Resolution | v1.ExtensionResolution | v1.ExtensionRequest,
    name: str = "",
    *,
    request: classic.Request | v1.ExtensionRequest | None = None,
    reasons: int = 50,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Why | ExtensionWhy:
    """Say why the bundle or installed operator *name*, or the one of a package, is in a plan, or an extension's answer.

    *resolution* is the plan of a classic request, or an extension's resolution or request. *name* may be left out for
    an extension, which gets one bundle. *request* is only needed if the answer was pickled and so lost its own. At most
    *reasons* of the candidates that a classic plan passed over get reasons, since each takes a search. *timeout*,
    *conflicts*, *cancel* and *observer* are as in :func:`resolve`.

    Raises:
        RequestError: *name* is not in the plan, or *resolution* is not the answer to its request.
        ResolutionError: an extension's request has no answer.
        Incomplete: a limit was met, or the caller cancelled.

    Example::

        for link in olmsolve.why(plan, "keyring.v1.0.2").chain:
            print(link)
    """
    from olmsolve.answers import questions

    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
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
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
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
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> ExtensionWhyNot: ...


def why_not(
    resolution: Resolution | v1.ExtensionResolution | v1.ResolutionError | v1.ExtensionRequest,
    package: str = "",
    *,
    version: str = "",
    channel: str = "",
    catalog: str = "",
    request: classic.Request | v1.ExtensionRequest | None = None,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> WhyNot | ExtensionWhyNot:
    """Say why there is no bundle of *package* (of this *version*, from this *channel* and *catalog*) in an answer.

    *resolution* is the plan of a classic request, or of an extension the resolution, the failure or the request.
    *package* may be the name of a bundle, and then the question is only about that bundle. *version* is compared as a
    version, build metadata aside; *catalog* is ``namespace/name``, for an extension the name of a ClusterCatalog; ""
    stands for any. *package* may be left out for an extension. *request* is only needed if the answer was pickled and
    so lost its own. *timeout*, *conflicts*, *cancel* and *observer* are as in :func:`resolve`.

    Raises:
        RequestError: *version* is not a version, or *resolution* is not the answer to its request.
        InvalidWishError: the wish of an extension cannot be read.
        Incomplete: a limit was met, or the caller cancelled.

    Example::

        answer = olmsolve.why_not(plan, "keyring", version="1.0.1")
        print(answer.verdict.value, answer.reason, answer.change)
    """
    from olmsolve.answers import questions

    asked_for = {"package": package, "version": version, "channel": channel, "catalog": catalog}
    for name, text in asked_for.items():
        if not isinstance(text, str):
            raise wrong_type(text, "text", name)
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        if isinstance(resolution, Resolution):
            given = _classic_or_none(request)
            return questions.why_not(
                resolution, package, version=version, channel=channel, catalog=catalog, request=given
            )
        from olmsolve.answers.extensions import why_not_extension

        given_extension = _extension_request(resolution, request)
        return why_not_extension(given_extension, package, version=version, channel=channel, catalog=catalog)


Difference = TypeVar("Difference")


class Comparable(Protocol[Difference]):
    """A request, to type checkers: its method names the type of what :func:`diff` returns for two such requests.

    Without overloads, a wrong word for *semantics* is one line of type checkers, which says which words are right.
    """

    def _compared(self, difference: Difference) -> Difference: ...


class ComparableInSets(Protocol[Difference]):
    """A request for type checkers that :func:`diff` compares in sets: several with several."""

    def _compared_in_sets(self, difference: Difference) -> Difference: ...


def diff(
    request: Comparable[Difference] | Iterable[ComparableInSets[Difference]],
    other: Comparable[Difference] | Iterable[ComparableInSets[Difference]],
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Difference:
    """Compare the clusters that *request* and *other* would leave, or what two sets of extensions would get.

    *other* may have other subscriptions, operators or catalogs, or the same ones with another priority. Extensions are
    compared by the names of their requests. *semantics*, *backend* and *conflicts* are for classic requests; *timeout*,
    *conflicts*, *cancel* and *observer* are as in :func:`resolve`, for both answers together.

    Raises:
        RequestError: one of them is a classic request and the other is not, or two extensions have one name.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.

    >>> import olmsolve
    >>> request = olmsolve.read_request("olmsolve/examples/install.yaml")
    >>> (wish,) = request.subscriptions
    >>> other = olmsolve.evolve(request, subscriptions=[olmsolve.evolve(wish, channel="1.x")])
    >>> [str(change.after) for change in olmsolve.diff(request, other).changed]
    ['courier.v3.2.0 (stable, olm/commons)', 'storefront.v1.4.1 (1.x, olm/orchard)']
    """
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return cast("Difference", _compared(request, other, semantics, backend))


def _compared(
    request: object, other: object, semantics: SemanticsName, backend: BackendLike
) -> classic.PlanDiff | v1.ExtensionDiff:
    if isinstance(request, classic.Request) and isinstance(other, classic.Request):
        from olmsolve.answers import questions

        return questions.diff(request, other, semantics=semantics, backend=backend)
    if isinstance(request, classic.Request) or isinstance(other, classic.Request):
        odd = other if isinstance(request, classic.Request) else request
        raise RequestError(f"{type_with_article(odd)} is not a classic request", hint=_ALIKE)
    from olmsolve import v1

    sides: list[list[v1.ExtensionRequest]] = []
    for name, side in (("request", request), ("other", other)):
        if not isinstance(side, Iterable) and not isinstance(side, v1.ExtensionRequest):
            raise wrong_type(side, "a request", name, _ALIKE)
        sides.append([side] if isinstance(side, v1.ExtensionRequest) else list(side))
    for compared in (*sides[0], *sides[1]):
        if not isinstance(compared, v1.ExtensionRequest):
            raise RequestError(f"{type_with_article(compared)} is not a request for an extension", hint=_ALIKE)
    return v1.diff_extensions(*sides)


@overload
def held_back(
    answer: Resolution | classic.Unsatisfiable,
    *,
    request: classic.Request | None = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> tuple[HeldBackOperator, ...]: ...


@overload
def held_back(
    answer: v1.ExtensionResolution | v1.ResolutionError | v1.ExtensionRequest,
    *,
    request: v1.ExtensionRequest | None = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
    observer: events.Observer | None = ...,
) -> tuple[v1.HeldBack, ...]: ...


def held_back(
    answer: Resolution | classic.Unsatisfiable | v1.ExtensionResolution | v1.ResolutionError | v1.ExtensionRequest,
    *,
    request: classic.Request | v1.ExtensionRequest | None = None,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> tuple[HeldBackOperator, ...] | tuple[v1.HeldBack, ...]:
    """Return the newer bundles that an answer leaves out, each with the obstacles that keep it away.

    *answer* is the plan of a classic request or its failure (then the installed operators stay as they are), or what an
    extension got: its resolution, its failure, or its request. For each subscription, the result has the newest bundle
    of its channel, of its catalog and of all catalogs, and the next update if the plan does not take it; for an
    extension, all newer bundles. *request* is only needed if *answer* was pickled and so lost its own. Where nothing is
    held back, nothing is solved. *timeout*, *conflicts*, *cancel* and *observer* are as in :func:`resolve`.

    Raises:
        RequestError: *answer* has no request, or is not the answer to it; a limit is not a positive number.
        Incomplete: a limit was met before all obstacles were found, or the caller cancelled.
        InvalidWishError: the wish of an extension cannot be read.

    Example::

        for operator in olmsolve.held_back(olmsolve.resolve(request)):
            print(operator.subscription, *operator.newer, sep="\\n  ")
    """
    # Asked one by one: a plan then needs no class of failures, whose reasons take a while to import.
    if isinstance(answer, Resolution) or isinstance(answer, classic.Unsatisfiable):  # noqa: SIM101
        from olmsolve.answers.held_back import held_back as held_back_from_plan

        with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
            return held_back_from_plan(answer, request=_classic_or_none(request))
    from olmsolve import v1

    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return v1.held_back(_extension_request(answer, request))


def _classic_or_none(request: object) -> classic.Request | None:
    if request is None or isinstance(request, classic.Request):
        return request
    raise RequestError(f"{type_with_article(request)} is not a classic request", field="request")


def _extension_request(answer: object, request: object) -> v1.ExtensionRequest:
    """Return *request*, or the one that *answer* has kept. Raises RequestError where there is none."""
    from olmsolve import v1

    given = request
    if given is None:
        given = answer.request if isinstance(answer, (v1.ExtensionResolution, v1.ResolutionError)) else answer
    if isinstance(given, v1.ExtensionRequest):
        return given
    if isinstance(answer, classic.Request):
        raise RequestError(
            "a classic request is not an answer",
            field="answer",
            hint="resolve it: held_back(olmsolve.resolve(request))",
        )
    raise RequestError(
        f"this {type(answer).__name__} has lost its request",
        field="request",
        hint="pickling an answer drops its request: pass it as request=",
    )
