"""The provider of certificates for webhooks: without cert-manager's definitions the controller cannot render them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from olmsolve import v1
from olmsolve.catalog import Bundle
from olmsolve.cluster.objects import CustomResourceDefinition
from olmsolve.cluster.state import ClusterState

_GATE: Final = "WebhookProviderCertManager"
# Whoever dumps all definitions dumps OLM's own, too.
_OWN: Final = "clusterextensions.olm.operatorframework.io"
_GROUP: Final = "cert-manager.io"
_LONGEST: Final = 63


def certificates_missing(state: ClusterState) -> tuple[str, ...]:
    """Return the kinds of cert-manager that *state* lacks; empty where it has them, or not all definitions."""
    names = {definition.name for definition in state.all(CustomResourceDefinition)}
    if _OWN not in names:
        return ()
    return tuple(kind for kind in ("Certificate", "Issuer") if f"{kind.lower()}s.{_GROUP}" not in names)


@attrs.frozen
class CertificatesAreMade:
    """The check, behind the gate WebhookProviderCertManager, that a bundle with webhooks gets its certificates.

    *missing* are the kinds of cert-manager that are not on the cluster.
    """

    missing: tuple[str, ...]

    def __call__(self, bundle: Bundle, request: v1.ExtensionRequest, /) -> v1.InstallationRefusal | None:
        if not request.gates.is_on(_GATE):
            return None
        webhooks = v1.bundle_content(bundle).webhooks
        deployments = sorted({str(webhook.get("deploymentName") or "") for webhook in webhooks})
        faults = [
            f'resource mapping not found for name: "{name}" namespace: "{request.settings.namespace}" from "": no'
            f' matches for kind "{kind}" in version "{_GROUP}/v1"\nensure CRDs are installed first'
            for kind, name in (made for deployment in deployments for made in _objects(deployment))
            if kind in self.missing
        ]
        if not faults:
            return None
        told = ", ".join(faults)
        message = (
            "failed to get release state using server-side dry-run: error while running post render on files:"
            f" postrenderer[0] (*client.ownerPostRenderer) failed: {f'[{told}]' if len(faults) > 1 else told}"
        )
        note = "its operator brings webhooks, whose certificates cert-manager makes, which is not on the cluster"
        return v1.InstallationRefusal(v1.InstallRule.WEBHOOK, message, note)


def _objects(deployment: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of what the controller makes for the webhooks of *deployment*."""
    service = _joined(deployment.replace(".", "-"), "service")
    certificate = _joined(service, "cert")
    yield "Certificate", certificate
    yield "Issuer", _joined(certificate, "selfsigned-issuer")


def _joined(base: str, ending: str) -> str:
    """Return ``base-ending``, cut to 63 characters; the hyphen is not counted when this is decided, as recorded.

    The service of a deployment of 51 letters has 59, and its certificate 64.
    """
    if len(base) + len(ending) > _LONGEST:
        base = base[: _LONGEST - len(ending) - 1]
    return f"{base}-{ending}"
