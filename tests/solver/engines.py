"""The deciding engine through the door: as in dense problems, without the glance that comes first in all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from olmsolve.solver import Constraint, FamilyView, Identifier, Problem, Root, Solution, Trace, attempt

__all__ = ["Decided", "decided_solution"]


@attrs.frozen
class Decided:
    """*problem* as a dense one, in which dead ends are likely, so that the deciding engine begins at once."""

    problem: Problem
    families: FamilyView | None = None
    dense: Final = True

    @property
    def roots(self) -> Sequence[Root]:
        return self.problem.roots

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        return self.problem.constraints(identifier)

    def block(self, identifier: Identifier) -> str:
        return self.problem.block(identifier)


def decided_solution(
    problem: Problem, *, families: FamilyView | None = None, trace: Trace | None = None
) -> Solution | None:
    """Return the solution that the engine finds, None if it refutes *problem*."""
    return attempt(Decided(problem, families), trace=trace)
