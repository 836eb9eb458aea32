"""Cluster roles for people: those of an operator group, and those of the CRDs that an operator owns.

A group's ``admin``, ``edit`` and ``view`` roles gather the rules of the roles that bear a label with the hash
of one of the APIs that the group provides. An operator that is installed adds such roles for each of its CRDs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from olmsolve.cluster.objects import OwnerReference
from olmsolve.cluster.rbac.names import api_hash, base62_sha224
from olmsolve.cluster.rbac.objects import PolicyRule, Role
from olmsolve.predicates import GVK

__all__ = ["CrdRoles", "OwnedCrd", "crd_cluster_roles", "group_cluster_roles"]

_AGGREGATE: Final = "olm.opgroup.permissions/aggregate-to-"
_MANAGED: Final = ("olm.managed", "true")
_LONGEST: Final = 253
_VERBS: Final[Mapping[str, tuple[str, ...]]] = {
    "admin": ("*",),
    "edit": ("create", "update", "patch", "delete"),
    "view": ("get", "list", "watch"),
}


def group_cluster_roles(name: str, namespace: str, apis: Iterable[GVK]) -> tuple[Role, ...]:
    """The roles ``admin``, ``edit`` and ``view`` of the operator group *namespace*/*name* that provides *apis*."""
    hashes = sorted({api_hash(api) for api in apis})
    labels = (
        _MANAGED,
        ("olm.owner", name),
        ("olm.owner.kind", "OperatorGroup"),
        ("olm.owner.namespace", namespace),
    )
    roles = []
    for access in _VERBS:
        ending = f".{access}-{base62_sha224(f'{namespace}/{name}/{access}')}"
        room = _LONGEST - len("olm.og.") - len(ending)
        roles.append(
            Role(
                f"olm.og.{name[:room]}{ending}",
                cluster=True,
                labels=labels,
                rules=None,
                aggregates=tuple(f"{_AGGREGATE}{digest}-{access}" for digest in hashes),
            )
        )
    return tuple(roles)


@attrs.frozen
class OwnedCrd:
    """A CRD as a ClusterServiceVersion owns it: its name (``plural.group``), and one version and kind of it."""

    name: str
    version: str
    kind: str


@attrs.frozen
class CrdRoles:
    """The roles for people of an operator's CRDs, sorted by name.

    *error* is empty, or says which CRD is not on the cluster; the roles of the CRDs before it are written.
    """

    roles: tuple[Role, ...]
    error: str = ""


def crd_cluster_roles(owned: Iterable[OwnedCrd], uids: Mapping[str, str]) -> CrdRoles:
    """The cluster roles for *owned*, where *uids* are the CRDs on the cluster, by name."""
    # Two entries for one version of a CRD mean the same roles: the later writes over the earlier.
    roles: dict[str, Role] = {}
    error = ""
    for crd in owned:
        if crd.name not in uids:
            missing = f'customresourcedefinitions.apiextensions.k8s.io "{crd.name}" not found'
            error = f'crd "{crd.name}" not found: {missing}'
            break
        roles |= {role.name: role for role in _roles_of(crd, uids[crd.name])}
    return CrdRoles(tuple(roles[name] for name in sorted(roles)), error)


def _roles_of(crd: OwnedCrd, uid: str) -> list[Role]:
    plural, _, group = crd.name.partition(".")
    digest = api_hash(GVK(group, crd.version, crd.kind))
    owner = OwnerReference("customresourcedefinition", crd.name, uid, "apiextensions.k8s.io/v1")
    rights = [
        (access, access, PolicyRule(verbs=verbs, api_groups=(group,), resources=(plural,)))
        for access, verbs in _VERBS.items()
    ]
    reading = PolicyRule(("get",), ("apiextensions.k8s.io",), ("customresourcedefinitions",), (crd.name,))
    return [
        Role(
            f"{crd.name}-{crd.version}-{ending}",
            cluster=True,
            labels=(
                _MANAGED,
                (f"{_AGGREGATE}{digest}-{access}", "true"),
                (f"rbac.authorization.k8s.io/aggregate-to-{access}", "true"),
            ),
            owner=owner,
            rules=(rule,),
        )
        for ending, access, rule in [*rights, ("crdview", "view", reading)]
    ]
