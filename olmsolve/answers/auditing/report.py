"""The report of an audit: the packages it looked at, and its findings."""

from __future__ import annotations

from typing import Any

import attrs

from olmsolve.answers.auditing.findings import AuditFinding
from olmsolve.resolution import SCHEMA_VERSION


@attrs.frozen
class AuditedChannel:
    """A channel with its *head* ("" if it has no order); *versions* counts its entries that have a bundle."""

    name: str
    head: str
    versions: int


@attrs.frozen
class AuditedPackage:
    """A package of *catalog* (``namespace/name``): its channels by name, the number of its bundles, its findings."""

    catalog: str
    name: str
    bundles: int
    channels: tuple[AuditedChannel, ...]
    findings: tuple[AuditFinding, ...]


@attrs.frozen
class AuditReport:
    """The outcome of an audit; it depends on the sources and the *semantics* alone.

    *catalogs* (``namespace/name``) and *packages* are in order of their names. *notes* tell how the report came
    about (lines of a state file that were left aside); they are neither compared nor written.
    """

    catalogs: tuple[str, ...]
    semantics: str
    packages: tuple[AuditedPackage, ...] = attrs.field(repr=False)
    notes: tuple[str, ...] = attrs.field(default=(), eq=False)

    @property
    def findings(self) -> tuple[AuditFinding, ...]:
        return tuple(finding for package in self.packages for finding in package.findings)

    @property
    def clean(self) -> bool:
        """Whether there are no findings."""
        return not any(package.findings for package in self.packages)

    @property
    def channels(self) -> int:
        return sum(len(package.channels) for package in self.packages)

    @property
    def bundles(self) -> int:
        return sum(package.bundles for package in self.packages)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; docs/audit.md gives the meaning of the fields."""
        return {
            "schema": "olmsolve.audit",
            "schemaVersion": SCHEMA_VERSION,
            "semantics": self.semantics,
            "catalogs": list(self.catalogs),
            "audited": {"packages": len(self.packages), "channels": self.channels, "bundles": self.bundles},
            "findings": [finding.to_dict() for finding in self.findings],
        }
