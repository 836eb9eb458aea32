"""The refusals of OLM v1's controller that depend on a bundle and its extension alone, in the controller's order."""

from __future__ import annotations

from typing import Final

from olmsolve.v1.installing.content import BundleContent
from olmsolve.v1.installing.inline_config import config_faults, watch_namespace
from olmsolve.v1.installing.settings import (
    INVALID_CONFIGURATION,
    FeatureGates,
    InstallationRefusal,
    InstallRule,
    InstallSettings,
)

_OWN_GATE: Final = "SingleOwnNamespaceInstallSupport"
_WEBHOOK_GATES: Final = ("WebhookProviderCertManager", "WebhookProviderOpenshiftServiceCA")
_ONE_NAMESPACE: Final = ("OwnNamespace", "SingleNamespace")


def bundle_refusal(
    content: BundleContent, settings: InstallSettings, gates: FeatureGates
) -> InstallationRefusal | None:
    """Return why the controller does not install a bundle with this *content*; None where nothing known says so.

    A rule about a part of the content that the catalog does not have refuses nothing; :func:`unknown_facts` names these
    parts.
    """
    if content.spec is None:
        return None if content.manifests is None else _without_operator()
    return (
        _unsupported(content, gates)
        or _misconfigured(content, settings, gates)
        or _invalid(content)
        or _without_target(content, settings, gates)
    )


def unknown_facts(content: BundleContent) -> tuple[str, ...]:
    """Return the parts of the content that the controller looks at, and that the catalog does not have."""
    if content.manifests is not None:
        return ()
    manifests = ("webhooks", "manifests")
    return manifests if content.spec is not None else ("install modes", "API services", *manifests)


def _without_operator() -> InstallationRefusal:
    return InstallationRefusal(
        InstallRule.MANIFESTS,
        'no ClusterServiceVersion found in "manifests"',
        "the bundle brings no operator, so nobody can install it; its author has to add one",
    )


def _unsupported(content: BundleContent, gates: FeatureGates) -> InstallationRefusal | None:
    if content.owned_api_services:
        return InstallationRefusal(
            InstallRule.API_SERVICE,
            # The controller's own spelling.
            "unsupported bundle: apiServiceDefintions are not supported",
            "its operator brings an aggregated API server, which OLM v1 never installs; classic OLM does",
        )
    if content.webhooks and not any(map(gates.is_on, _WEBHOOK_GATES)):
        return InstallationRefusal(
            InstallRule.WEBHOOK,
            "unsupported bundle: webhookDefinitions are not supported",
            f"its operator brings webhooks, which need one of the feature gates {' and '.join(_WEBHOOK_GATES)}",
        )
    modes = content.install_modes
    if "AllNamespaces" in modes:
        return None
    served = " and ".join(modes) or "no install mode at all"
    if not gates.is_on(_OWN_GATE):
        note = f"its operator supports {served}, and OLM v1 installs for all namespaces"
        if any(mode in modes for mode in _ONE_NAMESPACE):
            note += (
                f"; with the feature gate {_OWN_GATE} it can watch one namespace (spec.config.inline.watchNamespace)"
            )
        return InstallationRefusal(
            InstallRule.INSTALL_MODE, "unsupported bundle: bundle does not support AllNamespaces install mode", note
        )
    if not any(mode in modes for mode in _ONE_NAMESPACE):
        return InstallationRefusal(
            InstallRule.INSTALL_MODE,
            "unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] "
            "install modes",
            f"its operator supports {served}",
        )
    return None


def _misconfigured(
    content: BundleContent, settings: InstallSettings, gates: FeatureGates
) -> InstallationRefusal | None:
    has_deployment = gates.is_on("DeploymentConfig")
    if not (gates.is_on(_OWN_GATE) or has_deployment):
        return None
    modes = content.install_modes
    fault = config_faults(settings.config, modes, settings.namespace, has_deployment=has_deployment)
    if not fault:
        return None
    note = "the controller waits for another spec.config.inline"
    return InstallationRefusal(InstallRule.CONFIG, fault, note, INVALID_CONFIGURATION)


def _invalid(content: BundleContent) -> InstallationRefusal | None:
    if content.manifests is None:
        return None
    from olmsolve.v1.installing.bundle_validators import validator_faults  # few catalogs have manifests

    faults = validator_faults(content)
    if not faults:
        return None
    note = "the bundle's manifests have a fault, which its author has to correct"
    return InstallationRefusal(InstallRule.VALIDATOR, "\n".join(faults), note)


def _without_target(
    content: BundleContent, settings: InstallSettings, gates: FeatureGates
) -> InstallationRefusal | None:
    """Return why no install mode fits the namespace to watch; the configuration's schema lets most pass that fit."""
    namespace = watch_namespace(settings.config) if gates.is_on(_OWN_GATE) else ""
    modes = content.install_modes
    if not namespace:
        return None
    is_own = namespace == settings.namespace
    if ("OwnNamespace" if is_own else "SingleNamespace") in modes:
        return None
    listed = f"supported install modes [{' '.join(modes)}]"
    what = "do not support targeting own namespace" if is_own else f"do not support target namespaces [{namespace}]"
    return InstallationRefusal(
        InstallRule.INSTALL_MODE,
        f"invalid option(s): invalid target namespaces [{namespace}]: {listed} {what}",
        f"its operator cannot watch only namespace {namespace}",
    )
