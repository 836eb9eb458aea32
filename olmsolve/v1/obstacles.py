"""Obstacles that keep a bundle from being selected for an extension: values, each of which is a clause as text.

The kinds follow the order in which OLM v1 decides: catalogs are chosen, filters applied to each of them, and then the
best bundles of the catalogs are compared, and the winner is validated.
"""

from __future__ import annotations

import enum
from typing import Any, ClassVar

import attrs

from olmsolve._worded import Worded


class HeldBackBy(enum.Enum):
    """The kinds of obstacles, in the order in which OLM v1 meets them; the values are the words of documents."""

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


class Obstacle(Worded):
    """One thing in the way of a bundle; its ``str()`` is a clause about the bundle."""

    __slots__ = ()
    kind: ClassVar[HeldBackBy]


@attrs.frozen
class CatalogLeftOut(Obstacle, kind=HeldBackBy.SELECTOR):
    """The selector of the extension does not choose *catalog*."""

    catalog: str

    def __str__(self) -> str:
        return f"the selector leaves catalog {self.catalog} out"


@attrs.frozen
class CatalogUnavailable(Obstacle, kind=HeldBackBy.UNAVAILABLE):
    """The availability mode of *catalog* is Unavailable."""

    catalog: str

    def __str__(self) -> str:
        return f"catalog {self.catalog} is unavailable"


@attrs.frozen
class InOtherChannels(Obstacle, kind=HeldBackBy.CHANNEL):
    """The bundle is in the channels *holding* it (none: in no channel), and the extension allows only *allowed*."""

    holding: tuple[str, ...]
    allowed: tuple[str, ...]

    def __str__(self) -> str:
        where = f"in {_channels(self.holding)} only" if self.holding else "in no channel"
        return f"{where}, and the extension allows {_channels(self.allowed)}"


@attrs.frozen
class OutOfRange(Obstacle, kind=HeldBackBy.VERSION):
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


@attrs.frozen
class NoEdge(Obstacle, kind=HeldBackBy.EDGE):
    """No edge leads from the *installed* bundle, in the *channels* of the extension (none: in any)."""

    installed: str
    channels: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f" in {_channels(self.channels)}" if self.channels else ""
        return f"no update leads there from {self.installed}{where}"


@attrs.frozen
class AfterOthers(Obstacle, kind=HeldBackBy.LATER):
    """OLM v1 gets there by itself: after the updates *before* it, one at a time."""

    before: tuple[str, ...]

    def __str__(self) -> str:
        # All that come later are told alike, so that they share a line.
        return f"comes after {self.before[0]}, one update at a time"


@attrs.frozen
class ResolutionStopped(Obstacle, kind=HeldBackBy.UNREADABLE):
    """Nothing is selected at all, for a *reason* that has nothing to do with the bundle."""

    reason: str

    def __str__(self) -> str:
        return self.reason


@attrs.frozen
class LessWanted(Obstacle, kind=HeldBackBy.DEPRECATED):
    """The bundle is deprecated, and *selected* is not; OLM v1 looks at that before any version or priority."""

    selected: str

    def __str__(self) -> str:
        return f"deprecated, and {self.selected} is not"


@attrs.frozen
class LowerPriority(Obstacle, kind=HeldBackBy.PRIORITY):
    """The *catalog* of the bundle has a lower *priority* than *winner*, whose best bundle is selected."""

    catalog: str
    priority: int
    winner: str
    winner_priority: int

    def __str__(self) -> str:
        return f"catalog {self.catalog} has priority {self.priority}, and {self.winner} has {self.winner_priority}"


@attrs.frozen
class Tied(Obstacle, kind=HeldBackBy.TIE):
    """Several *catalogs* of the highest priority offer a bundle, and OLM v1 does not choose between them."""

    catalogs: tuple[str, ...]

    def __str__(self) -> str:
        return f"catalogs {_enumerated(self.catalogs)} have the same priority"


@attrs.frozen
class ComesLater(Obstacle, kind=HeldBackBy.OUTRANKED):
    """The bundle *first* of the same catalog is preferred; where that *is_refused*, OLM v1 tries no other."""

    first: str
    is_refused: bool = False

    def __str__(self) -> str:
        if self.is_refused:
            return f"{self.first} comes first and is refused, and OLM v1 tries no other"
        return f"{self.first} comes first"


@attrs.frozen
class RefusedBundle(Obstacle, kind=HeldBackBy.REFUSED):
    """A validation or a system constraint refuses the bundle, which comes first, for its *reason*."""

    reason: str

    def __str__(self) -> str:
        return f"refused: {self.reason}"


@attrs.frozen
class HeldBack:
    """A *bundle* of a *catalog* that is not selected, and the *obstacles* before it, in OLM v1's order; at least one.

    *version* is text, with the release as build metadata.
    """

    bundle: str
    version: str
    catalog: str
    obstacles: tuple[Obstacle, ...]

    @property
    def because(self) -> HeldBackBy:
        """The kind of the first obstacle."""
        return self.obstacles[0].kind

    @property
    def reason(self) -> str:
        """The obstacles as clauses."""
        return "; ".join(map(str, self.obstacles))

    def __str__(self) -> str:
        return f"{self.bundle} ({self.catalog}): {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; what the fields mean is documented in docs/v1.md."""
        return {
            "bundle": self.bundle,
            "version": self.version,
            "catalog": self.catalog,
            "because": self.because.value,
            "text": str(self),
            "obstacles": [each.to_dict() for each in self.obstacles],
        }


def _channels(names: tuple[str, ...]) -> str:
    return f"{'channel' if len(names) == 1 else 'channels'} {_enumerated(names)}"


def _enumerated(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
