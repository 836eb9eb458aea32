"""From a ClusterServiceVersion's permissions to the objects that OLM creates for them.

As recorded: one ServiceAccount for each account; a Role with its RoleBinding in the operator's namespace for each
permission; a ClusterRole with its ClusterRoleBinding for each cluster permission.
"""

from __future__ import annotations

from typing import Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, evolve, field, record
from olmsolve.cluster.objects import OLM_API_VERSION, OwnerReference
from olmsolve.cluster.rbac.names import generated_name, object_hash
from olmsolve.cluster.rbac.objects import (
    Binding,
    Labels,
    Permission,
    Role,
    ServiceAccount,
    rules_to_list,
)
from olmsolve.errors import ManifestError
from olmsolve.fields import Fields

_KIND: Final = "ClusterServiceVersion"
_STRATEGY: Final = "deployment"


@attrs.frozen
class PermissionRequests:
    """The permissions that a ClusterServiceVersion requires, and its identity, which owns the objects.

    *strategy* is the name of its install strategy; only ``deployment`` can carry permissions.
    """

    name: str
    namespace: str = ""
    uid: str = ""
    api_version: str = OLM_API_VERSION
    kind: str = _KIND
    strategy: str = "deployment"
    permissions: tuple[Permission, ...] = ()
    cluster_permissions: tuple[Permission, ...] = ()

    @classmethod
    def of(cls, fields: Fields) -> PermissionRequests:
        """Return the requests in *fields*, the manifest of a ClusterServiceVersion.

        Raises:
            ManifestError: a field has a value of the wrong type.
        """
        metadata, install = fields.part("metadata"), fields.part("spec").part("install")
        spec = install.part("spec")
        return cls(
            name=metadata.text("name"),
            namespace=metadata.text("namespace"),
            uid=metadata.text("uid"),
            api_version=fields.text("apiVersion"),
            kind=fields.text("kind"),
            strategy=install.text("strategy"),
            permissions=tuple(map(Permission.of, spec.parts("permissions"))),
            cluster_permissions=tuple(map(Permission.of, spec.parts("clusterPermissions"))),
        )


@record
class AccountPermissions(Record):
    """The objects for one service account."""

    account: ServiceAccount = field("The account.", path="ServiceAccount")
    roles: tuple[Role, ...] = field("Its roles.", path="Roles", default=())
    bindings: tuple[Binding, ...] = field("The bindings of the roles, in their order.", path="RoleBindings", default=())
    cluster_roles: tuple[Role, ...] = field("Its roles in the whole cluster.", path="ClusterRoles", default=())
    cluster_bindings: tuple[Binding, ...] = field(
        "The bindings of these, in their order.", path="ClusterRoleBindings", default=()
    )


def operator_permissions(operator: PermissionRequests) -> dict[str, AccountPermissions]:
    """Return the objects for the permissions of *operator*, by the name of the service account.

    As recorded, an account that only cluster permissions name has no namespace.

    Raises:
        ManifestError: the install strategy is not ``deployment``, which alone carries permissions.
    """
    if operator.strategy != _STRATEGY:
        raise ManifestError(
            "unrecognized install strategy", field="spec.install.strategy", kind=_KIND, object=operator.name
        )
    owner = OwnerReference(operator.kind, operator.name, operator.uid, operator.api_version)
    granted: dict[str, AccountPermissions] = {}
    for permission in operator.permissions:
        name = permission.service_account
        account = ServiceAccount(name, operator.namespace, owner)
        so_far = granted.setdefault(name, AccountPermissions(account))
        role = Role(
            generated_name(f"{operator.name}-{name}", {"name": operator.name, "permission": permission.to_dict()}),
            namespace=operator.namespace,
            labels=_labels(operator, object_hash(rules_to_list(permission.rules))),
            owner=owner,
            rules=permission.rules,
        )
        granted[name] = evolve(
            so_far, roles=(*so_far.roles, role), bindings=(*so_far.bindings, _binding(operator, role, name, owner))
        )
    for permission in operator.cluster_permissions:
        name = permission.service_account
        so_far = granted.setdefault(name, AccountPermissions(ServiceAccount(name, "", owner)))
        hashed = {"name": operator.name, "namespace": operator.namespace, "permission": permission.to_dict()}
        role = Role(
            generated_name(operator.name, {key: value for key, value in hashed.items() if value != ""}),
            cluster=True,
            labels=_labels(operator, object_hash(rules_to_list(permission.rules))),
            rules=permission.rules,
        )
        granted[name] = evolve(
            so_far,
            cluster_roles=(*so_far.cluster_roles, role),
            cluster_bindings=(*so_far.cluster_bindings, _binding(operator, role, name, None)),
        )
    return granted


def _binding(operator: PermissionRequests, role: Role, account: str, owner: OwnerReference | None) -> Binding:
    binding = Binding(role, account, operator.namespace, operator.namespace, owner=owner)
    # OLM hashes its Go struct, whose fields have capitals in JSON: RoleRef, not roleRef.
    digest = object_hash({"RoleRef": binding.role_reference(), "Subjects": binding.subjects()})
    return attrs.evolve(binding, labels=_labels(operator, digest))


def _labels(operator: PermissionRequests, digest: str) -> Labels:
    return (
        ("olm.owner", operator.name),
        ("olm.owner.kind", _KIND),
        ("olm.owner.namespace", operator.namespace),
        ("olm.permissions.hash", digest),
    )
