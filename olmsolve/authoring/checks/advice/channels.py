"""Advice on channels: where updates lead, which heads are installed, which bundles never are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from olmsolve.authoring.checks.advice.facts import PublishedFacts, VersionKey
from olmsolve.authoring.checks.advice.repeats import shortlist
from olmsolve.authoring.checks.finding import Finding, Severity, shortened
from olmsolve.authoring.upgrades import Generation, PackageUpgrades, UpdateSource, update_source
from olmsolve.catalog import Channel, Package

_WARNING: Final = Severity.WARNING
_NAMES: Final[Mapping[Generation, str]] = {"classic": "OLM classic", "v1": "OLM v1"}


def on_channels(package: Package, facts: PublishedFacts) -> Iterator[Finding]:
    """Yield the advice on the channels of *package*, sorted by name."""
    deprecated = {(each.schema, each.name) for each in package.deprecations}
    version_key = facts.version_key(package)
    upgrades = PackageUpgrades(package)
    installed = {
        name: update_source(bundle, facts.version(package.name, name)) for name, bundle in package.bundles.items()
    }
    is_deprecated = ("olm.package", "") in deprecated
    yield from _default_channel_findings(package, deprecated)
    for _, channel in sorted(package.channels.items()):
        names = [entry.name for entry in channel.entries if entry.name in installed]
        order = upgrades.classic_channel(channel.name).order
        # Without an order classic installs nothing from the channel, so where its updates lead is moot.
        if order.fault:
            reason = f"OLM classic cannot order the channel: {shortened(order.fault)}"
            hint = "opm looks no further than the first skipped entry; take the replaces of that out"
            yield _finding(package, channel, "channel-order", reason, hint)
        elif names:
            spared = is_deprecated or ("olm.channel", channel.name) in deprecated
            yield from _head_findings(package, channel, order.heads[0], names, version_key, spared=spared)
            yield from _classic_findings(package, channel, upgrades, [installed[name] for name in names], version_key)
        usable = [name for name in names if installed[name].v1 is not None]
        if usable:
            best = min(usable, key=upgrades.offers.ranks.__getitem__)
            yield from _stranded_findings(
                "v1", package, channel, upgrades, [installed[name] for name in usable], best, version_key
            )
    yield from _unreachable_findings(package, upgrades, version_key)


def _head_findings(
    package: Package, channel: Channel, head: str, names: list[str], version_key: VersionKey, *, spared: bool
) -> Iterator[Finding]:
    """Check that the *head* is not deprecated (unless *spared*), and is the highest version."""
    if not spared and _is_deprecated(package, head):
        reason = "the head of the channel is deprecated, and whoever installs from it gets that"
        yield _finding(package, channel, "head-deprecated", reason, "release another, or deprecate the channel", head)
    highest = max(names, key=version_key)
    if version_key(highest)[0] > version_key(head)[0]:
        reason = f"the head of the channel is {head}, but {highest} is the highest version in it"
        hint = "OLM classic installs the head, OLM v1 the highest version"
        yield _finding(package, channel, "head-not-highest", reason, hint)


def _classic_findings(
    package: Package,
    channel: Channel,
    upgrades: PackageUpgrades,
    installed: list[UpdateSource],
    version_key: VersionKey,
) -> Iterator[Finding]:
    """Check that updates of OLM classic end at the head of *channel*, which has an order."""
    head = upgrades.classic_channel(channel.name).order.heads[0]
    after_head = next(
        (upgrades.following("classic", channel.name, each) for each in installed if each.name == head), ""
    )
    if after_head:
        reason = f"the head {head} is updated to {after_head}, so that OLM classic goes round in a circle"
        yield _finding(package, channel, "upgrade-circle", reason, "its version is in a skipRange below it", after_head)
    else:
        yield from _stranded_findings("classic", package, channel, upgrades, installed, head, version_key)


def _default_channel_findings(package: Package, deprecated: Iterable[tuple[str, str]]) -> Iterator[Finding]:
    default = package.channels.get(package.default_channel)
    others = sorted(name for name in package.channels if ("olm.channel", name) not in deprecated)
    if default is not None and others and default.name not in others and ("olm.package", "") not in deprecated:
        reason = "the default channel of the package is deprecated"
        hint = f"make another the default: {shortlist(others)}"
        yield _finding(package, default, "default-channel-deprecated", reason, hint)


def _is_deprecated(package: Package, name: str) -> bool:
    if any(each.schema == "olm.bundle" and each.name == name for each in package.deprecations):
        return True
    return any(property_.type == "olm.deprecated" for property_ in package.bundles[name].properties)


def _stranded_findings(
    generation: Generation,
    package: Package,
    channel: Channel,
    upgrades: PackageUpgrades,
    installed: list[UpdateSource],
    goal: str,
    version_key: VersionKey,
) -> Iterator[Finding]:
    """Yield the bundles from which updates in *channel* end below *goal*, grouped by the end."""
    ends: dict[str, list[str]] = {}
    for name, end in _ends(generation, channel, upgrades, installed).items():
        # An end with the version of the goal is as good as the goal.
        if end != goal and version_key(end)[0] < version_key(goal)[0]:
            ends.setdefault(end, []).append(name)
    alone = sorted((end for end, names in ends.items() if names == [end]), key=version_key)
    if alone:
        reason = f"{_NAMES[generation]} has no update for {shortlist(alone)}, short of {goal}"
        yield _stranded_finding(generation, package, channel, reason, goal, alone[-1])
    for end, names in sorted(ends.items(), key=lambda pair: version_key(pair[0])):
        if names != [end]:
            names.sort(key=version_key)
            reason = f"{_NAMES[generation]} gets from {shortlist(names)} no further than {end}, short of {goal}"
            yield _stranded_finding(generation, package, channel, reason, goal, end)


def _ends(
    generation: Generation, channel: Channel, upgrades: PackageUpgrades, installed: list[UpdateSource]
) -> dict[str, str]:
    """Map each of *installed* to the bundle where its updates end; a circle ends where the walk meets itself.

    Each bundle is walked once: a walk that meets an earlier one takes over its end.
    """
    by_name = {each.name: each for each in installed}
    ends: dict[str, str] = {}
    for name in by_name:
        walked: dict[str, None] = {}
        while name in by_name and name not in ends and name not in walked:
            walked[name] = None
            name = upgrades.following(generation, channel.name, by_name[name]) or name
        end = ends.get(name, name)
        ends.update(dict.fromkeys(walked, end))
    return ends


def _stranded_finding(
    generation: Generation, package: Package, channel: Channel, reason: str, goal: str, bundle: str
) -> Finding:
    hint = f"let {goal}, or what leads there, replace or skip it"
    return _finding(package, channel, f"upgrade-stranded-{generation}", reason, hint, bundle)


def _unreachable_findings(package: Package, upgrades: PackageUpgrades, version_key: VersionKey) -> Iterator[Finding]:
    """Yield one finding on all bundles that no channel of *package* lets OLM classic select."""
    listed_somewhere: set[str] = set()
    selectable: set[str] = set()
    for channel in package.channels.values():
        order = upgrades.classic_channel(channel.name).order
        names = [entry.name for entry in channel.entries]
        listed_somewhere.update(names)
        # A channel without an order gets the benefit of the doubt: once repaired, it may select any of its entries.
        selectable.update(names if order.fault else order.chain)
    unreachable = sorted((listed_somewhere - selectable) & package.bundles.keys(), key=version_key)
    if unreachable:
        count = len(unreachable)
        what = "a bundle" if count == 1 else f"{count} bundles"
        reason = f"OLM classic never installs {what} of the package, skipped wherever listed: {shortlist(unreachable)}"
        highest = package.bundles[unreachable[-1]]
        yield Finding(
            Severity.NOTE,
            "bundle-unreachable",
            reason,
            "OLM v1 does; if they are withdrawn, deprecate them",
            package=package.name,
            bundle=highest.name,
            origin=highest.origin,
        )


def _finding(package: Package, channel: Channel, code: str, reason: str, hint: str, bundle: str = "") -> Finding:
    return Finding(
        _WARNING, code, reason, hint, package=package.name, channel=channel.name, bundle=bundle, origin=channel.origin
    )
