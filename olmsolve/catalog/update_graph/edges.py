"""Update edges: which entries can follow an installed bundle, by ``replaces``, ``skips`` or ``skipRange``.

OLM classic and OLM v1 read the same edges; they differ in which of them they take.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Literal, Protocol, TypeAlias

from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Channel, ChannelEntry
from olmsolve.errors import RangeError
from olmsolve.semver import BlangRange, Version

EdgeKind: TypeAlias = Literal["replaces", "skips", "skipRange"]


class VersionSet(Protocol):
    """A version range, in whichever grammar."""

    def __contains__(self, version: Version, /) -> bool: ...


def follows(entry: ChannelEntry, name: str, version: Version | None, parse: Callable[[str], VersionSet | None]) -> bool:
    """Return whether *entry* follows the installed bundle *name* at *version*, as OLM's resolver filters a channel.

    It does if it replaces or skips the bundle, or if its ``skipRange`` contains the version. No name is excluded: an
    entry with its own version in its ``skipRange`` follows itself, and whoever has it installed and comes to it first
    is up to date. *parse* is :func:`skip_range`, or a version of it that remembers.
    """
    if entry.replaces == name or name in entry.skips:
        return True
    if not entry.skip_range or version is None:
        return False
    versions = parse(entry.skip_range)
    return versions is not None and version in versions


class Edge(NamedTuple):
    """An update that *channel* offers: to *entry*, because of its field *kind*."""

    channel: str
    entry: ChannelEntry
    kind: EdgeKind


# Edges are made by the thousand: this takes half of the time of the class's own constructor.
_edge: Final[Callable[[tuple[str, ChannelEntry, EdgeKind]], Edge]] = partial(tuple.__new__, Edge)


class UpdateGraph:
    """The update edges of some channels, by the bundle or the range that they come from.

    So the updates of one installed bundle are found without walking the channels. A ``skipRange`` that does not parse
    contains nothing. Installed bundles need not be in the channels, and often are not.
    """

    def __init__(self, channels: Iterable[Channel]) -> None:
        self._by_name: defaultdict[str, list[Edge]] = defaultdict(list)
        self._by_range: defaultdict[str, list[Edge]] = defaultdict(list)
        self._entries: defaultdict[str, list[tuple[str, ChannelEntry]]] = defaultdict(list)
        for channel in channels:
            name = channel.name
            for entry in checked(channel.entries, every=16):
                replaced, skips = entry.replaces, entry.skips
                self._entries[entry.name].append((name, entry))
                self._by_name[replaced].append(_edge((name, entry, "replaces")))
                if skips:
                    # One edge for all that an entry skips: 900 entries that skip all before them have 400,000 skips.
                    skipping = _edge((name, entry, "skips"))
                    for skipped in dict.fromkeys(skips):
                        if skipped != replaced:
                            self._by_name[skipped].append(skipping)
                if entry.skip_range:
                    self._by_range[entry.skip_range].append(_edge((name, entry, "skipRange")))
        self._parsed = {text: versions for text in self._by_range if (versions := skip_range(text)) is not None}
        self._ranges = [(versions, self._by_range[text]) for text, versions in self._parsed.items()]

    def edges_from(self, name: str, version: Version | None, channels: Container[str] | None = None) -> Iterator[Edge]:
        """Yield the edges from the installed bundle *name* at *version*, inside *channels* (None: all).

        An entry that names the bundle and has its version in its ``skipRange`` as well comes twice.
        """
        return self.expansion(channels).edges_from(name, version)

    def ranged(self, channels: Container[str] | None = None) -> set[str]:
        """Return the names of the entries of *channels* (None: all) that have a ``skipRange``."""
        every = (edge for _, edges in self._ranges for edge in edges)
        return {edge.entry.name for edge in every if channels is None or edge.channel in channels}

    def first(
        self,
        name: str,
        version: Version | None,
        ranks: Mapping[str, int],
        ranged: Iterable[str],
        channels: Container[str] | None = None,
        *,
        before: int | None = None,
    ) -> str | None:
        """Return the entry of the lowest of *ranks* that follows *name* at *version*, or None.

        It is *name* itself where its own ``skipRange`` contains *version* and nothing better follows.

        *ranged* are the entries of :meth:`ranged` that have a rank, by rank. The search through them ends with the
        first that follows: ranges of real channels contain almost every older version, so the first is near. Only ranks
        below *before* count.
        """
        best = None
        for edge in self._by_name.get(name, ()):
            rank = ranks.get(edge.entry.name)
            is_better = rank is not None and (before is None or rank < before)
            if is_better and (channels is None or edge.channel in channels):
                best, before = edge.entry.name, rank
        for entry in ranged:
            if before is not None and ranks[entry] >= before:
                break
            if self.leads(name, version, entry, channels):
                return entry
        return best

    def expansion(self, channels: Container[str] | None = None) -> Expansion:
        """Return the same edges for one search that visits each bundle once."""
        return Expansion(self._by_name, self._ranges, channels)

    def leads(self, name: str, version: Version | None, target: str, channels: Container[str] | None = None) -> bool:
        """Return whether an edge leads from the installed bundle *name* at *version* to the entry *target*."""
        return any(
            (channels is None or channel in channels) and follows(entry, name, version, self._parsed.get)
            for channel, entry in self._entries.get(target, ())
        )


class Expansion:
    """Edges for one breadth-first search, in which the edges of a ``skipRange`` come from the first bundle in it only.

    Every other bundle in the range leads to the same entries, which the search has seen by then. So a channel in which
    each version brings a range over all before does not make the search quadratic: with versions v1, v2, v3 and the
    range "<v3" of v3, the edge from v1 to v3 comes, and the edge from v2 to v3 does not come again.
    """

    def __init__(
        self,
        by_name: Mapping[str, list[Edge]],
        ranges: Sequence[tuple[VersionSet, list[Edge]]],
        channels: Container[str] | None,
    ) -> None:
        self._by_name = by_name
        self._ranges = ranges
        self._channels = channels

    def edges_from(self, name: str, version: Version | None) -> Iterator[Edge]:
        """Yield the edges from the bundle *name* at *version*, without the edges of ranges that came before."""
        channels = self._channels
        for edge in self._by_name.get(name, ()):
            if channels is None or edge.channel in channels:
                yield edge
        if version is None:
            return
        remaining = []
        for ranged in self._ranges:
            versions, edges = ranged
            if version not in versions:
                remaining.append(ranged)
                continue
            for edge in edges:
                if channels is None or edge.channel in channels:
                    yield edge
        self._ranges = remaining


def skip_range(text: str) -> BlangRange | None:
    """Return the range of a ``skipRange``; None for a text that does not parse, which contains nothing."""
    try:
        return BlangRange.parse(text)
    except RangeError:
        return None
