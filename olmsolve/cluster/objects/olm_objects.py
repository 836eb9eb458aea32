"""The objects of OLM, classic and v1, but for operators themselves (``operators``).

In classic OLM, Subscription is the wish for a package, CatalogSource where it may come from, and InstallPlan the steps
that bring it onto a cluster. OperatorGroup and Namespace say where operators may act; OperatorCondition is what an
operator reports. In OLM v1, ClusterExtension is the wish for a package, and ClusterCatalog where it may come from.
"""

from __future__ import annotations

from typing import ClassVar

from olmsolve._records import Record, field, record
from olmsolve.cluster.objects.metadata import OLM_GROUP, OLM_V1_GROUP, ClusterObject, Condition, condition_of
from olmsolve.fields import Fields, Raw


@record(
    about="One object to create.",
    groups={"resource": "The object."},
    layout=("resolving", "source", "source_namespace", "group", "version", "kind", "name", ...),
)
class Step(Record):
    """One object to create for a bundle; its status is ``Unknown``, ``NotPresent``, ``Present``, ``Created``, ..."""

    resolving: str = field("The operator that the object belongs to.")
    kind: str = field("Its kind.", path="resource.kind")
    name: str = field("Its name.", path="resource.name")
    group: str = field("The group of its API.", path="resource.group", default="")
    version: str = field("The version of its API.", path="resource.version", default="")
    manifest: str = field("The object as JSON text.", path="resource.manifest", default="", repr=False)
    source: str = field("The name of its catalog.", path="resource.sourceName", default="")
    source_namespace: str = field("The namespace of its catalog.", path="resource.sourceNamespace", default="")
    status: str = field("Whether the object is there.", default="")


@record(
    about="A bundle to unpack.",
    groups={"catalogSourceRef": "The catalog that the bundle comes from."},
    layout=("path", "identifier", "replaces", "source_namespace", "source", "conditions", "properties"),
)
class BundleLookup(Record):
    """A bundle that OLM has yet to unpack."""

    identifier: str = field("The name of the bundle.")
    path: str = field("The image of the bundle.")
    replaces: str = field("The operator that the bundle replaces.", default="")
    source: str = field("The name of the catalog.", path="catalogSourceRef.name", default="")
    source_namespace: str = field("The namespace of the catalog.", path="catalogSourceRef.namespace", default="")
    properties: str = field("The properties of the bundle, as JSON text.", empty="absent", default="", repr=False)
    conditions: tuple[Condition, ...] = field("How far unpacking is.", default=())


@record(kw_only=True)
class InstallPlan(ClusterObject):
    """The install plan of a namespace."""

    KIND: ClassVar[str] = "InstallPlan"
    GROUP: ClassVar[str] = OLM_GROUP

    csv_names: tuple[str, ...] = field(
        "The operators that it installs.", path="spec.clusterServiceVersionNames", default=()
    )
    approval: str = field("``Automatic`` or ``Manual``.", path="spec.approval", default="")
    approved: bool = field("Whether it is approved.", path="spec.approved", default=False)
    spec_generation: int = field(
        "Its number among the plans of the namespace (``metadata.generation`` counts changes of the object).",
        path="spec.generation",
        default=0,
    )
    phase: str = field("How far it is, as OLM writes it.", path="status.phase", default="")
    message: str = field("Why it is not further.", path="status.message", default="")
    start_time: str = field("When it was first carried out.", path="status.startTime", default="")
    steps: tuple[Step, ...] = field("The objects to create.", path="status.plan", default=())
    bundle_lookups: tuple[BundleLookup, ...] = field("The bundles to unpack.", path="status.bundleLookups", default=())
    catalog_sources: tuple[str, ...] = field(
        "The catalogs that its bundles come from.", path="status.catalogSources", default=()
    )
    conditions: tuple[Condition, ...] = field("Its conditions.", path="status.conditions", default=())
    attenuated_service_account: Raw | None = field(
        "The service account by which objects are created, as read.",
        path="status.attenuatedServiceAccountRef",
        default=None,
        repr=False,
    )

    @property
    def why(self) -> str:
        """The reason for the plan's phase: its message, or the message of condition ``Installed``; "" if unknown.

        OLM writes a message into the status where a bundle cannot be unpacked, and into the condition where an object
        cannot be created.
        """
        installed = condition_of(self.conditions, "Installed")
        return self.message or (installed.message if installed is not None else "")


@record(kw_only=True)
class OperatorGroup(ClusterObject):
    """The namespaces that the operators of a namespace serve."""

    KIND: ClassVar[str] = "OperatorGroup"
    GROUP: ClassVar[str] = OLM_GROUP

    target_namespaces: tuple[str, ...] = field("The namespaces to serve.", path="spec.targetNamespaces", default=())
    selector: Raw | None = field(
        "The Kubernetes LabelSelector of the namespaces, as read; None where the group has none.",
        path="spec.selector",
        default=None,
    )
    service_account_name: str = field(
        "The service account by which OLM installs operators.", path="spec.serviceAccountName", default=""
    )
    static_provided_apis: bool = field(
        "Whether OLM leaves the list of provided APIs as it is.", path="spec.staticProvidedAPIs", default=False
    )
    upgrade_strategy: str = field(
        '``Default``, ``TechPreviewUnsafeFailForward`` or "" (``Default``).', path="spec.upgradeStrategy", default=""
    )
    namespaces: tuple[str, ...] = field(
        'The namespaces that are served, ``("",)`` for all.', path="status.namespaces", default=()
    )
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())


@record(kw_only=True)
class OperatorCondition(ClusterObject):
    """The conditions that the operator of the same name reports, and what an administrator says in their place."""

    KIND: ClassVar[str] = "OperatorCondition"
    GROUP: ClassVar[str] = OLM_GROUP

    overrides: tuple[Condition, ...] = field("What an administrator says.", path="spec.overrides", default=())
    spec_conditions: tuple[Condition, ...] = field("What the operator writes.", path="spec.conditions", default=())
    conditions: tuple[Condition, ...] = field("What OLM makes of both.", path="status.conditions", default=())
    service_accounts: tuple[str, ...] = field(
        "The service accounts that may write it.", path="spec.serviceAccounts", default=()
    )
    deployments: tuple[str, ...] = field("The deployments of the operator.", path="spec.deployments", default=())


@record(kw_only=True)
class Namespace(ClusterObject):
    """A namespace; its labels decide which operator groups select it."""

    KIND: ClassVar[str] = "Namespace"
    GROUP: ClassVar[str] = ""
    NAMESPACED: ClassVar[bool] = False

    phase: str = field("``Active`` or ``Terminating``.", path="status.phase", default="")


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

    Its counterpart in a request is :class:`olmsolve.Subscription`.
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


@record(kw_only=True)
class ClusterExtension(ClusterObject):
    """The wish for a package on the whole cluster."""

    KIND: ClassVar[str] = "ClusterExtension"
    GROUP: ClassVar[str] = OLM_V1_GROUP
    NAMESPACED: ClassVar[bool] = False

    source_type: str = field("Where the package comes from: ``Catalog``.", path="spec.source.sourceType", default="")
    package: str = field("The name of the package.", path="spec.source.catalog.packageName", default="")
    version: str = field("The range of its versions.", path="spec.source.catalog.version", default="")
    channels: tuple[str, ...] = field(
        "The channels that it may come from.", path="spec.source.catalog.channels", default=()
    )
    selector: Raw | None = field(
        "The Kubernetes LabelSelector of its catalogs, as read.", path="spec.source.catalog.selector", default=None
    )
    upgrade_constraint_policy: str = field(
        '``CatalogProvided``, ``SelfCertified`` or "" (``CatalogProvided``).',
        path="spec.source.catalog.upgradeConstraintPolicy",
        default="",
    )
    install_namespace: str = field("The namespace in which it is installed.", path="spec.namespace", default="")
    service_account_name: str = field(
        "The service account by which it is installed.", path="spec.serviceAccount.name", default=""
    )
    installed: Raw | None = field("The installed bundle, as read.", path="status.install.bundle", default=None)
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())


def _priority(spec: Fields, name: str) -> int:
    return spec.integer(name, bits=32)


@record(kw_only=True)
class ClusterCatalogObject(ClusterObject):
    """A ClusterCatalog: a catalog for the whole cluster.

    Its counterpart in a request for OLM v1, content included, is :class:`olmsolve.v1.ClusterCatalog`.
    """

    KIND: ClassVar[str] = "ClusterCatalog"
    GROUP: ClassVar[str] = OLM_V1_GROUP
    NAMESPACED: ClassVar[bool] = False

    image: str = field("The image that holds its content.", path="spec.source.image.ref", default="")
    priority: int = field("A higher one comes first.", path="spec.priority", read=_priority, default=0)
    availability_mode: str = field(
        '``Available``, ``Unavailable`` or "" (``Available``).', path="spec.availabilityMode", default=""
    )
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())
