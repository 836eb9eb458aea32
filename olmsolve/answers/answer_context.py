"""The request that an answer belongs to, and how it was resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from olmsolve import classic
from olmsolve.errors import RequestError
from olmsolve.resolution import Resolution

if TYPE_CHECKING:
    from olmsolve.classic import Request, RequestContext, Unsatisfiable


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
