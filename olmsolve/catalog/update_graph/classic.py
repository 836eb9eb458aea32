"""The order of a channel, and updates of OLM classic inside it: to the entry nearest to the head that can follow.

The order goes from the head of the whole channel down the chain of ``replaces``, and steps over entries that another
one ``skips``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import olmsolve._attrs as attrs
from olmsolve.catalog import Channel, ChannelEntry, Package, own_version
from olmsolve.predicates import published_version, stated_version
from olmsolve.semver import Version, reading_by, scheme_in_use

if TYPE_CHECKING:
    from olmsolve.catalog.update_graph.edges import Edge, UpdateGraph
    from olmsolve.semver import VersionScheme


@attrs.frozen
class ChannelOrder:
    """The order of a channel: *chain* from the head down, without skipped entries.

    *fault* says in a sentence why there is no order (then *chain* is empty): no head, several *heads* (by name), or a
    cycle.
    """

    chain: tuple[str, ...]
    heads: tuple[str, ...]
    fault: str = ""


def channel_order(entries: Iterable[ChannelEntry]) -> ChannelOrder:
    """Order *entries*: the entries of one channel that have a bundle.

    >>> channel_order([ChannelEntry("v2", replaces="v1"), ChannelEntry("v1")]).chain
    ('v2', 'v1')

    An entry is a head when no entry of the channel replaces or skips it. OLM classic needs exactly one, and
    a chain of ``replaces`` below it that does not come back to itself.
    """
    by_name = {entry.name: entry for entry in entries}
    skipped = {name for entry in by_name.values() for name in entry.skips}
    replaced = {entry.replaces for entry in by_name.values() if entry.replaces} | skipped
    heads = sorted(name for name in by_name if name not in replaced)
    if not by_name:
        return ChannelOrder((), ())
    if not heads:
        return ChannelOrder((), (), "no head: each of its entries is replaced or skipped by another")
    chains: list[list[str]] = []
    for head in heads:
        chain: list[str] = []
        seen: set[str] = set()
        name = head
        while name in by_name:
            if name in seen:
                fault = f"a cycle of replacements below {head}, back to {name}"
                return ChannelOrder((), tuple(heads), fault)
            seen.add(name)
            # As OLM sorts a channel: a skipped entry leads on to what it replaces, and is no candidate itself.
            if name not in skipped:
                chain.append(name)
            name = by_name[name].replaces
        chains.append(chain)
    if len(chains) > 1:
        shown = "; ".join(_chain_text(chain) for chain in chains[:5])
        more = f"; and {len(chains) - 5} more" if len(chains) > 5 else ""
        return ChannelOrder((), tuple(heads), f"{len(chains)} chains where there must be one: {shown}{more}")
    return ChannelOrder(tuple(chains[0]), tuple(heads))


def _chain_text(chain: list[str]) -> str:
    return " > ".join(chain) if len(chain) <= 3 else f"{chain[0]} > ... > {chain[-1]}"


def bundle_version(package: Package, name: str, scheme: VersionScheme | None = None) -> Version | None:
    """Return the version of the bundle *name* as OLM classic reads it, None if it has no version.

    With a *scheme*, from the package's catalog or from the ``with`` block, it is a version of the scheme.
    """
    bundle = package.bundles.get(name)
    if bundle is None:
        return None
    with reading_by(scheme_in_use() if scheme is None else scheme):
        text = own_version(bundle)
        return published_version(bundle.properties) if text is None else stated_version(text)


class ClassicChannel:
    """A *channel* with its order, of a package with these *bundles*.

    Updates lead only to entries that are in the order and have a bundle: OLM classic steps over skipped entries.
    Installed bundles need not be in the channel. *edges* returns the graph of all entries, which may
    serve others too; it is made when an edge is first needed, since a plain chain has its order without one.
    """

    def __init__(
        self, channel: Channel, bundles: Container[str], edges: Callable[[], UpdateGraph] | None = None
    ) -> None:
        entries = {entry.name: entry for entry in channel.entries if entry.name in bundles}
        self.order: ChannelOrder = channel_order(entries.values())
        self._rank = {name: rank for rank, name in enumerate(self.order.chain)}
        self._channel = channel
        self._entries = tuple(entries.values())
        # Of a repeated entry the last one counts, for its order as for its edges.
        self._edges = edges if len(entries) == len(channel.entries) else None
        # From the head down, so that the search for an update ends with the first range that holds the version.
        self._ranged = [name for name in self.order.chain if entries[name].skip_range]

    @cached_property
    def _graph(self) -> UpdateGraph:
        if self._edges is not None:
            return self._edges()
        from olmsolve.catalog.update_graph.edges import UpdateGraph

        return UpdateGraph([Channel(self._channel.package, self._channel.name, self._entries)])

    def updates(self, name: str, version: Version | None) -> Iterator[str]:
        """Return the entries that can follow the bundle *name* at *version*, from the head down."""
        return self._ordered(self._graph.edges_from(name, version))

    def removes(self, name: str, version: Version | None) -> bool:
        """Return whether a ``skipRange`` removes the entry *name* at *version* from the channel, as OLM documents it.

        The head stays, and so do entries that another entry replaces; the entries of the order are all of these kinds.
        """
        kinds = {edge.kind for edge in self._graph.edges_from(name, version) if edge.entry.name != name}
        return "skipRange" in kinds and "replaces" not in kinds and name not in self._rank

    def search(self) -> Callable[[str, Version | None], Iterator[str]]:
        """Return :meth:`updates` for one breadth-first search: see :class:`.Expansion`."""
        expansion = self._graph.expansion()
        return lambda name, version: self._ordered(expansion.edges_from(name, version))

    def _ordered(self, edges: Iterable[Edge]) -> Iterator[str]:
        names = {edge.entry.name for edge in edges}
        ranks = sorted(self._rank[entry] for entry in names if entry in self._rank)
        return (self.order.chain[rank] for rank in ranks)

    def update(self, name: str, version: Version | None) -> str | None:
        """Return the entry that OLM classic updates to, the first of :meth:`updates`; None where it stays.

        An entry whose own version is in its ``skipRange`` follows itself: where it comes first, nothing is updated.
        """
        edge = self._graph.first(name, version, self._rank, self._ranged)
        return None if edge == name else edge
