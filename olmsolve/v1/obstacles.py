"""Obstacles that keep a bundle from being selected for an extension: values, each of which is a clause as text.

The kinds follow the order in which OLM v1 decides: catalogs are chosen, filters applied to each of them, and then the
best bundles of the catalogs are compared, and the winner is validated.
"""

from __future__ import annotations

import enum
from typing import ClassVar

from olmsolve._records import Record, documented, field, record
from olmsolve.v1.installing import InstallRule


class HeldBackBy(enum.Enum):
    """The kind of an obstacle between an extension and a bundle.

    The kinds are in the order in which OLM v1 meets them; the values are the words of documents.
    """

    SELECTOR = "selector"
    UNAVAILABLE = "unavailable"
    CHANNEL = "channel"
    VERSION = "version"
    EDGE = "edge"
    LATER = "later"
    UNREADABLE = "unreadable"
    DEPRECATED = "deprecated"
    PRIORITY = "priority"
    TIE = "tie"
    OUTRANKED = "outranked"
    REFUSED = "refused"


@record(layout=("kind", "text"))
class Obstacle(Record):
    """One thing in the way of a bundle; its ``str()`` is a clause about the bundle."""

    kind: ClassVar[HeldBackBy]


@record(kind=HeldBackBy.SELECTOR, says="the selector leaves catalog {catalog} out")
class CatalogLeftOut(Obstacle):
    """The selector of the extension does not choose *catalog*."""

    catalog: str


@record(kind=HeldBackBy.UNAVAILABLE, says="catalog {catalog} is unavailable")
class CatalogUnavailable(Obstacle):
    """The availability mode of *catalog* is Unavailable."""

    catalog: str


@record(kind=HeldBackBy.CHANNEL)
class InOtherChannels(Obstacle):
    """The bundle is in the channels *holding* it (none: in no channel), and the extension allows only *allowed*."""

    holding: tuple[str, ...]
    allowed: tuple[str, ...]

    def __str__(self) -> str:
        where = f"in {_channels(self.holding)} only" if self.holding else "in no channel"
        return f"{where}, and the extension allows {_channels(self.allowed)}"


@record(kind=HeldBackBy.VERSION)
class OutOfRange(Obstacle):
    """The version is outside of the wanted *range*.

    *is_pin* says that the range is one version. *is_prerelease* says that the version lies between the bounds of the
    range, which leaves it out because it names no pre-release.
    """

    range: str
    is_pin: bool = False
    is_prerelease: bool = False

    def __str__(self) -> str:
        if self.is_pin:
            return f"the extension is pinned to {self.range}"
        if self.is_prerelease:
            return f"a pre-release, and the version range {self.range} names none"
        return f"outside the version range {self.range}"


@record(kind=HeldBackBy.EDGE)
class NoEdge(Obstacle):
    """No edge leads from the *installed* bundle, in the *channels* of the extension (none: in any)."""

    installed: str
    channels: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f" in {_channels(self.channels)}" if self.channels else ""
        return f"no update leads to it from {self.installed}{where}"


@record(kind=HeldBackBy.LATER)
class AfterOthers(Obstacle):
    """OLM v1 gets there by itself: after the updates *before* it, one at a time."""

    before: tuple[str, ...]

    def __str__(self) -> str:
        # All later updates have the same text, so that they share a line.
        return f"comes after {self.before[0]}, one update at a time"


@record(kind=HeldBackBy.UNREADABLE, says="{reason}")
class ResolutionStopped(Obstacle):
    """Nothing is selected at all, for a *reason* that has nothing to do with the bundle."""

    reason: str


@record(kind=HeldBackBy.DEPRECATED, says="deprecated, and {selected} is not")
class LessWanted(Obstacle):
    """The bundle is deprecated, and *selected* is not; OLM v1 looks at that before any version or priority."""

    selected: str


@record(kind=HeldBackBy.PRIORITY, says="catalog {catalog} has priority {priority}, and {winner} has {winner_priority}")
class LowerPriority(Obstacle):
    """The *catalog* of the bundle has a lower *priority* than *winner*, whose best bundle is selected."""

    catalog: str
    priority: int
    winner: str
    winner_priority: int


@record(kind=HeldBackBy.TIE)
class Tied(Obstacle):
    """Several *catalogs* of the highest priority offer a bundle, and OLM v1 does not choose between them."""

    catalogs: tuple[str, ...]

    def __str__(self) -> str:
        return f"catalogs {_enumerated(self.catalogs)} have the same priority"


@record(kind=HeldBackBy.OUTRANKED)
class ComesLater(Obstacle):
    """The bundle *first* of the same catalog is preferred; where that *is_refused*, OLM v1 tries no other."""

    first: str
    is_refused: bool = False

    def __str__(self) -> str:
        if self.is_refused:
            return f"{self.first} comes first but is refused, and OLM v1 tries no other bundle"
        return f"{self.first} comes first"


@record(kind=HeldBackBy.REFUSED, says="refused: {reason}")
class RefusedBundle(Obstacle):
    """The bundle comes first, but a validation or a system constraint refuses it for a *reason*.

    *rule* is set if the refusal is a check that the controller makes before it installs a bundle.
    """

    reason: str
    rule: InstallRule | None = None


@record(
    definition="heldBackExtensionBundle",
    about="A bundle that an extension does not get.",
    layout=("bundle", "version", "catalog", "because", "text", "obstacles"),
)
class HeldBack(Record):
    """A *bundle* of a *catalog* that is not selected, with its *obstacles* in OLM v1's order; there is at least one.

    *version* is text, with the release as build metadata.
    """

    bundle: str = field("Its name.")
    version: str = field("Its version, with the release as build metadata.")
    catalog: str = field("The catalog that has it.")
    obstacles: tuple[Obstacle, ...] = field("The obstacles that keep it away; at least one.", schema={"minItems": 1})

    @property
    @documented("The kind of the first obstacle.")
    def because(self) -> HeldBackBy:
        return self.obstacles[0].kind

    @property
    def reason(self) -> str:
        """The obstacles as clauses."""
        return "; ".join(map(str, self.obstacles))

    def __str__(self) -> str:
        return f"{self.bundle} ({self.catalog}): {self.reason}"


def _channels(names: tuple[str, ...]) -> str:
    return f"{'channel' if len(names) == 1 else 'channels'} {_enumerated(names)}"


def _enumerated(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
