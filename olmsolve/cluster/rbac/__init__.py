"""The rights that an installed operator brings: objects, their names, and roles for people. All pure functions.

Read in this order: ``objects`` (accounts, roles and bindings as values), ``created_objects`` (which of them OLM creates
for an operator and for the people who use its APIs), ``rights`` (what an account may do, by the roles and bindings of a
cluster).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster.rbac.created_objects import AccountPermissions as AccountPermissions
    from olmsolve.cluster.rbac.created_objects import CrdRoles as CrdRoles
    from olmsolve.cluster.rbac.created_objects import PermissionRequests as PermissionRequests
    from olmsolve.cluster.rbac.created_objects import api_hash as api_hash
    from olmsolve.cluster.rbac.created_objects import crd_cluster_roles as crd_cluster_roles
    from olmsolve.cluster.rbac.created_objects import fnv1a_64 as fnv1a_64
    from olmsolve.cluster.rbac.created_objects import generated_name as generated_name
    from olmsolve.cluster.rbac.created_objects import group_cluster_roles as group_cluster_roles
    from olmsolve.cluster.rbac.created_objects import object_hash as object_hash
    from olmsolve.cluster.rbac.created_objects import operator_permissions as operator_permissions
    from olmsolve.cluster.rbac.objects import RBAC_GROUP as RBAC_GROUP
    from olmsolve.cluster.rbac.objects import Binding as Binding
    from olmsolve.cluster.rbac.objects import Permission as Permission
    from olmsolve.cluster.rbac.objects import PolicyRule as PolicyRule
    from olmsolve.cluster.rbac.objects import Role as Role
    from olmsolve.cluster.rbac.objects import ServiceAccount as ServiceAccount
    from olmsolve.cluster.rbac.objects import rbac_manifest as rbac_manifest
    from olmsolve.cluster.rbac.rights import Needed as Needed
    from olmsolve.cluster.rbac.rights import Rights as Rights
    from olmsolve.cluster.rbac.rights import creation_of as creation_of
    from olmsolve.cluster.rbac.rights import rules_in as rules_in
else:
    __getattr__, __dir__ = lazily(__name__)
