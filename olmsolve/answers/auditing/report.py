"""The report of an audit: the packages it looked at, and its findings.

Findings are plain values, one class for each kind; ``str()`` is a sentence without a full stop.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import ClassVar, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._arguments import first_of
from olmsolve._records import Record, documented, field, record, texts
from olmsolve.classic import Reason
from olmsolve.errors import CatalogError
from olmsolve.resolution import SEMANTICS

_SHOWN: Final = 5  # names in one sentence of a report


@attrs.frozen
class RecordedReason:
    """A reason that an earlier run of the audit has found, as its state file has it: the words."""

    text: str

    def __str__(self) -> str:
        return self.text


AuditReason: TypeAlias = Reason | CatalogError | RecordedReason
"""Why something cannot be installed, or cannot stay; its ``str()`` is a sentence."""


def _recorded(words: list[str]) -> tuple[AuditReason, ...]:
    return tuple(map(RecordedReason, words))


def _sentences(reasons: tuple[AuditReason, ...]) -> tuple[str, ...]:
    return tuple(map(str, reasons))


@record(layout=("kind", "text", ..., "reasons"))
class AuditFinding(Record):
    """A fault in a package that its users will run into.

    *reasons* say why: the constraints of the resolver's core without the audit's own subscription, or the fault of the
    catalog. Findings with the same words are equal, because a state file holds the words.
    """

    kind: ClassVar[str]
    catalog: str = field("The catalog, namespace/name.")
    package: str = field("The package.")
    reasons: tuple[AuditReason, ...] = field(
        "Why, a sentence each.", default=(), kw_only=True, eq=_sentences, written=texts, read=_recorded
    )


@record
class _InChannel(AuditFinding):
    """A finding about one channel."""

    channel: str = field("The channel that the finding is about.")


@record(says="channel {channel} has no order, so only a startingCSV can begin in it")
class BrokenChannel(_InChannel):
    """The channel has no order (no head, several heads, or a cycle): subscribing takes a ``startingCSV``."""


@record(says="channel {channel} has no bundle")
class EmptyChannel(_InChannel):
    """No entry of the channel has a bundle."""


@record
class HeadNotInstallable(_InChannel):
    """The head cannot be installed."""

    bundle: str = field("The bundle that the finding is about.")
    instead: str = field("What a subscription gets, empty for nothing.")

    def __str__(self) -> str:
        got = f"gets {self.instead} instead" if self.instead else "gets nothing"
        return f"{self.bundle}, the head of channel {self.channel}, cannot be installed; a subscription {got}"


@record
class _Stop(_InChannel):
    """The updates of all *versions* end at *bundle*, one of them, before they come to the head of the channel.

    If *bundle* cannot stay installed, the resolution of its namespace fails, for every other operator there as well.
    """

    bundle: str = field("Where the updates end.")
    versions: tuple[str, ...] = field("All versions whose updates end there.")
    staying: tuple[AuditReason, ...] = field(
        "Why this bundle cannot even stay installed; empty if it can.", eq=_sentences, written=texts, read=_recorded
    )

    @property
    def _consequences(self) -> str:
        others = tuple(version for version in self.versions if version != self.bundle)
        text = f"; the head is also out of reach for {first_of(others, _SHOWN)}" if others else ""
        return f"{text}; and it cannot stay installed" if self.staying else text


@record
class UpdateNotInstallable(_Stop):
    """No update of a bundle can be installed; the reasons are about the first."""

    updates: tuple[str, ...] = field("The updates, nearest to the head first.")

    def __str__(self) -> str:
        text = f"in channel {self.channel}, {self.bundle} cannot be updated to {first_of(self.updates, _SHOWN)}"
        return text + self._consequences


@record(says="in channel {channel}, nothing follows {bundle}{_consequences}")
class NoUpdate(_Stop):
    """No entry in the order of the channel follows a bundle, which is not the head."""


@record
class CircularUpdates(_InChannel):
    """Updates go in a circle and never reach the head: a ``skipRange`` leads back."""

    circle: tuple[str, ...] = field("The bundles of the circle, each an update of the one before.")
    versions: tuple[str, ...] = field("The versions whose updates go in the circle.")

    def __str__(self) -> str:
        circle = " > ".join((*self.circle, self.circle[0]))
        return f"in channel {self.channel}, updates go in a circle: {circle}, from {first_of(self.versions, _SHOWN)}"


class DeadBecause(enum.Enum):
    """A reason why a bundle is dead."""

    NO_CHANNEL = "noChannel"
    PROHIBITED = "prohibited"
    UNSATISFIABLE = "unsatisfiable"


@record
class DeadBundle(AuditFinding):
    """No request over these catalogs selects the bundle in a namespace where nothing is installed.

    NO_CHANNEL and PROHIBITED (it declares itself deprecated, or its requirements do not parse) hold whatever is
    installed. An UNSATISFIABLE bundle can be revived by an installed operator that provides something no candidate
    of the catalogs provides.
    """

    bundle: str = field("The bundle that nothing can select.")
    because: DeadBecause = field(
        "Why: it is in no channel, its own properties rule it out, or no request can be satisfied with it."
    )

    def __str__(self) -> str:
        return {
            DeadBecause.NO_CHANNEL: f"{self.bundle} is in no channel, so nothing can select it",
            DeadBecause.PROHIBITED: f"{self.bundle} is never selected",
            DeadBecause.UNSATISFIABLE: f"no request over these catalogs can select {self.bundle}",
        }[self.because]


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
        "Its channels by name, each with its name, its head and the number of its versions.",
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
    """The outcome of an audit; it depends only on the sources and the semantics.

    *packages* are in order of catalogs and names. *notes* say how the report was made (lines of a state file that were
    skipped); they are neither compared nor written.

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
