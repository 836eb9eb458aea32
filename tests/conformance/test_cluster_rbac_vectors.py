"""Recorded rights: names that are hashes, the objects of permissions, and cluster roles for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from olmsolve.cluster import go_json
from olmsolve.cluster.objects import CrdDescription
from olmsolve.cluster.rbac import (
    Permission,
    PermissionRequests,
    Role,
    crd_cluster_roles,
    generated_name,
    group_cluster_roles,
    operator_permissions,
)
from olmsolve.errors import ManifestError
from olmsolve.fields import Fields
from olmsolve.predicates import GVK
from tests.recorded_rules import rule_records


def test_names_are_made_as_recorded() -> None:
    """A name that differs in one character leaves the old role behind and grants the rights twice."""
    for record in rule_records("rbac_names"):
        given = record["in"]
        assert go_json(given["object"]) == given["json"], record["id"]
        assert generated_name(given["base"], given["object"]) == record["out"]["name"], record["id"]


def _requests(csv: Mapping[str, Any]) -> PermissionRequests:
    return PermissionRequests(
        name=csv["name"],
        namespace=csv["namespace"],
        uid=csv["uid"],
        api_version=csv["apiVersion"],
        kind=csv["kind"],
        strategy=csv["strategy"],
        permissions=tuple(map(Permission.of, Fields.read(csv).parts("permissions"))),
        cluster_permissions=tuple(map(Permission.of, Fields.read(csv).parts("clusterPermissions"))),
    )


def test_permissions_become_the_recorded_objects() -> None:
    """Every object of every service account, with its name, labels, owner, rules and subjects."""
    for record in rule_records("rbac"):
        permission_requests = _requests(record["in"]["csv"])
        if record["out"]["error"] is not None:
            with pytest.raises(ManifestError) as refused:
                operator_permissions(permission_requests)
            assert refused.value.reason == record["out"]["error"], record["id"]
            continue
        written = {
            name: permissions.to_dict() for name, permissions in operator_permissions(permission_requests).items()
        }
        assert written == record["out"]["permissions"], record["id"]


def _flat(role: Role) -> dict[str, Any]:
    """A role in the recordings' form, which has no ``metadata``."""
    written = role.to_dict()
    metadata: dict[str, Any] = written.pop("metadata")
    return metadata | written


def test_group_roles_are_the_recorded_ones() -> None:
    """Admin, edit and view of a group, with the labels that gather what its operators add."""
    for record in rule_records("og_cluster_roles"):
        given = record["in"]
        apis = [GVK(api["group"], api["version"], api["kind"]) for api in given["apis"]]
        roles = group_cluster_roles(given["name"], given["namespace"], apis)
        assert [_flat(role) for role in roles] == record["out"]["clusterRoles"], record["id"]


def test_roles_of_owned_crds_are_the_recorded_ones() -> None:
    """The roles of the CRDs before the first that is missing, and the words for that one."""
    for record in rule_records("csv_cluster_roles"):
        owned = [CrdDescription(crd["name"], crd["version"], crd["kind"]) for crd in record["in"]["owned"]]
        # The recordings give every CRD the UID "uid-" and the capital of its name.
        uids = {name: f"uid-{name[0].upper()}" for name in record["in"]["crdsOnCluster"]}
        roles = crd_cluster_roles(owned, uids)
        assert [_flat(role) for role in roles.roles] == record["out"]["clusterRoles"], record["id"]
        assert (roles.error or None) == record["out"]["error"], record["id"]
