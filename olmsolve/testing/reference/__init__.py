"""Classic resolution of small requests straight from its definition: the oracle of the fast resolver.

This shares no code with the resolver but the model of catalogs and requests: it reads what bundles say by itself
(:mod:`olmsolve.answers.plain_reading`), and follows the definition sentence by sentence. To find out whether a choice
is consistent with all others, it tries every way to grant the wishes that are left, so it can take exponential time.
"""

from __future__ import annotations

from olmsolve.answers.verification import EXISTING, World, roots_of
from olmsolve.classic import Request, Semantics
from olmsolve.testing.reference.search import ReferenceSearch, Selected, TooLarge

__all__ = ["EXISTING", "Selected", "TooLarge", "prepare", "resolve"]


def resolve(
    request: Request, semantics: Semantics = Semantics.DOCUMENTED, *, max_steps: int = 200_000
) -> tuple[Selected, ...] | None:
    """Return the preferred solution of *request* in the order of selection, None if it has no solution.

    Installed operators that stay are part of it, under the catalog :data:`EXISTING`.

    Raises:
        CatalogError: a subscription names a channel without exactly one chain (and its catalog), or the
            requirements of an unowned installed operator do not parse. (Other faults of a catalog make
            candidates unselectable; where the resolver blames them, this returns None.)
        TooLarge: after *max_steps* steps of the exhaustive search.
    """
    search = prepare(request, semantics, max_steps)
    return None if search is None else search.preferred()


def prepare(request: Request, semantics: Semantics, max_steps: int) -> ReferenceSearch | None:
    """Return the search for *request*, None if a subscription names something unknown. Raises CatalogError."""
    world = World(request, semantics)
    roots = roots_of(request, world)
    if None in roots:
        return None
    return ReferenceSearch(world, semantics, [root for root in roots if root is not None], max_steps)
