"""Whether the catalogs that a namespace sees are healthy, and what its subscriptions say about it.

The condition informs and blocks nothing: what blocks a resolution is a catalog whose content cannot be had. (OLM's
documentation says that the condition does; recordings say that it does not.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import attrs

from olmsolve.cluster.catalogs.conditions import condition_of, with_condition
from olmsolve.cluster.objects import CatalogHealth, CatalogSource, Condition, SubscriptionObject

__all__ = ["HEALTH_CONDITION", "HealthUpdate", "catalog_health", "with_catalog_health"]

HEALTH_CONDITION: Final = "CatalogSourcesUnhealthy"


@attrs.frozen
class HealthUpdate:
    """A *subscription* after the health of catalogs was noted, and whether that has to be written (*updated*)."""

    subscription: SubscriptionObject
    healthy: bool
    updated: bool


def catalog_health(
    catalogs: Iterable[CatalogSource],
    namespace: str,
    global_namespace: str,
    serves: Callable[[CatalogSource], bool] = lambda catalog: True,
) -> tuple[CatalogHealth, ...]:
    """The health of those of *catalogs* that *namespace* sees: its own and the global ones.

    A catalog whose status gives a reason (its spec is invalid, its server failed) is not healthy; *serves* says
    whether the others answer, which no object of the cluster does.
    """
    visible = {namespace, global_namespace}
    found = [catalog for catalog in catalogs if catalog.namespace in visible]
    found.sort(key=lambda catalog: (catalog.namespace, catalog.name))
    return tuple(
        CatalogHealth(
            name=catalog.name,
            namespace=catalog.namespace,
            uid=catalog.metadata.uid,
            healthy=not catalog.reason and serves(catalog),
        )
        for catalog in found
    )


def with_catalog_health(subscription: SubscriptionObject, health: Sequence[CatalogHealth]) -> HealthUpdate:
    """*subscription* with the *health* of the catalogs that it sees, and with the condition that follows from it.

    The reason says what changed since last time: the number of catalogs, else one of them, else nothing. The
    message speaks of the subscription's own catalog, and stays what it was where only others are unhealthy.
    """
    before = condition_of(subscription.conditions, HEALTH_CONDITION)
    known = subscription.catalog_health
    if not health and not known:
        message = "dependency resolution requires at least one catalogsource"
        condition = Condition(HEALTH_CONDITION, "True", "NoCatalogSourcesFound", message)
        # As recorded: where there is nothing to compare, it is written each time.
        return HealthUpdate(_noted(subscription, condition, health), False, True)
    healthy, message = _judged(subscription, health, before.message if before is not None else "")
    changed = _comparable(health) != _comparable(known)
    if len(health) != len(known):
        reason = "CatalogSourcesAdded" if len(health) > len(known) else "CatalogSourcesDeleted"
    elif changed:
        reason = "CatalogSourcesUpdated"
    else:
        reason = "AllCatalogSourcesHealthy" if healthy else "UnhealthyCatalogSourceFound"
    condition = Condition(HEALTH_CONDITION, "False" if healthy else "True", reason, message)
    same = before is not None and _said(before) == _said(condition)
    return HealthUpdate(_noted(subscription, condition, health), healthy, changed or not same)


def _judged(subscription: SubscriptionObject, health: Sequence[CatalogHealth], said: str) -> tuple[bool, str]:
    """Whether all is well, and the message: what was *said* before, where there is none of its own."""
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
    return False, said


def _comparable(health: Iterable[CatalogHealth]) -> list[tuple[str, str, str, bool]]:
    return sorted((h.namespace, h.name, h.uid, h.healthy) for h in health)


def _said(condition: Condition) -> tuple[str, str, str]:
    return condition.status, condition.reason, condition.message


def _noted(
    subscription: SubscriptionObject, condition: Condition, health: Sequence[CatalogHealth]
) -> SubscriptionObject:
    conditions = with_condition(subscription.conditions, condition)
    return attrs.evolve(subscription, conditions=conditions, catalog_health=tuple(health))
