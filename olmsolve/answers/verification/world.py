"""Every candidate of a request and their order of preference, read straight from the catalogs.

The checker of certificates and the brute-force reference are built on this module. It shares no code with the indexes,
the encoding or the search, which it is there to judge, nor with their reading of versions, ranges, rules and
requirements: it lists all candidates, and tests each requirement on the candidates that state what it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import attrs

from olmsolve._limits import checked
from olmsolve.answers.plain_reading import (
    BundleTest,
    PlainFacts,
    PlainRange,
    PlainRequirement,
    PlainVersion,
    UnreadableRequirementError,
    facts,
    requirements,
)
from olmsolve.answers.verification.numbers_by_fact import NumbersByFact
from olmsolve.answers.verification.ruling import (
    concerns,
    demanded,
    forbidding,
    keeping_apart,
    preferred_first,
    refuse_unplain_rules,
)
from olmsolve.catalog import Catalog, ChannelEntry, Package, Source
from olmsolve.classic import HouseRule, Installed, Request, Semantics, Subscription
from olmsolve.eligibility import CandidateFacts, Eligibility, refusal
from olmsolve.errors import CatalogError, RequestError
from olmsolve.resolution import EXISTING

# Candidates between two looks at the limits: a rule that is evaluated takes from microseconds to milliseconds.
_EVERY: Final = 8


@attrs.frozen(eq=False)
class PlainCandidate:
    """A bundle in one channel of one catalog, or an installed operator; compared by identity.

    *fault* is the reason why it can never be selected: its requirements do not parse, or a system constraint refuses
    it. It is None for all other candidates. *forbidden_by* is the name of a house rule that forbids it, or "".
    *came_from* is the catalog that the subscription of an installed operator names, "" for all other candidates.
    """

    catalog: str
    package: str
    channel: str
    entry: ChannelEntry
    published: PlainFacts = attrs.field(repr=False)
    requirements: tuple[PlainRequirement, ...] = attrs.field(repr=False)
    fault: str | None
    forbidden_by: str = ""
    came_from: str = ""

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def path(self) -> tuple[str, str, str, str]:
        """Its catalog, package, channel and name, by which certificates name it."""
        return self.catalog, self.package, self.channel, self.name

    @property
    def selectable(self) -> bool:
        """Whether it can ever be selected: not broken, not refused, not deprecated, not forbidden."""
        return self.fault is None and not self.published.deprecated and not self.forbidden_by

    def excludes(self, other: PlainCandidate) -> bool:
        """Return whether at most one of the two can be selected: they share a package or a provided API."""
        packages, others = dict(self.published.packages), dict(other.published.packages)
        return not (packages.keys().isdisjoint(others) and set(self.published.gvks).isdisjoint(other.published.gvks))


@attrs.frozen(eq=False)
class _PlainChannel:
    """A channel and its *candidates* by name. *chain* lists names from the head down; None if there is no one chain."""

    name: str
    candidates: dict[str, PlainCandidate]
    chain: list[str] | None

    def has_lost(self, name: str) -> bool:
        """Return whether the channel drops *name*: the ``skipRange`` of another entry contains its version.

        By the documentation, the head stays, and so does an entry that another one replaces.
        """
        others = [candidate for candidate in self.candidates.values() if candidate.name != name]
        named_candidate = self.candidates.get(name)
        version = None if named_candidate is None else named_candidate.published.version
        if version is None or (self.chain and self.chain[0] == name) or any(e.entry.replaces == name for e in others):
            return False
        return any(_in_range(version, other.entry.skip_range) for other in others)


@attrs.frozen(eq=False)
class _ReadPackage:
    """A package as its catalog states it, the same in all worlds.

    *bundles* are by name: what each publishes, what it requires, and why its requirements do not parse (None if they
    do). *channels* are their names, their entries by name, and their chains.
    """

    bundles: Mapping[str, tuple[PlainFacts, tuple[PlainRequirement, ...], str | None]]
    channels: tuple[tuple[str, Mapping[str, ChannelEntry], list[str] | None], ...]


class World:
    """All candidates of one request.

    - ``existing``: the installed operators, by name.
    - ``selectable``: all candidates that can be selected; :meth:`serve` adds those that only a ``startingCSV`` selects.
    - ``excluded_pairs``: each update and the installed operator that it replaces; :meth:`serve` adds them.
    - ``considered``: the candidates of subscriptions, what can never be selected among them; :meth:`serve` adds them.
    - ``sources``: the catalogs that the request sees, the preferred first.
    - ``refused``: catalog, package and name of each bundle that a system constraint refuses.
    - ``remembered``: a cache of :func:`~olmsolve.answers.verification.facts.wishes_of`.

    Worlds share what is read from a catalog, but no candidates: these belong to one request, which may refuse them.
    """

    def __init__(self, request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
        refuse_unplain_rules(request.house_rules)
        self._semantics = semantics
        target = request.namespaces[0]
        self.sources: list[Source] = sorted(
            (source for source in request.sources if source.namespace in request.namespaces),
            key=lambda s: (-s.priority, s.namespace != target, s.name, s.namespace),
        )
        for source in self.sources:
            if source.catalog.scheme is not None:
                says = f"has {source.catalog.scheme.name} versions, and certificates hold only semantic versions"
                raise RequestError(says, field=f"catalog {source.key}")
        self._rules = request.house_rules
        owners = request.owners()
        self.existing: list[PlainCandidate] = [
            _judged(_operator(operator, owners.get(operator.name)), self._rules)
            for operator in sorted(request.installed, key=lambda operator: operator.name)
        ]
        self._operators = {operator.name: operator for operator in self.existing}
        self.considered: list[PlainCandidate] = []
        self.refused: list[tuple[str, str, str]] = []
        # By catalog and package; look-ups by a channel's name too are in _by_channel.
        self._channels: dict[tuple[str, str], list[_PlainChannel]] = {}
        for source in self.sources:
            for name, package in checked(_read_packages(source.catalog).items()):
                refused = _refused(source.key, name, package, request.eligibility)
                self.refused += ((source.key, name, bundle) for bundle in refused)
                self._channels[source.key, name] = _channels(source.key, name, package, refused, self._rules)
        self._by_channel = {
            (*key, channel.name): channel for key, channels in self._channels.items() for channel in channels
        }
        self.excluded_pairs: list[tuple[PlainCandidate, PlainCandidate]] = []
        # The operators that each candidate updates, since certificates ask for pairs one by one.
        self._updated: dict[PlainCandidate, set[PlainCandidate]] = {}
        self._orders: dict[str, tuple[PlainCandidate, ...]] = {}
        self._numbers_by_fact: dict[str, NumbersByFact] = {}
        self._meeting: dict[tuple[tuple[BundleTest, ...], str], tuple[PlainCandidate, ...]] = {}
        self._apart: dict[tuple[int, int], tuple[PlainCandidate, ...]] = {}
        self._excluded: dict[tuple[BundleTest, int], tuple[PlainCandidate, ...]] = {}
        self.remembered: dict[object, Any] = {}
        self.selectable: dict[PlainCandidate, None] = dict.fromkeys(self.ordered(""))

    def ordered(self, own_catalog: str) -> tuple[PlainCandidate, ...]:
        """Return the candidates for a requirement of a bundle from *own_catalog*, most wanted first.

        docs/semantics.md, "Which plan", defines the order.
        """
        if own_catalog not in self._orders:
            self._orders[own_catalog] = tuple(self._ordered(own_catalog))
        return self._orders[own_catalog]

    def _ordered(self, own_catalog: str) -> list[PlainCandidate]:
        """List what can be selected of :meth:`offered`, first what house rules prefer."""
        return preferred_first(self._rules, _selectable(self.offered(own_catalog)))

    def offered(self, own_catalog: str = "") -> list[PlainCandidate]:
        """List the installed operators, *own_catalog*, then the other catalogs; default channels before others.

        Candidates that can never be selected are included.
        """
        result = list(self.existing)
        # Stable: the own catalog first, and the others in their order.
        for source in sorted(self.sources, key=lambda source: source.key != own_catalog):
            channels = [
                (channel.name != package.default_channel, package.name, channel.name, channel)
                for package in source.catalog
                for channel in self._channels[source.key, package.name]
            ]
            for *_, channel in sorted(channels, key=lambda entry: entry[:3]):
                result.extend(channel.candidates[name] for name in channel.chain or ())
        return result

    def demanded(self) -> Iterator[tuple[PlainCandidate, ...]]:
        """Yield the candidates of each house rule that demands one, most wanted first."""
        for bundles in demanded(self._rules):
            yield tuple(candidate for candidate in self.ordered("") if concerns(bundles, candidate))

    def kept_from(self, candidate: PlainCandidate) -> Iterator[tuple[PlainCandidate, ...]]:
        """Yield, for each house rule about *candidate*, what may not be beside it; *candidate* may be among them."""
        for bundles in keeping_apart(self._rules, candidate):
            key = id(bundles), len(self.selectable)  # the rules live as long as the world
            if key not in self._apart:
                everything = checked(self.selectable, every=_EVERY)
                self._apart[key] = tuple(other for other in everything if concerns(bundles, other))
            yield self._apart[key]

    def meeting(self, predicates: Iterable[BundleTest], own_catalog: str) -> tuple[PlainCandidate, ...]:
        """Return the candidates of :meth:`ordered` that meet any of the *predicates*.

        Bundles with equal requirements share one tuple: 10,000 bundles that each require one of 10,000 others need a
        tuple of 10,000 candidates, and not 100 million.
        """
        key = tuple(predicates), own_catalog
        if key not in self._meeting:
            self._meeting[key] = self._find_meeting(*key)
        return self._meeting[key]

    def _find_meeting(self, predicates: tuple[BundleTest, ...], own_catalog: str) -> tuple[PlainCandidate, ...]:
        candidates = self.ordered(own_catalog)
        if own_catalog not in self._numbers_by_fact:
            self._numbers_by_fact[own_catalog] = NumbersByFact(checked(candidates, every=256))
        near = self._numbers_by_fact[own_catalog].numbers(predicates)
        return tuple(
            candidates[number]
            for number in checked(near, every=_EVERY)
            if any(predicate.test(candidates[number].published) for predicate in predicates)
        )

    def excluded_by(self, predicate: BundleTest) -> tuple[PlainCandidate, ...]:
        """Return all candidates that can be selected in any way and meet *predicate*."""
        # It only grows, so a smaller number means an outdated list.
        key = predicate, len(self.selectable)
        if key not in self._excluded:
            everything = checked(self.selectable, every=_EVERY)
            self._excluded[key] = tuple(other for other in everything if predicate.test(other.published))
        return self._excluded[key]

    def find(self, catalog: str, package: str, channel: str, name: str) -> PlainCandidate | None:
        """Return the candidate of this name in this channel, None if there is none."""
        if catalog == EXISTING:
            return self._operators.get(name)
        candidates = self._by_channel.get((catalog, package, channel))
        return None if candidates is None else candidates.candidates.get(name)

    def serve(self, subscription: Subscription, installed: PlainCandidate | None) -> tuple[PlainCandidate, ...] | None:
        """Return the candidates of *subscription*, most wanted first; None if it names something unknown.

        The updates of *installed*, the operator that the subscription owns, come first, and the operator itself last,
        unless a house rule prefers some of them.

        Raises:
            CatalogError: no channel has exactly one chain, and *subscription* owns *installed*, or names one channel.
        """
        offered = self._candidates_of(subscription, installed)
        if offered is None:
            return None
        self.considered += offered
        candidates = _selectable(offered)
        # A starting CSV can be selected though nothing can depend on it.
        self.selectable.update(dict.fromkeys(candidates))
        if installed is None:
            return tuple(preferred_first(self._rules, candidates))
        for candidate in candidates:
            self.excluded_pairs.append((candidate, installed))
            self._updated.setdefault(candidate, set()).add(installed)
        return tuple(preferred_first(self._rules, (*candidates, installed)))

    def is_update(self, candidate: PlainCandidate, operator: PlainCandidate) -> bool:
        """Return whether *candidate* and the installed *operator* are one of the ``excluded_pairs``."""
        return operator in self._updated.get(candidate, ())

    def _candidates_of(
        self, subscription: Subscription, installed: PlainCandidate | None
    ) -> list[PlainCandidate] | None:
        """Return the candidates of *subscription* without *installed*; None if it names something unknown."""
        channels = [
            channel
            for source in self.sources
            if not subscription.source or source.key == subscription.catalog
            for channel in self._in_order(source, subscription.package)
            if not subscription.channel or channel.name == subscription.channel
        ]
        if not channels:
            return None
        if installed is None and subscription.starting_csv:
            start = subscription.starting_csv
            if self._semantics is Semantics.DOCUMENTED:
                channels = [channel for channel in channels if not channel.has_lost(start)]
            starts = [channel.candidates.get(start) for channel in channels]
            candidates = [candidate for candidate in starts if candidate is not None]
            return candidates or None
        decides = installed is not None or (subscription.channel and subscription.source)
        if decides and all(channel.chain is None for channel in channels):
            reason = "the channel does not have exactly one chain"
            raise CatalogError(reason, package=subscription.package, channel=channels[0].name)
        result: list[PlainCandidate] = []
        for channel in channels:
            # Of several channels a broken one is skipped: the others may serve the subscription.
            for name in checked(channel.chain or (), every=64):
                candidate = channel.candidates[name]
                if installed is None or _updates(candidate.entry, installed):
                    result.append(candidate)
        return result

    def _in_order(self, source: Source, package: str) -> list[_PlainChannel]:
        """Return the channels of *package*: the default one first, then by name."""
        published = source.catalog.packages.get(package)
        if published is None:
            return []
        channels = self._channels[source.key, package]
        return sorted(channels, key=lambda channel: (channel.name != published.default_channel, channel.name))


def _selectable(candidates: Iterable[PlainCandidate]) -> list[PlainCandidate]:
    return [candidate for candidate in candidates if candidate.selectable]


def _operator(operator: Installed, owner: Subscription | None) -> PlainCandidate:
    stated = facts("", operator.properties, version=operator.version or None)
    origin = "" if owner is None else owner.catalog
    return PlainCandidate(EXISTING, "", "", ChannelEntry(operator.name), stated, *_required(stated), came_from=origin)


def _read_packages(catalog: Catalog) -> Mapping[str, _ReadPackage]:
    """Read *catalog*, once for all worlds: the result is kept with the catalog."""
    return catalog.derived(__name__, lambda: {package.name: _read_package(package) for package in checked(catalog)})


def _read_package(package: Package) -> _ReadPackage:
    bundles = {}
    for name, bundle in checked(package.bundles.items(), every=16):
        stated = facts(package.name, bundle.properties)
        bundles[name] = (stated, *_required(stated))
    channels = []
    for channel in checked(package.channels.values()):
        entries = {entry.name: entry for entry in checked(channel.entries, every=1024) if entry.name in bundles}
        channels.append((channel.name, entries, _chain(entries)))
    return _ReadPackage(bundles, tuple(channels))


def _required(stated: PlainFacts) -> tuple[tuple[PlainRequirement, ...], str | None]:
    """Return the requirements of a bundle and None, or no requirements and the reason why they do not parse."""
    try:
        return requirements(stated.properties), None
    except UnreadableRequirementError as error:
        return (), str(error)


def _judged(candidate: PlainCandidate, rules: tuple[HouseRule, ...]) -> PlainCandidate:
    """Return *candidate*, with the house rule that forbids it."""
    forbidden = forbidding(rules, candidate) if rules else ""
    return attrs.evolve(candidate, forbidden_by=forbidden) if forbidden else candidate


def _channels(
    catalog: str, name: str, package: _ReadPackage, refused: Mapping[str, str], rules: tuple[HouseRule, ...]
) -> list[_PlainChannel]:
    """Return the channels of a package with candidates of their own, without what is *refused* and what *rules* forbid.

    *refused* are the reasons why bundles are refused, by name.
    """
    bundles = dict(package.bundles)
    for bundle, reason in refused.items():
        stated, required, _ = bundles[bundle]
        bundles[bundle] = stated, required, reason
    return [
        _PlainChannel(
            channel,
            {
                key: _judged(PlainCandidate(catalog, name, channel, entry, *bundles[key]), rules)
                for key, entry in checked(entries.items(), every=64)
            },
            chain,
        )
        for channel, entries, chain in package.channels
    ]


def _refused(catalog: str, package: str, content: _ReadPackage, eligibility: tuple[Eligibility, ...]) -> dict[str, str]:
    """Return the reason of the first system constraint against each bundle that one refuses, by the bundle's name.

    No constraint is asked about what is never selected anyway: a bundle in no channel, or with requirements that do not
    parse.
    """
    refusals: dict[str, str] = {}
    offered = dict.fromkeys(name for _, entries, _ in content.channels for name in entries) if eligibility else {}
    for name in checked(offered, every=16):
        stated, _, fault = content.bundles[name]
        if fault is None:
            candidate = CandidateFacts(name, package, str(stated.version or ""), catalog, stated.properties)
            reason = refusal(candidate, eligibility)
            if reason:
                refusals[name] = reason
    return refusals


def _chain(entries: dict[str, ChannelEntry]) -> list[str] | None:
    """Return the names from the head down, without skipped ones; None if there is no single head, or a cycle."""
    if not entries:
        return []
    skipped = {name for entry in entries.values() for name in entry.skips}
    below = skipped | {entry.replaces for entry in entries.values()}
    heads = [name for name in entries if name not in below]
    if len(heads) != 1:
        return None
    chain: dict[str, None] = {}
    name = heads[0]
    while name in entries:
        if name in chain:
            return None
        chain[name] = None
        name = entries[name].replaces
    return [name for name in chain if name not in skipped]


def _updates(entry: ChannelEntry, installed: PlainCandidate) -> bool:
    """Return whether *entry* is an update of *installed*: by ``replaces``, ``skips`` or ``skipRange``."""
    if entry.replaces == installed.name or installed.name in entry.skips:
        return True
    version = installed.published.version
    return version is not None and _in_range(version, entry.skip_range)


def _in_range(version: PlainVersion, skip_range: str) -> bool:
    """Return whether *version* is in a ``skipRange``; "" and one that does not parse contain nothing."""
    range_ = PlainRange.read(skip_range) if skip_range else None
    return range_ is not None and range_.contains(version)
