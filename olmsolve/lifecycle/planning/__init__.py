"""Plans for the namespaces of a cluster: what OLM would write, from the cluster's objects and its catalogs."""

from olmsolve.lifecycle.planning.clusters import Contents, plan_cluster_namespace
from olmsolve.lifecycle.planning.constraint_words import unsatisfiable_words
from olmsolve.lifecycle.planning.contents import new_operator
from olmsolve.lifecycle.planning.namespaces import Content, NamespaceObjects, plan_namespace, resolve_steps
from olmsolve.lifecycle.planning.open_channels import open_channel_fault

__all__ = [
    "Content",
    "Contents",
    "NamespaceObjects",
    "new_operator",
    "open_channel_fault",
    "plan_cluster_namespace",
    "plan_namespace",
    "resolve_steps",
    "unsatisfiable_words",
]
