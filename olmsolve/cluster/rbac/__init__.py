"""The rights that installing operators brings: objects, their names, and roles for people. All pure functions."""

from olmsolve.cluster.rbac.cluster_roles import CrdRoles, OwnedCrd, crd_cluster_roles, group_cluster_roles
from olmsolve.cluster.rbac.names import generated_name, object_hash
from olmsolve.cluster.rbac.objects import (
    Binding,
    OwnerReference,
    Permission,
    PolicyRule,
    Role,
    ServiceAccount,
    manifest,
)
from olmsolve.cluster.rbac.operator_permissions import AccountPermissions, PermissionRequests, operator_permissions

__all__ = [
    "AccountPermissions",
    "Binding",
    "CrdRoles",
    "OwnedCrd",
    "OwnerReference",
    "Permission",
    "PermissionRequests",
    "PolicyRule",
    "Role",
    "ServiceAccount",
    "crd_cluster_roles",
    "generated_name",
    "group_cluster_roles",
    "manifest",
    "object_hash",
    "operator_permissions",
]
