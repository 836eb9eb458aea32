"""The account of a v1 resolution: for every catalog, how much each filter left, and what came nearest.

Plain data. OLM v1 filters by package, channel, version and edges, in this order. Deprecation then decides inside a
catalog, and deprecation and priority between catalogs.
"""

from __future__ import annotations

import enum
from typing import Any, Final

import attrs

from olmsolve._worded import camel

FILTERS: Final = ("package", "channel", "version", "edges", "deprecation")
"""The filters in the order in which they apply; also the fields of :class:`Funnel` that count."""


class Outcome(enum.Enum):
    """The outcome for one catalog of the request."""

    SELECTED = "selected"
    EMPTIED = "emptied"
    DEPRECATED = "only deprecated bundles, where another catalog has better"
    OUTRANKED = "a catalog of higher priority has it"
    TIED = "tied with another catalog"
    UNAVAILABLE = "unavailable"
    NOT_SELECTED = "not selected by its labels"


@attrs.frozen
class Nearest:
    """The changes to a request that come nearest to success in one catalog; empty where none comes near.

    - *packages*: names of packages similar to the wanted one.
    - *channels*: where the request names channels: the channels that hold a bundle in the wanted range.
    - *below*, *above*: the closest versions outside the wanted range, on either side.
    - *prereleases*: versions between the range's bounds that it leaves out because it names no pre-release.
    - *edges_from*: the installed bundles from which an edge leads to the best bundle that is in the range.
    - *route*: bundles that lead from what is installed to that best one, one update after the other.
    - *updates*: the bundles that edges lead to from what is installed, whatever the wanted range.
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
        """Return True if anything comes near."""
        return any(attrs.astuple(self, recurse=False))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that have a value."""
        fields = {name: getattr(self, name) for name in attrs.fields_dict(Nearest)}
        return {
            camel(name): list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value
        }


@attrs.frozen
class Funnel:
    """The numbers of bundles that the filters left of one catalog, one after another.

    *package* counts the bundles of the wanted package; *channel*, how many of them are in a wanted channel; *version*,
    how many of these are in the wanted range; *edges*, how many of these can follow the installed bundle;
    *deprecation*, how many of these are preferred: the bundles that are not deprecated, or all where all are. *best* is
    the name of the most wanted one, "" where no bundle is left.
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
        """The first filter that left nothing; "" if each left a bundle, or the catalog was not filtered."""
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
        """The last filter that emptied a catalog; "" if a bundle was left anywhere, or no catalog was filtered."""
        filters = [funnel.emptied_by for funnel in self.funnels if _was_filtered(funnel)]
        return max(filters, key=FILTERS.index) if filters and all(filters) else ""

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {"catalogs": [funnel.to_dict() for funnel in self.funnels]}
        if self.emptied_by:
            result["emptiedBy"] = self.emptied_by
        return result


def _was_filtered(funnel: Funnel) -> bool:
    return funnel.outcome not in (Outcome.UNAVAILABLE, Outcome.NOT_SELECTED)
