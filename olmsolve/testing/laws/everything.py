"""All laws of this room at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from olmsolve.classic import Request, Semantics
from olmsolve.testing.laws.agreement import (
    check_backends,
    check_certificate,
    check_document,
    check_ranges,
    check_reading,
    check_semantics,
    check_warm,
)
from olmsolve.testing.laws.answers import check_constraints, check_core, check_fixes, check_order, check_preferred
from olmsolve.testing.laws.changes import (
    check_priority,
    check_renamed,
    check_repeated,
    check_rest,
    check_unrelated,
    check_unselected,
)

LAWS: Final[tuple[Callable[[Request, Semantics], None], ...]] = (
    check_constraints,
    check_preferred,
    check_order,
    check_core,
    check_fixes,
    check_certificate,
    check_backends,
    check_semantics,
    check_document,
    check_warm,
    check_ranges,
    check_reading,
    check_unrelated,
    check_unselected,
    check_rest,
    check_priority,
    check_repeated,
    check_renamed,
)
"""Every law: of answers, of agreement between answers, and of changes that cannot matter."""


def check_laws(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check every law of :data:`LAWS` on *request*.

    Raises:
        AssertionError: a law is broken; the message says which, and shows the request.

    >>> from olmsolve.testing import catalog_of, check_laws, package, request_for
    >>> check_laws(request_for(catalog_of(package("etcd").channel("stable", "0.9.0 < 0.9.2")), "etcd"))
    """
    for law in LAWS:
        law(request, semantics)
