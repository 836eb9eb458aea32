"""The catalogs that a namespace sees, and what OLM notes of them in its subscriptions: their health and deprecations.

The condition about health informs and blocks nothing: a resolution is blocked by a catalog whose content cannot be
read. (OLM's documentation says that the condition blocks; recordings show that it does not.) A catalog may deprecate a
package, a channel or a bundle. A subscription has one condition for each, and one that joins their messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.catalog import Catalog
from olmsolve.catalog.index import index_of
from olmsolve.cluster.objects import (
    OLM_V1_GROUP,
    CatalogHealth,
    CatalogSource,
    Condition,
    OperatorGroup,
    SubscriptionObject,
    condition_of,
    with_condition,
    without_conditions,
)

DEFAULT_GLOBAL_NAMESPACE: Final = "olm"
"""The namespace whose catalogs every namespace sees, unless the cluster is configured otherwise."""

EXCLUDE_GLOBAL: Final = f"{OLM_V1_GROUP}/exclude-global-namespace-resolution"
"""The annotation of an operator group that hides the global catalogs where its value is exactly ``true``."""


def visible_namespaces(namespace: str, groups: Sequence[OperatorGroup], global_namespace: str) -> tuple[str, ...]:
    """Return the namespaces whose catalogs *namespace* sees, itself first; *groups* are its operator groups.

    *global_namespace* is "" on a cluster without one. Only a single group can hide it: with several groups, or
    without a group, OLM resolves nothing in the namespace.
    """
    hidden = len(groups) == 1 and groups[0].metadata.annotations.get(EXCLUDE_GLOBAL) == "true"
    return (namespace,) if hidden or global_namespace in ("", namespace) else (namespace, global_namespace)


@attrs.frozen
class VisibleCatalog:
    """A catalog that a namespace sees; *error* says why its content cannot be read, "" where it can.

    *name* is "" where the catalogs of *namespace* cannot even be listed.
    """

    name: str
    namespace: str
    error: str = ""

    @property
    def key(self) -> str:
        """``namespace/name``, as resolutions name catalogs."""
        return f"{self.namespace}/{self.name}"

    @property
    def blocking(self) -> str:
        """OLM's message when this catalog keeps it from resolving; "" where the content can be read."""
        return f"error using catalogsource {self.namespace}/{self.name}: {self.error}" if self.error else ""


def visible_catalogs(
    catalogs: Iterable[CatalogSource],
    namespaces: Sequence[str],
    fault: Callable[[CatalogSource], str],
    unlisted: Mapping[str, str] | None = None,
) -> tuple[VisibleCatalog, ...]:
    """Return the *catalogs* in *namespaces*, by namespace in the given order and then by name.

    *fault* returns why the content of a catalog cannot be read, "" where it can. *unlisted* maps each namespace whose
    catalogs cannot be listed to the reason. The first of *namespaces* among these is then the only answer: with
    catalogs missing, no resolution can be trusted.
    """
    for namespace in namespaces:
        if unlisted and namespace in unlisted:
            reason = f'failed to list catalogsources for namespace "{namespace}": {unlisted[namespace]}'
            return (VisibleCatalog("", namespace, reason),)
    position_of = {namespace: position for position, namespace in enumerate(dict.fromkeys(namespaces))}
    visible = [catalog for catalog in catalogs if catalog.namespace in position_of]
    visible.sort(key=lambda catalog: (position_of[catalog.namespace], catalog.name))
    return tuple(VisibleCatalog(catalog.name, catalog.namespace, fault(catalog)) for catalog in visible)


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
            catalog.name, catalog.namespace, catalog.metadata.uid, healthy=not catalog.reason and serves(catalog)
        )
        for catalog in seen
    )


def with_catalog_health(subscription: SubscriptionObject, health: Sequence[CatalogHealth]) -> HealthUpdate:
    """Return *subscription* with the *health* of the catalogs that it sees, and the condition that follows.

    The reason says what changed since last time: the number of catalogs, else one of them, else nothing. The message
    is about the subscription's own catalog; where only other catalogs are unhealthy, the former message stays.
    """
    before = condition_of(subscription.conditions, HEALTH_CONDITION)
    health_before = subscription.catalog_health
    if not health and not health_before:
        message = "dependency resolution requires at least one catalogsource"
        condition = Condition(HEALTH_CONDITION, "True", "NoCatalogSourcesFound", message)
        # As recorded: without catalogs before and now, the subscription is written each time.
        return HealthUpdate(_with_health(subscription, condition, health), False, True)
    healthy, message = _judged(subscription, health, before.message if before is not None else "")
    changed = _comparable(health) != _comparable(health_before)
    if len(health) != len(health_before):
        reason = "CatalogSourcesAdded" if len(health) > len(health_before) else "CatalogSourcesDeleted"
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
    # A status may list its catalogs in any order, and each look has a new time: neither is a change.
    return sorted((h.namespace, h.name, h.uid, h.healthy) for h in health)


def _compared(condition: Condition) -> tuple[str, str, str]:
    # Times are left out: with them, each look at the catalogs would write the subscription once more.
    return condition.status, condition.reason, condition.message


def _with_health(
    subscription: SubscriptionObject, condition: Condition, health: Sequence[CatalogHealth]
) -> SubscriptionObject:
    conditions = with_condition(subscription.conditions, condition)
    return evolve(subscription, conditions=conditions, catalog_health=tuple(health))


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
    messages: dict[tuple[str, str], str] = {}
    for deprecation in index.deprecations(package):
        key = deprecation.schema, "" if deprecation.schema == _PACKAGE else deprecation.name
        messages[key] = f"{deprecation.schema}/{deprecation.name or package}: {deprecation.message}"
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
