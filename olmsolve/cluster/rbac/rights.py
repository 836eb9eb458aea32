"""The rights of a service account: what it may do, as the roles and bindings among a cluster's objects say.

An operator group can name the account with which OLM carries out its plans. As recorded, the API server then refuses a
step that the account may not take, and OLM tries the same step for ever. A role may only be created by who holds all
rights that it grants, or may escalate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Self

import olmsolve._attrs as attrs
from olmsolve.cluster.objects import OtherObject
from olmsolve.cluster.rbac.objects import RBAC_GROUP, PolicyRule
from olmsolve.cluster.state import ClusterState
from olmsolve.errors import RequestError
from olmsolve.fields import Fields

_EVERYTHING: Final = PolicyRule(("*",), ("*",), ("*",), None, ("*",))
# Kubernetes makes these roles itself, so that a shortened dump need not have them.
_BUILT_IN: Final = {"cluster-admin": _EVERYTHING}
_CLUSTER_WIDE_KINDS: Final = frozenset({"ClusterRole", "ClusterRoleBinding", "PriorityClass"})


@attrs.frozen
class Needed:
    """A right that an action needs: *verb* on a resource (a plural) of *group*, "" for the core, and why."""

    verb: str
    group: str
    resource: str
    is_cluster_wide: bool = False


@attrs.frozen
class Rights:
    """The rights of service account *name* of *namespace*, there and in the whole cluster.

    *is_known* is False where a role that is bound to the account is not among the objects: it may do anything then.
    """

    namespace: str
    name: str
    rules: tuple[PolicyRule, ...] = ()
    cluster_rules: tuple[PolicyRule, ...] = ()
    is_known: bool = True

    @classmethod
    def of_account(cls, state: ClusterState, namespace: str, name: str, *, in_groups: bool = True) -> Self | None:
        """Return the rights of the account *name* of *namespace*; None where *state* holds no bindings.

        Not *in_groups*, the rights that it has as one of all accounts are left out.
        Every cluster has bindings of both kinds, so that a state without one kind was dumped without it.
        """
        grants = _by_kind(state)
        if not grants["RoleBinding"] or not grants["ClusterRoleBinding"]:
            return None
        rules: list[PolicyRule] = []
        cluster_rules: list[PolicyRule] = []
        is_known = True
        for kind, given in (("RoleBinding", rules), ("ClusterRoleBinding", cluster_rules)):
            for binding in grants[kind]:
                if kind == "RoleBinding" and binding.namespace != namespace:
                    continue
                try:
                    granted = _rules_of(binding, grants) if _binds(binding.raw, namespace, name, in_groups) else ()
                except RequestError:
                    granted = None  # a broken manifest has no rules that can be read
                is_known = is_known and granted is not None
                given += granted or ()
        return cls(namespace, name, tuple(rules), tuple(cluster_rules), is_known)

    @property
    def user(self) -> str:
        """The name under which the API server knows the account."""
        return f"system:serviceaccount:{self.namespace}:{self.name}"

    def refusal(self, needed: Needed, name: str = "") -> str:
        """Return the API server's message where the account may not do what is *needed*; "" where it may.

        *name* is the object's; a rule for other names does not count.
        """
        if self.may(needed, name):
            return ""
        resource = f"{needed.resource}.{needed.group}" if needed.group else needed.resource
        return f"{resource} is forbidden: {self.cannot(needed, self.namespace)}"

    def cannot(self, needed: Needed, namespace: str) -> str:
        """Return the API server's words that the account may not do what is *needed* in *namespace*."""
        where = "at the cluster scope" if needed.is_cluster_wide else f'in the namespace "{namespace}"'
        what = f'resource "{needed.resource}" in API group "{needed.group}"'
        return f'User "{self.user}" cannot {needed.verb} {what} {where}'

    def may(self, needed: Needed, name: str = "") -> bool:
        """Return whether the account may do what is *needed* to the object *name*, "" for none in particular."""
        if not self.is_known:
            return True
        rules = self.cluster_rules if needed.is_cluster_wide else (*self.cluster_rules, *self.rules)
        return any(_allows(rule, needed, name) for rule in rules)

    def may_request(self, verb: str, url: str) -> bool:
        """Return whether the account may *verb* a *url* of the API server, such as ``/metrics``."""
        if not self.is_known:
            return True
        return any(
            _has(rule.verbs, verb) and any(_covers(rule_url, url) for rule_url in rule.non_resource_urls or ())
            for rule in self.cluster_rules
        )

    def refusal_to_grant(self, kind: str, name: str, rules: Iterable[PolicyRule]) -> str:
        """Return why the account may not create the role or binding *name*, which grants *rules*; "" where it may."""
        is_wide = kind.startswith("Cluster")
        refused = self.refusal(Needed("create", RBAC_GROUP, f"{kind.lower()}s", is_wide))
        if refused:
            return refused
        # Kubernetes ("Privilege escalation prevention") lets an account grant more than it holds with one of two verbs.
        verb = "bind" if kind.endswith("Binding") else "escalate"
        resource = f"{kind.removesuffix('Binding').lower()}s"
        if self.may(Needed(verb, RBAC_GROUP, resource, is_wide)):
            return ""
        missing = [rule for rule in rules if not self._holds(rule, is_wide=is_wide)]
        if not missing:
            return ""
        words = "; ".join(map(_in_words, missing))
        granting = f'user "{self.user}" is attempting to grant RBAC permissions not currently held'
        return f'{kind.lower()}s.{RBAC_GROUP} "{name}" is forbidden: {granting}: {words}'

    def _holds(self, rule: PolicyRule, *, is_wide: bool) -> bool:
        wanted = (
            (verb, group, resource)
            for verb in rule.verbs or ()
            for group in rule.api_groups or ()
            for resource in rule.resources or ()
        )
        are_granted = all(self.may(Needed(verb, group, resource, is_wide)) for verb, group, resource in wanted)
        urls = rule.non_resource_urls or ()
        return are_granted and (
            not urls or any("*" in (cluster_rule.non_resource_urls or ()) for cluster_rule in self.cluster_rules)
        )


def creation_of(kind: str, group: str) -> Needed:
    """Return the right that creating an object of *kind* needs; the plural is formed by the usual rule."""
    lower = kind.lower()
    # NetworkPolicy has the plural networkpolicies, VerticalPodAutoscaler verticalpodautoscalers.
    plural = f"{lower[:-1]}ies" if lower.endswith("y") else f"{lower}es" if lower.endswith("s") else f"{lower}s"
    return Needed("create", group, plural, kind in _CLUSTER_WIDE_KINDS)


def _by_kind(state: ClusterState) -> dict[str, list[OtherObject]]:
    by_kind: dict[str, list[OtherObject]] = {
        kind: [] for kind in ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")
    }
    for other in state.others:
        if other.kind in by_kind and other.api_version.partition("/")[0] == RBAC_GROUP:
            by_kind[other.kind].append(other)
    return by_kind


def _binds(binding: Mapping[str, Any], namespace: str, name: str, in_groups: bool) -> bool:
    """Return whether one of the subjects of *binding* is the account, or a group of all accounts."""
    groups = ("system:authenticated", "system:serviceaccounts", f"system:serviceaccounts:{namespace}")
    for subject in Fields(binding).parts("subjects"):
        kind, called = subject.text("kind"), subject.text("name")
        if kind == "ServiceAccount" and (subject.text("namespace"), called) == (namespace, name):
            return True
        if (kind == "Group" and in_groups and called in groups) or (
            kind == "User" and called == f"system:serviceaccount:{namespace}:{name}"
        ):
            return True
    return False


def _rules_of(binding: OtherObject, roles: Mapping[str, list[OtherObject]]) -> tuple[PolicyRule, ...] | None:
    """Return the rules of the role that *binding* names; None where the role is not among the objects *roles*."""
    reference = Fields(binding.raw).part("roleRef")
    kind, name = reference.text("kind"), reference.text("name")
    namespace = binding.namespace if kind == "Role" else ""
    for role in roles.get(kind, ()):
        if (role.namespace, role.name) == (namespace, name):
            return rules_in(role.raw)
    return (_BUILT_IN[name],) if kind == "ClusterRole" and name in _BUILT_IN else None


def rules_in(role: Mapping[str, Any]) -> tuple[PolicyRule, ...] | None:
    """Return the rules of the manifest *role*; None where they cannot be read, or other roles bring them."""
    fields = Fields(role)
    try:
        if fields.has("aggregationRule") and not fields.parts("rules"):
            return None
        return tuple(map(PolicyRule.of, fields.parts("rules")))
    except RequestError:
        return None


def _allows(rule: PolicyRule, needed: Needed, name: str) -> bool:
    names = rule.resource_names
    return (
        _has(rule.verbs, needed.verb)
        and _has(rule.api_groups, needed.group)
        and _has_resource(rule.resources, needed.resource)
        and (not names or name in names)
    )


def _has(values: tuple[str, ...] | None, wanted: str) -> bool:
    return bool(values) and ("*" in (values or ()) or wanted in (values or ()))


def _has_resource(values: tuple[str, ...] | None, wanted: str) -> bool:
    """Return whether *wanted* is among the *values*, of which ``*/status`` stands for every resource's status."""
    _, slash, part = wanted.partition("/")
    return _has(values, wanted) or (bool(slash) and _has(values, f"*/{part}"))


def _covers(rule_url: str, url: str) -> bool:
    return url.startswith(rule_url[:-1]) if rule_url.endswith("*") else url == rule_url


def _in_words(rule: PolicyRule) -> str:
    def listed() -> Iterator[str]:
        for key, value in rule.to_dict().items():
            if value:
                yield f"{key} {', '.join(element or repr('') for element in value)}"

    return "; ".join(listed())
