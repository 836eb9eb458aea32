"""Rights for install plans: what the service account of an operator group may not do of a plan.

A group can name an account (``spec.serviceAccountName``), with which OLM then carries out the plans of its namespace.
As recorded, definitions are created with OLM's own rights all the same; every other step needs the right to create the
object, and a role or the binding of one also the rights that it grants. OLM stops at the first step that is forbidden,
and tries it again until somebody grants the right. What a plan names and does not hold is not looked into.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve.cluster.objects import CustomResourceDefinition, OperatorGroup, Step
from olmsolve.cluster.rbac import PolicyRule, Rights, creation_of, rules_in
from olmsolve.cluster.state import ClusterState

ACCOUNT: Final = "ServiceAccount"
GRANTING: Final = frozenset({"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"})
"""The kinds of steps that give an operator its rights."""


def plan_account(groups: Iterable[OperatorGroup]) -> str:
    """Return the name of the account with which OLM carries out the plans of the namespace of *groups*; "" for OLM."""
    return next(filter(None, (group.service_account_name for group in groups)), "")


def plan_rights(namespace: str, state: ClusterState) -> Rights | None:
    """Return the rights with which OLM carries out the plans of *namespace*; None for its own, and for unknown ones."""
    account = plan_account(state.all(OperatorGroup, namespace))
    return Rights.of(state, namespace, account) if account else None


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
    for listed_step in steps:
        if (listed_step.kind, listed_step.name) == named:
            return rules_in(_manifest(listed_step)) or ()
    others = (other for other in state.others if (other.kind, other.name) == named)
    return next((rules_in(other.raw) or () for other in others), ())


def _manifest(step: Step) -> Mapping[str, Any]:
    try:
        manifest = json.loads(step.manifest)
    except (ValueError, RecursionError):
        return {}  # carrying out the step says so
    return manifest if isinstance(manifest, dict) else {}
