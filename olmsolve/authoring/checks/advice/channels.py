"""Where the ways through the channels of a package lead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from olmsolve.authoring.checks.advice.facts import Height, PublishedFacts
from olmsolve.authoring.checks.advice.repeats import listed
from olmsolve.authoring.checks.finding import Finding, Severity, shortened
from olmsolve.authoring.upgrades import Generation, PackageUpgrades, UpdateSource, update_source
from olmsolve.catalog import Channel, Package

__all__ = ["on_channels"]

_WARNING: Final = Severity.WARNING
_NAMES: Final[Mapping[Generation, str]] = {"classic": "OLM classic", "v1": "OLM v1"}


def on_channels(package: Package, facts: PublishedFacts) -> Iterator[Finding]:
    """The advice on the channels of *package*, by name."""
    deprecated = {(each.schema, each.name) for each in package.deprecations}
    height = facts.height(package)
    upgrades = PackageUpgrades(package)
    installed = {
        name: update_source(bundle, facts.version(package.name, name)) for name, bundle in package.bundles.items()
    }
    is_deprecated = ("olm.package", "") in deprecated
    yield from _default(package, deprecated)
    for _, channel in sorted(package.channels.items()):
        names = [entry.name for entry in channel.entries if entry.name in installed]
        order = upgrades.classic_channel(channel.name).order
        if order.fault:
            reason = f"OLM classic cannot order the channel: {shortened(order.fault)}"
            hint = "opm looks no further than the first skipped entry; take the replaces of that out"
            yield _finding(package, channel, "channel-order", reason, hint)
        elif names:
            spared = is_deprecated or ("olm.channel", channel.name) in deprecated
            yield from _head(package, channel, order.heads[0], names, height, spared=spared)
            yield from _classic(package, channel, upgrades, [installed[name] for name in names], height)
        usable = [name for name in names if installed[name].v1 is not None]
        if usable:
            best = min(usable, key=upgrades.offers.ranks.__getitem__)
            yield from _stranded("v1", package, channel, upgrades, [installed[name] for name in usable], best, height)
    yield from _unreachable(package, upgrades, height)


def _head(
    package: Package, channel: Channel, head: str, names: list[str], height: Height, *, spared: bool
) -> Iterator[Finding]:
    """Whether the *head* is what people should get; a deprecated one may be *spared*."""
    if not spared and _is_deprecated(package, head):
        reason = "the head of the channel is deprecated, and whoever installs from it gets that"
        yield _finding(package, channel, "head-deprecated", reason, "release another, or deprecate the channel", head)
    highest = max(names, key=height)
    if height(highest)[0] > height(head)[0]:
        reason = f"the head of the channel is {head}, but {highest} is the highest version in it"
        hint = "OLM classic installs the head, OLM v1 the highest version"
        yield _finding(package, channel, "head-not-highest", reason, hint)


def _classic(
    package: Package, channel: Channel, upgrades: PackageUpgrades, installed: list[UpdateSource], height: Height
) -> Iterator[Finding]:
    """Where OLM classic leads, which has an order of the channel."""
    head = upgrades.classic_channel(channel.name).order.heads[0]
    again = next((upgrades.following("classic", channel.name, each) for each in installed if each.name == head), "")
    if again:
        reason = f"the head {head} is updated to {again}, so that OLM classic goes round in a circle"
        yield _finding(package, channel, "upgrade-circle", reason, "its version is in a skipRange below it", again)
    else:
        yield from _stranded("classic", package, channel, upgrades, installed, head, height)


def _default(package: Package, deprecated: Iterable[tuple[str, str]]) -> Iterator[Finding]:
    default = package.channels.get(package.default_channel)
    others = sorted(name for name in package.channels if ("olm.channel", name) not in deprecated)
    if default is not None and others and default.name not in others and ("olm.package", "") not in deprecated:
        reason = "the default channel of the package is deprecated"
        hint = f"make another the default: {listed(others)}"
        yield _finding(package, default, "default-channel-deprecated", reason, hint)


def _is_deprecated(package: Package, name: str) -> bool:
    if any(each.schema == "olm.bundle" and each.name == name for each in package.deprecations):
        return True
    return any(item.type == "olm.deprecated" for item in package.bundles[name].properties)


def _stranded(
    generation: Generation,
    package: Package,
    channel: Channel,
    upgrades: PackageUpgrades,
    installed: list[UpdateSource],
    goal: str,
    height: Height,
) -> Iterator[Finding]:
    """From where updates in *channel* do not end at *goal*, by where they end."""
    ends: dict[str, list[str]] = {}
    for name, end in _ends(generation, channel, upgrades, installed).items():
        # Of what has the version of the goal, one is as good as the other.
        if end != goal and height(end)[0] < height(goal)[0]:
            ends.setdefault(end, []).append(name)
    alone = sorted((end for end, names in ends.items() if names == [end]), key=height)
    if alone:
        reason = f"{_NAMES[generation]} has no update for {listed(alone)}, short of {goal}"
        yield _stranding(generation, package, channel, reason, goal, alone[-1])
    for end, names in sorted(ends.items(), key=lambda pair: height(pair[0])):
        if names != [end]:
            names.sort(key=height)
            reason = f"{_NAMES[generation]} gets from {listed(names)} no further than {end}, short of {goal}"
            yield _stranding(generation, package, channel, reason, goal, end)


def _ends(
    generation: Generation, channel: Channel, upgrades: PackageUpgrades, installed: list[UpdateSource]
) -> dict[str, str]:
    """Where updates lead in the end, by what is installed; a circle ends where the walk comes back to it."""
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


def _stranding(
    generation: Generation, package: Package, channel: Channel, reason: str, goal: str, bundle: str
) -> Finding:
    hint = f"let {goal}, or what leads there, replace or skip it"
    return _finding(package, channel, f"upgrade-stranded-{generation}", reason, hint, bundle)


def _unreachable(package: Package, upgrades: PackageUpgrades, height: Height) -> Iterator[Finding]:
    """Bundles that no channel of the package lets OLM classic select."""
    listed_somewhere: set[str] = set()
    selectable: set[str] = set()
    for channel in package.channels.values():
        order = upgrades.classic_channel(channel.name).order
        names = [entry.name for entry in channel.entries]
        listed_somewhere.update(names)
        # What a channel without an order would let select is not known.
        selectable.update(names if order.fault else order.chain)
    unreachable = sorted((listed_somewhere - selectable) & package.bundles.keys(), key=height)
    if unreachable:
        count = len(unreachable)
        what = "a bundle" if count == 1 else f"{count} bundles"
        reason = f"OLM classic never installs {what} of the package, skipped wherever listed: {listed(unreachable)}"
        place = package.bundles[unreachable[-1]]
        yield Finding(
            Severity.NOTE,
            "bundle-unreachable",
            reason,
            "OLM v1 does; if they are withdrawn, deprecate them",
            package=package.name,
            bundle=place.name,
            origin=place.origin,
        )


def _finding(package: Package, channel: Channel, code: str, reason: str, hint: str, bundle: str = "") -> Finding:
    return Finding(
        _WARNING, code, reason, hint, package=package.name, channel=channel.name, bundle=bundle, origin=channel.origin
    )
