"""Subscriptions that name no catalog: the channels that OLM then takes for one, and fails to order.

OLM puts the entries of all visible catalogs together before it orders a channel. Where two catalogs have the channel,
it then has several heads (even where both have the same entries), and OLM refuses to choose. :func:`olmsolve.resolve`
takes the catalogs in their order of preference instead; a plan has to say what OLM would do.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Iterator, Sequence

from olmsolve.catalog import ChannelEntry, Source
from olmsolve.cluster.objects import SubscriptionObject

__all__ = ["open_channel_fault"]


def open_channel_fault(
    subscription: SubscriptionObject, sources: Iterable[Source], installed: Container[str] | None = None
) -> str:
    """Why OLM cannot order the candidates of *subscription* over *sources*, in its words; "" if it can.

    *installed* are the names of the namespace's operators; None where what the subscription has installed is there.

    As recorded: of a subscription with ``startingCSV``, only the entries of that name count. What happens once an
    operator is installed is not recorded, and nothing is said of it.
    """
    has = subscription.installed_csv
    if subscription.source or subscription.source_namespace or (has and (installed is None or has in installed)):
        return ""
    # By channel, what each catalog has of it.
    channels: dict[tuple[bool, str], list[list[ChannelEntry]]] = {}
    for source in sorted(sources, key=lambda source: source.rank(subscription.namespace)):
        package = source.catalog.packages.get(subscription.package)
        if package is None:
            continue
        for channel in package.channels.values():
            if subscription.channel in ("", channel.name):
                key = channel.name != package.default_channel, channel.name
                entries = [
                    entry
                    for entry in channel.entries
                    if entry.name in package.bundles and subscription.starting_csv in ("", entry.name)
                ]
                channels.setdefault(key, []).extend([entries] if entries else [])
    for (_, name), several in sorted(channels.items(), key=lambda found: found[0]):
        # Within one catalog, it is the resolution that looks at the order.
        chains = list(_chains([*itertools.chain(*several)])) if len(several) > 1 else []
        if len(chains) > 1:
            return (
                "a unique replacement chain within a channel is required to determine the relative order between "
                f"channel entries, but {len(chains)} replacement chains were found in channel "
                f'"{name}" of package "{subscription.package}": {", ".join(chains)}'
            )
    return ""


def _chains(entries: Sequence[ChannelEntry]) -> Iterator[str]:
    """The chains of *entries*, each as its first and last; what an entry names is the last entry of that name."""
    by_name = {entry.name: place for place, entry in enumerate(entries)}
    named = {name for entry in entries for name in (entry.replaces, *entry.skips)}
    skipped = {name for entry in entries for name in entry.skips}
    followed = {place for name, place in by_name.items() if name in named}
    for head, entry in enumerate(entries):
        if head in followed:
            continue
        chain: list[str] = []
        seen: set[int] = set()
        place: int | None = head
        while place is not None and place not in seen:
            seen.add(place)
            entry = entries[place]
            chain += [] if entry.name in skipped else [entry.name]
            place = by_name.get(entry.replaces)
        yield "[]" if not chain else chain[0] if len(chain) == 1 else f"{chain[0]}...{chain[-1]}"
