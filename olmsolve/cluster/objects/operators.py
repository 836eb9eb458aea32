"""An operator on a cluster, ClusterServiceVersion (CSV), and an API that it brings, CustomResourceDefinition (CRD)."""

from __future__ import annotations

from typing import ClassVar, Final

from olmsolve._records import Record, evolve, field, record
from olmsolve.cluster.objects.metadata import OLM_GROUP, ClusterObject, Condition
from olmsolve.errors import VersionError
from olmsolve.fields import Fields, Raw, read_record
from olmsolve.semver import Version


@record
class CrdVersion(Record):
    """One version of an API."""

    name: str = field("The name of the version.", empty="refused")
    served: bool = field("Whether the API server answers for it.")
    storage: bool = field("Whether objects are stored in it.")
    schema: Raw | None = field(
        "The schema of its objects, as read; None where it has none.",
        path="schema.openAPIV3Schema",
        default=None,
        repr=False,
    )


def _versions(spec: Fields, name: str) -> tuple[CrdVersion, ...]:
    """Return the versions in the list *name* of *spec*.

    In the older ``v1beta1``, one schema (``validation``) may hold for all versions, and a single ``version`` may
    replace the list.
    """
    validation = spec.part("validation")
    common = validation.raw("openAPIV3Schema") if validation.has("openAPIV3Schema") else None
    single = spec.text("version")
    if single and not spec.has(name):
        return (CrdVersion(single, True, True, common),)
    return tuple(_version(part, common) for part in spec.parts(name))


def _version(fields: Fields, common: Raw | None) -> CrdVersion:
    version = read_record(CrdVersion, fields)
    return version if fields.has("schema") else evolve(version, schema=common)


@record(kw_only=True)
class CustomResourceDefinition(ClusterObject):
    """An API of the cluster."""

    KIND: ClassVar[str] = "CustomResourceDefinition"
    GROUP: ClassVar[str] = "apiextensions.k8s.io"
    NAMESPACED: ClassVar[bool] = False

    group: str = field("The group of the API.", path="spec.group")
    resource_kind: str = field("The kind of its objects.", path="spec.names.kind")
    plural: str = field("The name of its objects in paths.", path="spec.names.plural")
    scope: str = field("``Namespaced`` or ``Cluster``.", path="spec.scope", default="")
    versions: tuple[CrdVersion, ...] = field(
        "Its versions, in the order of the object.", path="spec.versions", read=_versions, default=()
    )
    conversion: str = field(
        '``None`` or ``Webhook``, "" where the object names no strategy.', path="spec.conversion.strategy", default=""
    )
    stored_versions: tuple[str, ...] = field(
        "The versions in which objects of the cluster may be stored.", path="status.storedVersions", default=()
    )
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())


COPIED_LABEL: Final = "olm.copiedFrom"
"""The label of a copy: a CSV that shows an operator in each namespace that it serves from another namespace."""

GROUP_ANNOTATION: Final = "olm.operatorGroup"
"""The annotation of a CSV that names its operator group."""

NAMESPACE_ANNOTATION: Final = "olm.operatorNamespace"
"""The annotation of a CSV that names the namespace of its operator group; a copy keeps it from the original."""

TARGETS_ANNOTATION: Final = "olm.targetNamespaces"
"""The annotation of a CSV that lists the namespaces that its operator serves, joined by commas."""


@record
class CrdDescription(Record):
    """An API from a CustomResourceDefinition."""

    name: str = field("``plural.group``.")
    version: str = field("The version of the API.")
    kind: str = field("The kind of its objects.")


@record
class ApiServiceDescription(Record):
    """An API from an aggregated API server."""

    group: str = field("The group of the API.")
    version: str = field("The version of the API.")
    kind: str = field("The kind of its objects.")
    name: str = field("The plural.", default="")


@record
class InstallMode(Record):
    """One kind of target, and whether an operator can serve it."""

    type: str = field("``OwnNamespace``, ``SingleNamespace``, ``MultiNamespace`` or ``AllNamespaces``.")
    supported: bool = field("Whether the operator can serve it.")


EVERY_MODE: Final = tuple(
    InstallMode(mode, supported=True) for mode in ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
)
"""The support for all four modes."""


@record
class StrategyPermission(Record):
    """The permissions that a service account of an operator needs.

    The rules as values are in :class:`olmsolve.cluster.rbac.Permission`.
    """

    service_account_name: str = field("The name of the service account.")
    rules: tuple[Raw, ...] = field("The RBAC PolicyRules that it needs, as read.", default=())


@record
class StrategyDeployment(Record):
    """A deployment that the install strategy creates."""

    name: str = field("The name of the deployment.")
    spec: Raw = field("Its Kubernetes DeploymentSpec, as read.", factory=dict, repr=False)
    label: Raw = field("Its labels.", factory=dict, repr=False)


@record
class InstallStrategy(Record):
    """``spec.install``: how OLM installs an operator."""

    strategy: str = field('The name of the strategy; OLM has only ``"deployment"``.', default="")
    permissions: tuple[StrategyPermission, ...] = field(
        "What its service accounts need in the namespaces that it serves.", path="spec.permissions", default=()
    )
    cluster_permissions: tuple[StrategyPermission, ...] = field(
        "What its service accounts need in the whole cluster.", path="spec.clusterPermissions", default=()
    )
    deployments: tuple[StrategyDeployment, ...] = field(
        "The deployments that it creates.", path="spec.deployments", default=()
    )


@record
class RequirementStatus(Record):
    """One entry of ``status.requirementStatus``: OLM's finding on an object that the operator needs."""

    kind: str = field("The kind of the object.")
    name: str = field("The name of the object.")
    status: str = field("OLM's word: ``Present``, ``NotPresent``, ``PresentNotSatisfied`` or ``DeploymentFound``.")
    message: str = field("What OLM says of it.", default="")

    def __str__(self) -> str:
        return f"{self.kind} {self.name} is {self.status}{f' ({self.message})' if self.message else ''}"


def _read_version(spec: Fields, name: str) -> str:
    text = spec.text(name)
    if text:
        try:
            Version.parse(text)
        except VersionError as error:
            raise spec.error(f"is not a version: {error.reason}", name) from None
    return text


@record(kw_only=True)
class ClusterServiceVersion(ClusterObject):
    """An operator on a cluster, or its copy (:attr:`is_copied`)."""

    KIND: ClassVar[str] = "ClusterServiceVersion"
    GROUP: ClassVar[str] = OLM_GROUP

    version: str = field(
        'The version, "" where the object has none.', path="spec.version", read=_read_version, default=""
    )
    replaces: str = field("The name of the operator that it replaces.", path="spec.replaces", default="")
    skips: tuple[str, ...] = field("The names of the operators that it skips.", path="spec.skips", default=())
    min_kube_version: str = field(
        "The lowest version of Kubernetes that it works on.", path="spec.minKubeVersion", default=""
    )
    display_name: str = field("Its name for people.", path="spec.displayName", default="")
    install_modes: tuple[InstallMode, ...] = field(
        "The kinds of targets that it can serve.", path="spec.installModes", default=()
    )
    owned_crds: tuple[CrdDescription, ...] = field(
        "The APIs that it brings.", path="spec.customresourcedefinitions.owned", default=()
    )
    required_crds: tuple[CrdDescription, ...] = field(
        "The APIs that it needs.", path="spec.customresourcedefinitions.required", default=()
    )
    owned_api_services: tuple[ApiServiceDescription, ...] = field(
        "The aggregated APIs that it brings.", path="spec.apiservicedefinitions.owned", default=()
    )
    required_api_services: tuple[ApiServiceDescription, ...] = field(
        "The aggregated APIs that it needs.", path="spec.apiservicedefinitions.required", default=()
    )
    install: InstallStrategy = field("How OLM installs it.", path="spec.install", default=InstallStrategy())
    phase: str = field("How far it is installed, as OLM writes it.", path="status.phase", default="")
    reason: str = field("Why it is in its phase, in one word.", path="status.reason", default="")
    message: str = field("Why it is in its phase, in a sentence.", path="status.message", default="")
    conditions: tuple[Condition, ...] = field("The history of its phases.", path="status.conditions", default=())
    requirements: tuple[RequirementStatus, ...] = field(
        "What OLM found of the objects that the operator needs.", path="status.requirementStatus", default=()
    )

    @property
    def is_copied(self) -> bool:
        """Whether this is a copy of an operator in another namespace: by label, reason or annotation."""
        home = self.metadata.annotations.get(NAMESPACE_ANNOTATION, self.namespace)
        return COPIED_LABEL in self.metadata.labels or self.reason == "Copied" or home != self.namespace
