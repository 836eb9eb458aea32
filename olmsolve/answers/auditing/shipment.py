"""The cargo of an audit, for workers that do not share this process's memory."""

from __future__ import annotations

import attrs

from olmsolve.answers.auditing.packages import Auditor
from olmsolve.answers.fleet import Work, unpacked
from olmsolve.classic import SemanticsName
from olmsolve.solver.backends import BackendLike


@attrs.frozen
class Shipment:
    """The sources of an audit, packed by :func:`~olmsolve.answers.fleet.packed`, and its options."""

    payload: bytes = attrs.field(repr=False)
    semantics: SemanticsName
    backend: BackendLike

    def unpacked(self) -> Work:
        """Return the audit of packages of these sources."""
        return Auditor(unpacked(self.payload), self.semantics, self.backend).audit_all
