"""The rights that an installed operator brings: objects, their names, and roles for people. All pure functions.

Read in this order: ``objects`` (accounts, roles and bindings as values), ``names`` (the hashes in their names),
``permissions`` (from a ClusterServiceVersion's permissions to objects), ``cluster_roles`` (roles for people).
"""

from olmsolve.cluster.rbac.cluster_roles import CrdRoles, crd_cluster_roles, group_cluster_roles
from olmsolve.cluster.rbac.names import api_hash, fnv1a_64, generated_name, object_hash
from olmsolve.cluster.rbac.objects import (
    RBAC_GROUP,
    Binding,
    Permission,
    PolicyRule,
    Role,
    ServiceAccount,
    manifest,
)
from olmsolve.cluster.rbac.permissions import AccountPermissions, PermissionRequests, operator_permissions

__all__ = [
    "RBAC_GROUP",
    "AccountPermissions",
    "Binding",
    "CrdRoles",
    "Permission",
    "PermissionRequests",
    "PolicyRule",
    "Role",
    "ServiceAccount",
    "api_hash",
    "crd_cluster_roles",
    "fnv1a_64",
    "generated_name",
    "group_cluster_roles",
    "manifest",
    "object_hash",
    "operator_permissions",
]
