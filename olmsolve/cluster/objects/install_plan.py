"""InstallPlan: the steps that bring a resolution onto a cluster."""

from __future__ import annotations

from typing import ClassVar

from olmsolve._records import Record, field, record
from olmsolve.cluster.objects.conditions import condition_of
from olmsolve.cluster.objects.metadata import OLM_GROUP, ClusterObject, Condition
from olmsolve.fields import Raw


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
