"""The kinds of objects that OLM installs from a bundle: any other kind fails the plan."""

from __future__ import annotations

from typing import Final

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
