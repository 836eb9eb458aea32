"""Deprecation conditions of subscriptions: a catalog's deprecations of the installed bundle.

A catalog may deprecate a package, a channel or a bundle. A subscription has one condition for each, and one that joins
their messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import attrs

from olmsolve.cluster.objects import Condition, SubscriptionObject, condition_of, with_condition, without_conditions

_ANY: Final = "Deprecated"


@attrs.frozen
class DeprecationMessages:
    """The deprecation messages of a catalog for the bundle *name*, its package and its channel; "" for none."""

    name: str
    package: str = ""
    channel: str = ""
    bundle: str = ""


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
        conditions = with_condition(conditions, Condition(_ANY, "True", message=together))
    else:
        conditions = without_conditions(conditions, (_ANY,))
    return attrs.evolve(subscription, conditions=conditions)
