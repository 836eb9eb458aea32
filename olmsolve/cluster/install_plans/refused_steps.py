"""The steps of an install plan that OLM does not carry out: by their kind, or by the rights of the account of the plan.

Any kind that OLM does not install fails the plan. An operator group can name an account (``spec.serviceAccountName``),
with which OLM then carries out the plans of its namespace. As recorded, definitions are created with OLM's own rights
all the same; every other step needs the right to create the object, and a role or the binding of one also the rights
that it grants. OLM stops at the first step that is forbidden, and tries it again until somebody grants the right. An
object that the plan only names, such as a bundle's manifests in a ConfigMap, is not examined.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve.cluster.objects import CustomResourceDefinition, OperatorGroup, Step
from olmsolve.cluster.rbac import PolicyRule, Rights, creation_of, rules_in
from olmsolve.cluster.state import ClusterState
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


ACCOUNT: Final = "ServiceAccount"
GRANTING: Final = frozenset({"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"})
"""The kinds of steps that give an operator its rights."""


def plan_account(groups: Iterable[OperatorGroup]) -> str:
    """Return the name of the account with which OLM carries out the plans of the namespace of *groups*; "" for OLM."""
    return next(filter(None, (group.service_account_name for group in groups)), "")


def plan_rights(namespace: str, state: ClusterState) -> Rights | None:
    """Return the rights with which OLM carries out the plans of *namespace*; None for its own, and for unknown ones."""
    account = plan_account(state.all(OperatorGroup, namespace))
    return Rights.of_account(state, namespace, account) if account else None


def step_refusal(step: Step, steps: Sequence[Step], rights: Rights, state: ClusterState) -> str:
    """Return OLM's message where *rights* do not allow *step*, one of the *steps* of a plan; "" where they do."""
    if step.kind == CustomResourceDefinition.KIND:
        return ""
    if step.kind in GRANTING:
        refused = rights.refusal_to_grant(step.kind, step.name, _granted(step, steps, state))
    else:
        refused = rights.refusal(creation_of(step.kind, step.group))
    return f"error creating {step.kind} {step.name}: {refused}" if refused else ""


def forbidden_steps(steps: Sequence[Step], rights: Rights, state: ClusterState) -> Iterator[tuple[Step, str]]:
    """Yield each of the *steps* that *rights* do not allow, with OLM's message."""
    for step in steps:
        refused = step_refusal(step, steps, rights, state)
        if refused:
            yield step, refused


def _granted(step: Step, steps: Sequence[Step], state: ClusterState) -> tuple[PolicyRule, ...]:
    """Return the rules that *step*, a role or the binding of one, grants; none where its manifest is elsewhere."""
    manifest = _manifest(step)
    if not step.kind.endswith("Binding"):
        return rules_in(manifest) or ()
    reference = manifest.get("roleRef")
    if not isinstance(reference, dict):
        return ()
    named = reference.get("kind"), reference.get("name")
    for role in steps:
        if (role.kind, role.name) == named:
            return rules_in(_manifest(role)) or ()
    others = (other for other in state.others if (other.kind, other.name) == named)
    return next((rules_in(other.raw) or () for other in others), ())


def _manifest(step: Step) -> Mapping[str, Any]:
    try:
        manifest = json.loads(step.manifest)
    except (ValueError, RecursionError):
        return {}  # carrying out the step says so
    return manifest if isinstance(manifest, dict) else {}
