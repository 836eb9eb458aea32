"""The request that an answer belongs to, and how it was resolved."""

from __future__ import annotations

from olmsolve.classic import Request, RequestContext, Unsatisfiable
from olmsolve.errors import RequestError
from olmsolve.resolution import Resolution


def context_of(answer: Resolution | Unsatisfiable, request: Request | None) -> tuple[Request, RequestContext]:
    """Return the request of *answer* and how it was resolved. Raises RequestError if the request is lost."""
    context: RequestContext | None = answer.context if isinstance(answer, Resolution | Unsatisfiable) else None
    if request is None and context is not None:
        request = context.request
    if context is None or request is None:
        raise RequestError(
            f"this {type(answer).__name__} does not say what was asked",
            field="request",
            hint="a plan that was pickled leaves its request behind: give it as request=",
        )
    return request, context
