"""What of a catalog's update graphs is drawn: channels as lanes, entries from the highest version down.

Which channels, entries and edges these are, and in which order, follows ``opm alpha render-graph``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NoReturn

import attrs

from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Origin
from olmsolve.catalog.update_graph.edges import EdgeKind
from olmsolve.errors import CatalogError, RangeError, VersionError
from olmsolve.semver import BlangRange, Version, quote

__all__ = ["Arrow", "Lane", "LaneEntry", "lanes"]

_MOST_ARROWS: Final = 1_000_000
"""A picture of more helps nobody, and dense skipRanges make them grow with the square of a channel's length."""

# A name without a bundle counts as this version: upstream looks it up without asking whether it is there.
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
    """The channels of *catalog*, or of *package* alone, by name.

    *minimum_edge* names a bundle: only channels of its package are drawn, and in them only what is not below
    its version. A ``skipRange`` that does not parse has no arrows; one that does has an arrow from every entry
    of the channel that is in it. Entries of equal versions keep their order.

    Raises :class:`~olmsolve.errors.CatalogError`, worded as upstream words it, where a bundle has not exactly
    one ``olm.package`` property with a version, and where no bundle is called *minimum_edge*; and for a catalog
    of more than a million arrows.
    """
    versions = _versions(catalog)
    if minimum_edge and minimum_edge not in versions:
        raise CatalogError(f"unknown minimum edge name: {quote(minimum_edge)}")
    channels = [channel for each in catalog for channel in each.channels.values()]
    channels.sort(key=lambda channel: (channel.name, _place(channel.origin)))
    drawn = [channel for channel in channels if not package or channel.package == package]
    if minimum_edge:
        holder = next((each.package for each in channels if any(e.name == minimum_edge for e in each.entries)), "")
        drawn = [_above(each, minimum_edge, versions) for each in drawn if not holder or each.package == holder]
    if minimum_edge or package:
        drawn = [channel for channel in drawn if channel.entries]
    drawing: list[Lane] = []
    arrows = 0
    for channel in drawn:
        drawing.append(_lane(channel, versions, _MOST_ARROWS - arrows))
        arrows += sum(len(entry.arrows) for entry in drawing[-1].entries)
    return tuple(drawing)


def _place(origin: Origin | None) -> tuple[str, int]:
    # Of what is called alike the first of the file comes first, as upstream has it.
    return (origin.file, origin.document) if origin else ("", 0)


def _versions(catalog: Catalog) -> dict[str, Version]:
    """The version of each bundle by its name alone: of one name in several packages the first counts."""
    bundles = [bundle for package in catalog for bundle in package.bundles.values()]
    bundles.sort(key=lambda bundle: _place(bundle.origin))
    versions: dict[str, Version] = {}
    for bundle in bundles:
        if bundle.name not in versions:
            versions[bundle.name] = _version(bundle)
    return versions


def _version(bundle: Bundle) -> Version:
    own = [item.value for item in bundle.properties if item.type == "olm.package"]
    if len(own) != 1:
        # Upstream says "multiple" of none, too.
        _refuse(bundle, 'multiple "olm.package" properties, expected exactly 1')
    text: Any = own[0].get("version") if isinstance(own[0], Mapping) else None
    text = text if isinstance(text, str) else ""
    try:
        return Version.parse(text)
    except VersionError as error:
        _refuse(bundle, f"invalid version {quote(text)}: {error.reason}")


def _refuse(bundle: Bundle, reason: str) -> NoReturn:
    origin = str(bundle.origin) if bundle.origin else ""
    raise CatalogError(f"bundle {quote(bundle.name)} has {reason}", origin=origin, package=bundle.package)


def _above(channel: Channel, minimum: str, versions: Mapping[str, Version]) -> Channel:
    """*channel* with what is not below the bundle *minimum*: entries, and the edges between them."""
    floor = versions[minimum]

    def reached(name: str) -> bool:
        return versions.get(name, _NO_BUNDLE) >= floor

    entries: list[ChannelEntry] = []
    for entry in channel.entries:
        if entry.name == minimum:
            entries.append(ChannelEntry(minimum))
            continue
        ranged = _range(entry.skip_range)
        kept = ChannelEntry(
            entry.name,
            entry.replaces if entry.replaces and reached(entry.replaces) else "",
            tuple(filter(reached, entry.skips)),
            entry.skip_range if ranged is not None and floor in ranged else "",
        )
        # An entry whose edges all come from below goes with them.
        if _has_edges(kept) or (not _has_edges(entry) and reached(entry.name)):
            entries.append(kept)
    return attrs.evolve(channel, entries=tuple(entries))


def _has_edges(entry: ChannelEntry) -> bool:
    return bool(entry.replaces or entry.skips or entry.skip_range)


def _range(text: str) -> BlangRange | None:
    try:
        return BlangRange.parse(text) if text else None
    except RangeError:
        return None


def _lane(channel: Channel, versions: Mapping[str, Version], most: int) -> Lane:
    placed = [(entry.name, versions.get(entry.name, _NO_BUNDLE)) for entry in channel.entries]
    drawn: list[tuple[Version, LaneEntry]] = []
    for entry, (name, version) in zip(channel.entries, placed, strict=True):
        arrows = tuple(islice(_arrows(entry, placed), most + 1))
        most -= len(arrows)
        if most < 0:
            reason = f"more than {_MOST_ARROWS:,} arrows to draw: choose a package or a minimum edge"
            raise CatalogError(reason, package=channel.package, channel=channel.name)
        drawn.append((version, LaneEntry(name, arrows)))
    drawn.sort(key=lambda pair: pair[0], reverse=True)
    return Lane(channel.package, channel.name, tuple(entry for _, entry in drawn))


def _arrows(entry: ChannelEntry, placed: list[tuple[str, Version]]) -> Iterator[Arrow]:
    for skipped in entry.skips:
        yield Arrow(skipped, "skips")
    versions = _range(entry.skip_range)
    if versions is not None:
        for name, version in placed:
            if version in versions:
                yield Arrow(name, "skipRange", entry.skip_range)
    if entry.replaces:
        yield Arrow(entry.replaces, "replaces")
