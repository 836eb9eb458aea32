"""The account with which an extension installs, and the controller's refusals if it is missing or lacks rights.

As recorded from operator-controller of July 2026; from v1.11.0 on upstream ignores the account. The order is the
controller's: the account itself, before anything is resolved; with the gate PreflightPermissions every right that the
bundle needs, at once; then each object in Helm's order, which the account has to read (see ``present_objects``); and
last each object that it has to make.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog import Bundle
from olmsolve.cluster.extensions.object_names import BundleObject, Grant, bundle_grants, bundle_objects
from olmsolve.cluster.objects import ClusterExtension
from olmsolve.cluster.rbac import RBAC_GROUP, Needed, Rights
from olmsolve.cluster.state import ClusterState
from olmsolve.fields import mappings_in, texts_in

_RESOURCES: Final[Mapping[str, tuple[str, str]]] = {
    "ClusterRole": (RBAC_GROUP, "clusterroles"),
    "ClusterRoleBinding": (RBAC_GROUP, "clusterrolebindings"),
    "ConfigMap": ("", "configmaps"),
    "CustomResourceDefinition": ("apiextensions.k8s.io", "customresourcedefinitions"),
    "Deployment": ("apps", "deployments"),
    "NetworkPolicy": ("networking.k8s.io", "networkpolicies"),
    "PodDisruptionBudget": ("policy", "poddisruptionbudgets"),
    "PriorityClass": ("scheduling.k8s.io", "priorityclasses"),
    "Role": (RBAC_GROUP, "roles"),
    "RoleBinding": (RBAC_GROUP, "rolebindings"),
    "Secret": ("", "secrets"),
    "Service": ("", "services"),
    "ServiceAccount": ("", "serviceaccounts"),
}


class _Resource(NamedTuple):
    """The resource *name* (a plural) of an API *group*, "" for the core."""

    group: str
    name: str

    def __str__(self) -> str:
        return f"{self.name}.{self.group}" if self.group else self.name


def resource_of(kind: str, api_version: str = "") -> _Resource:
    """Return the resource of *kind*: as Kubernetes has it for the kinds that bundles bring, else *kind* with an "s"."""
    group, _, version = api_version.rpartition("/")
    return _Resource(*_RESOURCES.get(kind, (group if version else "", f"{kind.lower()}s")))


_ACCOUNT: Final = "ServiceAccount"
_CONTROLLER: Final = "operator-controller"
_IGNORED_FROM: Final = (1, 11)
_TAG: Final = pattern(r":v(\d+)\.(\d+)\.")
# The verbs that pre-authorization asks for on each object, as recorded; it wants create in its namespace, and list and
# watch in the cluster.
_VERBS_ON_OBJECT: Final = ("get", "update", "patch", "delete")
_FINALIZERS: Final = _Resource("olm.operatorframework.io", "clusterextensions/finalizers")
# No recording shows what a controller with revisions says of accounts.
_REVISIONS: Final = "BoxcutterRuntime"
_IGNORED: Final = "operator-controller from v1.11.0 on ignores the account"


def missing_account(state: ClusterState, extension: ClusterExtension) -> str:
    """Return the name of the account of *extension* where it is not there; "" where it is, or nobody knows.

    The accounts are known where *state* has any that is on a cluster already, as every namespace has one: it has a uid.
    """
    name, namespace = extension.service_account_name, extension.install_namespace
    accounts = [account for account in state.others if account.kind == _ACCOUNT]
    is_known = bool(name) and any(account.metadata.uid for account in accounts) and not _ignores_accounts(state)
    is_there = any((account.namespace, account.name) == (namespace, name) for account in accounts)
    return name if is_known and not is_there else ""


def rights_of_account(state: ClusterState, extension: ClusterExtension, *, in_groups: bool) -> Rights | None:
    """Return the rights of *extension*'s account; None if *state* lacks them or the controller ignores accounts.

    Without *in_groups*, they are the rights that pre-authorization sees: as recorded, it looks at no group of accounts.
    """
    if not extension.service_account_name or _ignores_accounts(state):
        return None
    rights = Rights.of_account(state, extension.install_namespace, extension.service_account_name, in_groups=in_groups)
    return rights if rights is not None and rights.is_known else None


def _ignores_accounts(state: ClusterState) -> bool:
    """Return whether the image of the controller's Deployment says that it is of a version that ignores accounts."""
    for other in state.others:
        if other.kind == "Deployment" and _CONTROLLER in other.name:
            # Any of the containers may have the image, so its tag is looked for in the text of all.
            for tag in _TAG.finditer(str(other.raw.get("spec"))):
                return (int(tag[1]), int(tag[2])) >= _IGNORED_FROM
    return False


@attrs.frozen
class AccountIsPreauthorized:
    """The check, under the feature gate PreflightPermissions, that an account has all *rights* that a bundle needs.

    *extension* is the name of the ClusterExtension, whose finalizers the account has to set as well.
    """

    rights: Rights
    extension: str

    def __call__(self, bundle: Bundle, request: v1.ExtensionRequest, /) -> v1.InstallationRefusal | None:
        content = v1.bundle_content(bundle)
        gates = request.gates
        if content.manifests is None or not gates.is_on("PreflightPermissions") or gates.is_on(_REVISIONS):
            return None
        missing = [*self._missing_on_objects(content, request.settings)]
        for grant in bundle_grants(content, request.settings):
            missing += missing_to_grant(self.rights, grant)
        lines = sorted(_lines(missing))
        if not lines:
            return None
        details = "".join(f"\n  {line}" for line in lines)
        message = (
            "pre-authorization failed: service account requires the following permissions to manage cluster"
            f" extension:{details}"
        )
        return _refusal(message, f"{self.rights.user} needs a role with these rights; {_IGNORED}")

    def _missing_on_objects(self, content: v1.BundleContent, settings: v1.InstallSettings) -> Iterator[_LackedRight]:
        namespaces: dict[_Resource, dict[str, None]] = {}
        for manifest in bundle_objects(content, settings):
            resource = _resource(manifest, content)
            namespaces.setdefault(resource, {})[manifest.namespace] = None
            for verb in _VERBS_ON_OBJECT:
                yield from _missing_right(self.rights, manifest.namespace, resource, verb, manifest.name)
        for resource, in_namespaces in namespaces.items():
            for namespace in in_namespaces:
                yield from _missing_right(self.rights, namespace, resource, "create")
            # The controller watches what it has made, in the whole cluster.
            for verb in ("list", "watch"):
                yield from _missing_right(self.rights, "", resource, verb)
        yield from _missing_right(self.rights, "", _FINALIZERS, "update", self.extension)


def missing_to_grant(rights: Rights, grant: Grant) -> Iterator[_LackedRight]:
    """Yield what an account with these *rights* grants and does not hold, unless it may escalate roles, or bind them.

    Kubernetes judges a rule piece by piece: each verb on each resource of each group, and each name.
    """
    made = grant.made
    kind = made.kind.removesuffix("Binding")
    verb = "escalate" if made.kind == kind else "bind"
    if rights.may(Needed(verb, *resource_of(kind), not made.namespace), made.name):
        return
    for rule in grant.rules:
        pieces = product(*(texts_in(rule.get(name)) for name in ("verbs", "apiGroups", "resources")))
        for verb, group, resource in pieces:
            for name in texts_in(rule.get("resourceNames")) or ("",):
                yield from _missing_right(rights, made.namespace, _Resource(group, resource), verb, name)
        for url, verb in product(texts_in(rule.get("nonResourceURLs")), texts_in(rule.get("verbs"))):
            if not rights.may_request(verb, url):
                yield _LackedRight("", None, url, verb)


def _missing_right(
    rights: Rights, namespace: str, resource: _Resource, verb: str, name: str = ""
) -> Iterator[_LackedRight]:
    if not rights.may(Needed(verb, *resource, not namespace), name):
        yield _LackedRight(namespace, resource, name, verb)


@attrs.frozen
class AccountMayApply:
    """The check that an account with these *rights* may make the objects of a bundle, and change those that are there.

    As recorded, definitions are patched each time, and deployments where the bundle changes them.
    """

    rights: Rights

    def __call__(self, bundle: Bundle, request: v1.ExtensionRequest, /) -> v1.InstallationRefusal | None:
        content = v1.bundle_content(bundle)
        if content.manifests is None or request.gates.is_on(_REVISIONS):
            return None
        installed = v1.installed_bundle(request)
        before = None if installed is None else v1.bundle_content(installed)
        there = frozenset[BundleObject]() if before is None else frozenset(bundle_objects(before, request.settings))
        objects = bundle_objects(content, request.settings)
        grants = {grant.made: grant for grant in bundle_grants(content, request.settings)}
        for object_ in objects:
            if object_ not in there and (forbidden := self._not_made(object_, content, grants.get(object_))):
                return _refusal(
                    f"failed to create resource: {forbidden}", _lacks("create", _resource(object_, content))
                )
        kept = [object_ for object_ in objects if object_ in there and _is_patched(object_, content, before)]
        forbidden_grants = {
            grant: forbidden
            for grant in kept
            if (forbidden := _forbidden(self.rights, "patch", grant, _resource(grant, content)))
        }
        if not forbidden_grants:
            return None
        first, forbidden = next(iter(forbidden_grants.items()))
        if is_installed(bundle, request):
            return _refusal(f"patch error: {forbidden}", _lacks("patch", _resource(first, content)))
        lines = (
            f'cannot patch "{account.name}" with kind {account.kind}: {text}'
            for account, text in forbidden_grants.items()
        )
        return _refusal(" && ".join(lines), _lacks("patch", _resource(first, content)))

    def _not_made(self, object_: BundleObject, content: v1.BundleContent, grant: Grant | None) -> str:
        resource = _resource(object_, content)
        needed = Needed("create", *resource, not object_.namespace)
        if not self.rights.may(needed):
            return f"{resource} is forbidden: {self.rights.cannot(needed, object_.namespace)}"
        # The API server looks for an escalation only once the account may create the role at all.
        missing = () if grant is None else tuple(missing_to_grant(self.rights, grant))
        if not missing:
            return ""
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{self.rights.namespace}", "system:authenticated")
        listed = " ".join(f'"{group}"' for group in groups)
        return (
            f'{resource} "{object_.name}" is forbidden: user "{self.rights.user}" (groups=[{listed}]) is attempting to'
            f" grant RBAC permissions not currently held:\n{_rules_text(missing)}"
        )


def is_installed(bundle: Bundle, request: v1.ExtensionRequest) -> bool:
    """Return whether *bundle* is the installed one, so that the controller only compares what is there."""
    return request.installed is not None and request.installed.name == bundle.name


def refusal_to_read(
    rights: Rights, bundle: Bundle, request: v1.ExtensionRequest
) -> Iterator[tuple[BundleObject, v1.InstallationRefusal]]:
    """Yield the objects of *bundle* that an account with these *rights* may not look at, each with the refusal.

    Of an update the controller looks whether the objects that are new are there already.
    """
    content = v1.bundle_content(bundle)
    if content.manifests is None or request.gates.is_on(_REVISIONS):
        return
    installed = None if is_installed(bundle, request) else v1.installed_bundle(request)
    before = () if installed is None else bundle_objects(v1.bundle_content(installed), request.settings)
    doing = "install" if request.installed is None else "update"
    for manifest in bundle_objects(content, request.settings):
        resource = _resource(manifest, content)
        forbidden = "" if manifest in before else _forbidden(rights, "get", manifest, resource)
        if not forbidden:
            continue
        message = f"could not get object: {forbidden}"
        if not is_installed(bundle, request):
            message = (
                f"failed to get release state using server-side dry-run: Unable to continue with {doing}: could not"
                f' get information about the resource {manifest.kind} "{manifest.name}" in namespace'
                f' "{manifest.namespace}": {forbidden}'
            )
        yield manifest, _refusal(message, _lacks("get", resource))


def _forbidden(rights: Rights, verb: str, object_: BundleObject, resource: _Resource) -> str:
    """Return the API server's words where the account may not *verb* the object *object_*; "" where it may."""
    needed = Needed(verb, *resource, not object_.namespace)
    if rights.may(needed, object_.name):
        return ""
    return f'{resource} "{object_.name}" is forbidden: {rights.cannot(needed, object_.namespace)}'


def _is_patched(object_: BundleObject, content: v1.BundleContent, before: v1.BundleContent | None) -> bool:
    if object_.kind != "Deployment":
        return object_.is_crd
    return before is not None and _deployments(content).get(object_.name) != _deployments(before).get(object_.name)


def _deployments(content: v1.BundleContent) -> dict[str, object]:
    listed = mappings_in(content.strategy.get("deployments"))
    return {str(deployment.get("name")): deployment for deployment in listed}


@attrs.frozen
class _LackedRight:
    """The right to *verb* an object *name* ("" for any) of a *resource*, or, where that is None, to *verb* a URL."""

    namespace: str
    resource: _Resource | None
    name: str
    verb: str


_Compacted: TypeAlias = dict[tuple[str, _Resource, str], set[str]]


def _compacted(missing: Iterable[_LackedRight]) -> _Compacted:
    """Return the verbs on each object or resource, as Kubernetes compacts rules; URLs are left out."""
    verbs: _Compacted = {}
    for rule in missing:
        if rule.resource is not None:
            verbs.setdefault((rule.namespace, rule.resource, rule.name), set()).add(rule.verb)
    return verbs


def _lines(missing: Sequence[_LackedRight]) -> Iterator[str]:
    """Yield the controller's line for all verbs on one object or resource; URLs stay by themselves, as recorded."""
    for rule in missing:
        if rule.resource is None:
            yield f'Namespace:"" Verbs:[{rule.verb}] NonResourceURLs:[{rule.name}]'
    for (namespace, resource, name), requested_verbs in _compacted(missing).items():
        named = f" ResourceNames:[{name}]" if name else ""
        yield (
            f'Namespace:"{namespace}" APIGroups:[{resource.group}] Resources:[{resource.name}]{named}'
            f" Verbs:[{','.join(sorted(requested_verbs))}]"
        )


def _rules_text(missing: Sequence[_LackedRight]) -> str:
    """Return the rules that are not held, a line each, as the API server writes them."""
    lines = [f'{{NonResourceURLs:["{rule.name}"], Verbs:["{rule.verb}"]}}' for rule in missing if rule.resource is None]
    for (_, resource, name), requested_verbs in _compacted(missing).items():
        named = f', ResourceNames:["{name}"]' if name else ""
        verbs = " ".join(f'"{verb}"' for verb in sorted(requested_verbs))
        lines.append(f'{{APIGroups:["{resource.group}"], Resources:["{resource.name}"]{named}, Verbs:[{verbs}]}}')
    return "\n".join(sorted(lines))


def _resource(object_: BundleObject, content: v1.BundleContent) -> _Resource:
    api_versions = {str(other.get("kind")): str(other.get("apiVersion") or "") for other in content.others}
    return resource_of(object_.kind, api_versions.get(object_.kind, ""))


def _lacks(verb: str, resource: _Resource) -> str:
    return f"the account needs a role that lets it {verb} {resource}; {_IGNORED}"


def _refusal(message: str, note: str) -> v1.InstallationRefusal:
    return v1.InstallationRefusal(v1.InstallRule.ACCOUNT, message, note)
