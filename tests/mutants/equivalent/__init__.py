"""Mutants that make no difference which a test could see, each with the reason: somebody has read them.

A test checks that each of them is a mutant of the line that it names, so that none outlives its line.
"""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent
from tests.mutants.equivalent import catalogs, clauses, deciding, explaining, requests, rotating, values, walking
from tests.mutants.mutating import Mutant

__all__ = ["EQUIVALENT", "is_equivalent"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *values.EQUIVALENT,
    *catalogs.EQUIVALENT,
    *requests.EQUIVALENT,
    *explaining.EQUIVALENT,
    *deciding.EQUIVALENT,
    *walking.EQUIVALENT,
    *rotating.EQUIVALENT,
    *clauses.EQUIVALENT,
)


def is_equivalent(mutant: Mutant, source: str) -> bool:
    """Return whether *mutant* of a module with this *source* is on the list."""
    return any(each.module == mutant.module and each.is_(mutant, source.splitlines()) for each in EQUIVALENT)
