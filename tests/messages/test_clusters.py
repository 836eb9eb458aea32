"""Messages about the objects of clusters and about OLM v1 that no other test produces."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

import pytest

from olmsolve import v1
from olmsolve.catalog.index import Group
from olmsolve.cluster import CatalogNotReady, Definitions, go_json
from olmsolve.cluster.crds import schema_violations, v1_upgrade
from olmsolve.cluster.extensions import admission_fault, foreign_objects
from olmsolve.cluster.objects import ClusterExtension, CustomResourceDefinition
from olmsolve.cluster.operator_groups import (
    InstallFault,
    OperatorCheck,
    csv_transition,
    install_fault,
    unsupported_targets,
)
from olmsolve.errors import ConstraintError, OlmsolveError
from olmsolve.events import CandidatePassedOver, CatalogLoaded
from olmsolve.lifecycle import WayToUpdate
from olmsolve.lifecycle import ways_out as changes
from olmsolve.requests import request_document
from olmsolve.testing import catalog_of, package
from olmsolve.v1 import BeingDeletedError, InOtherChannels, OnlyOneOf, UnplannableBundle
from tests.cluster.manifests import csv, group, state, the_csv

SHOP: Final = catalog_of(package("shop").channel("stable", "1.0.0 < 1.1.0"))


def refused(call: Callable[[], object]) -> str:
    """Return the text of the error that *call* raises."""
    with pytest.raises(OlmsolveError) as caught:
        call()
    return str(caught.value)


WORDS: Final[list[tuple[object, str]]] = [
    (
        CatalogNotReady("ns", "olm/cat", "", "SpecInvalidError", "no image"),
        "catalog olm/cat has a fault (SpecInvalidError: no image); once the content that it read before has expired",
    ),
    (
        OnlyOneOf(Group("package", "shop"), ("shop.v1", "shop.v2")),
        "at most one of shop.v1 or shop.v2 can be installed, because they are bundles of package shop",
    ),
    (OperatorCheck("ns", "op.v1", "og"), "ns/op.v1 may act in group og"),
    (
        WayToUpdate("shop", ("shop.v2",), approvals=True),
        "subscription shop gets shop.v2, once its install plans are approved",
    ),
    (BeingDeletedError("shop"), 'the extension for package "shop" is being deleted'),
    (InOtherChannels((), ("stable",)), "in no channel, and the extension allows channel stable"),
    (
        UnplannableBundle("shop.v1", ConstraintError("olm.constraint", "is not JSON")),
        "the requirements of shop.v1 cannot be read: ",
    ),
]


@pytest.mark.parametrize(("value", "words"), WORDS, ids=[type(value).__name__ for value, _ in WORDS])
def test_words_of_facts(value: object, words: str) -> None:
    """A fact is a value, and its words are a whole sentence or the end of one."""
    assert str(value).startswith(words)


# A schema, a value, and the words of Kubernetes' validation for it.
NUMBERS: Final[list[tuple[dict[str, Any], object, str]]] = [
    ({"type": "number", "maximum": 2, "exclusiveMaximum": True}, 2, "should be less than 2"),
    ({"type": "string", "maxLength": 1}, "ab", "Too long: may not be more than 1"),
    ({"type": "string", "minLength": 3}, "ab", "should be at least 3 chars long"),
    ({"type": "array", "minItems": 2}, ["a"], "should have at least 2 items"),
    ({"type": "object", "minProperties": 2}, {"a": 1}, "should have at least 2 properties"),
    ({"type": "object", "required": ["a"]}, {}, "Required value"),
    ({"anyOf": [{"type": "number"}, {"type": "array"}]}, "a", "must validate at least one schema (anyOf)"),
    ({"oneOf": [{"type": "number"}]}, "a", "must validate one and only one schema (oneOf). Found none valid"),
    ({"not": {"type": "string"}}, "a", "must not validate the schema (not)"),
    ({"type": "integer"}, 1.5, "Checked value must be of type integer (default format) in "),
    ({"type": "number", "multipleOf": 2}, 3, "should be a multiple of 2"),
    ({"type": "integer", "maximum": 2000000}, 3000000, "Invalid value: 3000000: "),
    ({"type": "integer", "maximum": 2000000}, 3000000, "should be less than or equal to 2000000"),
    ({"type": "number", "maximum": 2000000}, 2000000.5, "Invalid value: 2.0000005e+06: "),
    ({"type": "number", "maximum": 2000000}, 2000000.5, "should be less than or equal to 2e+06"),
    ({"type": "number", "multipleOf": 0.01}, 0.075, "should be a multiple of 0.01"),
    ({"type": "number", "minimum": 2, "exclusiveMinimum": True}, 2, "should be greater than 2"),
    (
        {"oneOf": [{"type": "number"}, {"minimum": 1}]},
        3,
        "must validate one and only one schema (oneOf). Found 2 valid alternatives",
    ),
]


@pytest.mark.parametrize(("schema", "value", "words"), NUMBERS, ids=[words for _, _, words in NUMBERS])
def test_violations_of_schemas(schema: dict[str, Any], value: object, words: str) -> None:
    """The words are those of the validation library of Kubernetes."""
    assert any(words in str(violation) for violation in schema_violations(schema, value))


@pytest.mark.parametrize(("value", "factor"), [(0.07, 0.01), (0.3, 0.1), (-0.3, 0.1), (7.5, 2.5), (3, 0.5), (0.0, 0.1)])
def test_multiples_of_fractions(value: float, factor: float) -> None:
    """Binary fractions are compared as nearly as Kubernetes does it: 0.07 / 0.01 is 7.000000000000001."""
    assert schema_violations({"type": "number", "multipleOf": factor}, value) == ()


def test_a_fraction_beside_a_whole_number() -> None:
    """Go turns the bound into an int64 beside a whole number, and cuts 2.5 to 2."""
    schema = {"type": "number", "minimum": 2.5}
    assert schema_violations(schema, 2) == ()
    assert schema_violations(schema, 2.25) != ()


# Two schemas, and OLM v1's words for the change from one to the other.
CHANGES: Final[list[tuple[dict[str, Any], dict[str, Any], str]]] = [
    ({"maximum": 2147483647}, {"maximum": 65535}, "maximum decreased : 2.147483647e+09 -> 65535"),
    ({"maxLength": 2000000}, {"maxLength": 1000000}, "maximum decreased : 2000000 -> 1000000"),
    ({}, {"default": 1}, 'default added when there was none previously : "1"'),
    ({}, {"enum": ["a"]}, 'enum constraint added when there was none previously : ["a"]'),
    ({}, {"oneOf": [{"minItems": 1}]}, 'oneOf constraint added when there was none previously: [{"minItems":1}]'),
    ({"oneOf": [{"minItems": 1}]}, {"oneOf": []}, 'allowed oneOf schemas removed: [{"minItems":1}]'),
    (
        {"oneOf": [{"minItems": 1}]},
        {"oneOf": [{"minItems": 1}, {"minItems": 2}]},
        'allowed oneOf schemas added: [{"minItems":2}]',
    ),
]


@pytest.mark.parametrize(("old", "new", "words"), CHANGES, ids=[words for _, _, words in CHANGES])
def test_changes_of_schemas(old: dict[str, Any], new: dict[str, Any], words: str) -> None:
    """OLM v1 compares two versions of a definition in these words."""
    judges = (*map(v1_upgrade._RULES.__getitem__, ("default", "enum", "maximum", "maxLength")), v1_upgrade._one_of)
    assert words in [change for judge in judges for change in judge(old, new)]


def test_an_operator_for_no_namespace() -> None:
    """OLM's message for an operator whose group has no targets."""
    assert unsupported_targets([], "shop", []).endswith(", cannot configure to watch zero namespaces")


REFERENCES: Final = {
    "-": "must start with a valid domain. valid domains must be alphanumeric characters (lowercase and uppercase)",
    "a": "a valid name is required. valid names must contain lowercase alphanumeric characters separated only by",
    "a/b": "must end with a digest or a tag",
    f"a/b:{'c' * 128}": "tag is invalid. the tag must not be more than 127 characters",
    "a/b:-": 'tag is invalid. valid tags must begin with a word character (alphanumeric + "_") followed by word',
    "a/b@1:c": "digest algorithm is not valid. valid algorithms must start with an uppercase or lowercase alpha",
    "a/b@c:d": "digest is not valid. the encoded string must be at least 32 characters",
    f"a/b@c:{'x' * 40}": "digest is not valid. the encoded string must only contain hex characters (A-F, a-f, 0-9)",
}


@pytest.mark.parametrize("reference", REFERENCES)
def test_references_that_no_api_server_takes(reference: str) -> None:
    """The words are those of the rules in catalogd's definition."""
    catalog = {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterCatalog",
        "metadata": {"name": "main"},
        "spec": {"source": {"type": "Image", "image": {"ref": reference}}},
    }
    assert REFERENCES[reference] in admission_fault(catalog)


def test_values_that_are_no_json() -> None:
    """A deep or foreign value is refused, not a stack that overflows."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert refused(lambda: go_json(deep)) == "a value nests too deep"
    assert refused(lambda: go_json({"a": {1}})).startswith("a value is not JSON data: ")
    assert refused(lambda: schema_violations({"enum": [1]}, deep)) == "a value nests too deep"


def extension(**spec: Any) -> dict[str, Any]:
    """Return a ClusterExtension with these fields."""
    return {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": "shop"},
        "spec": {
            "namespace": "shop",
            "serviceAccount": {"name": "a"},
            "source": {"sourceType": "Catalog", "catalog": {"packageName": "shop"}},
            **spec,
        },
    }


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            {"config": {"configType": "Inline", "inline": {}}},
            "spec.config.inline in body should have at least 1 properties",
        ),
        ({"namespace": "Shop"}, "namespace must be a valid DNS1123 label"),
        ({"install": {}}, "at least one of [preflight] are required when install is specified"),
        (
            {"source": {"sourceType": "Catalog", "catalog": {"packageName": "Shop"}}},
            (
                "must be a valid DNS1123 subdomain. It must contain only lowercase alphanumeric characters, hyphens (-)"
                " or periods (.), start and end with an alphanumeric character, and be no longer than 253 characters"
            ),
        ),
        (
            {"config": {"configType": "Inline"}},
            "inline is required when configType is Inline, and forbidden otherwise",
        ),
        (
            {"progressDeadlineMinutes": 721},
            "Invalid value: 721: spec.progressDeadlineMinutes in body should be less than or equal to 720",
        ),
    ],
)
def test_extensions_that_no_api_server_takes(spec: dict[str, Any], words: str) -> None:
    """The words are those of an API server with operator-controller's definitions."""
    assert words in admission_fault(extension(**spec), experimental=True)


def definition(**about: Any) -> dict[str, Any]:
    """Return a definition with this metadata, and the status *status*."""
    status = about.pop("status", {})
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com", **about},
        "spec": {"group": "example.com", "names": {"kind": "Shop", "plural": "shops"}, "versions": []},
        "status": status,
    }


def test_definitions_of_another_release() -> None:
    """An extension that was moved to another namespace finds its own objects under another release."""
    owned = definition(
        labels={"olm.operatorframework.io/owner-name": "shop"},
        annotations={"meta.helm.sh/release-namespace": "elsewhere"},
    )
    cluster = state(owned, extension())
    wish = cluster.get(ClusterExtension, "", "shop")
    assert wish is not None
    assert list(foreign_objects(cluster, wish).values()) == ["the release of this extension in namespace elsewhere"]


def test_a_definition_that_is_not_established() -> None:
    """Names that clash with another definition's keep it from being served."""
    cluster = state(definition(status={"conditions": [{"type": "Established", "status": "False"}]}))
    status = Definitions(cluster.all(CustomResourceDefinition)).fault("shops.example.com")
    assert status is not None
    assert status.message == "it is not established"


def test_an_operator_whose_requirements_are_met_again() -> None:
    """As in OLM, it begins anew."""
    cluster = state(csv("ns", targets="ns", phase="Failed", reason="RequirementsNotMet"), group("ns", ["ns"]))
    status = csv_transition(the_csv(cluster, "ns"), cluster).status
    assert (status.phase, status.reason, status.message) == (
        "Pending",
        "NeedsReinstall",
        "its requirements are met again",
    )


def test_the_log_of_rare_events(caplog: pytest.LogCaptureFixture) -> None:
    """A log tells an index from a file, and a conflict that was learned from one that a bundle has."""
    from olmsolve import events

    logger = logging.getLogger("olmsolve")
    caplog.set_level(logging.DEBUG, "olmsolve")
    log = events._LogObserver()
    shop: Any = "shop.v1"
    log.loaded(CatalogLoaded("shop.json", 3, True, 0.0, 0.5))
    log.passed_over(CandidatePassedOver(shop, None, 0.0))
    assert logger.name == "olmsolve"
    assert [record.getMessage() for record in caplog.records] == [
        "loaded shop.json through its index: 3 packages, 0.500 s",
        "passed over shop.v1: a conflict that was learned",
    ]


def wrong(**fields: Any) -> str:
    """Return why there is no extension with these *fields*."""
    return refused(lambda: v1.Extension("shop", **fields))


def test_extensions_that_make_no_sense() -> None:
    """The field is named."""
    assert wrong(selector=5).startswith("selector: must be a LabelSelector, not the number 5 (")
    assert (
        wrong(upgrade_constraint_policy="xyz")
        == "upgrade_constraint_policy: there is no policy 'xyz' (one of CatalogProvided, SelfCertified)"
    )


def test_what_cannot_be_written() -> None:
    """A document has no functions of a program."""
    request = v1.ExtensionRequest(v1.Extension("shop"), (v1.ClusterCatalog("main", SHOP),), validations=(lambda _: "",))
    assert refused(lambda: request_document(request)) == ("validations of a program cannot be written in a document")


def test_a_webhook_of_no_deployment() -> None:
    """OLM asks the deployment that a webhook names whether it is ready, and waits where there is none of this name."""
    webhook = {"type": "ValidatingAdmissionWebhook", "generateName": "check.shop.io", "deploymentName": "gone"}
    install = {"strategy": "deployment", "spec": {"deployments": [{"name": "shop", "spec": {}}]}}
    shop = csv("ns")
    shop["spec"] |= {"install": install, "webhookdefinitions": [webhook]}
    assert install_fault(the_csv(state(shop), "ns"), None, state(shop)) == InstallFault(
        "Installing",
        "InstallSucceeded",
        "waiting for install components to report healthy: webhook check.shop.io names deployment gone, which the "
        "operator has not",
    )


RISKS: Final = {
    changes.GrantRight: "everybody who may create subscriptions in the namespace then has this right",
    changes.OverrideUpgradeable: "the operator says that it must not be replaced now, and its data may suffer",
    changes.OwnOperator: "the operator is updated from then on, as the subscription says",
    changes.ReleaseOperator: "the program that set a finalizer has to clean up first",
    changes.RetargetGroup: "every operator of the namespace serves the new targets and no others",
    changes.LetFailForward: "a technology preview: what a failed update has left half done is not cleaned up",
    changes.CreateAccount: (
        "everybody who may create subscriptions in the namespace then has the rights of the account"
    ),
    changes.RenewSubscription: "the newest version comes, or the one that spec.startingCSV names",
    changes.DeletePlan: "the new plan fails like the old one while the cause is there",
    changes.HideGlobalCatalogs: "subscriptions of the namespace get nothing new from global catalogs",
    changes.RemoveInstalled: "it is gone until another takes its place, and nobody manages its objects meanwhile",
}


def test_what_a_change_risks() -> None:
    """A change that can do harm says which, before anybody carries it out; the others promise that they do none."""
    named = {name: getattr(changes, name) for name in dir(changes)}
    kinds = {kind for kind in named.values() if isinstance(kind, type) and issubclass(kind, changes.ObjectsChange)}
    assert {kind: kind._risk for kind in kinds if kind._risk} == RISKS
    # A subscription that has installed nothing takes nothing with it.
    assert changes.DeleteSubscription("ns", "e").risk == ""
    assert changes.DeleteSubscription("ns", "e", "e.v1").risk == "e.v1 gets no updates any more"
    assert str(changes.DeleteSubscription("ns", "e", "e.v1")) == "delete subscription ns/e; its operator e.v1 stays"
