"""The objects that grant rights: service accounts, roles and bindings, as values that write their manifests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

import olmsolve._attrs as attrs
from olmsolve.cluster.objects import OwnerReference
from olmsolve.fields import Fields

RBAC_GROUP: Final = "rbac.authorization.k8s.io"

Texts = tuple[str, ...] | None


@attrs.frozen
class PolicyRule:
    """A Kubernetes PolicyRule: the *verbs* that are allowed, on resources or on URLs.

    None stands for an absent list and () for an empty one: the hash of a rule differs between the two.
    """

    verbs: Texts = None
    api_groups: Texts = None
    resources: Texts = None
    resource_names: Texts = None
    non_resource_urls: Texts = None

    @classmethod
    def of(cls, fields: Fields) -> Self:
        """Return the rule that *fields* describe, or raise a :class:`~olmsolve.errors.ManifestError`."""
        return cls(*(fields.texts(name) if fields.has(name) else None for name in _RULE_FIELDS))

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as manifests write it, in the order of fields that hashes depend on."""
        values = (self.verbs, self.api_groups, self.resources, self.resource_names, self.non_resource_urls)
        fields = {name: list(value) for name, value in zip(_RULE_FIELDS, values, strict=True) if value}
        return {"verbs": None if self.verbs is None else list(self.verbs)} | fields


_RULE_FIELDS: Final = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")


@attrs.frozen
class Permission:
    """The rules that a ClusterServiceVersion requires for one service account."""

    service_account: str
    rules: tuple[PolicyRule, ...] | None = ()

    @classmethod
    def of(cls, fields: Fields) -> Self:
        """Return the permission that *fields* describe, or raise a :class:`~olmsolve.errors.ManifestError`."""
        rules = tuple(map(PolicyRule.of, fields.parts("rules"))) if fields.has("rules") else None
        return cls(fields.text("serviceAccountName"), rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the permission as manifests write it."""
        return {"serviceAccountName": self.service_account, "rules": rules_to_list(self.rules)}


def rules_to_list(rules: tuple[PolicyRule, ...] | None) -> list[dict[str, Any]] | None:
    """Return *rules* as manifests write them; None stays None (``rules: null``)."""
    return None if rules is None else [rule.to_dict() for rule in rules]


Labels = tuple[tuple[str, str], ...]


def _metadata(name: str, namespace: str, labels: Labels, owner: OwnerReference | None) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name} if name else {}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = dict(labels)
    if owner is not None:
        metadata["ownerReferences"] = [owner.to_dict()]
    return metadata


@attrs.frozen
class ServiceAccount:
    """A service account that an operator runs as."""

    name: str
    namespace: str = ""
    owner: OwnerReference | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the object without ``apiVersion`` and ``kind``."""
        return {"metadata": _metadata(self.name, self.namespace, (), self.owner)}


@attrs.frozen
class Role:
    """A Role, or a ClusterRole where *cluster* is set and *namespace* is "".

    *aggregates* are labels: the rules of all cluster roles with one of the labels are gathered into this role.
    """

    name: str
    namespace: str = ""
    cluster: bool = False
    labels: Labels = ()
    owner: OwnerReference | None = None
    rules: tuple[PolicyRule, ...] | None = ()
    aggregates: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return "ClusterRole" if self.cluster else "Role"

    def to_dict(self) -> dict[str, Any]:
        """Return the object without ``apiVersion`` and ``kind``."""
        manifest: dict[str, Any] = {
            "metadata": _metadata(self.name, self.namespace, self.labels, self.owner),
            "rules": rules_to_list(self.rules),
        }
        if self.aggregates:
            selectors = [{"matchLabels": {label: "true"}} for label in self.aggregates]
            manifest["aggregationRule"] = {"clusterRoleSelectors": selectors}
        return manifest


@attrs.frozen
class Binding:
    """A RoleBinding or ClusterRoleBinding: *role* for the service account *account* of *account_namespace*."""

    role: Role
    account: str
    account_namespace: str = ""
    namespace: str = ""
    labels: Labels = ()
    owner: OwnerReference | None = None

    @property
    def kind(self) -> str:
        return f"{self.role.kind}Binding"

    def role_reference(self) -> dict[str, str]:
        """Return ``roleRef``: the role that is bound."""
        return {"apiGroup": RBAC_GROUP, "kind": self.role.kind, "name": self.role.name}

    def subjects(self) -> list[dict[str, str]]:
        """Return ``subjects``: the one service account."""
        subject = {"kind": "ServiceAccount", "name": self.account}
        if self.account_namespace:
            subject["namespace"] = self.account_namespace
        return [subject]

    def to_dict(self) -> dict[str, Any]:
        """Return the object without ``apiVersion`` and ``kind``."""
        return {
            "metadata": _metadata(self.role.name, self.namespace, self.labels, self.owner),
            "subjects": self.subjects(),
            "roleRef": self.role_reference(),
        }


def rbac_manifest(value: ServiceAccount | Role | Binding) -> Mapping[str, Any]:
    """Return the whole object, as ``kubectl apply`` takes it."""
    if isinstance(value, ServiceAccount):
        return {"apiVersion": "v1", "kind": "ServiceAccount"} | value.to_dict()
    return {"apiVersion": f"{RBAC_GROUP}/v1", "kind": value.kind} | value.to_dict()
