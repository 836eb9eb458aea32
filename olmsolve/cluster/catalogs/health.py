"""The health of the catalogs that a namespace sees, and the condition about it in the namespace's subscriptions.

The condition informs and blocks nothing: a resolution is blocked by a catalog whose content cannot be read. (OLM's
documentation says that the condition blocks; recordings show that it does not.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.cluster.objects import (
    CatalogHealth,
    CatalogSource,
    Condition,
    SubscriptionObject,
    condition_of,
    with_condition,
)

HEALTH_CONDITION: Final = "CatalogSourcesUnhealthy"


@attrs.frozen
class HealthUpdate:
    """A *subscription* with the health of its catalogs noted; *updated* says whether OLM writes it.

    *healthy* says whether all these catalogs are healthy.
    """

    subscription: SubscriptionObject
    healthy: bool
    updated: bool


def catalog_health(
    catalogs: Iterable[CatalogSource],
    namespace: str,
    global_namespace: str,
    serves: Callable[[CatalogSource], bool] = lambda catalog: True,
) -> tuple[CatalogHealth, ...]:
    """Return the health of the *catalogs* that *namespace* sees: its own and the global ones, sorted.

    A catalog whose status gives a reason (an invalid spec, a failed server) is unhealthy. *serves* says of the other
    catalogs whether their server answers, which no object of the cluster shows.
    """
    visible = {namespace, global_namespace}
    seen = [catalog for catalog in catalogs if catalog.namespace in visible]
    seen.sort(key=lambda catalog: (catalog.namespace, catalog.name))
    return tuple(
        CatalogHealth(
            name=catalog.name,
            namespace=catalog.namespace,
            uid=catalog.metadata.uid,
            healthy=not catalog.reason and serves(catalog),
        )
        for catalog in seen
    )


def with_catalog_health(subscription: SubscriptionObject, health: Sequence[CatalogHealth]) -> HealthUpdate:
    """Return *subscription* with the *health* of the catalogs that it sees, and the condition that follows.

    The reason says what changed since last time: the number of catalogs, else one of them, else nothing. The message
    is about the subscription's own catalog; where only other catalogs are unhealthy, the former message stays.
    """
    before = condition_of(subscription.conditions, HEALTH_CONDITION)
    noted = subscription.catalog_health
    if not health and not noted:
        message = "dependency resolution requires at least one catalogsource"
        condition = Condition(HEALTH_CONDITION, "True", "NoCatalogSourcesFound", message)
        # As recorded: without catalogs before and now, the subscription is written each time.
        return HealthUpdate(_with_health(subscription, condition, health), False, True)
    healthy, message = _judged(subscription, health, before.message if before is not None else "")
    changed = _comparable(health) != _comparable(noted)
    if len(health) != len(noted):
        reason = "CatalogSourcesAdded" if len(health) > len(noted) else "CatalogSourcesDeleted"
    elif changed:
        reason = "CatalogSourcesUpdated"
    else:
        reason = "AllCatalogSourcesHealthy" if healthy else "UnhealthyCatalogSourceFound"
    condition = Condition(HEALTH_CONDITION, "False" if healthy else "True", reason, message)
    same = before is not None and _compared(before) == _compared(condition)
    return HealthUpdate(_with_health(subscription, condition, health), healthy, changed or not same)


def _judged(subscription: SubscriptionObject, health: Sequence[CatalogHealth], former: str) -> tuple[bool, str]:
    """Return whether all catalogs are healthy, and the message: the *former* one where only others are unhealthy."""
    name = f"{subscription.source_namespace}/{subscription.source}"
    target = next(
        (h for h in health if (h.namespace, h.name) == (subscription.source_namespace, subscription.source)), None
    )
    if target is None:
        return False, f"targeted catalogsource {name} missing"
    if not target.healthy:
        return False, f"targeted catalogsource {name} unhealthy"
    if all(h.healthy for h in health):
        return True, "all available catalogsources are healthy"
    return False, former


def _comparable(health: Iterable[CatalogHealth]) -> list[tuple[str, str, str, bool]]:
    return sorted((h.namespace, h.name, h.uid, h.healthy) for h in health)


def _compared(condition: Condition) -> tuple[str, str, str]:
    return condition.status, condition.reason, condition.message


def _with_health(
    subscription: SubscriptionObject, condition: Condition, health: Sequence[CatalogHealth]
) -> SubscriptionObject:
    conditions = with_condition(subscription.conditions, condition)
    return evolve(subscription, conditions=conditions, catalog_health=tuple(health))
