"""The verb of the room: certify a plan or a failure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, Literal

from olmsolve import events
from olmsolve._arguments import type_with_article
from olmsolve._limits import Cancellation, scoped
from olmsolve.answers.certifying.refuting import Refuter
from olmsolve.answers.verification import (
    AnyCandidate,
    AnyPart,
    FailureCertificate,
    Heading,
    PlainCandidate,
    PlanCertificate,
    Proposition,
    ProvedRejection,
    QueuedWish,
    Refutation,
    Rejected,
    RootHolds,
    World,
    catalog_digests,
    holds,
    replay,
    request_digest,
    roots_of,
)
from olmsolve.classic import CatalogsUnreadable, Request, Semantics, Unsatisfiable
from olmsolve.errors import CatalogError, RequestError
from olmsolve.resolution import EXISTING, Resolution

_HINT: Final = "a plan or failure that was pickled needs the request once more"


def certificate(
    outcome: Resolution | Unsatisfiable,
    request: Request | None = None,
    *,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> dict[str, Any]:
    """Return the certificate with which :func:`olmsolve.verify` confirms *outcome*: plain JSON data.

    For a plan it says which way each choice took, and refutes every candidate that would have come first. For a failure
    it refutes the request. docs/certificates.md describes the format. *request* is only needed if *outcome* was pickled
    and so lost its own. *timeout*, *conflicts*, *cancel* and *observer* are as in :func:`olmsolve.resolve`.

    Raises:
        RequestError: there is no request, or *outcome* is not its answer, or the failure has no proof: a catalog
            is broken or cannot be read.
        Incomplete: a limit was met, or the caller cancelled.

    Example::

        plan = olmsolve.resolve(request)
        assert olmsolve.verify(olmsolve.certificate(plan), request)
    """
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return _certificate(outcome, request)


def _certificate(outcome: object, request: Request | None) -> dict[str, Any]:
    if isinstance(outcome, CatalogError):
        raise RequestError("a failure that a broken catalog causes has no proof", hint="repair the catalog")
    if not isinstance(outcome, Resolution | Unsatisfiable):
        raise RequestError(
            f"{type_with_article(outcome)} is not an answer to a classic request", hint="others need no search"
        )
    if isinstance(outcome, Unsatisfiable) and any(isinstance(reason, CatalogsUnreadable) for reason in outcome.core):
        raise RequestError("a failure that unreadable catalogs cause has no proof", field="unreadable")
    context = outcome.context
    if request is None and context is not None:
        request = context.request
    if request is None or context is None:
        raise RequestError("the outcome does not know its request", field="request", hint=_HINT)
    semantics: Semantics = context.semantics
    world = World(request, semantics)
    wanted = roots_of(request, world)
    kind: Literal["plan", "unsatisfiable"] = "unsatisfiable" if isinstance(outcome, Unsatisfiable) else "plan"
    heading = Heading(kind, semantics, request_digest(request, world), catalog_digests(world.sources))
    if None in wanted:
        if kind == "plan":
            raise RequestError("the plan is not one of this request", field="request")
        refutation = Refutation((RootHolds(wanted.index(None)),), ())
        return FailureCertificate(heading, refutation).to_dict()
    roots = [root for root in wanted if root is not None]
    refuter = Refuter(world, semantics, roots)
    if isinstance(outcome, Unsatisfiable):
        proof = refuter.refute(())
        if proof is None:
            raise RequestError("the request can be satisfied", field="request")
        return FailureCertificate(heading, proof).to_dict()
    return _plan(outcome, heading, world, roots, refuter).to_dict()


def _plan(
    outcome: Resolution, heading: Heading, world: World, roots: Sequence[AnyCandidate], refuter: Refuter
) -> PlanCertificate:
    """Return the certificate of a plan: replay the queue, and refute whatever it passes over."""
    chosen = _chosen(outcome, world)
    ways: list[int] = []
    rejections: list[ProvedRejection] = []

    def take(_: int, queued: QueuedWish) -> int | None:
        # Every choice of the preferred plan takes the first way that the plan as a whole meets.
        if isinstance(queued.wish, AnyPart):
            met = (position for position, part in enumerate(queued.wish.parts) if holds(part, chosen))
        else:
            assert isinstance(queued.wish, AnyCandidate)
            met = (position for position, candidate in enumerate(queued.wish.candidates) if candidate in chosen)
        way = next(met, None)
        if way is not None:
            ways.append(way)
        return way

    def rejected(way: Rejected, held: Collection[Proposition], _: Proposition) -> None:
        refutation = refuter.refute(held)
        if refutation is None:
            raise RequestError("the plan is not the preferred one of this request", field="request")
        rejections.append(ProvedRejection(way, refutation))

    selected = replay(world, heading.semantics, roots, take, rejected).selected
    if set(selected) != chosen:
        raise RequestError("the plan is not one of this request", field="request")
    return PlanCertificate(heading, selected, tuple(ways), tuple(rejections))


def _chosen(outcome: Resolution, world: World) -> set[PlainCandidate]:
    """Return the candidates of the plan, what stays installed included."""
    chosen = {
        world.find(
            candidate.catalog,
            "" if candidate.catalog == EXISTING else candidate.package,
            candidate.channel,
            candidate.name,
        )
        for candidate in outcome.selected
    }
    if None in chosen:
        raise RequestError("the plan is not one of this request", field="request")
    return {candidate for candidate in chosen if candidate is not None}
