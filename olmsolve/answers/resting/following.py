"""From a plan to the rest that it leads to: the plans that follow it, one after the other."""

from __future__ import annotations

from typing import Final

import attrs

from olmsolve._frozen import shared_repr
from olmsolve._limits import check
from olmsolve.answers.resting.carrying_out import carried_out
from olmsolve.classic import Request, Semantics, resolve
from olmsolve.errors import CatalogError, RequestError, VersionError
from olmsolve.resolution import Candidate, Resolution, ResolutionFailure
from olmsolve.semver import Version
from olmsolve.solver.backends import BackendLike

MOST_PLANS: Final = 50
"""The most plans that are followed; a channel with more updates than this is followed no further."""


@attrs.frozen
@shared_repr
class Rest:
    """The end of a row of *plans*, each carried out before the next: nothing changes any more in *request*.

    *failure* is the error with which the row ended instead: the last request has no plan. *is_cut* says that there
    would have been more plans.
    """

    plans: tuple[Resolution, ...]
    request: Request = attrs.field(repr=False, eq=False)
    failure: ResolutionFailure | CatalogError | RequestError | None = attrs.field(default=None, eq=False)
    is_cut: bool = False

    @property
    def downgrades(self) -> tuple[tuple[Candidate, Candidate], ...]:
        """The operators that a plan replaces by a lower version, each with its successor."""
        pairs = ((operator, install.candidate) for plan in self.plans for operator, install in plan.replaced)
        return tuple((before, after) for before, after in pairs if _is_lower(after.version, before.version))

    @property
    def is_sound(self) -> bool:
        """Whether the row neither ends in a request without a plan nor goes back to a lower version."""
        return self.failure is None and not self.downgrades


def followed(
    request: Request,
    plan: Resolution,
    *,
    semantics: Semantics,
    backend: BackendLike,
    most: int = MOST_PLANS,
) -> Rest:
    """Return where *plan* of *request* leads to: carry it out, resolve what is left, and so on until nothing changes.

    At most *most* plans are followed.

    Raises:
        Incomplete: a limit was met.
    """
    plans = [plan]
    while plans[-1].installs:
        if len(plans) > most:
            return Rest(tuple(plans), request, is_cut=True)
        try:
            check()
            request = carried_out(request, plans[-1])
            plans.append(resolve(request, semantics=semantics, backend=backend))
        except (ResolutionFailure, CatalogError, RequestError) as failure:
            return Rest(tuple(plans), request, failure)
    return Rest(tuple(plans), request)


def _is_lower(one: str, other: str) -> bool:
    try:
        return Version.parse_tolerant(one) < Version.parse_tolerant(other)
    except VersionError:
        return False
