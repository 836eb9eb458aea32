"""All candidates of a request and their order of preference, read plainly off the catalogs.

The checker of certificates and the brute-force reference stand on this module. It shares no code with the indexes,
the encoding or the search that it judges; so it builds every candidate first, and then scans lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import attrs

from olmsolve.catalog import Bundle, ChannelEntry, Package, Source
from olmsolve.classic import Request, Subscription
from olmsolve.eligibility import CandidateFacts, Eligibility, refusal
from olmsolve.errors import CatalogError, ConstraintError, RangeError
from olmsolve.predicates import Predicate, Published, Requirement, published, requirements
from olmsolve.semver import BlangRange

EXISTING: Final = "@existing"
"""The catalog of the installed operators."""


@attrs.frozen(eq=False)
class PlainCandidate:
    """A bundle seen through one channel of one catalog, or an installed operator; compared by identity.

    The counterpart of :class:`olmsolve.resolution.Candidate` with everything that decides whether it can be selected.
    *fault* says what is broken, or which system constraint refuses it; None for neither.
    """

    catalog: str
    package: str
    channel: str
    entry: ChannelEntry
    published: Published = attrs.field(repr=False)
    requirements: tuple[Requirement, ...] = attrs.field(repr=False)
    fault: str | None

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def selectable(self) -> bool:
        """Whether it can ever be selected: not broken, not refused, not deprecated."""
        return self.fault is None and not self.published.deprecated

    def excludes(self, other: PlainCandidate) -> bool:
        """Return whether at most one of the two can be selected: they share a package or a provided API."""
        packages, others = dict(self.published.packages), dict(other.published.packages)
        return not (packages.keys().isdisjoint(others) and set(self.published.gvks).isdisjoint(other.published.gvks))


@attrs.frozen(eq=False)
class _PlainChannel:
    """A channel with its *candidates* by name; *chain* has their names from the head down, None if it is broken."""

    name: str
    candidates: dict[str, PlainCandidate]
    chain: list[str] | None


class World:
    """Everything that *request* can see.

    ``existing`` are the installed operators, by name; ``selectable`` are all candidates that could ever be
    selected, and ``excluded_pairs`` are updates with the installed operator that each replaces. The last two
    grow with each subscription passed to :meth:`serve`. ``remembered`` is a cache for wishes (see ``wishes_of``).
    """

    def __init__(self, request: Request) -> None:
        target = request.namespaces[0]
        self._sources = sorted(
            (source for source in request.sources if source.namespace in request.namespaces),
            key=lambda s: (-s.priority, s.namespace != target, s.name, s.namespace),
        )
        self.existing = [
            _candidate(
                EXISTING,
                "",
                "",
                ChannelEntry(operator.name),
                published("", operator.properties, version=operator.version or None),
            )
            for operator in sorted(request.installed, key=lambda operator: operator.name)
        ]
        self._channels = {
            (source.key, package.name): _channels(source, package, request.eligibility)
            for source in self._sources
            for package in source.catalog
        }
        self.excluded_pairs: list[tuple[PlainCandidate, PlainCandidate]] = []
        self._orders: dict[str, tuple[PlainCandidate, ...]] = {}
        self.remembered: dict[object, Any] = {}
        self.selectable = dict.fromkeys(self.ordered(""))

    def ordered(self, own_catalog: str) -> tuple[PlainCandidate, ...]:
        """Return the candidates for a dependency of a bundle from *own_catalog*, most wanted first.

        docs/semantics.md, "Preferences", defines the order.
        """
        if own_catalog not in self._orders:
            self._orders[own_catalog] = tuple(self._ordered(own_catalog))
        return self._orders[own_catalog]

    def _ordered(self, own_catalog: str) -> list[PlainCandidate]:
        """Return installed operators, then the bundle's own catalog, then the others; default channels come first."""
        result = list(self.existing)
        for source in sorted(self._sources, key=lambda source: source.key != own_catalog):
            channels = [
                (channel.name != package.default_channel, package.name, channel.name, channel)
                for package in source.catalog
                for channel in self._channels[source.key, package.name]
            ]
            for *_, channel in sorted(channels, key=lambda entry: entry[:3]):
                result.extend(channel.candidates[name] for name in channel.chain or ())
        return _selectable(result)

    def meeting(self, predicates: Iterable[Predicate], own_catalog: str) -> tuple[PlainCandidate, ...]:
        """Return the candidates, in the same order, that meet any of the *predicates*."""
        predicates = tuple(predicates)
        return tuple(
            candidate
            for candidate in self.ordered(own_catalog)
            if any(predicate.test(candidate.published) for predicate in predicates)
        )

    def find(self, catalog: str, package: str, channel: str, name: str) -> PlainCandidate | None:
        """Return the candidate with this catalog, package, channel and name; None if it does not exist."""
        if catalog == EXISTING:
            return next((operator for operator in self.existing if operator.name == name), None)
        for found in self._channels.get((catalog, package), ()):
            if found.name == channel:
                return found.candidates.get(name)
        return None

    def serve(self, subscription: Subscription, installed: PlainCandidate | None) -> tuple[PlainCandidate, ...] | None:
        """Return the candidates of *subscription*, most wanted first; None if it names something unknown.

        *installed* is the operator that the subscription owns, if any; it comes last, and stays if it is chosen.
        Raises CatalogError if the subscription names a channel, and its catalog, without exactly one chain.
        """
        candidates = self._candidates_of(subscription, installed)
        if candidates is None:
            return None
        # A starting CSV can be selected though nothing can depend on it.
        self.selectable.update(dict.fromkeys(candidates))
        if installed is None:
            return tuple(candidates)
        self.excluded_pairs.extend((candidate, installed) for candidate in candidates)
        return (*candidates, installed)

    def _candidates_of(
        self, subscription: Subscription, installed: PlainCandidate | None
    ) -> list[PlainCandidate] | None:
        """Return the candidates of *subscription* but the installed operator itself; None for an unknown name."""
        wanted = f"{subscription.source}/{subscription.source_namespace}"
        channels = [
            channel
            for source in self._sources
            if not subscription.source or source.key == wanted
            for channel in self._in_order(source, subscription.package)
            if not subscription.channel or channel.name == subscription.channel
        ]
        if not channels:
            return None
        if installed is None and subscription.starting_csv:
            named = [channel.candidates.get(subscription.starting_csv) for channel in channels]
            found = [candidate for candidate in named if candidate is not None]
            return _selectable(found) if found else None
        result: list[PlainCandidate] = []
        for channel in channels:
            # A subscription without a catalog skips a broken channel: the same channel elsewhere may serve it.
            if channel.chain is None and subscription.channel and subscription.source:
                reason = "the channel has not exactly one chain"
                raise CatalogError(reason, package=subscription.package, channel=channel.name)
            for name in channel.chain or ():
                candidate = channel.candidates[name]
                if installed is None or _updates(candidate.entry, installed):
                    result.append(candidate)
        return _selectable(result)

    def _in_order(self, source: Source, package: str) -> list[_PlainChannel]:
        """Return the channels of *package*: the default one first, then by name."""
        found = source.catalog.packages.get(package)
        if found is None:
            return []
        channels = self._channels[source.key, package]
        return sorted(channels, key=lambda channel: (channel.name != found.default_channel, channel.name))


def _selectable(candidates: Iterable[PlainCandidate]) -> list[PlainCandidate]:
    return [candidate for candidate in candidates if candidate.selectable]


def _refused(source: Source, bundle: Bundle, eligibility: tuple[Eligibility, ...]) -> str:
    if not eligibility:
        return ""
    version = str(published(bundle.package, bundle.properties).version or "")
    facts = CandidateFacts(bundle.name, bundle.package, version, source.key, bundle.properties)
    return refusal(facts, eligibility)


def _candidate(
    catalog: str, package: str, channel: str, entry: ChannelEntry, facts: Published, refused: str = ""
) -> PlainCandidate:
    try:
        return PlainCandidate(catalog, package, channel, entry, facts, requirements(facts.properties), refused or None)
    except ConstraintError as error:
        return PlainCandidate(catalog, package, channel, entry, facts, (), str(error))


def _channels(source: Source, package: Package, eligibility: tuple[Eligibility, ...]) -> list[_PlainChannel]:
    """Return the channels of *package* with all of their candidates."""
    result: list[_PlainChannel] = []
    refused = {name: _refused(source, bundle, eligibility) for name, bundle in package.bundles.items()}
    for channel in package.channels.values():
        entries = {entry.name: entry for entry in channel.entries if entry.name in package.bundles}
        candidates = {
            name: _candidate(
                source.key,
                package.name,
                channel.name,
                entry,
                published(package.name, package.bundles[name].properties),
                refused[name],
            )
            for name, entry in entries.items()
        }
        result.append(_PlainChannel(channel.name, candidates, _chain(entries)))
    return result


def _chain(entries: dict[str, ChannelEntry]) -> list[str] | None:
    """Return the names from the head down without skipped ones; None unless there is exactly one chain."""
    skipped = {name for entry in entries.values() for name in entry.skips}
    below = skipped | {entry.replaces for entry in entries.values()}
    heads = [name for name in entries if name not in below]
    if len(heads) != 1:
        return None
    walked: list[str] = []
    name = heads[0]
    while name in entries:
        if name in walked:
            return None
        walked.append(name)
        name = entries[name].replaces
    return [name for name in walked if name not in skipped]


def _updates(entry: ChannelEntry, installed: PlainCandidate) -> bool:
    """Return whether *entry* is an update of *installed*: by ``replaces``, ``skips`` or ``skipRange``."""
    if entry.replaces == installed.name or installed.name in entry.skips:
        return True
    version = installed.published.version
    if not entry.skip_range or version is None:
        return False
    try:
        return version in BlangRange.parse(entry.skip_range)
    except RangeError:
        return False
