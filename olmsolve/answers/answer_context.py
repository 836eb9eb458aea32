"""The request that an answer belongs to, how it was resolved, and its problem with other roots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import olmsolve._attrs as attrs
from olmsolve import classic
from olmsolve.errors import RequestError
from olmsolve.resolution import Resolution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from olmsolve.classic import ClassicProblem, Request, RequestContext, Unsatisfiable
    from olmsolve.solver import Constraint, Identifier, Root


def context_of(answer: Resolution | Unsatisfiable, request: Request | None) -> tuple[Request, RequestContext]:
    """Return the request of *answer* and how it was resolved. Raises RequestError if the request is lost."""
    # Asked one by one: a plan then needs no class of failures, whose reasons take a while to import.
    is_answer = isinstance(answer, Resolution) or isinstance(answer, classic.Unsatisfiable)  # noqa: SIM101
    context: RequestContext | None = answer.context if is_answer else None
    if request is None and context is not None:
        request = context.request
    if context is None or request is None:
        raise RequestError(
            f"this {type(answer).__name__} has lost its request",
            field="request",
            hint="a pickled plan has lost its request: give it as request=",
        )
    return request, context


@attrs.frozen
class RestrictedProblem:
    """*problem* with other *roots* than its own: some of them, or more."""

    problem: ClassicProblem
    roots: Sequence[Root]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        return self.problem.constraints(identifier)

    def block(self, identifier: Identifier) -> str:
        return self.problem.block(identifier)
