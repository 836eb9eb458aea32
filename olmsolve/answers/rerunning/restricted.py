"""A problem with other roots than its own, for questions about some of its wishes, or about one more."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from olmsolve._frozen import shared_repr
from olmsolve.classic import ClassicProblem
from olmsolve.solver import Constraint, Identifier, Root


@attrs.frozen
@shared_repr
class RestrictedProblem:
    """*problem* with other *roots* than its own: some of them, or more."""

    problem: ClassicProblem
    roots: Sequence[Root]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        return self.problem.constraints(identifier)

    def block(self, identifier: Identifier) -> str:
        return self.problem.block(identifier)
