"""ClusterServiceVersion (CSV): an operator on a cluster, or a copy that shows it in another namespace."""

from __future__ import annotations

from typing import ClassVar, Final

import attrs

from olmsolve.cluster.objects.metadata import OLM_GROUP, ClusterObject, Condition, conditions_of, metadata_of
from olmsolve.errors import VersionError
from olmsolve.fields import Fields, Raw
from olmsolve.semver import Version

COPIED_LABEL: Final = "olm.copiedFrom"
"""The label of a copy: a CSV that shows an operator in each namespace that it serves from another namespace."""

GROUP_ANNOTATION: Final = "olm.operatorGroup"
"""The annotation of a CSV that names its operator group."""

NAMESPACE_ANNOTATION: Final = "olm.operatorNamespace"
"""The annotation of a CSV that names the namespace of its operator group; a copy keeps it from the original."""

TARGETS_ANNOTATION: Final = "olm.targetNamespaces"
"""The annotation of a CSV that lists the namespaces that its operator serves, joined by commas."""


@attrs.frozen
class CrdDescription:
    """An API from a CustomResourceDefinition: *name* is ``plural.group``."""

    name: str
    version: str
    kind: str


@attrs.frozen
class ApiServiceDescription:
    """An API from an aggregated API server: *name* is the plural."""

    group: str
    version: str
    kind: str
    name: str = ""


@attrs.frozen
class InstallMode:
    """One kind of target (``OwnNamespace``, ``AllNamespaces``, ...), and whether an operator can serve it."""

    type: str
    supported: bool


@attrs.frozen
class StrategyPermission:
    """The *rules* (RBAC PolicyRules as read) that a service account needs.

    The rules as values are in :class:`olmsolve.cluster.rbac.Permission`.
    """

    service_account_name: str
    rules: tuple[Raw, ...] = ()


@attrs.frozen
class StrategyDeployment:
    """A deployment that the install strategy creates; *spec* is a Kubernetes DeploymentSpec as read."""

    name: str
    spec: Raw = attrs.field(factory=dict, repr=False)
    label: Raw = attrs.field(factory=dict, repr=False)


@attrs.frozen
class InstallStrategy:
    """``spec.install``; *strategy* is the object's text, and OLM has only ``"deployment"``."""

    strategy: str = ""
    permissions: tuple[StrategyPermission, ...] = ()
    cluster_permissions: tuple[StrategyPermission, ...] = ()
    deployments: tuple[StrategyDeployment, ...] = ()


@attrs.frozen
class RequirementStatus:
    """One entry of ``status.requirementStatus``: OLM's finding on an object that the operator needs.

    *status* is OLM's word: ``Present``, ``NotPresent``, ``PresentNotSatisfied``, ``DeploymentFound``.
    """

    kind: str
    name: str
    status: str
    message: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name} is {self.status}{f' ({self.message})' if self.message else ''}"


@attrs.frozen(kw_only=True)
class ClusterServiceVersion(ClusterObject):
    """An operator on a cluster, or its copy (:attr:`is_copied`).

    *version* is text, "" where the object has no version; *conditions* are the history of phases, *requirements* what
    OLM found of the objects that the operator needs.
    """

    KIND: ClassVar[str] = "ClusterServiceVersion"
    GROUP: ClassVar[str] = OLM_GROUP

    version: str = ""
    replaces: str = ""
    skips: tuple[str, ...] = ()
    min_kube_version: str = ""
    display_name: str = ""
    install_modes: tuple[InstallMode, ...] = ()
    owned_crds: tuple[CrdDescription, ...] = ()
    required_crds: tuple[CrdDescription, ...] = ()
    owned_api_services: tuple[ApiServiceDescription, ...] = ()
    required_api_services: tuple[ApiServiceDescription, ...] = ()
    install: InstallStrategy = InstallStrategy()
    phase: str = ""
    reason: str = ""
    message: str = ""
    conditions: tuple[Condition, ...] = ()
    requirements: tuple[RequirementStatus, ...] = ()

    @property
    def is_copied(self) -> bool:
        """Whether this is a copy of an operator in another namespace: by label, reason or annotation."""
        home = self.metadata.annotations.get(NAMESPACE_ANNOTATION, self.namespace)
        return COPIED_LABEL in self.metadata.labels or self.reason == "Copied" or home != self.namespace


def csv_of(fields: Fields) -> ClusterServiceVersion:
    """Return the ClusterServiceVersion that *fields* describe."""
    spec, status = fields.part("spec"), fields.part("status")
    crds, services = spec.part("customresourcedefinitions"), spec.part("apiservicedefinitions")
    return ClusterServiceVersion(
        metadata=metadata_of(fields),
        raw=fields.values,
        version=_version(spec),
        replaces=spec.text("replaces"),
        skips=spec.texts("skips"),
        min_kube_version=spec.text("minKubeVersion"),
        display_name=spec.text("displayName"),
        install_modes=tuple(InstallMode(m.text("type"), m.flag("supported")) for m in spec.parts("installModes")),
        owned_crds=tuple(map(_crd, crds.parts("owned"))),
        required_crds=tuple(map(_crd, crds.parts("required"))),
        owned_api_services=tuple(map(_service, services.parts("owned"))),
        required_api_services=tuple(map(_service, services.parts("required"))),
        install=_install(spec.part("install")),
        phase=status.text("phase"),
        reason=status.text("reason"),
        message=status.text("message"),
        conditions=conditions_of(status),
        requirements=tuple(
            RequirementStatus(part.text("kind"), part.text("name"), part.text("status"), part.text("message"))
            for part in status.parts("requirementStatus")
        ),
    )


def _version(spec: Fields) -> str:
    text = spec.text("version")
    if text:
        try:
            Version.parse(text)
        except VersionError as error:
            raise spec.error(f"is not a version: {error.reason}", "version") from None
    return text


def _crd(fields: Fields) -> CrdDescription:
    return CrdDescription(fields.text("name"), fields.text("version"), fields.text("kind"))


def _service(fields: Fields) -> ApiServiceDescription:
    return ApiServiceDescription(fields.text("group"), fields.text("version"), fields.text("kind"), fields.text("name"))


def _install(fields: Fields) -> InstallStrategy:
    spec = fields.part("spec")
    return InstallStrategy(
        strategy=fields.text("strategy"),
        permissions=tuple(map(_permission, spec.parts("permissions"))),
        cluster_permissions=tuple(map(_permission, spec.parts("clusterPermissions"))),
        deployments=tuple(
            StrategyDeployment(part.text("name"), part.raw("spec"), part.raw("label"))
            for part in spec.parts("deployments")
        ),
    )


def _permission(fields: Fields) -> StrategyPermission:
    return StrategyPermission(fields.text("serviceAccountName"), fields.raws("rules"))
