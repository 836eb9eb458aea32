"""The candidates of a subscription, most wanted first, or the name in it that does not exist.

The rules are in OLM classic's documentation ("Subscription constraints", "Channel ordering", "Upgrade paths"); their
order is the shipped controller's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.index import CatalogIndex, ChannelSlots, Visible
from olmsolve.classic.request import Semantics
from olmsolve.classic.request_parts import Subscription
from olmsolve.errors import CatalogError
from olmsolve.predicates import Published

# The functions that make these reasons import them, since most requests have a plan and need none.
if TYPE_CHECKING:
    from olmsolve.classic.reasons import UnknownCatalog, UnknownChannel, UnknownName, UnknownPackage, UnknownStartingCSV

_NEAR: Final = 2
"""The most names that a person is asked about; nobody reads more."""


class Served(NamedTuple):
    """The slots that can serve a subscription, as numbers; *unknown* returns which name in it does not exist.

    It is a function because it compares that name with all similar ones, and few failures are ever shown.
    """

    candidates: tuple[int, ...]
    unknown: Callable[[], UnknownName] | None = None


def serve(
    subscription: Subscription, current: tuple[str, Published] | None, visible: Visible, semantics: Semantics
) -> Served:
    """Return the candidates of *subscription* among the *visible* catalogs.

    *current* is the installed operator that it owns, by name and facts: then its updates are the candidates (the
    operator itself is not among them). Otherwise a ``startingCSV`` is the only candidate, where one is given: by the
    documentation only if no ``skipRange`` has taken it out of the channel, in the shipped controller always.

    Raises:
        CatalogError: no channel has an order, and the subscription owns *current*, or names one channel of one catalog.
    """
    if subscription.source:
        only_position = visible.find(subscription.source, subscription.source_namespace)
        if only_position is None:
            return Served((), lambda: _unknown_catalog(subscription, visible))
        positions: Sequence[int] = (only_position,)
    else:
        positions = range(len(visible.sources))
    package = subscription.package
    offered: dict[int, tuple[ChannelSlots, ...]] = {}
    for position in positions:
        offers = visible.indexes[position].offered(package, subscription.channel)
        if offers is not None:
            offered[position] = offers
    if not offered:
        return Served((), lambda: _unknown_package(subscription, positions, visible))
    if not any(offered.values()):
        return Served((), lambda: _unknown_channel(subscription, list(offered), visible))
    starting = subscription.starting_csv if current is None else ""
    # No search can avoid a fault that all channels have, and an installed operator would stay and hide it. A first
    # installation that could come from several channels gets to the same error by its core, which names them all.
    decides = not starting and (current is not None or (subscription.channel and subscription.source))
    if decides and all(slots.fault >= 0 for channels in offered.values() for slots in channels):
        position, slots = next((position, channels[0]) for position, channels in offered.items() if channels)
        raise _broken_channel(subscription, slots, position, visible)
    candidates: list[int] = []
    for position, channels in offered.items():
        index, offset = visible.indexes[position], visible.offsets[position]
        for slots in channels:
            # startingCSV counts as named: even if another entry skips it, and whatever the order of the channel.
            numbers = index.named(slots.all, starting) if starting else _in_order(index, slots, current)
            if starting and semantics is Semantics.DOCUMENTED:
                numbers = [number for number in numbers if not index.removing(slots, number)]
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
        # No bundle of a channel without an order can be selected. One slot stands for all that would have been
        # candidates, so that a core can name the fault; without candidates the fault changes nothing.
        return () if next(iter(eligible), None) is None else (slots.fault,)
    return eligible


def _broken_channel(subscription: Subscription, slots: ChannelSlots, position: int, visible: Visible) -> CatalogError:
    index = visible.indexes[position]
    fault = index.fault(slots.fault)
    return CatalogError(
        f"subscription {subscription.name} cannot be served from a channel without an order: {fault}",
        origin="" if fault is None else fault.origin,
        catalog=visible.sources[position].key,
        package=subscription.package,
        channel=index.channel_name(slots.fault),
    )


def _unknown_catalog(subscription: Subscription, visible: Visible) -> UnknownCatalog:
    from olmsolve._near_names import similar_keys
    from olmsolve.classic.reasons import UnknownCatalog

    keys = tuple(source.key for source in visible.sources)
    return UnknownCatalog(subscription, keys, similar_keys(subscription.catalog, keys, most=_NEAR))


def _unknown_package(subscription: Subscription, positions: Sequence[int], visible: Visible) -> UnknownPackage:
    from olmsolve._near_names import similar_names
    from olmsolve.classic.reasons import UnknownPackage

    names = {name for position in positions for name in visible.indexes[position].package_names()}
    keys = tuple(visible.sources[position].key for position in positions)
    return UnknownPackage(subscription, keys, similar_names(subscription.package, sorted(names), most=_NEAR))


def _unknown_channel(subscription: Subscription, having: list[int], visible: Visible) -> UnknownChannel:
    from olmsolve._near_names import similar_names
    from olmsolve.classic.reasons import UnknownChannel

    names: dict[str, None] = {}
    for position in having:
        names.update(dict.fromkeys(visible.indexes[position].channel_names(subscription.package)))
    return UnknownChannel(subscription, tuple(names), similar_names(subscription.channel, names, most=_NEAR))


def _unknown_starting(
    subscription: Subscription, offered: dict[int, tuple[ChannelSlots, ...]], visible: Visible
) -> UnknownStartingCSV:
    from olmsolve.classic.reasons import UnknownStartingCSV

    names: dict[str, None] = {}
    removing: dict[str, None] = {}
    for position, channels in offered.items():
        index = visible.indexes[position]
        for slots in channels:
            names.update(dict.fromkeys(map(index.bundle, slots.all)))
            # With the controller's semantics there is no such bundle, or it would be a candidate.
            for number in index.named(slots.all, subscription.starting_csv):
                removing.update(dict.fromkeys(map(index.bundle, index.removing(slots, number))))
    near = () if removing else _bundles_like(subscription.starting_csv, list(names))
    return UnknownStartingCSV(subscription, near, tuple(removing))


def _bundles_like(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the few of *names* that *name* may stand for: spelled alike, or of the version that *name* is."""
    from olmsolve._near_names import similar_names

    version = name.removeprefix("v")
    of_version = tuple(other for other in names if other.endswith((f".v{version}", f".{version}", f"-{version}")))
    return of_version[:_NEAR] or similar_names(name, names, most=_NEAR)
