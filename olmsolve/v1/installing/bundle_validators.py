"""The validators of OLM v1's bundle renderer: what the manifests of a bundle must fulfil, in the renderer's words.

All of them look at a bundle, in this order, and their faults are reported together, a line for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from olmsolve.semver import quote
from olmsolve.v1.installing.content import BundleContent, Manifest, mappings, name_of, text, texts
from olmsolve.v1.label_selectors import subdomain_faults

_CONVERSION: Final = "ConversionWebhook"
_OLM: Final = "olm.operatorframework.io"
_ADMISSION: Final = "admissionregistration.k8s.io"
# Webhooks on webhook configurations could keep people from ever deleting a faulty one.
_WEBHOOK_RESOURCES: Final = frozenset(
    {
        "*",
        "mutatingwebhookconfiguration",
        "mutatingwebhookconfigurations",
        "validatingwebhookconfiguration",
        "validatingwebhookconfigurations",
    }
)
# As operator-registry lists them; True: the kind is namespaced.
_SUPPORTED_KINDS: Final[Mapping[str, bool]] = {
    "ClusterRole": False,
    "ClusterRoleBinding": False,
    "ConfigMap": True,
    "ConsoleCLIDownload": False,
    "ConsoleLink": False,
    "ConsolePlugin": False,
    "ConsoleQuickStart": False,
    "ConsoleYAMLSample": False,
    "NetworkPolicy": True,
    "PodDisruptionBudget": True,
    "PriorityClass": False,
    "PrometheusRule": True,
    "Role": True,
    "RoleBinding": True,
    "Secret": True,
    "Service": True,
    "ServiceAccount": True,
    "ServiceMonitor": True,
    "VerticalPodAutoscaler": False,
}


def validator_faults(content: BundleContent) -> list[str]:
    """Return the faults of a bundle whose manifests are all known; empty where it has none."""
    return [fault for validator in _VALIDATORS for fault in validator(content)]


def is_namespaced(kind: str) -> bool:
    """Return whether objects of *kind* in a bundle go into the namespace of the extension."""
    return _SUPPORTED_KINDS.get(kind, True)


def _twice(values: Iterable[str]) -> list[str]:
    return sorted(value for value, count in Counter(values).items() if count > 1)


def _deployment_names(content: BundleContent) -> list[str]:
    return [text(entry, "name") for entry in mappings(content.strategy, "deployments")]


def _deployments_are_unique(content: BundleContent) -> Iterator[str]:
    for name in _twice(_deployment_names(content)):
        yield f"cluster service version contains duplicate strategy deployment spec '{name}'"


def _deployment_names_are_valid(content: BundleContent) -> Iterator[str]:
    for name in sorted(set(_deployment_names(content))):
        if faults := sorted(subdomain_faults(name)):
            yield f"invalid cluster service version strategy deployment name '{name}': {', '.join(faults)}"


def _crds_are_unique(content: BundleContent) -> Iterator[str]:
    for name in _twice(map(name_of, content.crds)):
        yield f"bundle contains duplicate custom resource definition '{name}'"


def _owned_crds_exist(content: BundleContent) -> Iterator[str]:
    owned = {text(owned_crd, "name") for owned_crd in content.owned_crds}
    for name in sorted(owned.difference(map(name_of, content.crds))):
        yield f"cluster service definition references owned custom resource definition '{name}' not found in bundle"


def _package_is_named(content: BundleContent) -> Iterator[str]:
    if not content.package:
        yield "package name is empty"


def _conversion_is_supported(content: BundleContent) -> Iterator[str]:
    modes = content.install_modes
    if modes == ("AllNamespaces",):
        return
    for webhook in _conversions(content):
        yield (
            f"bundle contains conversion webhook {quote(text(webhook, 'generateName'))} and supports install modes "
            f"[{' '.join(modes)}] - conversion webhooks are only supported for bundles that only support AllNamespaces "
            "install mode"
        )


def _webhooks_have_deployments(content: BundleContent) -> Iterator[str]:
    deployments = set(_deployment_names(content))
    for webhook in sorted(
        content.webhooks, key=lambda webhook: (text(webhook, "deploymentName"), *_kind_and_name(webhook))
    ):
        deployment = text(webhook, "deploymentName")
        if deployment not in deployments:
            kind, name = _kind_and_name(webhook)
            yield f"webhook of type '{kind}' with name '{name}' references non-existent deployment '{deployment}'"


def _webhook_names_are_unique(content: BundleContent) -> Iterator[str]:
    counts = Counter(map(_kind_and_name, content.webhooks))
    for (kind, name), count in sorted(counts.items()):
        if count > 1:
            yield f"duplicate webhook '{name}' of type '{kind}'"


def _webhook_names_are_valid(content: BundleContent) -> Iterator[str]:
    for kind, name in sorted(set(map(_kind_and_name, content.webhooks))):
        if faults := sorted(subdomain_faults(name)):
            yield f"webhook of type '{kind}' has invalid name '{name}': {','.join(faults)}"


def _conversions_share_no_crd(content: BundleContent) -> Iterator[str]:
    converting: dict[str, list[str]] = {}
    for webhook in _conversions(content):
        for crd in texts(webhook, "conversionCRDs"):
            converting.setdefault(crd, []).append(text(webhook, "generateName"))
    for crd, names in sorted(converting.items()):
        if len(names) > 1:
            yield f"conversion webhooks [{','.join(sorted(names))}] reference same custom resource definition '{crd}'"


def _conversions_are_of_owned_crds(content: BundleContent) -> Iterator[str]:
    owned = {text(owned_crd, "name") for owned_crd in content.owned_crds}
    for webhook in sorted(_conversions(content), key=lambda webhook: text(webhook, "generateName")):
        for crd in sorted(texts(webhook, "conversionCRDs")):
            if crd not in owned:
                name = text(webhook, "generateName")
                yield f"conversion webhook '{name}' references custom resource definition '{crd}' not owned bundle"


def _webhook_rules_are_allowed(content: BundleContent) -> Iterator[str]:
    for webhook in content.webhooks:
        if text(webhook, "type") != _CONVERSION:
            for rule in mappings(webhook, "rules"):
                yield from _rule_faults(text(webhook, "generateName"), rule)


def _rule_faults(webhook: str, rule: Manifest) -> Iterator[str]:
    said = f"webhook {quote(webhook)} contains forbidden rule: admission webhook rules cannot reference"
    for group in texts(rule, "apiGroups"):
        if group in (_OLM, "*"):
            yield f"{said} API group {quote(group)}"
        if group == _ADMISSION:
            for resource in texts(rule, "resources"):
                if resource.lower() in _WEBHOOK_RESOURCES:
                    yield f"{said} resource {quote(resource)} for API group {quote(group)}"


def _kinds_are_supported(content: BundleContent) -> Iterator[str]:
    for other in content.others:
        kind = text(other, "kind")
        if kind not in _SUPPORTED_KINDS:
            yield f"unsupported resource {quote(name_of(other))} with kind {quote(kind)}"


def _conversions(content: BundleContent) -> list[Manifest]:
    return [webhook for webhook in content.webhooks if text(webhook, "type") == _CONVERSION]


def _kind_and_name(webhook: Manifest) -> tuple[str, str]:
    return text(webhook, "type"), text(webhook, "generateName")


# The renderer's order, which is the order of the lines in its message, as recorded.
_VALIDATORS: Final[tuple[Callable[[BundleContent], Iterator[str]], ...]] = (
    _deployments_are_unique,
    _deployment_names_are_valid,
    _crds_are_unique,
    _owned_crds_exist,
    _package_is_named,
    _conversion_is_supported,
    _webhooks_have_deployments,
    _webhook_names_are_unique,
    _webhook_names_are_valid,
    _conversions_share_no_crd,
    _conversions_are_of_owned_crds,
    _webhook_rules_are_allowed,
    _kinds_are_supported,
)
