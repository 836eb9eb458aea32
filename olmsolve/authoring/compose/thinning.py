"""A channel with fewer entries that still is one, without an update that its author did not offer.

The rules, in the words of :mod:`olmsolve.authoring.checks.validation.channels`: the *chain* leads from the head down
along ``replaces`` to the first entry that is skipped, and everything else is skipped.

1. What lies on the chain between two entries that stay stays too. Without it, an update would have to jump.
2. An entry beside the chain stays if it is wanted and something that stays skips it: there is no other way up from it.
3. If nothing of the chain is wanted, the wanted entry of the highest version is the new head.
4. Edges from what went stay where they are written: who has it installed still gets up. Only what would lead down from
   the new head goes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import attrs

from olmsolve.catalog import ChannelEntry

__all__ = ["chain_of", "thinned"]


def chain_of(entries: Mapping[str, ChannelEntry]) -> list[str]:
    """The chain from the head down; empty where there is not exactly one head."""
    skipped = _skipped(entries.values())
    followed = {entry.replaces for entry in entries.values()} | skipped
    heads = [name for name in entries if name not in followed]
    if len(heads) != 1:
        return []
    chain: dict[str, None] = {}
    name = heads[0]
    while name in entries and name not in chain:
        chain[name] = None
        if name in skipped:
            break
        name = entries[name].replaces
    return list(chain)


def thinned(
    entries: Sequence[ChannelEntry], wanted: Collection[str], height: Callable[[str], Any]
) -> tuple[ChannelEntry, ...]:
    """Those of *entries* that are *wanted*, by the rules of this module, in their order; none if none is.

    *height* is a key by which the higher version is the greater. The result is a valid channel wherever *entries*
    are one.
    """
    by_name = {entry.name: entry for entry in entries}
    if all(name in wanted for name in by_name):
        return tuple(entries)
    chain = chain_of(by_name)
    places = [place for place, name in enumerate(chain) if name in wanted]
    if places:
        kept = chain[places[0] : places[-1] + 1]
    else:
        beside = [name for name in by_name if name in wanted]
        if not beside:
            return ()
        kept = [max(beside, key=lambda name: (height(name), name))]
    head = kept[0]
    below = {name for name in wanted if name in by_name} - set(chain)
    staying = set(kept)
    waiting = list(kept)
    while waiting:
        for name in by_name[waiting.pop()].skips:
            if name in below and name not in staying:
                staying.add(name)
                waiting.append(name)
    # What skipped the last of the chain may have gone: then the way would lead on from it, to what stays beside.
    end = by_name[kept[-1]]
    still_skipped = kept[-1] != head and any(kept[-1] in by_name[name].skips for name in staying)
    if end.replaces in staying and not still_skipped:
        beside_it = () if end.replaces in kept or end.replaces in end.skips else (end.replaces,)
        by_name[end.name] = attrs.evolve(end, replaces="", skips=(*end.skips, *beside_it))
    return tuple(_upward(entry, head) for name, entry in by_name.items() if name in staying)


def _upward(entry: ChannelEntry, head: str) -> ChannelEntry:
    """*entry* without edges that lead down from the *head*."""
    if entry.replaces != head and head not in entry.skips:
        return entry
    replaces = "" if entry.replaces == head else entry.replaces
    return attrs.evolve(entry, replaces=replaces, skips=tuple(name for name in entry.skips if name != head))


def _skipped(entries: Collection[ChannelEntry]) -> set[str]:
    return {name for entry in entries for name in entry.skips}
