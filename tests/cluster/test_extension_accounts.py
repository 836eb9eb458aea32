"""The account by which an extension installs: when a dump tells of it, and which rights a bundle needs.

What the controller says is held to recorded runs (tests/conformance/test_v1_runs.py); these are the cases beside them.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import olmsolve
from olmsolve import v1
from olmsolve.catalog import fbc

OLM = "olm.operatorframework.io/v1"
RBAC = "rbac.authorization.k8s.io"
EXTENSION = {
    "apiVersion": OLM,
    "kind": "ClusterExtension",
    "metadata": {"name": "shop"},
    "spec": {
        "namespace": "apps",
        "serviceAccount": {"name": "installer"},
        "source": {"sourceType": "Catalog", "catalog": {"packageName": "shop"}},
    },
}
CATALOG = {"apiVersion": OLM, "kind": "ClusterCatalog", "metadata": {"name": "cat"}, "spec": {}}


def account(name: str, namespace: str = "apps", **metadata: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": namespace, **metadata},
    }


def controller(image: str) -> dict[str, Any]:
    containers = [{"name": "manager", "image": image}]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "operator-controller-controller-manager", "namespace": "olmv1-system"},
        "spec": {"template": {"spec": {"containers": containers}}},
    }


def role(*rules: dict[str, Any], kind: str = "ClusterRole") -> list[dict[str, Any]]:
    """A role with *rules* for the installer and its binding; and a binding of the other kind, as every cluster has."""
    subject = {"kind": "ServiceAccount", "name": "installer", "namespace": "apps"}
    metadata = {"name": "limited", **({} if kind == "ClusterRole" else {"namespace": "apps"})}
    reference = {"apiGroup": RBAC, "kind": kind, "name": "limited"}
    other = "RoleBinding" if kind == "ClusterRole" else "ClusterRoleBinding"
    return [
        {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": metadata, "rules": list(rules)},
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": f"{kind}Binding",
            "metadata": metadata,
            "roleRef": reference,
            "subjects": [subject],
        },
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": other,
            "metadata": {"name": "other", "namespace": "kube-system"},
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "other"},
        },
    ]


def rule(verbs: str, group: str = "*", resources: str = "*", **more: list[str]) -> dict[str, Any]:
    return {"verbs": verbs.split(), "apiGroups": group.split(","), "resources": resources.split(), **more}


def resolved(*objects: dict[str, Any], rules: list[dict[str, Any]] | None = None, **gates: bool) -> str:
    """Return what becomes of the extension beside *objects*: its bundle, or the controller's words."""
    permissions = [{"serviceAccountName": "shop-sa", "rules": rules or []}]
    strategy = {"deployments": [{"name": "controller"}], "clusterPermissions": permissions}
    csv = {
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "shop.v1.0.0"},
        "spec": {
            "installModes": [{"type": "AllNamespaces", "supported": True}],
            "install": {"strategy": "deployment", "spec": strategy},
        },
    }
    properties = [
        {"type": "olm.package", "value": {"packageName": "shop", "version": "1.0.0"}},
        {"type": "olm.bundle.object", "value": {"data": base64.b64encode(json.dumps(csv).encode()).decode()}},
    ]
    bundle = {"schema": "olm.bundle", "package": "shop", "name": "shop.v1.0.0", "properties": properties}
    channel = {"schema": "olm.channel", "package": "shop", "name": "stable", "entries": [{"name": "shop.v1.0.0"}]}
    policy = olmsolve.Policy(feature_gates=gates)
    items = {"apiVersion": "v1", "kind": "List", "items": [EXTENSION, CATALOG, *objects]}
    situation = olmsolve.read_situation(items, catalogs={"cat": fbc.from_blobs([channel, bundle])}, policy=policy)
    request = situation.questions[0].request()
    assert isinstance(request, v1.ExtensionRequest)
    try:
        return v1.resolve(request).bundle
    except v1.ResolutionError as error:
        return str(error)


MISSING = (
    'operation cannot proceed due to the following validation error(s): service account "installer" not found in'
    ' namespace "apps"'
)


@pytest.mark.parametrize(
    ("objects", "outcome"),
    [
        ([], "shop.v1.0.0"),
        ([account("other")], "shop.v1.0.0"),
        ([account("other", uid="1")], MISSING),
        ([account("installer", "elsewhere", uid="1")], MISSING),
        ([account("installer"), account("other", uid="1")], "shop.v1.0.0"),
        ([account("other", uid="1"), controller("quay.io/operator-framework/operator-controller:v1.10.2")], MISSING),
        (
            [account("other", uid="1"), controller("quay.io/operator-framework/operator-controller:v1.11.0")],
            "shop.v1.0.0",
        ),
        ([account("other", uid="1"), controller("quay.io/openshift/operator-controller@sha256:ab")], MISSING),
    ],
    ids=[
        *("no accounts", "written by hand", "of a cluster", "in another namespace", "about to be made"),
        *("an older controller", "a newer controller", "an unknown controller"),
    ],
)
def test_a_missing_account(objects: list[dict[str, Any]], outcome: str) -> None:
    """A dump tells of accounts where it holds one of a cluster; from v1.11.0 on the controller ignores them."""
    assert resolved(*objects) == outcome


def test_rights_that_are_not_known_refuse_nothing() -> None:
    """A role that is not in the dump may grant anything; without bindings of both kinds nothing is known."""
    binding = role(rule("get"))[1:]
    assert resolved(*binding) == "shop.v1.0.0"
    assert resolved(*role(rule("get"))[:2]) == "shop.v1.0.0"


def test_a_right_to_make_does_not_tell_names_apart() -> None:
    """As in Kubernetes, ``create`` for one name allows nothing: the name is not known when the right is checked."""
    named = rule("create", resources="serviceaccounts", resourceNames=["shop-sa"])
    assert "cannot create resource" in resolved(*role(rule("get list watch"), named))


def test_missing_rules_are_told_piece_by_piece() -> None:
    """A rule over several resources is split, one line for the verbs on each; URLs and names stay by themselves."""
    granted = [
        rule("get list", "apps", "deployments replicasets"),
        rule("get", ",apps", "secrets", resourceNames=["one"]),
        {"verbs": ["get"], "nonResourceURLs": ["/metrics", "/healthz/*"]},
    ]
    everything = rule("get list watch create update patch delete", "*", "*")
    granted_rule = rule("get list", "apps", "deployments")
    text = resolved(
        *role(
            {**everything, "apiGroups": ["", RBAC, "apiextensions.k8s.io"]},
            everything | {"apiGroups": ["x"]},
            granted_rule,
        ),
        rules=granted,
        PreflightPermissions=True,
    )
    assert "APIGroups:[apps] Resources:[replicasets] Verbs:[get,list]" in text
    assert "APIGroups:[apps] Resources:[secrets] ResourceNames:[one] Verbs:[get]" in text
    assert "APIGroups:[] Resources:[secrets]" not in text, "it is held"
    assert "Verbs:[get] NonResourceURLs:[/healthz/*]" in text


def test_urls_and_parts_of_resources_are_covered_by_stars() -> None:
    """``/healthz/*`` covers what begins so, and ``*/finalizers`` the finalizers of every resource."""
    urls = {"verbs": ["get"], "nonResourceURLs": ["/healthz/*", "/metrics"]}
    apply = rule("get list watch create update patch delete", f",apps,{RBAC}", "serviceaccounts deployments")
    roles = rule("get list watch create update patch delete", RBAC, "clusterroles clusterrolebindings")
    finalizers = rule("update", OLM.partition("/")[0], "*/finalizers")
    granted = [{"verbs": ["get"], "nonResourceURLs": ["/healthz/live", "/metrics"]}]
    assert resolved(*role(urls, apply, roles, finalizers), rules=granted, PreflightPermissions=True) == "shop.v1.0.0"
    assert "/healthz/live" in resolved(*role(apply, roles, finalizers), rules=granted, PreflightPermissions=True)
    # Without the gate the API server refuses the role once the controller makes it, and names what is not held.
    assert '{NonResourceURLs:["/metrics"], Verbs:["get"]}' in resolved(*role(apply, roles), rules=granted)


def test_with_revisions_nothing_is_told_of_accounts() -> None:
    """What a controller with BoxcutterRuntime says of them was not recorded, and what is not known refuses nothing."""
    assert resolved(account("other", uid="1"), BoxcutterRuntime=True) == "shop.v1.0.0"
    assert resolved(*role(), BoxcutterRuntime=True, PreflightPermissions=True) == "shop.v1.0.0"
    assert "pre-authorization failed" in resolved(*role(), PreflightPermissions=True)
