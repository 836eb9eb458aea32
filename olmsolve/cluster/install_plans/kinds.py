"""The kinds of objects that OLM installs from a bundle: any other kind fails the plan."""

from __future__ import annotations

from typing import Final

from olmsolve.semver import Version

_OWN: Final = ("ClusterServiceVersion", "Subscription", "CustomResourceDefinition", "BundleSecret")
_CORE: Final = (
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "Role",
    "RoleBinding",
    "Secret",
    "Service",
    "ServiceAccount",
)
_BUILT_IN: Final = ("NetworkPolicy", "PodDisruptionBudget", "PriorityClass")
_OPTIONAL: Final = (
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "ConsoleQuickStart",
    "ConsoleYAMLSample",
    "PrometheusRule",
    "ServiceMonitor",
    "VerticalPodAutoscaler",
)
# The first Kubernetes 1.x that no longer serves an API, as its Deprecated API Migration Guide lists them. As recorded,
# only these kinds matter: OLM creates accounts, roles and bindings by the version of the API that it knows itself.
_REMOVED_IN: Final = {
    ("extensions/v1beta1", "NetworkPolicy"): 16,
    ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition"): 22,
    ("scheduling.k8s.io/v1alpha1", "PriorityClass"): 22,
    ("scheduling.k8s.io/v1beta1", "PriorityClass"): 22,
    ("policy/v1beta1", "PodDisruptionBudget"): 25,
}
_INSTALLABLE: Final = frozenset((*_OWN, *_CORE, *_BUILT_IN, *_OPTIONAL))
_DEFINED_BY_OTHERS: Final = frozenset(_OPTIONAL)

STEP_DONE: Final = frozenset({"Created", "Present"})
"""The statuses of a step that OLM has carried out, and does not take again."""

INVALID_PLAN: Final = "the InstallPlan contains invalid data"
"""OLM's message for a plan with a step of a kind that it does not install."""


def is_installable(kind: str) -> bool:
    """Return whether OLM carries out a step of *kind*; as recorded, the steps before another kind are carried out."""
    return kind in _INSTALLABLE


def needs_definition(kind: str) -> bool:
    """Return whether *kind* exists only on clusters on which somebody has defined it, such as ServiceMonitor."""
    return kind in _DEFINED_BY_OTHERS


def removed_in(version: str, kind: str) -> Version | None:
    """Return the first Kubernetes that does not serve *kind* in the API *version* (``policy/v1beta1``) any more.

    None stands for a kind that OLM installs on every Kubernetes, or whose API another program serves.
    """
    minor = _REMOVED_IN.get((version, kind))
    return Version(1, minor, 0) if minor is not None else None
