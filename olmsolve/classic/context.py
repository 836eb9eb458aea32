"""The part of a question that its answer keeps, for further questions about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import olmsolve._attrs as attrs
from olmsolve.catalog.index import Visible
from olmsolve.classic.request import Request, Semantics
from olmsolve.solver import Constraint

if TYPE_CHECKING:
    from olmsolve.solver.backends import BackendLike


@attrs.frozen
class RequestContext:
    """A request and how it was resolved, so that questions about the answer can resolve it once more.

    *request* is None after pickling, since it holds whole catalogs. *core* is the solver's, which then need not be
    found a second time; it is empty where there was none, and after pickling. A *backend* without a name is replaced by
    the default in a pickle, because the default gives the same answers. *visible* is the view of the catalogs under
    which it was resolved, with what it remembers.
    """

    request: Request | None
    semantics: Semantics
    backend: BackendLike
    core: tuple[Constraint, ...] = attrs.field(default=(), eq=False, repr=False)
    visible: Visible | None = attrs.field(default=None, eq=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        from olmsolve.solver.backends import portable_name

        # Backends made of functions cannot be pickled, and another process finds one by its name.
        return type(self), (None, self.semantics, portable_name(self.backend))
