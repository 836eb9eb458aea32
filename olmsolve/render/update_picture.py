"""The layout of a picture of a package's update graphs: channels as rows, versions as columns.

Columns and levels are plain numbers; :mod:`olmsolve.render.html.graph_page` draws them. For 1.0, 1.1 and 1.2, where 1.2
replaces 1.1 and skips 1.0, and 1.1 replaces 1.0::

    level 1      ,---------------.        skips: an arch from column 0 to column 2
    the line    1.0 ---> 1.1 ---> 1.2     replaces between neighbours: straight, level 0
                                          a skipRange would hang below the line
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.update_graph import ClassicChannel, EdgeKind, Lane, bundle_version, lanes
from olmsolve.semver import Version, reading_by

# With more levels, arcs become a hatched area: all further arcs share the last level.
_MOST_LEVELS: Final = 7

_NOTHING: Final[Mapping[str, str]] = {}


@attrs.frozen
class RowEntry:
    """A bundle in a row. *marks* are some of ``head``, ``skipped``, ``missing``, ``deprecated`` and ``dead``.

    *following* is the bundle that OLM classic updates it to in this channel, "" if it stays. *notes* are the reasons of
    the marks.
    """

    name: str
    column: int
    version: str
    marks: tuple[str, ...]
    following: str = ""
    notes: tuple[str, ...] = ()


@attrs.frozen
class Arc:
    """The updates to one column that one field offers, from each of the columns *sources*, in ascending order.

    *level* 0 is the row's line, higher levels are farther from it. *text* is the range of a ``skipRange``.
    """

    kind: EdgeKind
    sources: tuple[int, ...]
    target: int
    level: int
    text: str = ""


@attrs.frozen
class Row:
    """A channel: ``replaces`` and ``skips`` take *above* levels over its line, ``skipRange`` *below* levels."""

    channel: str
    is_default: bool
    deprecated: str | None
    fault: str
    nodes: tuple[RowEntry, ...]
    arcs: tuple[Arc, ...]
    above: int
    below: int


@attrs.frozen
class Picture:
    """A package; *columns* are the labels of its versions, lowest first. *deprecated* is the message, if any."""

    package: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    deprecated: str | None


def pictures(
    catalog: Catalog,
    *,
    minimum_edge: str = "",
    package: str = "",
    dead: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[Picture, ...]:
    """Return pictures of the packages of *catalog*, or of *package* alone, sorted by name.

    *dead* maps a package to the bundles that no request can select, with the reason of each. *minimum_edge* names the
    lowest bundle to draw.

    Raises:
        CatalogError: a bundle does not have exactly one ``olm.package`` property with a version, no bundle is called
            *minimum_edge*, or the catalog has more than a million arrows.
    """
    by_package: dict[str, list[Lane]] = {}
    for lane in lanes(catalog, minimum_edge=minimum_edge, package=package):
        by_package.setdefault(lane.package, []).append(lane)
    with reading_by(catalog.scheme):
        return tuple(
            _picture(catalog.packages[name], drawn, (dead or {}).get(name, _NOTHING))
            for name, drawn in checked(sorted(by_package.items()))
        )


def _picture(package: Package, drawn: Sequence[Lane], dead: Mapping[str, str]) -> Picture:
    versions = _Versions(package)
    columns = _columns(versions, drawn)
    deprecated = {(deprecation.schema, deprecation.name): deprecation.message for deprecation in package.deprecations}
    made = [_row(package, lane, columns, versions, deprecated, dead) for lane in drawn]
    rows = tuple(sorted(made, key=_newest_first))
    message = next((message for (schema, _), message in deprecated.items() if schema == "olm.package"), None)
    return Picture(package.name, tuple(columns.values()), rows, message)


def _newest_first(row: Row) -> tuple[int, bool, int, str]:
    """Return a sort key: the channel with the newest bundle comes first, of equal ones the default channel."""
    columns = [node.column for node in row.nodes if "missing" not in node.marks] or [-1]
    return -columns[-1], not row.is_default, -columns[0], row.channel


class _Versions(dict[str, Version | None]):
    """The versions of the bundles of *package*, each read once: a bundle is in many channels and has many updates."""

    def __init__(self, package: Package) -> None:
        super().__init__()
        self._package = package

    def __missing__(self, name: str) -> Version | None:
        version = self[name] = bundle_version(self._package, name)
        return version


class _Columns(dict[str, str]):
    """The label of each bundle, in the order of columns; *position* maps a bundle to its column."""

    def __init__(self, labels: Iterable[tuple[str, str]]) -> None:
        super().__init__(labels)
        self.position = {name: position for position, name in enumerate(self)}


def _columns(versions: _Versions, drawn: Sequence[Lane]) -> _Columns:
    """Return the columns, lowest version first; a name without a version is just before its lowest successor."""
    keys: dict[str, tuple[Version, int, str]] = {}
    without_version: dict[str, Version] = {}
    known_versions = (versions[entry.name] for lane in drawn for entry in lane.entries)
    # Versions of other schemes have no version that is below all of them.
    lowest = min((version for version in known_versions if version is not None), default=Version(0, 0, 0))
    for lane in drawn:
        for entry in checked(lane.entries):
            version = versions[entry.name]
            if version is not None:
                keys[entry.name] = version, 1, entry.name
            for arrow in entry.arrows:
                source_column = versions[arrow.source]
                if source_column is not None:
                    keys[arrow.source] = source_column, 1, arrow.source
                elif arrow.source not in without_version or (version or lowest) < without_version[arrow.source]:
                    without_version[arrow.source] = version or lowest
            if version is None:
                without_version.setdefault(entry.name, lowest)
    for name, version in without_version.items():
        # 0 sorts before the 1 of names with this version: the name comes just before its lowest successor.
        keys.setdefault(name, (version, 0, name))
    return _Columns((name, str(versions[name] or name)) for name in sorted(keys, key=keys.__getitem__))


def _row(
    package: Package,
    lane: Lane,
    columns: _Columns,
    versions: _Versions,
    deprecated: Mapping[tuple[str, str], str],
    dead: Mapping[str, str],
) -> Row:
    channel = package.channels[lane.channel]
    classic = ClassicChannel(channel, package.bundles)
    sources = {arrow.source for entry in lane.entries for arrow in entry.arrows if arrow.source != entry.name}
    skipped = {arrow.source for entry in lane.entries for arrow in entry.arrows if arrow.kind == "skips"}
    names = dict.fromkeys([*(entry.name for entry in lane.entries), *sorted(sources)])
    nodes: list[RowEntry] = []
    for name in checked(sorted(names, key=columns.position.__getitem__), every=16):
        version = versions[name]
        notes = {
            "head": "" if name in sources else "the head of this channel",
            "skipped": "another entry of this channel skips it" if name in skipped else "",
            "missing": "" if name in package.bundles else "the catalog has no such bundle",
            "deprecated": _message(deprecated.get(("olm.bundle", name))),
            "dead": dead.get(name, ""),
        }
        following = "" if classic.order.fault else classic.update(name, version) or ""
        nodes.append(
            RowEntry(
                name,
                columns.position[name],
                "" if version is None else str(version),
                tuple(mark for mark, note in notes.items() if note),
                following,
                tuple(filter(None, notes.values())),
            )
        )
    arcs, above, below = _arcs(lane, columns, [node.column for node in nodes])
    return Row(
        lane.channel,
        lane.channel == package.default_channel,
        deprecated.get(("olm.channel", lane.channel)),
        classic.order.fault,
        tuple(nodes),
        arcs,
        above,
        below,
    )


def _message(message: str | None) -> str:
    if message is None:
        return ""
    return f"deprecated: {message}" if message else "deprecated"


def _arcs(lane: Lane, columns: _Columns, occupied: Sequence[int]) -> tuple[tuple[Arc, ...], int, int]:
    """Return the arcs of a row, and the number of their levels above and below its line."""
    neighbour = dict(pairwise(occupied))
    above: list[Arc] = []
    below: list[Arc] = []
    straight: list[Arc] = []
    for entry in checked(lane.entries):
        target = columns.position[entry.name]
        # All updates to one entry by one field are one arc, with several sources.
        arcs: dict[tuple[EdgeKind, str], set[int]] = {}
        for arrow in entry.arrows:
            source = columns.position[arrow.source]
            if arrow.kind == "replaces" and neighbour.get(source) == target:
                straight.append(Arc(arrow.kind, (source,), target, 0))
            else:
                arcs.setdefault((arrow.kind, arrow.skip_range), set()).add(source)
        for (kind, text), sources in arcs.items():
            (below if kind == "skipRange" else above).append(Arc(kind, tuple(sorted(sources)), target, 1, text))
    placed_above, placed_below = _stacked(above), _stacked(below)
    highest = [max((arc.level for arc in placed), default=0) for placed in (placed_above, placed_below)]
    return (*straight, *placed_above, *placed_below), highest[0], highest[1]


def _stacked(arcs: Iterable[Arc]) -> tuple[Arc, ...]:
    """Return *arcs* on levels where they do not overlap, up to the last level; short ones are nearest to the line."""
    # The columns that each level covers, a bit each: whether an arc fits is one `&`. An arc from column 1 to 3 covers
    # the gaps 1-2 and 2-3, which are the bits 0b110. For 333 packages, 8 ms; 10 with pairs of numbers.
    covered: list[int] = []
    placed: list[Arc] = []
    ordered = sorted(arcs, key=lambda arc: (_span(arc)[1] - _span(arc)[0], _span(arc), arc.kind, arc.text))
    for arc in checked(ordered, every=64):
        start, end = _span(arc)
        columns = ((1 << max(1, end - start)) - 1) << start
        level = next((i for i, taken in enumerate(covered) if not taken & columns), len(covered))
        level = min(level, _MOST_LEVELS - 1)
        if level == len(covered):
            covered.append(0)
        covered[level] |= columns
        placed.append(attrs.evolve(arc, level=level + 1))
    return tuple(placed)


def _span(arc: Arc) -> tuple[int, int]:
    """Return the first and the last column that *arc* touches."""
    return min(*arc.sources, arc.target), max(*arc.sources, arc.target)
