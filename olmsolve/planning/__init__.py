"""Plans for the namespaces of a cluster: what OLM would write, from the cluster's objects and its catalogs."""

from olmsolve.planning.contents import new_operator
from olmsolve.planning.namespaces import Content, NamespaceObjects, plan_namespace, resolve_steps

__all__ = ["Content", "NamespaceObjects", "new_operator", "plan_namespace", "resolve_steps"]
