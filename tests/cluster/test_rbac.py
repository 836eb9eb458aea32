"""Rights that an installed operator brings: names with hashes of the rules, and cluster roles for people."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.cluster import go_json
from olmsolve.cluster.objects import CrdDescription
from olmsolve.cluster.rbac import (
    PermissionRequests,
    PolicyRule,
    crd_cluster_roles,
    generated_name,
    group_cluster_roles,
    object_hash,
    operator_permissions,
    rbac_manifest,
)
from olmsolve.errors import ManifestError
from olmsolve.fields import Fields
from olmsolve.predicates import GVK

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def csv(**spec: Any) -> PermissionRequests:
    return PermissionRequests.of(
        Fields.read(
            {
                "apiVersion": "operators.coreos.com/v1alpha1",
                "kind": "ClusterServiceVersion",
                "metadata": {"name": "op.v1", "namespace": "ns", "uid": "u"},
                "spec": {"install": {"strategy": "deployment", "spec": spec}},
            }
        )
    )


def rules(*verbs: str) -> list[dict[str, Any]]:
    return [{"verbs": list(verbs), "apiGroups": [""], "resources": ["pods"]}]


@given(st.text(max_size=80), st.text(max_size=20))
def test_hashes_say_what_sha_224_says(base: str, value: str) -> None:
    """The digits, read back as a number, are the hash of the text and a newline."""
    name = generated_name(base, value)
    ending = name.rpartition("-")[2]
    number = 0
    for digit in ending:
        number = number * 62 + DIGITS.index(digit)
    expected = hashlib.sha224((go_json(value) + "\n").encode()).digest()
    assert number == int.from_bytes(expected, "big")
    assert len(name.encode()) <= 64
    assert name.startswith(base) or len(base.encode()) + len(ending) > 63


@given(st.text())
def test_text_is_escaped_as_go_does(text: str) -> None:
    """Characters that Go escapes are escaped, and the JSON still means the same text."""
    import json

    written = go_json(text)
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == text


def test_half_surrogates_are_replaced() -> None:
    """Go's strings cannot hold them, and neither can UTF-8."""
    assert go_json("a\ud800b") == '"a\\ufffdb"'


def test_empty_and_absent_rules_have_different_names() -> None:
    """``rules: []`` and no rules are one thing to Kubernetes, but not to the hash."""
    absent, empty = PolicyRule(), PolicyRule(())
    assert object_hash(absent.to_dict()) != object_hash(empty.to_dict())
    cases: list[dict[str, Any]] = [{}, {"rules": None}, {"rules": []}]
    names = {
        operator_permissions(csv(permissions=[{"serviceAccountName": "sa", **case}]))["sa"].roles[0].name
        for case in cases
    }
    assert len(names) == 2


def test_one_account_may_ask_twice() -> None:
    """Each permission becomes a role of its own; the account is written once."""
    granted = operator_permissions(
        csv(
            permissions=[
                {"serviceAccountName": "sa", "rules": rules("get")},
                {"serviceAccountName": "sa", "rules": rules("list")},
            ],
            clusterPermissions=[{"serviceAccountName": "sa", "rules": rules("get")}],
        )
    )
    assert list(granted) == ["sa"]
    permissions = granted["sa"]
    assert [role.kind for role in (*permissions.roles, *permissions.cluster_roles)] == ["Role", "Role", "ClusterRole"]
    assert len({role.name for role in permissions.roles}) == 2
    assert [binding.role for binding in permissions.bindings] == list(permissions.roles)
    whole = rbac_manifest(permissions.cluster_bindings[0])
    assert (whole["apiVersion"], whole["kind"]) == ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding")
    assert rbac_manifest(permissions.account)["apiVersion"] == "v1"


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"permissions": {}}, "spec.install.spec.permissions"),
        ({"permissions": [{"rules": [5]}]}, "spec.install.spec.permissions[0].rules[0]"),
        ({"permissions": [{"rules": [{"verbs": "get"}]}]}, "spec.install.spec.permissions[0].rules[0].verbs"),
        (
            {"clusterPermissions": [{"serviceAccountName": 5}]},
            "spec.install.spec.clusterPermissions[0].serviceAccountName",
        ),
    ],
    ids=["no list", "no rule", "text for verbs", "a number for a name"],
)
def test_permissions_that_are_none_are_named(spec: dict[str, Any], field: str) -> None:
    """The field must lead to the mistake in a manifest of a thousand lines."""
    with pytest.raises(ManifestError) as refused:
        csv(**spec)
    assert refused.value.field == field


def test_only_deployments_carry_permissions() -> None:
    """Another strategy is refused, as recorded: OLM knows no meaning for its permissions."""
    other = PermissionRequests("op.v1", strategy="helm")
    with pytest.raises(ManifestError, match="unrecognized install strategy"):
        operator_permissions(other)


def test_group_roles_do_not_depend_on_the_order_of_apis() -> None:
    """APIs are a set: the same group must not get new roles because a list was written another way."""
    apis = [GVK("g.io", "v1", "A"), GVK("g.io", "v1", "B"), GVK("g.io", "v1", "A")]
    assert group_cluster_roles("og", "ns", apis) == group_cluster_roles("og", "ns", reversed(apis))
    (admin, *_) = group_cluster_roles("og", "ns", apis)
    assert len(admin.aggregates) == 2
    assert group_cluster_roles("og", "ns", [])[0].to_dict().keys() == {"metadata", "rules"}


def test_long_group_names_leave_room_for_the_hash() -> None:
    """Kubernetes takes 253 characters; groups that differ after that still get roles of their own."""
    names = {role.name for end in "ab" for role in group_cluster_roles("g" * 252 + end, "ns", [])}
    assert len(names) == 6
    assert {len(name) for name in names} == {253}


def test_roles_of_crds_stop_at_the_first_that_is_missing() -> None:
    """As recorded: the roles before it are written, and the pass is repeated."""
    owned = [
        CrdDescription("as.g.io", "v1", "A"),
        CrdDescription("bs.g.io", "v1", "B"),
        CrdDescription("cs.g.io", "v1", "C"),
    ]
    roles = crd_cluster_roles(owned, {"as.g.io": "u", "cs.g.io": "u"})
    assert {role.name.partition("-")[0] for role in roles.roles} == {"as.g.io"}
    assert '"bs.g.io" not found' in roles.error


def test_a_crd_that_is_owned_twice_has_its_roles_once() -> None:
    """They have one name, so the later replaces the earlier: there cannot be two objects of one name."""
    twice = [
        CrdDescription("as.g.io", "v1", "A"),
        CrdDescription("as.g.io", "v1", "B"),
        CrdDescription("as.g.io", "v2", "B"),
    ]
    roles = crd_cluster_roles(twice, {"as.g.io": "u"}).roles
    assert roles == crd_cluster_roles(twice[1:], {"as.g.io": "u"}).roles
    assert len({role.name for role in roles}) == len(roles) == 8
