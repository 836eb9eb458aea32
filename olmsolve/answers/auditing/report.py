"""The report of an audit: the packages it looked at, and its findings."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from olmsolve._records import Record, documented, field, record
from olmsolve.answers.auditing.findings import AuditFinding
from olmsolve.resolution import SEMANTICS


@attrs.frozen
class AuditedChannel:
    """A channel with its *head* ("" if it has no order); *versions* counts its entries that have a bundle."""

    name: str
    head: str
    versions: int


def _rows(channels: tuple[AuditedChannel, ...]) -> list[tuple[str, str, int]]:
    return [(channel.name, channel.head, channel.versions) for channel in channels]


def _channels(rows: Iterable[tuple[str, str, int]]) -> tuple[AuditedChannel, ...]:
    return tuple(AuditedChannel(*row) for row in rows)


@record
class AuditedPackage(Record):
    """A package that was audited."""

    catalog: str = field("The catalog, namespace/name.")
    name: str = field("The name of the package.")
    bundles: int = field("How many bundles it has.")
    channels: tuple[AuditedChannel, ...] = field(
        "Its channels by name: of each its name, its head and the number of its versions.",
        written=_rows,
        read=_channels,
    )
    findings: tuple[AuditFinding, ...] = field("What was found in it.")


@record(
    definition="olmsolve.audit",
    title="What in whole catalogs cannot be installed, updated or selected",
    about="docs/audit.md gives the meaning of the fields.",
    layout=("semantics", "catalogs", "packages", "channels", "bundles", "findings"),
    groups={"audited": "How much was audited."},
)
class AuditReport(Record):
    """The outcome of an audit; it depends on the sources and the semantics alone.

    *packages* are in order of catalogs and names. *notes* tell how the report came about (lines of a state file that
    were left aside); they are neither compared nor written.

    >>> import olmsolve
    >>> commons = olmsolve.load("olmsolve/examples/catalogs/commons")
    >>> report = olmsolve.audit([olmsolve.Source("commons", "olm", 0, commons)])
    >>> report.bundles, report.clean
    (10, True)
    """

    catalogs: tuple[str, ...] = field("The catalogs, namespace/name, in order.")
    semantics: str = field("The semantics of compound constraints.", schema=SEMANTICS)
    packages: tuple[AuditedPackage, ...] = field("How many packages.", path="audited.packages", written=len, repr=False)
    notes: tuple[str, ...] = attrs.field(default=(), eq=False)

    @property
    @documented("What was found, by catalog and package.")
    def findings(self) -> tuple[AuditFinding, ...]:
        return tuple(finding for package in self.packages for finding in package.findings)

    @property
    def clean(self) -> bool:
        """Whether there are no findings."""
        return not any(package.findings for package in self.packages)

    @property
    @documented("How many channels.", path="audited.channels")
    def channels(self) -> int:
        return sum(len(package.channels) for package in self.packages)

    @property
    @documented("How many bundles.", path="audited.bundles")
    def bundles(self) -> int:
        return sum(package.bundles for package in self.packages)
