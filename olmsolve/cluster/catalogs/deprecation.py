"""Deprecation conditions of subscriptions: what a catalog says against what is installed.

A catalog may deprecate a package, a channel or a bundle. A subscription says so in one condition for each, and in
one for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import attrs

from olmsolve.cluster.catalogs.conditions import condition_of, with_condition, without_conditions
from olmsolve.cluster.objects import Condition, SubscriptionObject

__all__ = ["DeprecationMessages", "with_deprecations"]

ALL: Final = "Deprecated"


@attrs.frozen
class DeprecationMessages:
    """What a catalog says of one bundle, of its package, and of the channel it is seen through; "" for nothing."""

    name: str
    package: str = ""
    channel: str = ""
    bundle: str = ""


def with_deprecations(subscription: SubscriptionObject, entries: Iterable[DeprecationMessages]) -> SubscriptionObject:
    """*subscription* with the conditions that say what of its installed bundle is deprecated.

    *entries* are those of its package, in its channel where it names one. As recorded: without an entry for what is
    installed nothing changes; a channel counts only where the subscription names one; and the condition for all is
    touched only where one of the others changed.
    """
    installed = subscription.installed_csv
    entry = next((entry for entry in entries if installed and entry.name == installed), None)
    if entry is None:
        return subscription
    messages = {
        "PackageDeprecated": entry.package,
        "ChannelDeprecated": entry.channel if subscription.channel else "",
        "BundleDeprecated": entry.bundle,
    }
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
        conditions = with_condition(conditions, Condition(ALL, "True", message=together))
    else:
        conditions = without_conditions(conditions, (ALL,))
    return attrs.evolve(subscription, conditions=conditions)
