"""Update graphs as they are drawn: channels as lanes, with their entries from the highest version down.

The choice and the order of channels, entries and edges follow ``opm alpha render-graph``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NoReturn

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Origin
from olmsolve.catalog.update_graph.edges import EdgeKind, skip_range
from olmsolve.errors import CatalogError, VersionError
from olmsolve.semver import Version, quote, reading_by, scheme_in_use

_MOST_ARROWS: Final = 1_000_000
"""The most arrows that are drawn: with dense skipRanges their number grows with the square of a channel's length."""

# The version of a name without a bundle: upstream reads its map of versions without looking whether the name is in it.
_NO_BUNDLE: Final = Version(0, 0, 0)


@attrs.frozen
class Arrow:
    """An update from the bundle *source*, because of the field *kind*; *skip_range* is its text, or ""."""

    source: str
    kind: EdgeKind
    skip_range: str = ""


@attrs.frozen
class LaneEntry:
    """An entry and the arrows that lead to it: ``skips`` first, then ``skipRange``, then ``replaces``."""

    name: str
    arrows: tuple[Arrow, ...]


@attrs.frozen
class Lane:
    """A channel to draw; *entries* from the highest version down."""

    package: str
    channel: str
    entries: tuple[LaneEntry, ...]


def lanes(catalog: Catalog, *, minimum_edge: str = "", package: str = "") -> tuple[Lane, ...]:
    """Return the channels of *catalog*, or only of *package*, by name.

    *minimum_edge* names a bundle: then only channels of its package are drawn, with the entries and edges that are not
    below its version. A ``skipRange`` that does not parse has no arrows; one that does has an arrow from every entry
    of the channel that is in it. Entries of equal versions keep their order.

    Raises :class:`~olmsolve.errors.CatalogError`, worded as upstream words it, if a bundle does not have exactly one
    ``olm.package`` property with a version, or no bundle is called *minimum_edge*; and for a catalog of more than a
    million arrows.
    """
    with reading_by(catalog.scheme):
        return _lanes(catalog, minimum_edge, package)


def _lanes(catalog: Catalog, minimum_edge: str, package: str) -> tuple[Lane, ...]:
    versions = _versions(catalog)
    if minimum_edge and minimum_edge not in versions:
        raise CatalogError(f"unknown minimum edge name: {quote(minimum_edge)}")
    channels = [channel for package in catalog for channel in package.channels.values()]
    channels.sort(key=lambda channel: (channel.name, _read_order(channel.origin)))
    drawn = [channel for channel in channels if not package or channel.package == package]
    if minimum_edge:
        holder = next(
            (
                listed_channel.package
                for listed_channel in channels
                if any(e.name == minimum_edge for e in listed_channel.entries)
            ),
            "",
        )
        drawn = [_above(lane, minimum_edge, versions) for lane in drawn if not holder or lane.package == holder]
    if minimum_edge or package:
        drawn = [channel for channel in drawn if channel.entries]
    drawing: list[Lane] = []
    arrows = 0
    for channel in checked(drawn):
        drawing.append(_lane(channel, versions, _MOST_ARROWS - arrows))
        arrows += sum(len(entry.arrows) for entry in drawing[-1].entries)
    return tuple(drawing)


def _read_order(origin: Origin | None) -> tuple[str, int]:
    # Channels of one name, and bundles of one name, come in the order of their files and documents, as upstream has it.
    return (origin.file, origin.document) if origin else ("", 0)


def _versions(catalog: Catalog) -> dict[str, Version]:
    """Return the version of each bundle by its name alone; of bundles with one name the first counts."""
    bundles = [bundle for package in catalog for bundle in package.bundles.values()]
    bundles.sort(key=lambda bundle: _read_order(bundle.origin))
    versions: dict[str, Version] = {}
    for bundle in checked(bundles, every=64):
        if bundle.name not in versions:
            versions[bundle.name] = _version(bundle)
    return versions


def _version(bundle: Bundle) -> Version:
    packages = [property_.value for property_ in bundle.properties if property_.type == "olm.package"]
    if len(packages) != 1:
        # Upstream says "multiple" even if there is no such property.
        _refuse(bundle, 'multiple "olm.package" properties, expected exactly 1')
    text: Any = packages[0].get("version") if isinstance(packages[0], Mapping) else None
    text = text if isinstance(text, str) else ""
    if (scheme := scheme_in_use()) is not None:
        version = scheme.read(text)
        return version if version is not None else _refuse(bundle, f"{quote(text)}, which is no {scheme.name} version")
    try:
        return Version.parse(text)
    except VersionError as error:
        _refuse(bundle, f"invalid version {quote(text)}: {error.reason}")


def _refuse(bundle: Bundle, reason: str) -> NoReturn:
    origin = str(bundle.origin) if bundle.origin else ""
    raise CatalogError(f"bundle {quote(bundle.name)} has {reason}", origin=origin, package=bundle.package)


def _above(channel: Channel, minimum: str, versions: Mapping[str, Version]) -> Channel:
    """Return *channel* with the entries and edges that are not below the bundle *minimum*."""
    floor = versions[minimum]

    def reached(name: str) -> bool:
        return versions.get(name, _NO_BUNDLE) >= floor

    entries: list[ChannelEntry] = []
    for entry in channel.entries:
        if entry.name == minimum:
            entries.append(ChannelEntry(minimum))
            continue
        ranged = skip_range(entry.skip_range)
        kept = ChannelEntry(
            entry.name,
            entry.replaces if entry.replaces and reached(entry.replaces) else "",
            tuple(filter(reached, entry.skips)),
            entry.skip_range if ranged is not None and floor in ranged else "",
        )
        # An entry whose edges all come from below is left out with them.
        if _has_edges(kept) or (not _has_edges(entry) and reached(entry.name)):
            entries.append(kept)
    return attrs.evolve(channel, entries=tuple(entries))


def _has_edges(entry: ChannelEntry) -> bool:
    return bool(entry.replaces or entry.skips or entry.skip_range)


def _lane(channel: Channel, versions: Mapping[str, Version], most: int) -> Lane:
    """Return *channel* as a lane; refuse more than *most* arrows, before they are all made."""
    versioned = [(entry.name, versions.get(entry.name, _NO_BUNDLE)) for entry in channel.entries]
    drawn: list[tuple[Version, LaneEntry]] = []
    for entry, (name, version) in checked(zip(channel.entries, versioned, strict=True)):
        arrows = tuple(islice(_arrows(entry, versioned), most + 1))
        most -= len(arrows)
        if most < 0:
            reason = f"more than {_MOST_ARROWS:,} arrows to draw: choose a package or a minimum edge"
            raise CatalogError(reason, package=channel.package, channel=channel.name)
        drawn.append((version, LaneEntry(name, arrows)))
    drawn.sort(key=lambda pair: pair[0], reverse=True)
    return Lane(channel.package, channel.name, tuple(entry for _, entry in drawn))


def _arrows(entry: ChannelEntry, versioned: list[tuple[str, Version]]) -> Iterator[Arrow]:
    for skipped in entry.skips:
        yield Arrow(skipped, "skips")
    versions = skip_range(entry.skip_range)
    if versions is not None:
        for name, version in versioned:
            if version in versions:
                yield Arrow(name, "skipRange", entry.skip_range)
    if entry.replaces:
        yield Arrow(entry.replaces, "replaces")
