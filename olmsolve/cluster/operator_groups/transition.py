"""One pass of OLM's controller over an operator: from its phase to the next one, by the rules around groups.

The objects do not show whether deployments are healthy and permissions are granted. The pass takes both to be in order:
an operator that is ``Pending`` for no other reason goes on. An operator that is being installed, or that failed for a
reason of that kind, stays as it is. Whether the cluster meets its requirements is for the caller to say
(:func:`olmsolve.cluster.unmet_on_cluster`).

An installation still fails because of webhooks that OLM refuses, or rights that the account of the group lacks. As
recorded, OLM looks at the webhooks of an operator before it installs anything of it, and fails the operator where two
have one name, or where one would see the requests for all API groups or for OLM's own. A webhook that converts
definitions takes an operator that serves all namespaces and nothing else.

OLM begins anew after each failure, again and again, so that the operator takes turns between its phases; it counts as
Failed here. With a webhook whose deployment the operator does not have, it comes as far as Installing each time.
Objects that only have an operator's APIs, such as a bundle of which the catalog has properties alone, say nothing about
webhooks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve.cluster.objects import (
    GROUP_ANNOTATION,
    NAMESPACE_ANNOTATION,
    TARGETS_ANNOTATION,
    ClusterServiceVersion,
    OperatorCondition,
    OperatorGroup,
)
from olmsolve.cluster.operator_groups.cluster_groups import ClusterGroups, Neighbours, owned_names
from olmsolve.cluster.operator_groups.group_apis import apis_in_group
from olmsolve.cluster.operator_groups.group_targets import target_annotation, target_namespaces
from olmsolve.cluster.operator_groups.membership import (
    CONFLICT,
    NO_TARGETS,
    RECOVERED,
    GroupReason,
    Refusal,
    group_of,
    mode_refusal,
)
from olmsolve.cluster.operator_updates import FAIL_FORWARD_STRATEGY, not_upgradeable, operators_after
from olmsolve.cluster.rbac import Needed, Rights
from olmsolve.cluster.requirements import REQUIREMENTS_NOT_MET
from olmsolve.cluster.state import ClusterState
from olmsolve.errors import ManifestError
from olmsolve.fields import mapping_or_empty, mappings_in, texts_in

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
        for rule in mappings_in(webhook.get("rules")):
            groups = texts_in(rule.get("apiGroups"))
            if "*" in groups:
                return "webhook rules cannot include all groups"
            if _OLM_GROUP in groups:
                return "webhook rules cannot include the OLM group"
            if _ADMISSION_GROUP in groups and not _ADMISSION.isdisjoint(texts_in(rule.get("resources"))):
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
        rights = Rights.of_account(state, csv.namespace, account)
        # OLM looks for the deployment first, so of both rights a missing get is the one in the message.
        for verb in ("get", "create") if rights is not None else ():
            assert rights is not None
            refused = rights.refusal(Needed(verb, "apps", "deployments"))
            if refused:
                return InstallFault("Failed", NO_RETRY, f"install strategy failed: {refused}")
    return None


def _webhooks(csv: ClusterServiceVersion) -> Sequence[Mapping[str, Any]]:
    return mappings_in(mapping_or_empty(csv.raw.get("spec")).get("webhookdefinitions"))


def _serves_all_alone(csv: ClusterServiceVersion) -> bool:
    return {mode.type for mode in csv.install_modes if mode.supported} == {"AllNamespaces"}


_OWNER: Final = "OwnerConflict"
_OWNER_CONFLICT: Final = {"CRD": "conflicting CRD owner in namespace", "APIService": "unable to adopt APIService"}


@attrs.frozen
class CsvStatus:
    """The status of an operator: its *phase*, with OLM's *reason* and *message*."""

    phase: str
    reason: str = ""
    message: str = ""


@attrs.frozen
class Transition:
    """The outcome of one pass over an operator: its new *status* and *annotations*.

    *error* is why the controller will repeat the pass, "" where it need not. *group_annotation* is the new
    ``olm.providedAPIs`` of the operator's group, None where that stays.
    """

    status: CsvStatus
    annotations: Mapping[str, str]
    error: str = ""
    group_annotation: str | None = None


def csv_transition(
    csv: ClusterServiceVersion, cluster: ClusterState | ClusterGroups, *, unmet: bool = False
) -> Transition:
    """Return the outcome of one pass over *csv* in *cluster*; *unmet* says that the cluster lacks what it requires.

    To judge many operators of one cluster, make its :class:`ClusterGroups` once and pass that. An operator whose group
    has a specification that cannot be read stays as it is: OLM never comes to judge it.
    """
    groups = cluster if isinstance(cluster, ClusterGroups) else ClusterGroups(cluster)
    status = CsvStatus(csv.phase, csv.reason, csv.message)
    annotations = csv.metadata.annotations
    if csv.is_copied:
        return Transition(status, annotations)
    group = group_of(csv.namespace, groups)
    if isinstance(group, Refusal):
        return Transition(_failed(group), annotations, group.message)
    if not _is_member(annotations, group):
        # The operator is annotated first, and looked at again when that is seen.
        if _selects_nothing(group, groups):
            status = _failed(NO_TARGETS)
        return Transition(status, _annotated(annotations, group))
    refusal = mode_refusal(csv, csv.namespace, sorted(group.namespaces))
    if refusal is not None:
        return Transition(_failed(refusal), annotations)
    apis = apis_in_group(csv, group, groups)
    if apis.refusal is not None:
        # OLM keeps the status of a conflict that it found before, also where a static group would refuse now.
        return Transition(status if csv.reason == CONFLICT.reason else _failed(apis.refusal), annotations)
    if apis.annotation is not None:
        # The group is annotated first; the operator waits until that is seen.
        return Transition(status, annotations, group_annotation=apis.annotation)
    neighbours = groups.neighbours(csv.namespace)
    judged = csv.phase == "Pending" or csv.reason == _OWNER
    conflict = _owner_conflict(csv, neighbours) if judged else ""
    following = _next_status(csv, group, groups, neighbours, conflict, unmet=unmet)
    error = conflict if following.reason == _OWNER else ""
    return Transition(following, annotations, error)


def _selects_nothing(group: OperatorGroup, groups: ClusterGroups) -> bool:
    try:
        return not target_namespaces(group, groups.namespaces)
    except ManifestError:
        # OLM logs the fault of the group, and does not blame the operator.
        return False


def _failed(refusal: Refusal) -> CsvStatus:
    return CsvStatus("Failed", refusal.reason.value, refusal.message)


def _is_member(annotations: Mapping[str, str], group: OperatorGroup) -> bool:
    """Return whether an operator's *annotations* name *group* and its current targets."""
    return bool(group.namespaces) and _expected(group).items() <= annotations.items()


def _expected(group: OperatorGroup) -> dict[str, str]:
    expected = {GROUP_ANNOTATION: group.name, NAMESPACE_ANNOTATION: group.namespace}
    if group.namespaces:
        expected[TARGETS_ANNOTATION] = target_annotation(group)
    return expected


def _annotated(annotations: Mapping[str, str], group: OperatorGroup) -> dict[str, str]:
    return {**annotations, **_expected(group)}


def _next_status(
    csv: ClusterServiceVersion,
    group: OperatorGroup,
    groups: ClusterGroups,
    neighbours: Neighbours,
    conflict: str,
    *,
    unmet: bool,
) -> CsvStatus:
    """Return the status that follows the status of *csv*, whose group lets it act."""
    if csv.phase == "":
        return CsvStatus("Pending", "RequirementsUnknown", "requirements not yet checked")
    if csv.phase == "Pending":
        return _after_pending(csv, groups, neighbours, conflict, unmet=unmet)
    if csv.phase == "Succeeded":
        newer = neighbours.replacing(csv)
        if newer is not None:
            return CsvStatus("Replacing", "BeingReplaced", f"being replaced by csv: {newer.name}")
        if unmet:
            return CsvStatus("Failed", REQUIREMENTS_NOT_MET, "requirements no longer met")
    elif csv.phase == "Failed":
        return _after_failed(csv, group, groups, neighbours, conflict, unmet=unmet)
    elif csv.phase == "Replacing":
        return _after_replacing(csv, neighbours)
    return CsvStatus(csv.phase, csv.reason, csv.message)


def _after_pending(
    csv: ClusterServiceVersion, groups: ClusterGroups, neighbours: Neighbours, conflict: str, *, unmet: bool
) -> CsvStatus:
    replaced = neighbours.replaced_by(csv)
    if replaced is not None:
        condition = groups.state.get(OperatorCondition, csv.namespace, replaced.name)
        refusal = not_upgradeable(condition)
        if refusal:
            message = f"operator is not upgradeable: {refusal}"
            return CsvStatus("Pending", "OperatorConditionNotUpgradeable", message)
    if unmet:
        return CsvStatus("Pending", REQUIREMENTS_NOT_MET, "one or more requirements couldn't be found")
    refused = webhook_fault(csv)
    if refused:
        return CsvStatus("Failed", INVALID_WEBHOOK, refused)
    if conflict:
        return CsvStatus("Failed", _OWNER, conflict)
    if replaced is not None and replaced.phase != "Replacing":
        # The replaced operator gives way first: until it is Replacing, this one waits.
        return CsvStatus(csv.phase, csv.reason, csv.message)
    return CsvStatus("InstallReady", "AllRequirementsMet", "all requirements found, attempting install")


def _owner_conflict(csv: ClusterServiceVersion, neighbours: Neighbours) -> str:
    """Return OLM's message that another operator owns an API of *csv*, "" where none does."""
    for name, kind in owned_names(csv).items():
        if neighbours.other_owner(csv, name) is not None:
            return _OWNER_CONFLICT[kind]
    return ""


def _after_failed(
    csv: ClusterServiceVersion,
    group: OperatorGroup,
    groups: ClusterGroups,
    neighbours: Neighbours,
    conflict: str,
    *,
    unmet: bool,
) -> CsvStatus:
    newer = neighbours.replacing(csv)
    if newer is not None and group.upgrade_strategy == FAIL_FORWARD_STRATEGY:
        message = f"Fail Forward is enabled, allowing {csv.phase} csv to be replaced by csv: {newer.name}"
        return CsvStatus("Replacing", "BeingReplaced", message)
    if csv.reason == _OWNER and not conflict:
        # Nothing of the operator is installed, which OLM notices: it begins anew.
        return CsvStatus("Pending", "NeedsReinstall", "the other owner of its APIs is gone")
    try:
        message = RECOVERED[GroupReason(csv.reason)]
    except (KeyError, ValueError):
        message = ""
    if message:
        return CsvStatus("Pending", "RequirementsUnknown", message)
    if unmet:
        return CsvStatus("Pending", REQUIREMENTS_NOT_MET, "requirements not met")
    if csv.reason == REQUIREMENTS_NOT_MET:
        return CsvStatus("Pending", "NeedsReinstall", "its requirements are met again")
    if _is_mended(csv, group, groups.state):
        return CsvStatus("Pending", "NeedsReinstall", "its installation can begin again")
    return CsvStatus(csv.phase, csv.reason, csv.message)


def _is_mended(csv: ClusterServiceVersion, group: OperatorGroup, state: ClusterState) -> bool:
    """Return whether *csv* failed for its webhooks or for missing rights, and the objects show no such fault now."""
    is_known = "webhook" in csv.message.lower() or (
        "forbidden" in csv.message and Rights.of_account(state, group.namespace, group.service_account_name) is not None
    )
    if csv.reason not in BEGUN_ANEW or not is_known:
        return False
    return not webhook_fault(csv) and install_fault(csv, group, state) is None


def _after_replacing(csv: ClusterServiceVersion, neighbours: Neighbours) -> CsvStatus:
    """Return ``Deleting`` for *csv* once a direct or later replacement works, the oldest of a chain first."""
    is_oldest = neighbours.replaced_by(csv) is None
    if is_oldest and any(newer.phase == "Succeeded" for newer in operators_after(csv, neighbours.replacing)):
        message = "has been replaced by a newer ClusterServiceVersion that has successfully installed."
        return CsvStatus("Deleting", "Replaced", message)
    return CsvStatus(csv.phase, csv.reason, csv.message)
