"""The objects that OLM creates for the rights of an operator, and of the people who use its APIs; and their names.

As recorded, the permissions of a ClusterServiceVersion become one ServiceAccount for each account; a Role with its
RoleBinding in the operator's namespace for each permission; a ClusterRole with its ClusterRoleBinding for each cluster
permission. An operator group has the cluster roles ``admin``, ``edit`` and ``view``, which gather rules by label: each
label holds the hash of an API that the group provides. An operator adds roles with these labels for each of its CRDs.

Names are made of a base and a hash of the content that they stand for: other content, other name. The hash is SHA-224
of a JSON text (:func:`olmsolve.cluster.go_text.go_json`), written in base 62 with digits before small letters before
capitals. A name keeps as much of its base as Kubernetes leaves room for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, evolve, field, plain, record
from olmsolve.cluster.go_text import go_json
from olmsolve.cluster.objects import OLM_API_VERSION, CrdDescription, OwnerReference
from olmsolve.cluster.rbac.objects import Binding, Labels, Permission, PolicyRule, Role, ServiceAccount
from olmsolve.errors import ManifestError
from olmsolve.fields import Fields, read_record
from olmsolve.predicates import GVK

# The digits of Go's big.Int.Text(62).
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGEST_NAME: Final = 63  # bytes of a label in DNS, where OLM cuts


def base62_sha224(text: str) -> str:
    """Return the SHA-224 of *text* (UTF-8) as a number in base 62, without leading zeros."""
    number = int.from_bytes(hashlib.sha224(text.encode("utf-8", "replace")).digest(), "big")
    digits: list[str] = []
    while number:
        number, digit = divmod(number, 62)
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits)) or "0"


def object_hash(value: Any) -> str:
    """Return the hash of the JSON text of *value*, as in labels such as ``olm.permissions.hash``."""
    return base62_sha224(go_json(value))


def generated_name(base: str, value: Any) -> str:
    """Return ``base-hash``, where the hash is of the JSON text of *value* and a newline.

    A base that does not fit beside the hash into 63 bytes is cut so that the name has 63. The hyphen is not
    counted when this is decided, as recorded: a base that just fits makes a name of 64 bytes.
    """
    # OLM hashes what Go's json.Encoder writes, which ends in a newline; the hashes in labels are of json.Marshal's
    # text.
    digest = base62_sha224(go_json(value) + "\n")
    content = base.encode("utf-8", "replace")
    # With a hash of 38 bytes, a base of 25 stays whole (25 + 1 + 38 = 64), and a base of 26 is cut to 24 (63 in all).
    if len(content) + len(digest) > _LONGEST_NAME:
        base = content[: _LONGEST_NAME - len(digest) - 1].decode("utf-8", "ignore")
    return f"{base}-{digest}"


def api_hash(api: GVK) -> str:
    """Return the hash of *api* (of ``Kind.version.group``) in the labels that tie cluster roles together."""
    return fnv1a_64(f"{api.kind}.{api.version}.{api.group}")


def fnv1a_64(text: str) -> str:
    """Return the 64-bit FNV-1a hash of *text* (UTF-8), in hexadecimal without padding."""
    # The offset basis and the prime of FNV-1a for 64 bits, as in Go's hash/fnv; the mask keeps 64 bits of the product.
    number = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "replace"):
        number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{number:x}"


_KIND: Final = "ClusterServiceVersion"
_STRATEGY: Final = "deployment"


@record
class PermissionRequests(Record):
    """The permissions that a ClusterServiceVersion requires, and its identity, which owns the objects."""

    name: str = field("The name of the operator.", path="metadata.name")
    namespace: str = field("Its namespace.", path="metadata.namespace", default="")
    uid: str = field("The identifier that the cluster gave to it.", path="metadata.uid", default="")
    api_version: str = field("The API that it is written for.", default=OLM_API_VERSION)
    kind: str = field("Its kind.", default=_KIND)
    strategy: str = field(
        "The name of its install strategy; only ``deployment`` can carry permissions.",
        path="spec.install.strategy",
        default="deployment",
    )
    permissions: tuple[Permission, ...] = field(
        "What its accounts may do in its namespace.", path="spec.install.spec.permissions", default=()
    )
    cluster_permissions: tuple[Permission, ...] = field(
        "What its accounts may do everywhere.", path="spec.install.spec.clusterPermissions", default=()
    )

    @classmethod
    def of(cls, fields: Fields) -> PermissionRequests:
        """Return the requests in *fields*, the manifest of a ClusterServiceVersion.

        Raises:
            ManifestError: a field has a value of the wrong type.
        """
        return read_record(cls, fields)


@record
class AccountPermissions(Record):
    """The objects for one service account."""

    account: ServiceAccount = field("The account.", path="ServiceAccount")
    roles: tuple[Role, ...] = field("Its roles.", path="Roles", default=())
    bindings: tuple[Binding, ...] = field("The bindings of the roles, in their order.", path="RoleBindings", default=())
    cluster_roles: tuple[Role, ...] = field("Its roles in the whole cluster.", path="ClusterRoles", default=())
    cluster_bindings: tuple[Binding, ...] = field(
        "The bindings of these, in their order.", path="ClusterRoleBindings", default=()
    )


def operator_permissions(operator: PermissionRequests) -> dict[str, AccountPermissions]:
    """Return the objects for the permissions of *operator*, by the name of the service account.

    As recorded, an account that only cluster permissions name has no namespace.

    Raises:
        ManifestError: the install strategy is not ``deployment``, which alone carries permissions.
    """
    if operator.strategy != _STRATEGY:
        raise ManifestError(
            "unrecognized install strategy", field="spec.install.strategy", kind=_KIND, object=operator.name
        )
    owner = OwnerReference(operator.kind, operator.name, operator.uid, operator.api_version)
    granted: dict[str, AccountPermissions] = {}
    for permission in operator.permissions:
        name = permission.service_account
        account = ServiceAccount(name, operator.namespace, owner)
        so_far = granted.setdefault(name, AccountPermissions(account))
        role = Role(
            generated_name(f"{operator.name}-{name}", {"name": operator.name, "permission": permission.to_dict()}),
            namespace=operator.namespace,
            labels=_labels(operator, object_hash(plain(permission.rules))),
            owner=owner,
            rules=permission.rules,
        )
        granted[name] = evolve(
            so_far, roles=(*so_far.roles, role), bindings=(*so_far.bindings, _binding(operator, role, name, owner))
        )
    for permission in operator.cluster_permissions:
        name = permission.service_account
        so_far = granted.setdefault(name, AccountPermissions(ServiceAccount(name, "", owner)))
        hashed = {"name": operator.name, "namespace": operator.namespace, "permission": permission.to_dict()}
        role = Role(
            generated_name(operator.name, {key: value for key, value in hashed.items() if value != ""}),
            cluster=True,
            labels=_labels(operator, object_hash(plain(permission.rules))),
            rules=permission.rules,
        )
        granted[name] = evolve(
            so_far,
            cluster_roles=(*so_far.cluster_roles, role),
            cluster_bindings=(*so_far.cluster_bindings, _binding(operator, role, name, None)),
        )
    return granted


def _binding(operator: PermissionRequests, role: Role, account: str, owner: OwnerReference | None) -> Binding:
    binding = Binding(role, account, operator.namespace, operator.namespace, owner=owner)
    # OLM hashes its Go struct, whose fields have capitals in JSON: RoleRef, not roleRef.
    digest = object_hash({"RoleRef": binding.role_reference, "Subjects": binding.subjects})
    return evolve(binding, labels=_labels(operator, digest))


def _labels(operator: PermissionRequests, digest: str) -> Labels:
    return (
        ("olm.owner", operator.name),
        ("olm.owner.kind", _KIND),
        ("olm.owner.namespace", operator.namespace),
        ("olm.permissions.hash", digest),
    )


_AGGREGATE: Final = "olm.opgroup.permissions/aggregate-to-"
_MANAGED: Final = ("olm.managed", "true")
_LONGEST_CLUSTER_ROLE: Final = 253  # bytes of a name in Kubernetes (DNS subdomain)
_VERBS: Final[Mapping[str, tuple[str, ...]]] = {
    "admin": ("*",),
    "edit": ("create", "update", "patch", "delete"),
    "view": ("get", "list", "watch"),
}


def group_cluster_roles(name: str, namespace: str, apis: Iterable[GVK]) -> tuple[Role, ...]:
    """Return the roles ``admin``, ``edit`` and ``view`` of the operator group *namespace*/*name* with *apis*."""
    hashes = sorted({api_hash(api) for api in apis})
    labels = (_MANAGED, ("olm.owner", name), ("olm.owner.kind", "OperatorGroup"), ("olm.owner.namespace", namespace))
    roles = []
    for access in _VERBS:
        ending = f".{access}-{base62_sha224(f'{namespace}/{name}/{access}')}"
        room = _LONGEST_CLUSTER_ROLE - len("olm.og.") - len(ending)
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
