"""The verbs of the facade that serve both kinds of request."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from olmsolve import classic
from olmsolve.classic import Semantics, SemanticsName
from olmsolve.errors import CatalogError, RequestError
from olmsolve.resolution import Resolution, ResolutionFailure
from olmsolve.solver import Cancellation
from olmsolve.solver.backends import DEFAULT

if TYPE_CHECKING:
    from olmsolve import v1


@overload
def resolve(
    request: classic.Request,
    *,
    semantics: SemanticsName = ...,
    backend: str = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
) -> Resolution: ...


@overload
def resolve(
    request: v1.ExtensionRequest,
    *,
    semantics: SemanticsName = ...,
    backend: str = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
) -> v1.ExtensionResolution: ...


@overload
def resolve(
    request: classic.Request | v1.ExtensionRequest,
    *,
    semantics: SemanticsName = ...,
    backend: str = ...,
    timeout: float | None = ...,
    conflicts: int | None = ...,
    cancel: Cancellation | None = ...,
) -> Resolution | v1.ExtensionResolution: ...


def resolve(
    request: classic.Request | v1.ExtensionRequest,
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: str = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
) -> Resolution | v1.ExtensionResolution:
    """Return the preferred plan for a classic request, or the bundle for a cluster extension (OLM v1).

    *timeout* (seconds of wall-clock time) and *conflicts* (of one question to the SAT solver) limit the work; setting
    *cancel* (a :class:`threading.Event`) from another thread ends it. All parameters but *request* are for classic
    requests: an extension is resolved without a search, in one way.

    Raises:
        ResolutionFailure: there is no solution; :class:`Unsatisfiable` with a core for a classic request,
            :class:`olmsolve.v1.ResolutionError` for an extension.
        CatalogError: a part of a catalog that decides the request is broken.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was reached, or the caller cancelled.
    """
    if isinstance(request, classic.Request):
        return classic.resolve(
            request, semantics=semantics, backend=backend, timeout=timeout, conflicts=conflicts, cancel=cancel
        )
    from olmsolve import v1

    if not isinstance(request, v1.ExtensionRequest):
        raise RequestError(f"a {type(request).__name__} is no request", hint="olmsolve.read_request makes one")
    return v1.resolve(request)


def is_satisfiable(
    request: classic.Request | v1.ExtensionRequest,
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: str = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
) -> bool:
    """Return True if :func:`resolve` has an answer for *request*, False if it raises ResolutionFailure or CatalogError.

    A "no" comes sooner than from :func:`resolve`, which goes on to the reasons. The parameters are the same.

    Raises:
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was reached, or the caller cancelled.
    """
    if isinstance(request, classic.Request):
        return classic.is_satisfiable(
            request, semantics=semantics, backend=backend, timeout=timeout, conflicts=conflicts, cancel=cancel
        )
    try:
        resolve(request)
    except (ResolutionFailure, CatalogError):
        return False
    return True
