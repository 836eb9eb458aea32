"""The objects that OLM v1 makes of a bundle, by kind, namespace and name, in the order in which Helm applies them.

An extension cannot create an object that another extension has already; only objects with names of which this can be
true are listed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve.cluster.go_text import go_json
from olmsolve.fields import mappings_in

# Helm's order of kinds, as far as bundles have them; others come last.
_ORDER: Final = (
    "PriorityClass",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "ConfigMap",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Service",
    "Deployment",
)
# The phases in which a revision (BoxcutterRuntime) applies its objects, as recorded; other kinds come after them.
_PHASES: Final = (
    ("NetworkPolicy", "PodDisruptionBudget", "PriorityClass"),
    ("ServiceAccount",),
    ("ConfigMap", "Secret"),
    ("CustomResourceDefinition",),
    ("ClusterRole", "Role"),
    ("ClusterRoleBinding", "RoleBinding"),
    ("Service",),
    ("Deployment",),
)
_CRD: Final = "CustomResourceDefinition"
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_LONGEST: Final = 63  # characters of a label in DNS, which the name of a Service is
_RULE_FIELDS: Final = ("apiGroups", "resources", "resourceNames", "nonResourceURLs")
# An operator that serves all namespaces may look at them, beside what it asks for in its own.
_MAY_READ_NAMESPACES: Final = {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["namespaces"]}


@attrs.frozen
class BundleObject:
    """An object that a bundle puts on a cluster; *namespace* is "" for an object of the whole cluster."""

    kind: str
    namespace: str
    name: str

    @property
    def is_crd(self) -> bool:
        """Whether it is the definition of an API."""
        return self.kind == _CRD


def bundle_objects(content: v1.BundleContent, settings: v1.InstallSettings) -> tuple[BundleObject, ...]:
    """Return the objects of a bundle with this *content*, as far as it is known, in Helm's order.

    Of a bundle whose manifests are not known, only definitions of APIs are named, where ``olm.csv.metadata`` does.
    """
    objects = {BundleObject(_CRD, "", name) for name in content.crd_names if name}
    if content.manifests is not None:
        objects.update(_strategy_objects(content, settings))
        for other in content.others:
            objects.update(_written_object(other, settings))
    return tuple(sorted(objects, key=lambda object_: (_position(object_.kind), object_.kind, object_.name)))


def revision_phases(objects: Iterable[BundleObject]) -> tuple[tuple[BundleObject, ...], ...]:
    """Return *objects* by the phases in which a revision applies them, without empty phases."""
    phases: dict[int, list[BundleObject]] = {}
    for object_ in objects:
        number = next((number for number, kinds in enumerate(_PHASES) if object_.kind in kinds), len(_PHASES))
        phases.setdefault(number, []).append(object_)
    return tuple(tuple(phases[number]) for number in sorted(phases))


@attrs.frozen
class Grant:
    """A role or a binding of a bundle, and the *rules* that it grants; their fields are as manifests write them."""

    made: BundleObject
    rules: tuple[Mapping[str, Any], ...]


def bundle_grants(content: v1.BundleContent, settings: v1.InstallSettings) -> tuple[Grant, ...]:
    """Return what the roles and bindings of a bundle with this *content* grant, as far as the bundle itself says.

    A binding grants the rules of its role; of a role that is not in the bundle, it grants nothing that is known.
    """
    grants = list(_generated_grants(content, settings))
    roles = {grant.made: grant.rules for grant in grants}
    made_objects = [(made, other) for other in content.others for made in _written_object(other, settings)]
    for made, grant in made_objects:
        if made.kind in ("ClusterRole", "Role"):
            roles[made] = tuple(mappings_in(grant.get("rules")))
            grants.append(Grant(made, roles[made]))
    for made, grant in made_objects:
        if made.kind in ("ClusterRoleBinding", "RoleBinding"):
            role = grant.get("roleRef")
            kind, name = (str(role.get(field)) for field in ("kind", "name")) if isinstance(role, Mapping) else ("", "")
            bound = BundleObject(kind, made.namespace if kind == "Role" else "", name)
            grants.append(Grant(made, roles.get(bound, ())))
    return tuple(grants)


def _written_object(manifest: Mapping[str, Any], settings: v1.InstallSettings) -> Iterator[BundleObject]:
    kind, metadata = manifest.get("kind"), manifest.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if isinstance(kind, str) and isinstance(name, str):
        yield BundleObject(kind, settings.namespace if v1.is_namespaced(kind) else "", name)


def _strategy_objects(content: v1.BundleContent, settings: v1.InstallSettings) -> Iterator[BundleObject]:
    strategy, namespace = content.strategy, settings.namespace
    permissions, asked_of_cluster = (
        mappings_in(strategy.get("permissions")),
        mappings_in(strategy.get("clusterPermissions")),
    )
    # Every namespace has the account default already.
    for account in {_account(permission) for permission in (*permissions, *asked_of_cluster)} - {"default"}:
        yield BundleObject("ServiceAccount", namespace, account)
    yield from (grant.made for grant in _generated_grants(content, settings))
    for deployment in mappings_in(strategy.get("deployments")):
        if isinstance(deployment.get("name"), str):
            yield BundleObject("Deployment", namespace, deployment["name"])


def _generated_grants(content: v1.BundleContent, settings: v1.InstallSettings) -> Iterator[Grant]:
    """Yield a role and its binding for each permission of the operator."""
    strategy, watched = content.strategy, settings.watch_namespace
    own_permissions = mappings_in(strategy.get("permissions"))
    of_cluster = mappings_in(strategy.get("clusterPermissions"))
    # An operator that watches all namespaces needs there what it asks for in its own: its roles become cluster roles.
    if "AllNamespaces" in content.install_modes and not watched:
        of_cluster += [
            {**permission, "rules": [*(permission.get("rules") or ()), _MAY_READ_NAMESPACES]}
            for permission in own_permissions
        ]
        own_permissions = []
    for kind, namespace, permissions in (
        ("ClusterRole", "", of_cluster),
        ("Role", watched or settings.namespace, own_permissions),
    ):
        for permission in permissions:
            name = _generated_name(f"{content.name}-{_account(permission)}", permission)
            rules = tuple(mappings_in(permission.get("rules")))
            yield Grant(BundleObject(kind, namespace, name), rules)
            yield Grant(BundleObject(f"{kind}Binding", namespace, name), rules)


def _account(permission: Mapping[str, Any]) -> str:
    return str(permission.get("serviceAccountName") or "default")


def _generated_name(base: str, permission: Mapping[str, Any]) -> str:
    """Return ``base-hash``: SHA-224 of the permission as Go writes it, in base 36, cut to fit into 63 characters.

    As recorded: ``shop.v2.0.0-shop-sa-x5n5plcdzt6ux55qfcnthkorczav34h51t68qot1u7n``.
    """
    rules = permission.get("rules")
    named_fields = {
        "serviceAccountName": permission.get("serviceAccountName") or "",
        "rules": None if rules is None else [_in_go_order(rule) for rule in rules],
    }
    digest = hashlib.sha224((go_json(named_fields) + "\n").encode("utf-8", "replace")).digest()
    number, digits = int.from_bytes(digest, "big"), ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return name_with_ending(base, digits)


def name_with_ending(base: str, ending: str) -> str:
    """Return ``base-ending``, cut to 63 characters; the hyphen is not counted when this is decided, as recorded.

    The service of a deployment of 51 letters has 59 characters, and the certificate of that service 64.
    """
    if len(base) + len(ending) > _LONGEST:
        base = base[: _LONGEST - len(ending) - 1]
    return f"{base}-{ending}"


def _in_go_order(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return *rule* with its fields in the order of Go, which leaves out empty ones but the verbs."""
    others = {field: rule[field] for field in _RULE_FIELDS if rule.get(field)}
    return {"verbs": rule.get("verbs"), **others}


def _position(kind: str) -> int:
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)
