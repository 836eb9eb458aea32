"""Cluster roles for people: the roles of an operator group, and the roles of the CRDs that an operator owns.

A group's ``admin``, ``edit`` and ``view`` roles gather rules by label: each label holds the hash of an API that the
group provides. An installed operator adds roles with these labels for each of its CRDs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import olmsolve._attrs as attrs
from olmsolve.cluster.objects import CrdDescription, OwnerReference
from olmsolve.cluster.rbac.names import api_hash, base62_sha224
from olmsolve.cluster.rbac.objects import PolicyRule, Role
from olmsolve.predicates import GVK

_AGGREGATE: Final = "olm.opgroup.permissions/aggregate-to-"
_MANAGED: Final = ("olm.managed", "true")
_LONGEST: Final = 253
_VERBS: Final[Mapping[str, tuple[str, ...]]] = {
    "admin": ("*",),
    "edit": ("create", "update", "patch", "delete"),
    "view": ("get", "list", "watch"),
}


def group_cluster_roles(name: str, namespace: str, apis: Iterable[GVK]) -> tuple[Role, ...]:
    """Return the roles ``admin``, ``edit`` and ``view`` of the operator group *namespace*/*name* with *apis*."""
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
class CrdRoles:
    """The *roles* for people of an operator's CRDs, sorted by name.

    *error* names the CRD that is not on the cluster, "" where all are; the roles of the CRDs before it are here.
    """

    roles: tuple[Role, ...]
    error: str = ""


def crd_cluster_roles(owned: Iterable[CrdDescription], uids: Mapping[str, str]) -> CrdRoles:
    """Return the cluster roles for *owned*; *uids* maps the name of each CRD on the cluster to its uid."""
    # By name: two entries for one version of a CRD make the same roles, and the later replace the earlier.
    roles: dict[str, Role] = {}
    error = ""
    for crd in owned:
        if crd.name not in uids:
            missing = f'customresourcedefinitions.apiextensions.k8s.io "{crd.name}" not found'
            error = f'crd "{crd.name}" not found: {missing}'
            break
        roles |= {role.name: role for role in _roles_of(crd, uids[crd.name])}
    return CrdRoles(tuple(roles[name] for name in sorted(roles)), error)


def _roles_of(crd: CrdDescription, uid: str) -> list[Role]:
    """Return the roles for the objects of *crd* (admin, edit, view), and the role to read *crd* itself (crdview)."""
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
