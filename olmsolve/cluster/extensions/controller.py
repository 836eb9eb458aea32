"""Facts about operator-controller that a cluster's objects show: gates, revisions, and what makes certificates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve.catalog import Bundle
from olmsolve.cluster.extensions.object_names import name_with_ending
from olmsolve.cluster.go_text import aggregated
from olmsolve.cluster.objects import ClusterExtension, CustomResourceDefinition, OtherObject
from olmsolve.cluster.state import ClusterState
from olmsolve.fields import mapping_or_empty, mappings_in

_DEPLOYMENT: Final = "operator-controller"
# An option of operator-controller, not of ours.
_OPTION: Final = "feature-gates"
_OBJECT_SET: Final = "ClusterObjectSet"
_OWNER: Final = "olm.operatorframework.io/owner-name"
_BUNDLE: Final = "olm.operatorframework.io/bundle-"
_ROLLOUT: Final = "BoxcutterRuntime"
_RELEASES: Final = "BundleReleaseSupport"


def controller_gates(state: ClusterState) -> dict[str, bool]:
    """Return the feature gates that the objects of *state* show, by name.

    The Deployment of operator-controller names them in its arguments. Without it, a ClusterObjectSet shows
    BoxcutterRuntime, and a bundle that is installed with a release shows BundleReleaseSupport.
    """
    gates: dict[str, bool] = {}
    for other in state.others:
        if other.kind == _OBJECT_SET:
            gates[_ROLLOUT] = True
    for extension in state.all(ClusterExtension):
        if extension.installed is not None and extension.installed.get("release") is not None:
            gates[_RELEASES] = True
    for other in state.others:
        if other.kind == "Deployment" and _DEPLOYMENT in other.name:
            gates.update(_settings(other.raw))
    return gates


def revision_rolling_out(state: ClusterState, extension: ClusterExtension) -> v1.InstalledBundle | None:
    """Return the bundle of *extension*'s first revision that has not succeeded; None where there is none.

    Such a revision keeps the controller from resolving. Its bundle is in annotations of its ClusterObjectSet; the
    extension's status lists the revisions that roll out.
    """
    waiting = set(_waiting_revisions(extension.raw))
    revisions = [other for other in state.others if other.kind == _OBJECT_SET and other.name in waiting]
    owned = [
        revision for revision in revisions if revision.metadata.labels.get(_OWNER, extension.name) == extension.name
    ]
    first = min(owned, key=_revision, default=None)
    if first is None:
        return None
    annotations = first.metadata.annotations
    name, version = annotations.get(f"{_BUNDLE}name", ""), annotations.get(f"{_BUNDLE}version", "")
    return v1.InstalledBundle(name, version, annotations.get(f"{_BUNDLE}release"))


def _waiting_revisions(raw: Mapping[str, Any]) -> Iterator[str]:
    for entry in mappings_in(mapping_or_empty(raw.get("status")).get("activeRevisions")):
        conditions = {condition.get("type"): condition for condition in mappings_in(entry.get("conditions"))}
        progressing = conditions.get("Progressing")
        if progressing is not None and progressing.get("reason") != "Succeeded":
            yield str(entry.get("name"))


def _revision(revision: OtherObject) -> int:
    number = mapping_or_empty(revision.raw.get("spec")).get("revision")
    return number if isinstance(number, int) else 0


def _settings(raw: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the gates in the arguments of a Deployment's containers; a later argument counts over an earlier one."""
    pod = mapping_or_empty(mapping_or_empty(mapping_or_empty(raw.get("spec")).get("template")).get("spec"))
    for container in mappings_in(pod.get("containers")):
        given = container.get("args")
        arguments = (
            [str(argument) for argument in given] if isinstance(given, Sequence) and not isinstance(given, str) else []
        )
        for number, argument in enumerate(arguments):
            name, equals, value = argument.partition("=")
            if name.lstrip("-") == _OPTION:
                value = value if equals else "".join(arguments[number + 1 : number + 2])
                for setting in value.split(","):
                    gate, _, on = setting.strip().partition("=")
                    if gate in v1.DEFAULT_GATES:
                        yield gate, on.strip().lower() == "true"


_GATE: Final = "WebhookProviderCertManager"
# Whoever dumps all definitions dumps OLM's own, too.
_OWN: Final = "clusterextensions.olm.operatorframework.io"
_GROUP: Final = "cert-manager.io"


def certificates_missing(state: ClusterState) -> tuple[str, ...]:
    """Return the kinds of cert-manager that *state* lacks; empty where it has them, or not all definitions."""
    names = {definition.name for definition in state.all(CustomResourceDefinition)}
    if _OWN not in names:
        return ()
    return tuple(kind for kind in ("Certificate", "Issuer") if f"{kind.lower()}s.{_GROUP}" not in names)


@attrs.frozen
class CertificatesAreMade:
    """The check, under the feature gate WebhookProviderCertManager, that a bundle with webhooks gets its certificates.

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
        message = (
            "failed to get release state using server-side dry-run: error while running post render on files:"
            f" postrenderer[0] (*client.ownerPostRenderer) failed: {aggregated(faults)}"
        )
        note = "its operator brings webhooks, whose certificates cert-manager makes, which is not on the cluster"
        return v1.InstallationRefusal(v1.InstallRule.WEBHOOK, message, note)


def _objects(deployment: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of what the controller makes for the webhooks of *deployment*."""
    service = name_with_ending(deployment.replace(".", "-"), "service")
    certificate = name_with_ending(service, "cert")
    yield "Certificate", certificate
    yield "Issuer", name_with_ending(certificate, "selfsigned-issuer")
