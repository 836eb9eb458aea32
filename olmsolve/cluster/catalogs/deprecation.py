"""Deprecation conditions of subscriptions: a catalog's deprecations of the installed bundle.

A catalog may deprecate a package, a channel or a bundle. A subscription has one condition for each, and one that joins
their messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.catalog import Catalog
from olmsolve.catalog.index import index_of
from olmsolve.cluster.objects import Condition, SubscriptionObject, condition_of, with_condition, without_conditions

_PACKAGE: Final = "olm.package"
_CHANNEL: Final = "olm.channel"
_BUNDLE: Final = "olm.bundle"
_ANY: Final = "Deprecated"
DEPRECATION_CONDITIONS: Final = ("PackageDeprecated", "ChannelDeprecated", "BundleDeprecated")
"""The types of the conditions about one deprecation each; ``Deprecated`` joins their messages."""


@attrs.frozen
class DeprecationMessages:
    """The deprecation messages of a catalog for the bundle *name*, its package and its channel; "" for none."""

    name: str
    package: str = ""
    channel: str = ""
    bundle: str = ""


def subscription_deprecations(subscription: SubscriptionObject, catalog: Catalog) -> Iterator[DeprecationMessages]:
    """Yield what *catalog* deprecates about the bundles of *subscription*'s package, in its channel where it names one.

    OLM puts what is deprecated before each message: ``olm.channel/stable: use fast``.
    """
    index, package = index_of(catalog), subscription.package
    messages = {
        (
            deprecation.schema,
            "" if deprecation.schema == _PACKAGE else deprecation.name,
        ): f"{deprecation.schema}/{deprecation.name or package}: {deprecation.message}"
        for deprecation in index.deprecations(package)
    }
    for channel in (subscription.channel,) if subscription.channel else index.channel_names(package):
        for name in index.entry_names(package, channel):
            yield DeprecationMessages(
                name,
                messages.get((_PACKAGE, ""), ""),
                messages.get((_CHANNEL, channel), ""),
                messages.get((_BUNDLE, name), ""),
            )


def deprecation_noted(subscription: SubscriptionObject, catalog: Catalog) -> SubscriptionObject:
    """Return *subscription* with conditions for the deprecations of its installed bundle in its *catalog*."""
    present = any(condition.type in DEPRECATION_CONDITIONS for condition in subscription.conditions)
    # Most packages deprecate nothing, and listing the entries of a channel takes time.
    if not present and not index_of(catalog).deprecations(subscription.package):
        return subscription
    return with_deprecations(subscription, subscription_deprecations(subscription, catalog))


def with_deprecations(subscription: SubscriptionObject, entries: Iterable[DeprecationMessages]) -> SubscriptionObject:
    """Return *subscription* with conditions for the deprecations of its installed bundle.

    *entries* are the bundles of its package, in its channel where it names one. As recorded: without an entry for the
    installed bundle nothing changes; a deprecated channel counts only where the subscription names a channel; and the
    joint condition changes only where one of the three others changed.
    """
    installed = subscription.installed_csv
    entry = next((entry for entry in entries if installed and entry.name == installed), None)
    if entry is None:
        return subscription
    texts = (entry.package, entry.channel if subscription.channel else "", entry.bundle)
    messages = dict(zip(DEPRECATION_CONDITIONS, texts, strict=True))
    conditions = subscription.conditions
    for kind, message in messages.items():
        present = condition_of(conditions, kind)
        if not message:
            conditions = without_conditions(conditions, (kind,))
        elif present is None or (present.status, present.message) != ("True", message):
            conditions = with_condition(conditions, Condition(kind, "True", message=message))
    if conditions == subscription.conditions:
        return subscription
    together = "; ".join(filter(None, messages.values()))
    if together:
        conditions = with_condition(conditions, Condition(_ANY, "True", message=together))
    else:
        conditions = without_conditions(conditions, (_ANY,))
    return evolve(subscription, conditions=conditions)
