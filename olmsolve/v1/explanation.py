"""The account of a v1 resolution: for every catalog, how much each filter left, and what came nearest.

Plain data. OLM v1 filters by package, channel, version and edges, in this order. Deprecation then decides inside a
catalog, and deprecation and priority between catalogs.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record
from olmsolve.catalog import Deprecation

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


def _outcome_word(outcome: Outcome) -> str:
    return outcome.name.lower().replace("_", "-")


@record(definition="nearest", about="The changes that come nearest to success in one catalog.")
class Nearest(Record):
    """The changes to a request that come nearest to success in one catalog; empty where none comes near."""

    packages: tuple[str, ...] = field("Similar names of packages.", default=(), empty="absent")
    # Where the request names channels.
    channels: tuple[str, ...] = field("Channels that hold a bundle in the range.", default=(), empty="absent")
    below: str = field("The closest version below the range.", default="", empty="absent")
    above: str = field("The closest version above it.", default="", empty="absent")
    prereleases: tuple[str, ...] = field(
        "Versions that the range leaves out because it names no pre-release.", default=(), empty="absent"
    )
    edges_from: tuple[str, ...] = field(
        "Bundles from which an edge leads to the best in the range.", default=(), empty="absent"
    )
    route: tuple[str, ...] = field("Bundles that lead there, one update after the other.", default=(), empty="absent")
    # Whatever the wanted range.
    updates: tuple[str, ...] = field(
        "Bundles to which edges lead from the installed bundle.", default=(), empty="absent"
    )

    def __bool__(self) -> bool:
        """Return True if anything comes near."""
        return any(attrs.astuple(self, recurse=False))


@record(definition="filterCounts", about="How many bundles each filter left, one after another.")
class FilterCounts(Record):
    """The numbers of bundles of one catalog that the filters left, one after another."""

    package: int = field("Bundles of the package.", default=0)
    channel: int = field("In a wanted channel.", default=0)
    version: int = field("In the wanted range.", default=0)
    edges: int = field("That can follow the installed bundle.", default=0)
    deprecation: int = field("That are preferred, because they are not deprecated.", default=0)


@record(about="One catalog.", layout=("catalog", "priority", "outcome", "left", "emptied_by", "best", "nearest"))
class Funnel(Record):
    """The numbers of bundles that the filters left of one catalog, one after another.

    *package* counts the bundles of the wanted package; *channel*, how many of them are in a wanted channel; *version*,
    how many of these are in the wanted range; *edges*, how many of these can follow the installed bundle;
    *deprecation*, how many of these are preferred: the bundles that are not deprecated, or all where all are. *best* is
    the name of the most wanted one, "" where no bundle is left.
    """

    catalog: str = field("Its name.")
    priority: int = field("Its priority.", schema={"minimum": None})
    outcome: Outcome = field(
        "What became of the bundles of the catalog.",
        written=_outcome_word,
        schema={"enum": list(map(_outcome_word, Outcome))},
    )
    package: int = 0
    channel: int = 0
    version: int = 0
    edges: int = 0
    deprecation: int = 0
    best: str = field("The most wanted bundle that is left.", default="", empty="absent")
    nearest: Nearest = field(default=Nearest(), empty="absent")

    @property
    @documented("")
    def left(self) -> FilterCounts:
        """The counts of all filters."""
        return FilterCounts(self.package, self.channel, self.version, self.edges, self.deprecation)

    @property
    @documented("The filter that left nothing.", empty="absent")
    def emptied_by(self) -> str:
        """The first filter that left nothing; "" if each left a bundle, or the catalog was not filtered."""
        return next((name for name in FILTERS if not getattr(self, name)), "") if _was_filtered(self) else ""


@record(definition="extensionExplanation", about="How each catalog was searched.")
class ExtensionExplanation(Record):
    """The funnels of all catalogs of the request, in the order given."""

    funnels: tuple[Funnel, ...] = field(
        "What each catalog had, and which filters left how many bundles.", path="catalogs", default=()
    )

    @property
    @documented("The filter that left nothing in any catalog.", empty="absent")
    def emptied_by(self) -> str:
        """The last filter that emptied a catalog; "" if a bundle was left anywhere, or no catalog was filtered."""
        filters = [funnel.emptied_by for funnel in self.funnels if _was_filtered(funnel)]
        return max(filters, key=FILTERS.index) if filters and all(filters) else ""


def _was_filtered(funnel: Funnel) -> bool:
    return funnel.outcome not in (Outcome.UNAVAILABLE, Outcome.NOT_SELECTED)


@record
class DeprecatedObject(Record):
    """The object that is deprecated."""

    schema: str = field("The schema of the deprecated object.")
    name: str = field("Its name; absent for the package itself.", empty="absent")


@record
class DeprecationEntry(Record):
    """An entry of a blob of deprecations."""

    reference: DeprecatedObject = field("The object that is deprecated.")
    message: str = field("The author's message.")


@record(definition="deprecations", layout=("schema", ...))
class Deprecations(Record):
    """The olm.deprecations blob of the package."""

    package: str = field("The package.")
    entries: tuple[DeprecationEntry, ...] = field("The deprecations, as the catalog has them.")

    @property
    @documented("", schema={"const": "olm.deprecations", "type": None})
    def schema(self) -> str:
        return "olm.deprecations"


@record(layout=("is_downgrade", ...))
class Downgrade(Record):
    """A way down, with what is at risk."""

    risk: str = field("What the downgrade puts at risk.")

    @property
    @documented("That the bundle is below the installed one.", path="downgrade", schema={"const": True, "type": None})
    def is_downgrade(self) -> bool:
        return True


@record
class KeptBundle(Record):
    """A bundle that was not resolved."""

    kept: str = field("Why the bundle was not resolved, and stays or is still rolling out.")
    unresolved: str = field("Of a kept bundle: the failure of the resolver, null if it did not run.", empty="null")


def concerned(entries: Iterable[Deprecation], channels: Sequence[str], bundle: str) -> tuple[Deprecation, ...]:
    """Return the *entries* with a message about an extension with these *channels* that has *bundle*.

    As recorded: the package first, then channels (all of them where *channels* names none), then the bundle.
    """
    worded = [entry for entry in entries if entry.message]
    return (
        *(entry for entry in worded if entry.schema == "olm.package"),
        *(entry for entry in worded if entry.schema == "olm.channel" and (not channels or entry.name in channels)),
        *(entry for entry in worded if (entry.schema, entry.name) == ("olm.bundle", bundle)),
    )
