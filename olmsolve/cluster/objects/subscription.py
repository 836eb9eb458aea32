"""The objects of classic OLM: Subscription, the wish for a package, and CatalogSource, where it may come from."""

from __future__ import annotations

from typing import ClassVar

import attrs

from olmsolve.cluster.objects.metadata import OLM_GROUP, ClusterObject, Condition, conditions_of, metadata_of
from olmsolve.fields import Fields, Raw


@attrs.frozen
class CatalogHealth:
    """The health of one catalog, as noted in a subscription's status."""

    name: str
    namespace: str
    uid: str = ""
    healthy: bool = False
    last_updated: str = ""


@attrs.frozen(kw_only=True)
class SubscriptionObject(ClusterObject):
    """A Subscription: the wish for *package* (``spec.name``) from a channel of a catalog, and how far it has come.

    *approval* is ``"Automatic"``, ``"Manual"`` or "" (Automatic). *install_plan* is the name in
    ``status.installPlanRef``, "" where the status names no plan. What a request has in its place is
    :class:`olmsolve.Subscription`.
    """

    KIND: ClassVar[str] = "Subscription"
    GROUP: ClassVar[str] = OLM_GROUP

    package: str
    channel: str = ""
    source: str = ""
    source_namespace: str = ""
    starting_csv: str = ""
    approval: str = ""
    installed_csv: str = ""
    current_csv: str = ""
    state: str = ""
    install_plan: str = ""
    install_plan_generation: int = 0
    conditions: tuple[Condition, ...] = ()
    catalog_health: tuple[CatalogHealth, ...] = ()


@attrs.frozen(kw_only=True)
class CatalogSource(ClusterObject):
    """A catalog of classic OLM on the cluster; a higher *priority* comes first.

    *source_type* is ``"grpc"``, ``"configmap"`` or ``"internal"``. *state* is
    ``status.connectionState.lastObservedState``, ``READY`` where the catalog serves; *reason* and *message* are
    fields of its status.
    """

    KIND: ClassVar[str] = "CatalogSource"
    GROUP: ClassVar[str] = OLM_GROUP
    READY: ClassVar[str] = "READY"

    source_type: str = ""
    image: str = ""
    address: str = ""
    config_map: str = ""
    priority: int = 0
    state: str = ""
    reason: str = ""
    message: str = ""
    conditions: tuple[Condition, ...] = ()
    registry_service: Raw | None = attrs.field(default=None, repr=False)


def subscription_of(fields: Fields) -> SubscriptionObject:
    """Return the Subscription that *fields* describe."""
    spec, status = fields.part("spec"), fields.part("status")
    return SubscriptionObject(
        metadata=metadata_of(fields),
        raw=fields.values,
        package=spec.required_text("name"),
        channel=spec.text("channel"),
        source=spec.text("source"),
        source_namespace=spec.text("sourceNamespace"),
        starting_csv=spec.text("startingCSV"),
        approval=spec.text("installPlanApproval"),
        installed_csv=status.text("installedCSV"),
        current_csv=status.text("currentCSV"),
        state=status.text("state"),
        install_plan=status.part("installPlanRef").text("name"),
        install_plan_generation=status.integer("installPlanGeneration"),
        conditions=conditions_of(status),
        catalog_health=tuple(map(_health, status.parts("catalogHealth"))),
    )


def _health(fields: Fields) -> CatalogHealth:
    reference = fields.part("catalogSourceRef")
    return CatalogHealth(
        name=reference.text("name"),
        namespace=reference.text("namespace"),
        uid=reference.text("uid"),
        healthy=fields.flag("healthy"),
        last_updated=fields.text("lastUpdated"),
    )


def catalog_source_of(fields: Fields) -> CatalogSource:
    """Return the CatalogSource that *fields* describe."""
    spec, status = fields.part("spec"), fields.part("status")
    return CatalogSource(
        metadata=metadata_of(fields),
        raw=fields.values,
        source_type=spec.text("sourceType"),
        image=spec.text("image"),
        address=spec.text("address"),
        config_map=spec.text("configMap"),
        priority=spec.integer("priority"),
        state=status.part("connectionState").text("lastObservedState"),
        reason=status.text("reason"),
        message=status.text("message"),
        conditions=conditions_of(status),
        registry_service=status.raw("registryService") if status.has("registryService") else None,
    )
