"""Faults of installations: webhooks that OLM refuses, and rights that the account of an operator group lacks.

As recorded, OLM looks at the webhooks of an operator before it installs anything of it, and fails the operator where
two have one name, or where one would see the requests for all API groups or for OLM's own. A webhook that converts
definitions takes an operator that serves all namespaces and nothing else. OLM begins anew after each failure, again and
again, so that the operator takes turns between its phases; it counts as Failed here. With a webhook whose deployment
the operator does not have, it comes as far as Installing each time. Objects that only have an operator's APIs, such as
a bundle of which the catalog has properties alone, tell nothing about webhooks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup
from olmsolve.cluster.rbac import Needed, Rights
from olmsolve.cluster.state import ClusterState

INVALID_WEBHOOK: Final = "InvalidWebhookDescription"
COMPONENT_FAILED: Final = "InstallComponentFailed"
NO_RETRY: Final = "InstallComponentFailedNoRetry"
BEGUN_ANEW: Final = frozenset({INVALID_WEBHOOK, COMPONENT_FAILED, NO_RETRY})
"""Reasons of a failure after which OLM begins anew until it succeeds."""

_WAITING: Final = "waiting for install components to report healthy"
_OLM_GROUP: Final = "operators.coreos.com"
_ADMISSION_GROUP: Final = "admissionregistration.k8s.io"
_ADMISSION: Final = frozenset({"*", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})


@attrs.frozen
class InstallFault:
    """The status of an operator that OLM cannot install: the *phase* that it gets to, with OLM's *reason* and why."""

    phase: str
    reason: str
    message: str


def webhook_fault(csv: ClusterServiceVersion) -> str:
    """Return OLM's message about the webhooks of *csv* that it refuses before installing anything; "" for none."""
    names: set[str] = set()
    for webhook in _webhooks(csv):
        name = str(webhook.get("generateName") or "")
        if name in names:
            return "CSV contains repeated WebhookDescription name"
        names.add(name)
        for rule in _mappings(webhook.get("rules")):
            groups = _texts(rule.get("apiGroups"))
            if "*" in groups:
                return "webhook rules cannot include all groups"
            if _OLM_GROUP in groups:
                return "webhook rules cannot include the OLM group"
            if _ADMISSION_GROUP in groups and not _ADMISSION.isdisjoint(_texts(rule.get("resources"))):
                named = "MutatingWebhookConfiguration or ValidatingWebhookConfiguration"
                return f"webhook rules cannot include {named} resources"
    return ""


def install_fault(csv: ClusterServiceVersion, group: OperatorGroup | None, state: ClusterState) -> InstallFault | None:
    """Return how OLM fails to install *csv*, which *group* lets act; None where nothing is known to keep it from it.

    The rights of the account that *group* names are looked up where *state* has roles and bindings.
    """
    deployments = {deployment.name for deployment in csv.install.deployments}
    for webhook in _webhooks(csv):
        if webhook.get("type") == "ConversionWebhook" and not _serves_all_alone(csv):
            why = "unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces"
            return InstallFault("Failed", COMPONENT_FAILED, f"install strategy failed: {why}")
        name = str(webhook.get("deploymentName") or "")
        if deployments and name not in deployments:
            named = f"webhook {webhook.get('generateName')} names deployment {name}, which the operator has not"
            return InstallFault("Installing", "InstallSucceeded", f"{_WAITING}: {named}")
    account = group.service_account_name if group is not None else ""
    if account and deployments:
        rights = Rights.of(state, csv.namespace, account)
        for verb in ("get", "create") if rights is not None else ():
            assert rights is not None
            refused = rights.refusal(Needed(verb, "apps", "deployments"))
            if refused:
                return InstallFault("Failed", NO_RETRY, f"install strategy failed: {refused}")
    return None


def _webhooks(csv: ClusterServiceVersion) -> Sequence[Mapping[str, Any]]:
    spec: Any = csv.raw.get("spec")
    return _mappings(spec.get("webhookdefinitions")) if isinstance(spec, Mapping) else ()


def _serves_all_alone(csv: ClusterServiceVersion) -> bool:
    modes = {mode.type for mode in csv.install_modes if mode.supported}
    return modes == {"AllNamespaces"}


def _mappings(value: object) -> Sequence[Mapping[str, Any]]:
    return [element for element in value if isinstance(element, Mapping)] if isinstance(value, list | tuple) else ()


def _texts(value: object) -> frozenset[str]:
    return frozenset(map(str, value)) if isinstance(value, list | tuple) else frozenset()
