"""The objects of classic OLM: Subscription, the wish for a package, and CatalogSource, where it may come from."""

from __future__ import annotations

from typing import ClassVar

from olmsolve._records import Record, field, record
from olmsolve.cluster.objects.metadata import OLM_GROUP, ClusterObject, Condition
from olmsolve.fields import Raw


@record
class CatalogHealth(Record):
    """The health of one catalog, as noted in a subscription's status."""

    name: str = field("The name of the catalog.", path="catalogSourceRef.name")
    namespace: str = field("The namespace of the catalog.", path="catalogSourceRef.namespace")
    uid: str = field("The identifier that the cluster gave to the catalog.", path="catalogSourceRef.uid", default="")
    healthy: bool = field("Whether the catalog serves.", default=False)
    last_updated: str = field("When this was noted.", default="")


@record(kw_only=True)
class SubscriptionObject(ClusterObject):
    """A Subscription: the wish for a package from a channel of a catalog, and how far it has come.

    What a request has in its place is :class:`olmsolve.Subscription`.
    """

    KIND: ClassVar[str] = "Subscription"
    GROUP: ClassVar[str] = OLM_GROUP

    package: str = field("The name of the package.", path="spec.name", empty="refused")
    channel: str = field('The channel, "" for the default one.', path="spec.channel", default="")
    source: str = field("The name of the catalog.", path="spec.source", default="")
    source_namespace: str = field("The namespace of the catalog.", path="spec.sourceNamespace", default="")
    starting_csv: str = field("The bundle to begin with.", path="spec.startingCSV", default="")
    approval: str = field(
        '``Automatic``, ``Manual`` or "" (``Automatic``).', path="spec.installPlanApproval", default=""
    )
    installed_csv: str = field("The operator that is installed.", path="status.installedCSV", default="")
    current_csv: str = field("The operator that is to be installed.", path="status.currentCSV", default="")
    state: str = field("How far it has come, as OLM writes it.", path="status.state", default="")
    install_plan: str = field(
        'The name of its install plan, "" where the status names none.', path="status.installPlanRef.name", default=""
    )
    install_plan_generation: int = field(
        "The number of its install plan.", path="status.installPlanGeneration", default=0
    )
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())
    catalog_health: tuple[CatalogHealth, ...] = field(
        "The health of each catalog.", path="status.catalogHealth", default=()
    )


@record(kw_only=True)
class CatalogSource(ClusterObject):
    """A catalog of classic OLM on the cluster."""

    KIND: ClassVar[str] = "CatalogSource"
    GROUP: ClassVar[str] = OLM_GROUP
    READY: ClassVar[str] = "READY"

    source_type: str = field("``grpc``, ``configmap`` or ``internal``.", path="spec.sourceType", default="")
    image: str = field("The image that holds its content.", path="spec.image", default="")
    address: str = field("Where it is served, if not by an image.", path="spec.address", default="")
    config_map: str = field("The ConfigMap that holds its content.", path="spec.configMap", default="")
    priority: int = field("A higher one comes first.", path="spec.priority", default=0)
    state: str = field(
        "The state of OLM's connection to it, ``READY`` where it serves.",
        path="status.connectionState.lastObservedState",
        default="",
    )
    reason: str = field("Why it does not serve, in one word.", path="status.reason", default="")
    message: str = field("Why it does not serve, in a sentence.", path="status.message", default="")
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())
    registry_service: Raw | None = field(
        "The service that OLM made for it, as read.", path="status.registryService", default=None, repr=False
    )
