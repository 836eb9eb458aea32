"""ClusterServiceVersion: an operator on a cluster."""

from __future__ import annotations

from typing import ClassVar

import attrs

from olmsolve.cluster.objects.fields import Fields, Raw
from olmsolve.cluster.objects.metadata import ClusterObject, Condition, conditions_of, metadata_of
from olmsolve.errors import VersionError
from olmsolve.semver import Version

__all__ = [
    "COPIED_LABEL",
    "OPERATOR_NAMESPACE",
    "ApiServiceDescription",
    "ClusterServiceVersion",
    "CrdDescription",
    "InstallMode",
    "InstallStrategy",
    "Permission",
    "StrategyDeployment",
]

COPIED_LABEL = "olm.copiedFrom"
"""The label of a CSV that only shows, in a namespace that an operator serves, an operator of another namespace."""

OPERATOR_NAMESPACE = "olm.operatorNamespace"
"""The annotation that says in which namespace the operator itself is."""


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
    """Whether an operator can serve one kind of target (``OwnNamespace``, ``AllNamespaces``, ...)."""

    type: str
    supported: bool


@attrs.frozen
class Permission:
    """The *rules* (RBAC PolicyRules as read) that a service account needs."""

    service_account_name: str
    rules: tuple[Raw, ...] = ()


@attrs.frozen
class StrategyDeployment:
    """A deployment that the install strategy makes; *spec* is a Kubernetes DeploymentSpec as read."""

    name: str
    spec: Raw = attrs.field(factory=dict, repr=False)
    label: Raw = attrs.field(factory=dict, repr=False)


@attrs.frozen
class InstallStrategy:
    """``spec.install``: *strategy* is ``"deployment"``, the only one there is, or whatever the object says."""

    strategy: str = ""
    permissions: tuple[Permission, ...] = ()
    cluster_permissions: tuple[Permission, ...] = ()
    deployments: tuple[StrategyDeployment, ...] = ()


@attrs.frozen(kw_only=True)
class ClusterServiceVersion(ClusterObject):
    """An operator on a cluster, or its copy (:attr:`is_copied`).

    *version* is text, "" where the object has none; *conditions* are the history of phases.
    """

    KIND: ClassVar[str] = "ClusterServiceVersion"
    GROUP: ClassVar[str] = "operators.coreos.com"

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

    @property
    def is_copied(self) -> bool:
        """Whether this is a copy, and the operator itself is in another namespace."""
        home = self.metadata.annotations.get(OPERATOR_NAMESPACE, self.namespace)
        return COPIED_LABEL in self.metadata.labels or self.reason == "Copied" or home != self.namespace


def csv_of(fields: Fields) -> ClusterServiceVersion:
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


def _permission(fields: Fields) -> Permission:
    return Permission(fields.text("serviceAccountName"), fields.raws("rules"))
