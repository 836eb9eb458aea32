"""What each subscription may be served by: its candidates, most wanted first, or why there cannot be any.

The rules are those of OLM classic's documentation ("Subscription constraints", "Channel ordering", "Upgrade
paths") in the order that the shipped controller gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

from olmsolve.catalog.index import CatalogIndex, ChannelSlots, Visible
from olmsolve.classic.reasons import UnknownCatalog, UnknownChannel, UnknownPackage, UnknownStartingCSV
from olmsolve.classic.request import Subscription
from olmsolve.errors import CatalogError
from olmsolve.predicates import Published

__all__ = ["Served", "Unknown", "serve"]

Unknown: TypeAlias = UnknownCatalog | UnknownPackage | UnknownChannel | UnknownStartingCSV


class Served(NamedTuple):
    """The numbered slots that can serve a subscription; *unknown* tells what it names that is not there.

    It is told only when asked: looking for what was probably meant takes time.
    """

    candidates: tuple[int, ...]
    unknown: Callable[[], Unknown] | None = None


def serve(subscription: Subscription, current: tuple[str, Published] | None, visible: Visible) -> Served:
    """The candidates of *subscription* among the *visible* catalogs.

    *current* is the installed operator that it owns, by name and facts: then only its updates are
    candidates (staying is not among them). Otherwise ``startingCSV``, where given, is the only one.

    Raises:
        CatalogError: the channel that the subscription names has no order.
    """
    if subscription.source:
        named = visible.find(subscription.source, subscription.source_namespace)
        if named is None:
            return Served((), lambda: UnknownCatalog(subscription, tuple(source.key for source in visible.sources)))
        positions: Sequence[int] = (named,)
    else:
        positions = range(len(visible.sources))
    package = subscription.package
    offered: dict[int, tuple[ChannelSlots, ...]] = {}
    for position in positions:
        found = visible.indexes[position].offered(package, subscription.channel)
        if found is not None:
            offered[position] = found
    if not offered:
        return Served((), lambda: _unknown_package(subscription, positions, visible))
    if not any(offered.values()):
        return Served((), lambda: _unknown_channel(subscription, list(offered), visible))
    starting = subscription.starting_csv if current is None else ""
    candidates: list[int] = []
    for position, every in offered.items():
        index, offset = visible.indexes[position], visible.offsets[position]
        for slots in every:
            if slots.fault >= 0 and not starting and subscription.channel and subscription.source:
                raise _broken_channel(subscription, slots, position, visible)
            # startingCSV is taken as named: even if it is skipped, and whatever the order of the channel.
            numbers = index.named(slots.all, starting) if starting else _in_order(index, slots, current)
            candidates.extend([offset + number for number in numbers] if offset else numbers)
    if starting and not candidates:
        return Served((), lambda: _unknown_starting(subscription, offered, visible))
    return Served(tuple(candidates))


def _in_order(index: CatalogIndex, slots: ChannelSlots, current: tuple[str, Published] | None) -> Iterable[int]:
    broken = slots.fault >= 0
    eligible: Iterable[int] = slots.all if broken else slots.ordered
    if current is not None:
        eligible = index.updates(slots.all if broken else slots.ordered, current[0], current[1].version)
    if broken:
        # Nothing of a channel without an order can be selected; what it would have offered shows its fault.
        return () if next(iter(eligible), None) is None else (slots.fault,)
    return eligible


def _broken_channel(subscription: Subscription, slots: ChannelSlots, position: int, visible: Visible) -> CatalogError:
    fault = visible.indexes[position].fault(slots.fault)
    return CatalogError(
        f"subscription {subscription.name} cannot be served from a channel without an order: {fault}",
        origin="" if fault is None else fault.origin,
        catalog=visible.sources[position].key,
        package=subscription.package,
        channel=subscription.channel,
    )


def _near(word: str, known: set[str]) -> tuple[str, ...]:
    return tuple(get_close_matches(word, sorted(known), n=2, cutoff=0.6))


def _unknown_package(subscription: Subscription, positions: Sequence[int], visible: Visible) -> UnknownPackage:
    known = {name for position in positions for name in visible.indexes[position].package_names()}
    keys = tuple(visible.sources[position].key for position in positions)
    return UnknownPackage(subscription, keys, _near(subscription.package, known))


def _unknown_channel(subscription: Subscription, having: list[int], visible: Visible) -> UnknownChannel:
    names: dict[str, None] = {}
    for position in having:
        names.update(dict.fromkeys(visible.indexes[position].channel_names(subscription.package)))
    return UnknownChannel(subscription, tuple(names))


def _unknown_starting(
    subscription: Subscription, offered: dict[int, tuple[ChannelSlots, ...]], visible: Visible
) -> UnknownStartingCSV:
    known: set[str] = set()
    for position, every in offered.items():
        for slots in every:
            known.update(map(visible.indexes[position].bundle, slots.all))
    return UnknownStartingCSV(subscription, _near(subscription.starting_csv, known))
