"""The order of a channel: the order in which OLM classic prefers its entries.

It goes from the head of the whole channel down the chain of ``replaces``, and steps over entries that another one
``skips``.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from olmsolve._frozen import shared_repr
from olmsolve.catalog import ChannelEntry


@attrs.frozen
@shared_repr
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
            if name not in skipped:
                chain.append(name)
            name = by_name[name].replaces
        chains.append(chain)
    if len(chains) > 1:
        shown = "; ".join(_shown(chain) for chain in chains[:5])
        more = f"; and {len(chains) - 5} more" if len(chains) > 5 else ""
        return ChannelOrder((), tuple(heads), f"{len(chains)} chains where there must be one: {shown}{more}")
    return ChannelOrder(tuple(chains[0]), tuple(heads))


def _shown(chain: list[str]) -> str:
    return " > ".join(chain) if len(chain) <= 3 else f"{chain[0]} > ... > {chain[-1]}"
