"""Update edges: which entries can follow an installed bundle, by ``replaces``, ``skips`` or ``skipRange``.

Edges are read alike by OLM classic and OLM v1; what differs is which of them each takes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Literal, NamedTuple, Protocol, TypeAlias

from olmsolve.catalog import Channel, ChannelEntry
from olmsolve.errors import RangeError
from olmsolve.semver import Version, blang

__all__ = ["Edge", "EdgeKind", "UpdateGraph", "VersionSet", "follows"]

EdgeKind: TypeAlias = Literal["replaces", "skips", "skipRange"]


class VersionSet(Protocol):
    """A version range, in whichever grammar."""

    def __contains__(self, version: Version, /) -> bool: ...


def follows(entry: ChannelEntry, name: str, version: Version | None, parse: Callable[[str], VersionSet | None]) -> bool:
    """Whether *entry* is an update of the installed bundle *name* at *version*.

    It is when it replaces or skips it, or when its ``skipRange`` contains the version. *parse* gives the
    range of a ``skipRange`` text, None for one that does not parse: it contains nothing.
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


class UpdateGraph:
    """The update edges of some channels, found by what is installed without walking the channels.

    A ``skipRange`` that does not parse contains nothing. Installed bundles need not be in the channels: the
    bundles that edges come from often are not.
    """

    def __init__(self, channels: Iterable[Channel]) -> None:
        self._by_name: dict[str, list[Edge]] = {}
        self._by_range: dict[str, list[Edge]] = {}
        for channel in channels:
            for entry in channel.entries:
                edge = Edge(channel.name, entry, "replaces")
                self._by_name.setdefault(entry.replaces, []).append(edge)
                for skipped in dict.fromkeys(entry.skips):
                    if skipped != entry.replaces:
                        self._by_name.setdefault(skipped, []).append(edge._replace(kind="skips"))
                if entry.skip_range:
                    self._by_range.setdefault(entry.skip_range, []).append(edge._replace(kind="skipRange"))
        self._ranges = [
            (versions, self._by_range[text]) for text in self._by_range if (versions := _range(text)) is not None
        ]

    def edges_from(self, name: str, version: Version | None, channels: Container[str] | None = None) -> Iterator[Edge]:
        """The edges that lead from the installed bundle *name* at *version*, inside *channels* (None: all).

        An entry that names the bundle and has its version in its ``skipRange`` too comes twice.
        """
        for edge in self._by_name.get(name, ()):
            if channels is None or edge.channel in channels:
                yield edge
        if version is None:
            return
        for versions, edges in self._ranges:
            if version in versions:
                for edge in edges:
                    if channels is None or edge.channel in channels:
                        yield edge


def _range(text: str) -> blang.Range | None:
    try:
        return blang.Range.parse(text)
    except RangeError:
        return None
