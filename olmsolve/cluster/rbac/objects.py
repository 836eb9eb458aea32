"""The objects that grant rights: service accounts, roles and bindings, as values that write their manifests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

from olmsolve._records import Record, documented, field, record
from olmsolve.cluster.objects import OwnerReference
from olmsolve.fields import Fields, read_record

RBAC_GROUP: Final = "rbac.authorization.k8s.io"

Labels = tuple[tuple[str, str], ...]


@record
class PolicyRule(Record):
    """A Kubernetes PolicyRule: the *verbs* that are allowed, on resources or on URLs.

    None stands for an absent list and () for an empty one. The hash of a rule depends on the order of its fields, and
    differs between absent and empty *verbs*.
    """

    verbs: tuple[str, ...] | None = field("What is allowed.", default=None)
    api_groups: tuple[str, ...] | None = field("The groups of APIs.", empty="absent", default=None)
    resources: tuple[str, ...] | None = field("The plurals of kinds.", empty="absent", default=None)
    resource_names: tuple[str, ...] | None = field("The names of objects.", empty="absent", default=None)
    non_resource_urls: tuple[str, ...] | None = field("The URLs.", path="nonResourceURLs", empty="absent", default=None)

    @classmethod
    def of(cls, fields: Fields) -> Self:
        """Return the rule that *fields* describe, or raise a :class:`~olmsolve.errors.ManifestError`."""
        return read_record(cls, fields)


def _rules_or_none(fields: Fields, name: str) -> tuple[PolicyRule, ...] | None:
    return tuple(map(PolicyRule.of, fields.parts(name))) if fields.has(name) else None


@record
class Permission(Record):
    """The rules that a ClusterServiceVersion requires for one service account."""

    service_account: str = field("The name of the account.", path="serviceAccountName")
    rules: tuple[PolicyRule, ...] | None = field(
        "The rules; null is not the same hash as none.", read=_rules_or_none, default=()
    )

    @classmethod
    def of(cls, fields: Fields) -> Self:
        """Return the permission that *fields* describe, or raise a :class:`~olmsolve.errors.ManifestError`."""
        return read_record(cls, fields)


def _owners(owner: OwnerReference | None) -> tuple[OwnerReference, ...]:
    return () if owner is None else (owner,)


@record
class ServiceAccount(Record):
    """A service account that an operator runs as; its document has no ``apiVersion`` and ``kind``."""

    name: str = field("Its name.", path="metadata.name", empty="absent")
    namespace: str = field("Its namespace.", path="metadata.namespace", empty="absent", default="")
    owner: OwnerReference | None = field(
        "The object that it belongs to.", path="metadata.ownerReferences", empty="absent", written=_owners, default=None
    )


def _selectors(labels: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"matchLabels": {label: "true"}} for label in labels]


@record(layout=("name", "namespace", "labels", "owner", ...))
class Role(Record):
    """A Role, or a ClusterRole where *cluster* is set and *namespace* is ""; a document as of an account."""

    name: str = field("Its name.", path="metadata.name", empty="absent")
    namespace: str = field("Its namespace.", path="metadata.namespace", empty="absent", default="")
    cluster: bool = False
    labels: Labels = field("Its labels.", path="metadata.labels", empty="absent", written=dict, default=())
    owner: OwnerReference | None = field(
        "The object that it belongs to.", path="metadata.ownerReferences", empty="absent", written=_owners, default=None
    )
    rules: tuple[PolicyRule, ...] | None = field("What it allows.", default=())
    aggregates: tuple[str, ...] = field(
        "Labels: the rules of all cluster roles with one of them are gathered into this role.",
        path="aggregationRule.clusterRoleSelectors",
        empty="absent",
        written=_selectors,
        default=(),
    )

    @property
    def kind(self) -> str:
        return "ClusterRole" if self.cluster else "Role"


@record(layout=("name", "namespace", "labels", "owner", "subjects", "role_reference"))
class Binding(Record):
    """A RoleBinding or ClusterRoleBinding: *role* for the service account *account* of *account_namespace*."""

    role: Role
    account: str
    account_namespace: str = ""
    namespace: str = field("Its namespace.", path="metadata.namespace", empty="absent", default="")
    labels: Labels = field("Its labels.", path="metadata.labels", empty="absent", written=dict, default=())
    owner: OwnerReference | None = field(
        "The object that it belongs to.", path="metadata.ownerReferences", empty="absent", written=_owners, default=None
    )

    @property
    def kind(self) -> str:
        return f"{self.role.kind}Binding"

    @property
    @documented("Its name, which is the role's.", path="metadata.name", empty="absent")
    def name(self) -> str:
        return self.role.name

    @property
    @documented("The role that is bound.", path="roleRef")
    def role_reference(self) -> dict[str, str]:
        return {"apiGroup": RBAC_GROUP, "kind": self.role.kind, "name": self.role.name}

    @property
    @documented("The one service account.")
    def subjects(self) -> list[dict[str, str]]:
        subject = {"kind": "ServiceAccount", "name": self.account}
        if self.account_namespace:
            subject["namespace"] = self.account_namespace
        return [subject]


def rbac_manifest(value: ServiceAccount | Role | Binding) -> Mapping[str, Any]:
    """Return the whole object, as ``kubectl apply`` takes it."""
    if isinstance(value, ServiceAccount):
        return {"apiVersion": "v1", "kind": "ServiceAccount"} | value.to_dict()
    return {"apiVersion": f"{RBAC_GROUP}/v1", "kind": value.kind} | value.to_dict()
