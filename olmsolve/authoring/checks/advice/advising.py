"""All advice on a catalog, in one order and without repeats.

:func:`advise` collects it. :class:`_PackageAdvice` says where updates lead, which heads are installed, and which
bundles never are; names, APIs and requirements come after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.authoring.checks.advice.facts import PublishedFacts, UnmetRequirements
from olmsolve.authoring.checks.findings import Finding, Severity, on_bundle, shortened, shortlist
from olmsolve.authoring.checks.lints import lint, requires_anything
from olmsolve.authoring.upgrades import Generation, PackageUpgrades, UpdateSource, VersionKey
from olmsolve.catalog import Catalog, Channel, Package
from olmsolve.catalog.update_graph import ChannelOrder, skip_range
from olmsolve.predicates import GVK


def advise(catalog: Catalog, *, leaving_out: Collection[str] = (), is_complete: bool = True) -> Iterator[Finding]:
    """Yield the advice on *catalog*: package by package, sorted by name, then the advice on several packages.

    Packages in *leaving_out* get no advice (their errors come first), but others may require them. If the catalog is
    not *is_complete*, because a file could not be read, nothing is reported as missing.
    """
    facts = PublishedFacts(catalog)
    unmet = UnmetRequirements(catalog, facts) if is_complete and requires_anything(catalog) else None
    linted: dict[str, list[Finding]] = {}
    for finding in lint(catalog):
        # In validation, an error is a fault that opm refuses.
        softer = Severity.WARNING if finding.severity is Severity.ERROR else finding.severity
        linted.setdefault(finding.package, []).append(evolve(finding, severity=softer))
    for name, package in sorted(catalog.packages.items()):
        COLLECTOR_PAUSE.make_up()
        # A package that is only named by others' blobs: the error about it says all.
        if name in leaving_out or (package.origin is None and not package.default_channel):
            continue
        yield from _on_package(package, facts, unmet, linted.get(name, []))
    for names in _alike(catalog.packages):
        yield _alike_finding("packages", names, package=names[1], origin=catalog.packages[names[1]].origin)
    yield from _on_apis(catalog, facts)


def _on_package(
    package: Package, facts: PublishedFacts, unmet: UnmetRequirements | None, linted: list[Finding]
) -> Iterator[Finding]:
    version_key = facts.version_key(package)
    yield from on_channels(package, facts)
    yield from _on_names(package)
    if unmet is not None:
        yield from _merged(unmet.findings(package), version_key)
    yield from _merged(linted, version_key)


def _merged(findings: Iterable[Finding], version_key: VersionKey) -> Iterator[Finding]:
    """Merge findings that differ only in their bundle: most faults live on from version to version.

    The merged finding is on the highest version. Groups come in the order of their first findings.
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        key = finding.severity, finding.code, finding.message, finding.hint, finding.channel
        groups.setdefault(key, []).append(finding)
    for group in groups.values():
        # The newest bundle is the one that its author still edits.
        newest = max(group, key=lambda finding: version_key(finding.bundle))
        others = {finding.bundle for finding in group} - {newest.bundle}
        fixes = tuple(fix for finding in group for fix in finding.fixes)
        yield evolve(newest.repeated_in(sorted(others, key=version_key)), fixes=fixes)


def _on_names(package: Package) -> Iterator[Finding]:
    """Yield the channels, then the bundles, of *package* whose names differ only in case."""
    for kind, objects in (("channel", package.channels), ("bundle", package.bundles)):
        for names in _alike(objects):
            location: dict[str, Any] = {kind: names[1], "package": package.name, "origin": objects[names[1]].origin}
            yield _alike_finding(f"{kind}s", names, **location)


def _on_apis(catalog: Catalog, facts: PublishedFacts) -> Iterator[Finding]:
    """Yield the APIs that several packages provide; APIs with the same owners are one finding."""
    owners: dict[GVK, set[str]] = {}
    for package in checked(catalog):
        for gvk in facts.apis(package.name):
            owners.setdefault(gvk, set()).add(package.name)
    shared: dict[tuple[str, ...], list[GVK]] = {}
    for gvk, packages in owners.items():
        if len(packages) > 1:
            shared.setdefault(tuple(sorted(packages)), []).append(gvk)
    for names, gvks in sorted(shared.items()):
        count = len(gvks)
        what = "API" if count == 1 else f"{count} APIs"
        reason = (
            f"the packages {', '.join(names)} provide the same {what}: {shortlist([str(gvk) for gvk in sorted(gvks)])}"
        )
        hint = "OLM classic installs bundles of one of them only; where an API is required, any of them may be chosen"
        first = catalog.packages[names[0]]
        yield Finding(Severity.NOTE, "api-owners", reason, hint, package=first.name, origin=first.origin)


def _alike(names: Iterable[str]) -> Iterator[list[str]]:
    """Yield the groups of *names* that differ only in case, each group and all groups sorted."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(name.casefold(), []).append(name)
    return (group for group in groups.values() if len(group) > 1)


def _alike_finding(what: str, names: list[str], **location: Any) -> Finding:
    reason = f"{what} whose names differ only in case: {shortlist(names)}"
    return Finding(Severity.WARNING, "name-case", reason, "are they the same name, written in two ways?", **location)


_NAMES: Final[Mapping[Generation, str]] = {"classic": "OLM classic", "v1": "OLM v1"}


def on_channels(package: Package, facts: PublishedFacts) -> Iterator[Finding]:
    """Yield the advice on the channels of *package*, sorted by name."""
    return _PackageAdvice(package, facts).findings()


class _PackageAdvice:
    """The advice on the channels of one package."""

    def __init__(self, package: Package, facts: PublishedFacts) -> None:
        self._package = package
        self._version_key = facts.version_key(package)
        self._upgrades = PackageUpgrades(package, facts.offers(package))
        self._deprecated = {(deprecation.schema, deprecation.name) for deprecation in package.deprecations}
        self._is_deprecated = ("olm.package", "") in self._deprecated
        # Each bundle, as if it were installed.
        offers = self._upgrades.offers
        self._installed = {
            name: UpdateSource(name, facts.version(package.name, name), offers.offer(name).version)
            for name in package.bundles
        }

    def findings(self) -> Iterator[Finding]:
        yield from self._on_default_channel()
        for _, channel in checked(sorted(self._package.channels.items())):
            names = [entry.name for entry in channel.entries if entry.name in self._installed]
            order = self._upgrades.classic_channel(channel.name).order
            is_chain = _is_chain(channel, order, names)
            # Without an order classic updates nothing in the channel, so where its updates lead is moot.
            if order.fault:
                reason = f"OLM classic cannot order the channel: {shortened(order.fault)}"
                hint = "opm looks no further than the first skipped entry; remove replaces from that entry"
                yield _finding(channel, "channel-order", reason, hint)
            elif names:
                yield from self._on_head(channel, order.heads[0], names)
                yield from self._on_classic_updates(channel, order.heads[0], names, is_chain=is_chain)
            usable = [name for name in names if self._installed[name].v1 is not None]
            if usable:
                ranks = self._upgrades.offers.ranks
                best = min(usable, key=ranks.__getitem__)
                # Along a chain of better and better bundles, each update leads nearer to the best.
                is_straight = is_chain and len(usable) == len(names) and _ascend(map(ranks.__getitem__, order.chain))
                if not is_straight:
                    yield from self._on_stranded("v1", channel, usable, best)
        yield from self._on_own_versions()
        yield from self._on_unreachable()

    def _on_default_channel(self) -> Iterator[Finding]:
        default = self._package.channels.get(self._package.default_channel)
        others = sorted(name for name in self._package.channels if ("olm.channel", name) not in self._deprecated)
        if default is not None and others and default.name not in others and not self._is_deprecated:
            reason = "the default channel of the package is deprecated"
            hint = f"make another channel the default: {shortlist(others)}"
            yield _finding(default, "default-channel-deprecated", reason, hint)

    def _on_head(self, channel: Channel, head: str, names: list[str]) -> Iterator[Finding]:
        """Check that the *head* is the highest version, and deprecated only together with its channel or package."""
        is_spared = self._is_deprecated or ("olm.channel", channel.name) in self._deprecated
        properties = self._package.bundles[head].properties
        if not is_spared and (
            ("olm.bundle", head) in self._deprecated
            or any(property_.type == "olm.deprecated" for property_ in properties)
        ):
            reason = "the head of the channel is deprecated, and everybody who installs from it gets that bundle"
            yield _finding(channel, "head-deprecated", reason, "release another head, or deprecate the channel", head)
        highest = max(names, key=self._version_key)
        if self._version_key(highest)[0] > self._version_key(head)[0]:
            reason = f"the head of the channel is {head}, but {highest} is the highest version in it"
            hint = "OLM classic installs the head, OLM v1 the highest version"
            yield _finding(channel, "head-not-highest", reason, hint)

    def _on_classic_updates(
        self, channel: Channel, head: str, names: list[str], *, is_chain: bool
    ) -> Iterator[Finding]:
        """Check that updates of OLM classic end at the *head* of *channel*, which has an order."""
        after_head = ""
        # Nothing replaces or skips the head, so that only a range can lead away from it.
        if head in names and not (is_chain and not any(entry.skip_range for entry in channel.entries)):
            after_head = self._upgrades.following("classic", channel.name, self._installed[head])
        if after_head:
            reason = f"the head {head} is updated to {after_head}, so OLM classic goes in a circle"
            yield _finding(
                channel, "upgrade-circle", reason, "an entry below it has its version in a skipRange", after_head
            )
        elif not is_chain:
            yield from self._on_stranded("classic", channel, names, head)

    def _on_own_versions(self) -> Iterator[Finding]:
        """Yield one finding on all heads of the package whose own ``skipRange`` contains their version."""
        channels: dict[str, Channel] = {}
        for _, channel in sorted(self._package.channels.items()):
            # Of a repeated entry the last one counts.
            ranges = {entry.name: entry.skip_range for entry in channel.entries}
            for head in self._upgrades.classic_channel(channel.name).order.heads:
                version, versions = self._installed[head].classic, skip_range(ranges[head] or "<0.0.0")
                if version is not None and versions is not None and version in versions:
                    channels[head] = channel
        if channels:
            newest = max(channels, key=self._version_key)
            names = shortlist(list(channels))
            reason = (
                "a head has its own version in its skipRange, so OLM classic chooses it again where it is installed,"
                f" finds it up to date and changes nothing: {names}"
            )
            hint = "let the range end below the version"
            yield _finding(channels[newest], "skip-range-itself", reason, hint, newest, ".skipRange")

    def _on_stranded(self, generation: Generation, channel: Channel, names: list[str], goal: str) -> Iterator[Finding]:
        """Yield the bundles from which updates in *channel* end below *goal*, grouped by the end."""
        key = self._version_key
        stranded: dict[str, list[str]] = {}
        for name, end in self._ends(generation, channel, names).items():
            # An end with the version of the goal is as good as the goal.
            if end != goal and key(end)[0] < key(goal)[0]:
                stranded.setdefault(end, []).append(name)
        code, hint = f"upgrade-stranded-{generation}", f"let {goal}, or an entry that leads to it, replace or skip it"
        alone = sorted((end for end, starts in stranded.items() if starts == [end]), key=key)
        if alone:
            reason = f"{_NAMES[generation]} has no update to {goal} for {shortlist(alone)}"
            yield _finding(channel, code, reason, hint, alone[-1])
        for end in sorted(stranded.keys() - set(alone), key=key):
            starts = shortlist(sorted(stranded[end], key=key))
            reason = f"{_NAMES[generation]} updates {starts} only to {end}, and not to {goal}"
            yield _finding(channel, code, reason, hint, end)

    def _ends(self, generation: Generation, channel: Channel, names: list[str]) -> dict[str, str]:
        """Map each of *names* to the bundle where its updates end; a circle ends where the walk meets itself.

        Each bundle is walked once: a walk that meets an earlier one takes over its end.
        """
        by_name: dict[str, UpdateSource] = {name: self._installed[name] for name in names}
        ends: dict[str, str] = {}
        for name in checked(by_name, every=16):
            visited: dict[str, None] = {}
            while name in by_name and name not in ends and name not in visited:
                visited[name] = None
                name = self._upgrades.following(generation, channel.name, by_name[name]) or name
            end = ends.get(name, name)
            ends.update(dict.fromkeys(visited, end))
        return ends

    def _on_unreachable(self) -> Iterator[Finding]:
        """Yield findings on all bundles that OLM classic selects only where a startingCSV names them, or not at all."""
        package = self._package
        listed_somewhere: set[str] = set()
        selectable: set[str] = set()
        for channel in checked(package.channels.values()):
            order = self._upgrades.classic_channel(channel.name).order
            names = [entry.name for entry in channel.entries]
            listed_somewhere.update(names)
            # A channel without an order gets the benefit of the doubt: once repaired, it may select any of its entries.
            selectable.update(names if order.fault else order.chain)
        unreachable = sorted((listed_somewhere - selectable) & package.bundles.keys(), key=self._version_key)
        lost = {name: None for name in checked(unreachable) if self._is_lost(name)}
        named = [name for name in unreachable if name not in lost]
        if named:
            reason = (
                f"every channel skips {_bundles(named)}, so OLM classic installs {_them(named)} only by startingCSV"
            )
            yield self._unreachable(named, reason, f"OLM v1 installs {_them(named)}")
        if lost:
            reason = f"a skipRange takes {_bundles(lost)} out of all channels, and no entry replaces {_them(lost)}"
            hint = (
                f"OLM v1 and the shipped controller install {_them(lost)}; by the documentation, startingCSV does not"
            )
            yield self._unreachable(list(lost), reason, hint)

    def _is_lost(self, name: str) -> bool:
        """Return whether, in each channel that has *name*, a ``skipRange`` takes it out of the update graph."""
        channels = [
            channel for channel in self._package.channels.values() if any(e.name == name for e in channel.entries)
        ]
        version = self._installed[name].classic
        return all(self._upgrades.classic_channel(channel.name).removes(name, version) for channel in channels)

    def _unreachable(self, names: list[str], reason: str, hint: str) -> Finding:
        highest = self._package.bundles[names[-1]]
        reason, hint = f"{reason}: {shortlist(names)}", f"{hint}; deprecate withdrawn bundles"
        return on_bundle(Severity.NOTE, "bundle-unreachable", reason, highest, hint=hint)


def _is_chain(channel: Channel, order: ChannelOrder, names: list[str]) -> bool:
    """Return whether *channel* is one chain of replacements, as most are: each of *names* is updated towards its head.

    An entry may be updated by a range as well, which OLM classic takes if it leads nearer to the head only::

        v3 replaces v2, v2 replaces v1     v1 to v2 or v3, v2 to v3: whatever ranges there are, all end at v3
        v3 replaces v2, skips v1           v1 is not in the order: it has to be looked up where its updates end
    """
    return not order.fault and len(order.chain) == len(names) and not any(entry.skips for entry in channel.entries)


def _ascend(ranks: Iterable[int]) -> bool:
    return all(rank < following for rank, following in pairwise(ranks))


def _bundles(names: Collection[str]) -> str:
    return "a bundle" if len(names) == 1 else f"{len(names)} bundles"


def _them(names: Collection[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _finding(channel: Channel, code: str, reason: str, hint: str, bundle: str = "", field: str = "") -> Finding:
    """Return a warning about *channel*: about the entry of *bundle* if it has one, and a *field* of the entry."""
    entries = (f"entries[{n}]{field}" for n, entry in enumerate(channel.entries) if entry.name == bundle)
    location: dict[str, Any] = {"package": channel.package, "channel": channel.name, "bundle": bundle}
    location["property"] = next(entries, "")
    return Finding(Severity.WARNING, code, reason, hint, **location, origin=channel.origin)
