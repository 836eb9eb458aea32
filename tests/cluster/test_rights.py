"""Rights of service accounts, and webhooks that OLM refuses: what the recorded runs do not meet."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve.cluster import ClusterState, holders, is_deleted
from olmsolve.cluster.objects import ClusterServiceVersion, read_manifests
from olmsolve.cluster.operator_groups import webhook_fault
from olmsolve.cluster.rbac import Needed, PolicyRule, Rights, creation_of

RBAC = "rbac.authorization.k8s.io/v1"
CONFIG_MAPS = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}


def role(name: str, *rules: Any, namespace: str = "ns", **more: Any) -> dict[str, Any]:
    kind = "Role" if namespace else "ClusterRole"
    about = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": RBAC, "kind": kind, "metadata": about, "rules": list(rules), **more}


def binding(name: str, subject: dict[str, str], *, role: str = "", namespace: str = "ns") -> dict[str, Any]:
    """A binding of *name* to the role of that name."""
    kind = "Role" if namespace else "ClusterRole"
    about = {"name": name, **({"namespace": namespace} if namespace else {})}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role or name}
    return {
        "apiVersion": RBAC,
        "kind": f"{kind}Binding",
        "metadata": about,
        "roleRef": reference,
        "subjects": [subject],
    }


POOR = {"kind": "ServiceAccount", "name": "poor", "namespace": "ns"}
OTHERS = (
    binding("elsewhere", {**POOR, "namespace": "other"}, namespace="other"),
    binding("cluster-admin", {"kind": "Group", "name": "system:masters"}, namespace=""),
)


def rights(*objects: dict[str, Any]) -> Rights:
    account_rights = Rights.of_account(state(*OTHERS, *objects), "ns", "poor")
    assert account_rights is not None
    return account_rights


def state(*objects: dict[str, Any]) -> ClusterState:
    return ClusterState.of(read_manifests((object_, None) for object_ in objects))


CREATE = Needed("create", "", "configmaps")


def test_nothing_is_known_without_bindings() -> None:
    """Every cluster has bindings of both kinds: a dump without one kind was made without it."""
    assert Rights.of_account(state(), "ns", "poor") is None
    assert Rights.of_account(state(OTHERS[0]), "ns", "poor") is None
    assert Rights.of_account(state(OTHERS[1]), "ns", "poor") is None


def test_what_no_role_allows_is_refused_in_the_words_of_the_api_server() -> None:
    """As recorded, in the namespace and at the cluster scope."""
    account_rights = rights()
    assert account_rights.refusal(CREATE) == (
        'configmaps is forbidden: User "system:serviceaccount:ns:poor" cannot create resource "configmaps"'
        ' in API group "" in the namespace "ns"'
    )
    assert account_rights.refusal(creation_of("ClusterRole", "rbac.authorization.k8s.io")).endswith(
        "at the cluster scope"
    )


@pytest.mark.parametrize(
    "subject",
    [
        POOR,
        {"kind": "Group", "name": "system:serviceaccounts:ns"},
        {"kind": "Group", "name": "system:authenticated"},
        {"kind": "User", "name": "system:serviceaccount:ns:poor"},
    ],
    ids=lambda subject: subject["name"],
)
def test_an_account_has_the_roles_that_are_bound_to_it(subject: dict[str, str]) -> None:
    """Also as a member of the groups of all accounts, and under its name as a user."""
    assert not rights(role("maps", CONFIG_MAPS), binding("maps", subject)).refusal(CREATE)
    assert rights(role("maps", CONFIG_MAPS), binding("maps", {**subject, "name": "x"})).refusal(CREATE)


def test_a_role_of_the_cluster_counts_everywhere_and_another_only_in_its_namespace() -> None:
    """A RoleBinding in another namespace grants nothing here."""
    wide = role("maps", CONFIG_MAPS, namespace=""), binding("maps", POOR, namespace="")
    assert not rights(*wide).refusal(CREATE)
    other = role("maps", CONFIG_MAPS, namespace="other"), binding("maps", POOR, namespace="other")
    assert rights(*other).refusal(CREATE)


def test_rules_for_names_count_for_these_alone() -> None:
    """Creation has no name to compare, so that such a rule allows none."""
    named = role("one", {**CONFIG_MAPS, "resourceNames": ["a"]})
    account_rights = rights(named, binding("one", POOR))
    assert account_rights.refusal(CREATE)
    assert not account_rights.refusal(CREATE, "a")


@pytest.mark.parametrize(
    "objects",
    [
        (binding("missing", POOR),),
        (role("broken", {"verbs": 7}), binding("broken", POOR)),
        (role("sum", aggregationRule={"clusterRoleSelectors": []}, namespace=""), binding("sum", POOR, namespace="")),
        ({**binding("odd", POOR), "subjects": 7},),
    ],
    ids=["role missing", "role broken", "aggregated", "binding broken"],
)
def test_what_cannot_be_known_allows_everything(objects: tuple[dict[str, Any], ...]) -> None:
    """No plan is said to be forbidden on a guess."""
    assert not rights(*objects).refusal(CREATE)


def test_the_administrators_role_is_known_without_its_object() -> None:
    """Kubernetes makes it."""
    account_rights = rights(binding("mine", POOR, role="cluster-admin", namespace=""))
    assert not account_rights.refusal(CREATE)
    assert not account_rights.refusal_to_grant(
        "ClusterRole", "any", [PolicyRule(("get",), ("*",), ("*",), None, ("*",))]
    )


GRANTING = {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"], "verbs": ["create"]}


def test_nobody_grants_what_he_does_not_hold() -> None:
    """A role needs all rights that it grants, or the right to escalate; a binding the right to bind."""
    rules = [PolicyRule(("create",), ("",), ("configmaps",))]
    poor = rights(role("grant", GRANTING), binding("grant", POOR))
    assert poor.refusal_to_grant("Role", "new", rules) == (
        'roles.rbac.authorization.k8s.io "new" is forbidden: user "system:serviceaccount:ns:poor" is attempting to'
        " grant RBAC permissions not currently held: verbs create; apiGroups ''; resources configmaps"
    )
    holding = rights(role("grant", GRANTING, CONFIG_MAPS), binding("grant", POOR))
    assert not holding.refusal_to_grant("Role", "new", rules)
    escalating = {**GRANTING, "verbs": ["create", "escalate", "bind"]}
    free = rights(role("grant", escalating), binding("grant", POOR))
    assert not free.refusal_to_grant("Role", "new", rules)
    assert not free.refusal_to_grant("RoleBinding", "new", rules)
    assert "cannot create" in rights().refusal_to_grant("Role", "new", rules)


def test_plurals_are_formed_by_the_usual_rule() -> None:
    """The API server authorises resources, and a plan names kinds."""
    kinds = ("NetworkPolicy", "PriorityClass", "Ingress")
    assert [creation_of(kind, "").resource for kind in kinds] == ["networkpolicies", "priorityclasses", "ingresses"]


def operator(*webhooks: Any) -> ClusterServiceVersion:
    manifest = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "e.v1", "namespace": "ns", "deletionTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"webhookdefinitions": list(webhooks)},
    }
    (csv,) = read_manifests([(manifest, None)])
    assert isinstance(csv, ClusterServiceVersion)
    return csv


def test_webhooks_may_not_see_admission_itself() -> None:
    """A webhook that changes the configurations of webhooks could lock everybody out."""
    rule = {"apiGroups": ["admissionregistration.k8s.io"], "resources": ["*"]}
    assert webhook_fault(operator({"generateName": "a", "rules": [rule]})) == (
        "webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources"
    )
    assert webhook_fault(operator({"generateName": "a", "rules": [{**rule, "resources": ["other"]}]})) == ""
    assert webhook_fault(operator(7, {"generateName": "a", "rules": 7})) == ""


def test_finalizers_of_others_hold_what_is_deleted() -> None:
    """OLM takes its own off, and the API server those of kinds of deletion."""
    version = operator()
    assert is_deleted(version)
    assert holders(version) == ()
    version.raw["metadata"]["finalizers"] = ["operators.coreos.com/csv-cleanup", "example.com/hold", "orphan"]
    assert holders(version) == ("example.com/hold",)
