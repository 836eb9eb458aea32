"""Updates of OLM classic inside one channel: to the entry nearest to the head that can follow."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from olmsolve.catalog import Channel, Package
from olmsolve.catalog.update_graph.edges import Edge, UpdateGraph
from olmsolve.catalog.update_graph.order import ChannelOrder, channel_order
from olmsolve.predicates import published
from olmsolve.semver import Version


def bundle_version(package: Package, name: str) -> Version | None:
    """Return the version of the bundle *name* as OLM classic reads it, None if it has no version."""
    bundle = package.bundles.get(name)
    return None if bundle is None else published(package.name, bundle.properties).version


class ClassicChannel:
    """A *channel* with its order, of a package with these *bundles*.

    Updates lead only to entries that are in the order and have a bundle: OLM classic steps over skipped entries.
    Installed bundles need not be in the channel.
    """

    def __init__(self, channel: Channel, bundles: Container[str]) -> None:
        entries = {entry.name: entry for entry in channel.entries if entry.name in bundles}
        self.order: ChannelOrder = channel_order(entries.values())
        self._rank = {name: rank for rank, name in enumerate(self.order.chain)}
        # Of a repeated entry the last one counts, for its order as for its edges.
        self._graph = UpdateGraph([Channel(channel.package, channel.name, tuple(entries.values()))])
        ranged = self._graph.ranged()
        self._ranged = [name for name in self.order.chain if name in ranged]

    def updates(self, name: str, version: Version | None) -> Iterator[str]:
        """Return the entries that can follow the bundle *name* at *version*, from the head down."""
        return self._ordered(self._graph.edges_from(name, version))

    def removes(self, name: str, version: Version | None) -> bool:
        """Return whether a ``skipRange`` takes the entry *name* at *version* out of the channel, by the documentation.

        The head stays, and so does what an entry replaces: whatever is in the order is one of them.
        """
        kinds = {edge.kind for edge in self._graph.edges_from(name, version) if edge.entry.name != name}
        return "skipRange" in kinds and "replaces" not in kinds and name not in self._rank

    def search(self) -> Callable[[str, Version | None], Iterator[str]]:
        """Return :meth:`updates` for one breadth-first search: see :class:`.Expansion`."""
        expansion = self._graph.expansion()
        return lambda name, version: self._ordered(expansion.edges_from(name, version))

    def _ordered(self, edges: Iterable[Edge]) -> Iterator[str]:
        found = {edge.entry.name for edge in edges}
        ranks = sorted(self._rank[entry] for entry in found if entry in self._rank)
        return (self.order.chain[rank] for rank in ranks)

    def update(self, name: str, version: Version | None) -> str | None:
        """Return the entry that OLM classic updates to, the first of :meth:`updates`; None where it stays.

        An entry whose own version is in its ``skipRange`` follows itself: where it comes first, nothing is updated.
        """
        found = self._graph.first(name, version, self._rank, self._ranged)
        return None if found == name else found
