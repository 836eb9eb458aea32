"""How a v1 resolution came about: for every catalog, what each filter left, and what was nearest.

Plain data. The filters are those of OLM v1, in its order: package, channel, version, edges; deprecation and
priority then decide between what is left, inside a catalog and between catalogs.
"""

from __future__ import annotations

import enum
from typing import Any, Final

import attrs

__all__ = ["FILTERS", "ExtensionExplanation", "Funnel", "Nearest", "Outcome"]

FILTERS: Final = ("package", "channel", "version", "edges", "deprecation")
"""The filters in the order in which they apply; also the fields of :class:`Funnel` that count."""


class Outcome(enum.Enum):
    """What became of a catalog."""

    SELECTED = "selected"
    EMPTIED = "emptied"
    DEPRECATED = "only deprecated bundles, where another catalog has better"
    OUTRANKED = "a catalog of higher priority has it"
    TIED = "tied with another catalog"
    UNAVAILABLE = "unavailable"
    NOT_SELECTED = "not selected by its labels"


@attrs.frozen
class Nearest:
    """What would have fitted, had the request been slightly different; empty where nothing comes near.

    - *packages*: names of packages much like the wanted one.
    - *channels*: where the request names channels: those that hold a bundle in the wanted range.
    - *below*, *above*: the closest versions outside the wanted range, on either side.
    - *prereleases*: versions between the range's bounds that it leaves out because it names no pre-release.
    - *edges_from*: the installed bundles from which an edge leads to the best bundle that is in the range.
    - *route*: bundles that lead from what is installed to that best one, one update after the other.
    - *updates*: where edges lead from what is installed, whatever the wanted range.
    """

    packages: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    below: str = ""
    above: str = ""
    prereleases: tuple[str, ...] = ()
    edges_from: tuple[str, ...] = ()
    route: tuple[str, ...] = ()
    updates: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(attrs.astuple(self, recurse=False))

    def to_dict(self) -> dict[str, Any]:
        """The fields that are not empty."""
        fields = {name: getattr(self, name) for name in attrs.fields_dict(Nearest)}
        return {
            _camel(name): list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value
        }


@attrs.frozen
class Funnel:
    """What the filters left of one catalog, in numbers of bundles.

    *package* have the wanted package, *channel* of these are in a wanted channel, *version* of these in the
    wanted range, *edges* of these can follow what is installed. *deprecation* of these are preferred: those
    that are not deprecated, or all if all are. *best* is the name of the first of them, "" if there is none.
    """

    catalog: str
    priority: int
    outcome: Outcome
    package: int = 0
    channel: int = 0
    version: int = 0
    edges: int = 0
    deprecation: int = 0
    best: str = ""
    nearest: Nearest = Nearest()

    @property
    def emptied_by(self) -> str:
        """The first filter that left nothing, "" if none did or if the catalog was not asked."""
        if self.outcome in (Outcome.UNAVAILABLE, Outcome.NOT_SELECTED):
            return ""
        return next((name for name in FILTERS if not getattr(self, name)), "")

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {
            "catalog": self.catalog,
            "priority": self.priority,
            "outcome": self.outcome.name.lower().replace("_", "-"),
            "left": {name: getattr(self, name) for name in FILTERS},
        }
        if self.emptied_by:
            result["emptiedBy"] = self.emptied_by
        if self.best:
            result["best"] = self.best
        if self.nearest:
            result["nearest"] = self.nearest.to_dict()
        return result


@attrs.frozen
class ExtensionExplanation:
    """The funnels of all catalogs of the request, in the order given."""

    funnels: tuple[Funnel, ...] = ()

    @property
    def emptied_by(self) -> str:
        """The filter that the request got furthest to; "" if no catalog was asked or something was left."""
        asked = [funnel.emptied_by for funnel in self.funnels if _was_asked(funnel)]
        return max(asked, key=FILTERS.index) if asked and all(asked) else ""

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {"catalogs": [funnel.to_dict() for funnel in self.funnels]}
        if self.emptied_by:
            result["emptiedBy"] = self.emptied_by
        return result


def _was_asked(funnel: Funnel) -> bool:
    return funnel.outcome not in (Outcome.UNAVAILABLE, Outcome.NOT_SELECTED)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return "".join([first, *map(str.capitalize, rest)])
