"""The roots of a request: the choices that its queue starts with."""

from __future__ import annotations

from olmsolve.answers.verification.wishes import AnyCandidate
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Request
from olmsolve.errors import CatalogError
from olmsolve.resolution import EXISTING


def roots_of(request: Request, world: World) -> tuple[AnyCandidate | None, ...]:
    """Return a choice for each unowned installed operator, by name, then for each subscription and each demand.

    Subscriptions, and the house rules that demand something, are in the order given.

    The list ends early, with None, at a subscription that names something unknown: the request fails on it alone.

    Raises:
        CatalogError: a subscription names a channel without exactly one chain (and its catalog), or the
            requirements of an unowned installed operator do not parse.
    """
    owners = request.owners()
    roots: list[AnyCandidate | None] = []
    # Two subscriptions may be equal, so it is their identity that tells whose an operator is.
    owned: dict[int, PlainCandidate] = {}
    for operator in world.existing:
        owner = owners.get(operator.name)
        if owner is not None:
            owned.setdefault(id(owner), operator)
        elif operator.fault is not None:
            raise CatalogError(operator.fault, catalog=EXISTING, bundle=operator.name)
        else:
            roots.append(AnyCandidate((operator,)))
    for subscription in request.subscriptions:
        candidates = world.serve(subscription, owned.get(id(subscription)))
        if candidates is None:
            return (*roots, None)
        roots.append(AnyCandidate(candidates))
    return (*roots, *map(AnyCandidate, world.demanded()))
