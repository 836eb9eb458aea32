"""The outcome of a request, whichever it is: a plan, a failure, or a broken catalog."""

from __future__ import annotations

from typing import TypeAlias

from olmsolve import classic
from olmsolve.classic import Request, Semantics, Unsatisfiable
from olmsolve.errors import CatalogError
from olmsolve.resolution import Resolution
from olmsolve.testing.outlining import outline

Outcome: TypeAlias = Resolution | Unsatisfiable | CatalogError
"""A plan, the failure with its core, or the fault of a catalog that decides the request."""


def outcome_of(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> Outcome:
    """Return what :func:`olmsolve.resolve` returns, or the failure that it raises.

    Raises:
        Incomplete: a limit was reached.
    """
    try:
        return classic.resolve(request, semantics=semantics)
    except (Unsatisfiable, CatalogError) as failure:
        return failure


def broken(law: str, request: Request, faults: list[str]) -> AssertionError:
    """Return the error of a broken *law*: each of *faults*, and below them the request."""
    return AssertionError("\n".join([f"{law}:", *(f"  {fault}" for fault in faults), "the request:", outline(request)]))
