"""The rules between a resolved bundle and an installed one: what the controller refuses, in its words."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from olmsolve import RequestError, v1
from olmsolve.catalog import fbc
from olmsolve.v1.installing import config_faults, validator_faults

NAMESPACE = "shop"
EVERYWHERE = ("AllNamespaces",)
OWN = {"SingleOwnNamespaceInstallSupport": True}
HOOK = {
    "type": "ValidatingAdmissionWebhook",
    "generateName": "check.example.com",
    "deploymentName": "controller",
    "rules": [{"apiGroups": ["example.com"], "resources": ["shops"]}],
}
CONVERSION = {
    "type": "ConversionWebhook",
    "generateName": "convert.example.com",
    "deploymentName": "controller",
    "conversionCRDs": ["shops.example.com"],
}


def modes(*supported: str) -> list[dict[str, Any]]:
    every = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
    return [{"type": mode, "supported": mode in supported} for mode in every]


def csv(*supported: str, **spec: Any) -> dict[str, Any]:
    deployments = spec.pop("deployments", ["controller"])
    install = {"strategy": "deployment", "spec": {"deployments": [{"name": name} for name in deployments]}}
    owned = {"owned": [{"name": name, "version": "v1", "kind": "Shop"} for name in spec.pop("owned", ())]}
    return {
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "shop.v1.0.0"},
        "spec": {"installModes": modes(*supported), "install": install, "customresourcedefinitions": owned, **spec},
    }


def crd(name: str) -> dict[str, Any]:
    return {"kind": "CustomResourceDefinition", "metadata": {"name": name}}


def manifest(value: dict[str, Any]) -> dict[str, Any]:
    data = base64.b64encode(json.dumps(value).encode()).decode()
    return {"type": "olm.bundle.object", "value": {"data": data}}


def request(*properties: dict[str, Any], **settings: Any) -> v1.ExtensionRequest:
    gates = settings.pop("gates", {})
    package = {"type": "olm.package", "value": {"packageName": "shop", "version": "1.0.0"}}
    content = fbc.from_blobs(
        [
            {"schema": "olm.channel", "package": "shop", "name": "c", "entries": [{"name": "shop.v1.0.0"}]},
            {"schema": "olm.bundle", "package": "shop", "name": "shop.v1.0.0", "properties": [package, *properties]},
        ]
    )
    return v1.ExtensionRequest(
        v1.Extension("shop"),
        [v1.ClusterCatalog("cat", content)],
        gates=v1.FeatureGates(gates),
        settings=v1.InstallSettings(NAMESPACE, **settings),
    )


def refusal(*properties: dict[str, Any], **settings: Any) -> str:
    """The words of the refusal, "" where the bundle is installed."""
    walked = v1.walk(request(*properties, **settings))
    if walked.stopped is None:
        return ""
    assert walked.stopped.note
    prefix = 'error for resolved bundle "shop.v1.0.0" with version "1.0.0": '
    assert str(walked.stopped).startswith(prefix)
    return str(walked.stopped).removeprefix(prefix)


def metadata(*supported: str, **fields: Any) -> dict[str, Any]:
    return {"type": "olm.csv.metadata", "value": {"installModes": modes(*supported), **fields}}


UNSUPPORTED = "unsupported bundle: bundle does not support AllNamespaces install mode"


@pytest.mark.parametrize(
    ("supported", "gates", "words"),
    [
        (("AllNamespaces",), {}, ""),
        (("OwnNamespace",), {}, UNSUPPORTED),
        ((), {}, UNSUPPORTED),
        (("MultiNamespace",), {}, UNSUPPORTED),
        (("AllNamespaces", "OwnNamespace"), {}, ""),
        (
            ("MultiNamespace",),
            OWN,
            (
                "unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] "
                "install modes"
            ),
        ),
        (("AllNamespaces",), {"AllAlpha": True}, ""),
    ],
)
def test_install_modes_decide(supported: tuple[str, ...], gates: dict[str, bool], words: str) -> None:
    """By metadata and by manifests alike."""
    assert refusal(metadata(*supported), gates=gates) == words
    assert refusal(manifest(csv(*supported)), gates=gates) == words


def test_nothing_known_refuses_nothing() -> None:
    """A catalog without metadata and manifests is answered as before, and the answer names what it does not know."""
    resolution = v1.resolve(request())
    assert resolution.unknown == ("install modes", "API services", "webhooks", "manifests")
    assert v1.resolve(request(metadata(*EVERYWHERE))).unknown == ("webhooks", "manifests")
    assert v1.resolve(request(manifest(csv(*EVERYWHERE)))).unknown == ()
    # A manifest in YAML cannot be judged, and is no reason to refuse a kind that nobody has read.
    data = base64.b64encode(b"kind: Route\n").decode()
    assert refusal({"type": "olm.bundle.object", "value": {"data": data}}) == ""


def test_api_services_and_webhooks() -> None:
    """The first never, the others with a provider of certificates; what the controller meets first it tells."""
    service = {"owned": [{"group": "g", "version": "v1", "kind": "K", "name": "ks"}]}
    assert refusal(metadata(apiServiceDefinitions=service)).startswith("unsupported bundle: apiServiceDefintions")
    assert refusal(manifest(csv(apiservicedefinitions=service))).startswith("unsupported bundle: apiServiceDefintions")
    hooked = manifest(csv(*EVERYWHERE, webhookdefinitions=[HOOK]))
    assert refusal(hooked) == ""
    off = {"WebhookProviderCertManager": False, "WebhookProviderOpenshiftServiceCA": False}
    assert refusal(hooked, gates=off) == "unsupported bundle: webhookDefinitions are not supported"
    assert refusal(hooked, gates={"WebhookProviderCertManager": False}) == ""


def test_a_bundle_without_an_operator() -> None:
    """As recorded; of two operators the last counts."""
    assert refusal(manifest({"kind": "ConfigMap"})) == 'no ClusterServiceVersion found in "manifests"'
    assert refusal(manifest(csv()), manifest(csv(*EVERYWHERE))) == ""


SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


@pytest.mark.parametrize(
    ("manifests", "faults"),
    [
        ([csv(*EVERYWHERE)], []),
        ([csv(deployments=["b", "a", "b", "a"])], [f"duplicate strategy deployment spec '{name}'" for name in "ab"]),
        ([csv(deployments=["A_b"])], [f"strategy deployment name 'A_b': {SUBDOMAIN}"]),
        ([csv(deployments=["a" * 254])], [f"'{'a' * 254}': must be no more than 253 characters"]),
        ([csv(deployments=[""])], [f"deployment name '': {SUBDOMAIN}"]),
        ([csv(), crd("a.b"), crd("a.b"), crd("c.d")], ["bundle contains duplicate custom resource definition 'a.b'"]),
        (
            [csv(owned=["x.y", "a.b"]), crd("a.b")],
            ["references owned custom resource definition 'x.y' not found in bundle"],
        ),
        (
            [csv(*EVERYWHERE, webhookdefinitions=[CONVERSION], owned=["shops.example.com"]), crd("shops.example.com")],
            [],
        ),
        (
            [
                csv("AllNamespaces", "OwnNamespace", webhookdefinitions=[CONVERSION], owned=["shops.example.com"]),
                crd("shops.example.com"),
            ],
            ['conversion webhook "convert.example.com" and supports install modes [AllNamespaces OwnNamespace] - '],
        ),
        (
            [csv(*EVERYWHERE, webhookdefinitions=[{**HOOK, "deploymentName": "gone"}])],
            ["'ValidatingAdmissionWebhook' with name 'check.example.com' references non-existent deployment 'gone'"],
        ),
        (
            [csv(*EVERYWHERE, webhookdefinitions=[HOOK, HOOK, {**HOOK, "type": "MutatingAdmissionWebhook"}])],
            ["duplicate webhook 'check.example.com' of type 'ValidatingAdmissionWebhook'"],
        ),
        (
            [csv(*EVERYWHERE, webhookdefinitions=[{**HOOK, "generateName": "Check"}])],
            [f"webhook of type 'ValidatingAdmissionWebhook' has invalid name 'Check': {SUBDOMAIN}"],
        ),
        (
            [
                csv(
                    *EVERYWHERE,
                    webhookdefinitions=[CONVERSION, {**CONVERSION, "generateName": "again.example.com"}],
                    owned=["shops.example.com"],
                ),
                crd("shops.example.com"),
            ],
            ["conversion webhooks [again.example.com,convert.example.com] reference same custom "],
        ),
        (
            [csv(*EVERYWHERE, webhookdefinitions=[CONVERSION])],
            ["'convert.example.com' references custom resource definition 'shops.example.com' not owned bundle"],
        ),
        (
            [
                csv(
                    *EVERYWHERE,
                    webhookdefinitions=[
                        {**HOOK, "rules": [{"apiGroups": ["*", "olm.operatorframework.io"], "resources": ["x"]}]}
                    ],
                )
            ],
            ['cannot reference API group "*"', 'cannot reference API group "olm.operatorframework.io"'],
        ),
        (
            [
                csv(
                    *EVERYWHERE,
                    webhookdefinitions=[
                        {
                            **HOOK,
                            "rules": [
                                {
                                    "apiGroups": ["admissionregistration.k8s.io"],
                                    "resources": ["ValidatingWebhookConfigurations", "others"],
                                }
                            ],
                        }
                    ],
                )
            ],
            ['resource "ValidatingWebhookConfigurations" for API group "admissionregistration.k8s.io"'],
        ),
        (
            [csv(), {"kind": "Service"}, {"kind": "Route", "metadata": {"name": "r"}}],
            ['unsupported resource "r" with kind "Route"'],
        ),
    ],
)
def test_the_validators_of_manifests(manifests: list[dict[str, Any]], faults: list[str]) -> None:
    """Each of the thirteen, in the controller's words and order; all faults of a bundle are told."""
    (bundle,) = (
        bundle
        for catalog in request(*map(manifest, manifests)).catalogs
        if catalog.catalog is not None
        for bundle in catalog.catalog.packages["shop"].bundles.values()
    )
    reported = validator_faults(v1.bundle_content(bundle))
    assert len(reported) == len(faults)
    for fault, part in zip(reported, faults, strict=True):
        assert part in fault


MISSING = 'required field "watchNamespace" is missing'
UNKNOWN = 'unknown field "watchNamespace"'


@pytest.mark.parametrize(
    ("supported", "config", "words"),
    [
        (("AllNamespaces",), None, ""),
        (("AllNamespaces",), {"watchNamespace": "shop"}, UNKNOWN),
        (("AllNamespaces",), {"colour": "red"}, 'unknown field "colour"'),
        (("OwnNamespace",), None, MISSING),
        (("OwnNamespace",), {"watchNamespace": None}, MISSING),
        (("OwnNamespace",), {"watchNamespace": "shop"}, ""),
        (("OwnNamespace",), {"watchNamespace": "other"}, 'invalid value "other": must be "shop" (the namespace'),
        (("SingleNamespace",), {"watchNamespace": "other"}, ""),
        (("SingleNamespace",), {"watchNamespace": "shop"}, 'invalid value "shop": must be different from "shop"'),
        (("OwnNamespace", "SingleNamespace"), {"watchNamespace": "any"}, ""),
        (("AllNamespaces", "OwnNamespace"), None, ""),
        (("AllNamespaces", "OwnNamespace"), {"watchNamespace": None}, ""),
        (("AllNamespaces", "OwnNamespace"), {"watchNamespace": "shop"}, ""),
        (("AllNamespaces", "OwnNamespace"), {"watchNamespace": "x"}, 'invalid value for field "watchNamespace"'),
        (("OwnNamespace",), {"watchNamespace": 3}, 'invalid type for field "watchNamespace": got number, want string'),
        (("SingleNamespace",), {"watchNamespace": ""}, 'field "watchNamespace" must have minimum length of 1 (len=0)'),
        (("SingleNamespace",), {"watchNamespace": "a" * 64}, "must have maximum length of 63 (len=64)"),
        (("SingleNamespace",), {"watchNamespace": "A"}, 'field "watchNamespace" must match pattern'),
        (("OwnNamespace",), {"deploymentConfig": {}}, 'unknown field "deploymentConfig"'),
    ],
)
def test_the_configuration_follows_from_install_modes(
    supported: tuple[str, ...], config: dict[str, Any] | None, words: str
) -> None:
    """Its fault keeps the controller waiting, so that the reason in the status is another one."""
    message = refusal(metadata(*supported), gates=OWN, config=config)
    assert words in message
    assert bool(message) == bool(words)
    if words:
        assert message.startswith("invalid ClusterExtension configuration: invalid configuration: ")
        with pytest.raises(v1.InstallationError) as caught:
            v1.resolve(request(metadata(*supported), gates=OWN, config=config))
        assert caught.value.reason_of_progressing == "InvalidConfiguration"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, ""),
        ({"env": [{"name": "A", "value": "b"}], "nodeSelector": {"a": "b"}}, ""),
        ({"env": "a"}, 'invalid type for field "deploymentConfig.env": got string, want array'),
        ({"colour": 1}, 'unknown field "colour"'),
        ({"nodeSelector": {"a": 1}}, 'invalid type for field "deploymentConfig.nodeSelector.a": got number'),
        ([], 'invalid type for field "deploymentConfig": got array, want object'),
        # A type of Kubernetes refused for one fault hides it, as recorded of what is inside of env and resources.
        ({"resources": []}, "invalid configuration: validation failed"),
    ],
)
def test_the_configuration_of_a_deployment(config: Any, words: str) -> None:
    """With its gate; several faults are told together."""
    message = config_faults({"deploymentConfig": config}, EVERYWHERE, NAMESPACE, has_deployment=True)
    assert words in message
    assert bool(message) == bool(words)
    assert 'unknown field "deploymentConfig"' in config_faults(
        {"deploymentConfig": config}, EVERYWHERE, NAMESPACE, has_deployment=False
    )
    both = config_faults({"deploymentConfig": 1, "x": 1}, EVERYWHERE, NAMESPACE, has_deployment=True)
    assert "multiple errors found:\n  - " in both


def test_feature_gates_are_known_by_name() -> None:
    """A typing mistake would otherwise be a gate that is off."""
    with pytest.raises(RequestError, match=r"no such feature gate .*did you mean SingleOwnNamespaceInstallSupport\?"):
        v1.FeatureGates({"SingleOwnNamespaceInstallSuport": True})
    with pytest.raises(RequestError, match=r"feature_gates.DeploymentConfig: must be true or false"):
        v1.FeatureGates({"DeploymentConfig": "true"})  # type: ignore[dict-item]
    assert [name for name, on in v1.DEFAULT_GATES.items() if on] == [
        "WebhookProviderCertManager",
        "WebhookProviderOpenshiftServiceCA",
    ]
    gates = v1.FeatureGates({"AllAlpha": True, "HelmChartSupport": False})
    assert gates.is_on("DeploymentConfig")
    assert not gates.is_on("HelmChartSupport")


def test_a_refused_update_leaves_what_is_installed() -> None:
    """The walk ends before it, and every question tells the same refusal."""
    extension_request = request(metadata("OwnNamespace"))
    (walked, held_back) = v1.walk(extension_request), v1.held_back(extension_request)
    assert (walked.bundles, type(walked.stopped)) == ((), v1.InstallationError)
    assert [str(item) for item in held_back] == [f"shop.v1.0.0 (cat): refused: {UNSUPPORTED}"]
    plan = v1.plan([extension_request], keep_going=True)
    assert plan.planned == ()
    assert UNSUPPORTED in str(plan.failed[0].error)
    assert v1.simulate([extension_request]).to_dict()["failed"][0]["note"]
