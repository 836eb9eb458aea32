"""Subscriptions that name no catalog, and the channels of several catalogs that OLM then fails to order.

OLM puts the entries of all visible catalogs together before it orders a channel. Where two catalogs have the channel,
it then has several heads (even where both have the same entries), and OLM refuses to choose. :func:`olmsolve.resolve`
takes the catalogs in their order of preference instead; whoever asks about a cluster learns what OLM would do.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Iterator, Sequence

from olmsolve.catalog import ChannelEntry, Source
from olmsolve.classic import Request
from olmsolve.cluster.objects import SubscriptionObject


def open_channels_fault(subscriptions: Iterable[SubscriptionObject], request: Request) -> str:
    """Return why OLM cannot resolve the *request* of *subscriptions*, for one that names no catalog; "" if it can."""
    installed = {operator.name for operator in request.installed}
    faults = (open_channel_fault(subscription, request.sources, installed) for subscription in subscriptions)
    return next(filter(None, faults), "")


def open_channel_fault(
    subscription: SubscriptionObject, sources: Iterable[Source], installed: Container[str] | None
) -> str:
    """Return why OLM cannot order the candidates of *subscription* over *sources*, in its words; "" if it can.

    *installed* are the names of the namespace's operators; None means that the subscription's own operator is there.

    As recorded: for a subscription with ``startingCSV``, only the entries of that name count. No recording shows a
    subscription whose operator is installed, so such a subscription is not judged.
    """
    has = subscription.installed_csv
    if subscription.source or subscription.source_namespace or (has and (installed is None or has in installed)):
        return ""
    # By channel (the default channel first), the entries of each catalog.
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
    for (_, name), several in sorted(channels.items(), key=lambda named: named[0]):
        # The resolution itself checks the order within one catalog.
        chains = list(_chains([*itertools.chain(*several)])) if len(several) > 1 else []
        if len(chains) > 1:
            return (
                "a unique replacement chain within a channel is required to determine the relative order between "
                f"channel entries, but {len(chains)} replacement chains were found in channel "
                f'"{name}" of package "{subscription.package}": {", ".join(chains)}'
            )
    return ""


def _chains(entries: Sequence[ChannelEntry]) -> Iterator[str]:
    """Yield the chains of *entries*, each as its first and last name; of two entries with one name, the last counts."""
    by_name = {entry.name: index for index, entry in enumerate(entries)}
    named = {name for entry in entries for name in (entry.replaces, *entry.skips)}
    skipped = {name for entry in entries for name in entry.skips}
    followed = {index for name, index in by_name.items() if name in named}
    for head, entry in enumerate(entries):
        if head in followed:
            continue
        chain: list[str] = []
        seen: set[int] = set()
        index: int | None = head
        while index is not None and index not in seen:
            seen.add(index)
            entry = entries[index]
            chain += [] if entry.name in skipped else [entry.name]
            index = by_name.get(entry.replaces)
        yield "[]" if not chain else chain[0] if len(chain) == 1 else f"{chain[0]}...{chain[-1]}"
