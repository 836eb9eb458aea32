"""New CustomResourceDefinitions in the place of old ones: which changes are allowed, and hostile input."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve import evolve
from olmsolve.catalog import Origin
from olmsolve.cluster.crds import (
    check_crd_upgrade,
    check_upgrades,
    invalid_object,
    missing_stored_version,
    schema_violations,
    upgrade_faults,
    upgrade_step,
)
from olmsolve.cluster.objects import CustomResourceDefinition, read_manifest
from olmsolve.errors import ManifestError


def crd(
    *versions: str,
    schema: dict[str, Any] | None = None,
    schemas: dict[str, dict[str, Any]] | None = None,
    served: tuple[str, ...] | None = None,
    stored: tuple[str, ...] = (),
    conversion: str = "",
    scope: str = "Namespaced",
) -> CustomResourceDefinition:
    """Return the definition of Things of example.com; the last of *versions* is stored, and all have *schema*."""
    given = {name: (schemas or {}).get(name, schema) for name in versions}
    (definition,) = read_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.example.com"},
            "spec": {
                "group": "example.com",
                "names": {"plural": "things", "kind": "Thing"},
                "scope": scope,
                "conversion": {"strategy": conversion},
                "versions": [
                    {
                        "name": name,
                        "served": served is None or name in served,
                        "storage": name == versions[-1],
                        **({} if part is None else {"schema": {"openAPIV3Schema": part}}),
                    }
                    for name, part in given.items()
                ],
            },
            "status": {"storedVersions": list(stored)},
        }
    )
    assert isinstance(definition, CustomResourceDefinition)
    return definition


def spec(**fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}


def thing(name: str, version: str = "v1", **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"example.com/{version}",
        "kind": "Thing",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": fields,
    }


INTEGER = {"type": "integer"}
TEXT = {"type": "string"}


def messages(old: CustomResourceDefinition, new: CustomResourceDefinition) -> list[str]:
    return [str(fault) for fault in upgrade_faults(old, new)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": INTEGER}, {"a": INTEGER, "b": TEXT}),
        ({"a": INTEGER}, {"a": {**INTEGER, "description": "how many"}}),
        ({"a": {**INTEGER, "maximum": 3}}, {"a": INTEGER}),
        ({"a": {**INTEGER, "minimum": 3}}, {"a": {**INTEGER, "minimum": 1}}),
        ({"a": {**TEXT, "enum": ["x"]}}, {"a": {**TEXT, "enum": ["x", "y"]}}),
        ({"a": {**TEXT, "enum": ["x", "y"]}}, {"a": {**TEXT, "enum": ["y", "x"]}}),
    ],
    ids=["field added", "described", "maximum dropped", "minimum lowered", "value added", "other order"],
)
def test_v1_allows_what_only_loosens(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Every object that was valid still is."""
    assert messages(crd("v1", schema=spec(**before)), crd("v1", schema=spec(**after))) == []


def test_v1_compares_what_items_and_alternatives_hold() -> None:
    """A list's items are a part of their own, and so is each alternative."""
    old = crd("v1", schema=spec(a={"type": "array", "items": INTEGER}))
    new = crd("v1", schema=spec(a={"type": "array", "items": TEXT}))
    assert messages(old, new) == ['v1: ^.spec.a.items: type: type changed : "integer" -> "string"']


def test_later_served_versions_must_not_be_stricter() -> None:
    """Objects of one served version are read as another: v1 -> v2 is compared inside the new definition."""
    loose, strict = spec(a=INTEGER), spec(a={**INTEGER, "maximum": 3})
    old = crd("v1", schema=loose)
    new = crd("v1", "v2", schemas={"v1": loose, "v2": strict})
    stricter = "v1 -> v2: ^.spec.a: maximum: maximum constraint added when there was none previously : 3"
    assert messages(old, new) == [stricter]
    assert messages(new, new) == [], "what was so before is not the new definition's fault"
    assert messages(old, crd("v1", "v2", schemas={"v1": loose, "v2": strict}, served=("v1",))) == []
    webhook = crd("v1", "v2", schemas={"v1": loose, "v2": strict}, conversion="Webhook")
    assert messages(old, webhook) == []


def test_versions_are_compared_upwards_in_their_own_order() -> None:
    """v1beta1 comes before v1, and v2 before v10, however the definition lists them."""
    loose, strict = spec(a=INTEGER), spec(a={**INTEGER, "maximum": 3})
    listed = ("v10", "v2", "v1beta1")
    new = crd(*listed, schemas={"v10": strict, "v2": loose, "v1beta1": loose})
    versions = {fault.versions for fault in upgrade_faults(crd("v1beta1", schema=loose), new)}
    assert versions == {"v1beta1 -> v10", "v2 -> v10"}


def test_scope_and_stored_versions_must_stay() -> None:
    """Objects would become unreadable."""
    old, new = crd("v1", stored=("v1",)), crd("v2", scope="Cluster")
    assert messages(old, new) == [
        'scope: scope changed : "Namespaced" -> "Cluster"',
        "storedVersionRemoval: stored versions removed : [v1]",
    ]


def test_what_is_not_known_is_refused() -> None:
    """A rule that nobody thought of must not let a change pass."""
    old = crd("v1", schema=spec(a=TEXT))
    new = crd("v1", schema=spec(a={**TEXT, "format": "email", "x-kubernetes-validations": [{"rule": "true"}]}))
    (message,) = messages(old, new)
    assert message.startswith("v1: ^.spec.a: unhandled: ")
    assert message.endswith('(Format "" -> "email"; XValidations nil -> ValidationRules{{Rule: "true"}})')


def test_classic_validates_versions_that_both_serve() -> None:
    """An object of a version that is gone, or was never served, is not looked at."""
    old = crd("v1alpha1", "v1", schema=spec(a=INTEGER), stored=("v1",))
    new = crd("v1alpha1", "v1", schema=spec(a=TEXT), served=("v1",))
    assert invalid_object(old, new, [thing("a", "v1alpha1", a=1)]) is None
    object_ = invalid_object(old, new, [thing("b", a=1), thing("a", a=1)])
    assert object_ is not None
    assert (object_.api_version, object_.key) == ("example.com/v1", "ns/a"), "the first by name, whatever the order"


def test_classic_only_warns_where_a_webhook_converts() -> None:
    """The webhook of the new operator may make the objects fit; OLM cannot know before it runs."""
    old = crd("v1", schema=spec(a=INTEGER), stored=("v1",))
    new = crd("v1", schema=spec(a=TEXT), conversion="Webhook")
    verdict = upgrade_step(old, new, [thing("a", a=1)])
    assert verdict.allowed
    assert verdict.reason == ""
    assert "webhook conversion strategy" in verdict.warning


def test_stored_versions_are_a_set() -> None:
    """The same version is named whatever the order in which the cluster lists them."""
    assert missing_stored_version(["v1", "v1beta1"], []) == missing_stored_version(["v1beta1", "v1"], []) == "v1beta1"
    assert missing_stored_version(["v1"], ["v1", "v2"]) == ""


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("beta2", "beta"),
        ("gamma", "beta"),
        ("beta", "v1alpha1"),
        ("v1alpha1", "v0"),
        ("v0", "v1"),
        ("v2beta1", "v1"),
        ("v9", "v10"),
    ],
)
def test_versions_sort_as_in_kubernetes(lower: str, higher: str) -> None:
    """CompareKubeAwareVersionStrings of apimachinery: other names first, from z to a; then alpha, beta and the rest."""
    assert missing_stored_version([lower, higher], []) == missing_stored_version([higher, lower], []) == lower


def test_definitions_without_schema_say_nothing() -> None:
    """Old definitions have none; then nothing can be stricter, and every object is valid."""
    old, new = crd("v1", stored=("v1",)), crd("v1")
    assert messages(old, new) == []
    assert upgrade_step(old, new, [thing("a", a=1)]).allowed


def test_checks_pair_definitions_by_name_and_say_what_was_taken() -> None:
    """Without status.storedVersions, the storage version is the least that must stay."""
    old = crd("v1", "v2", schema=spec(a=INTEGER))
    assert check_upgrades([], [old]) == ()
    (check,) = check_upgrades([old], [crd("v1", schema=spec(a=INTEGER))])
    assert check == check_crd_upgrade(old, crd("v1", schema=spec(a=INTEGER)))
    assert check.notes == ("the old definition has no status.storedVersions; its storage version is taken: v2",)
    assert check.classic.missing_version == "v2"
    assert not check.allowed
    assert check.to_dict()["v1"]["faults"][0]["rule"] == "storedVersionRemoval"


def test_int_or_string_takes_both() -> None:
    """The one schema without a type that Kubernetes knows by an extension of its own."""
    schema = {"x-kubernetes-int-or-string": True}
    assert schema_violations(schema, 5) == schema_violations(schema, "5%") == ()
    assert len(schema_violations(schema, [])) == 1


@pytest.mark.parametrize(("most", "words"), [(1, "at most 1 item"), (2, "at most 2 items")])
def test_bounds_are_told_in_grammar(most: int, words: str) -> None:
    """Kubernetes counts one item and two items."""
    (violation,) = schema_violations({"type": "array", "maxItems": most}, ["a", "b", "c"])
    assert violation.reason == f"Too many: 3: must have {words}"


def test_what_is_allowed_is_listed_as_text() -> None:
    """Kubernetes quotes every allowed value, and shows the given value as it is."""
    (violation,) = schema_violations({"enum": [1, "b", None]}, 3)
    assert violation.reason == 'Unsupported value: 3: supported values: "1", "b", "null"'


@pytest.mark.parametrize(
    ("value", "endings"),
    [(5, []), (50, ["must validate all the schemas (allOf)"]), ("x", ["None validated"])],
)
def test_schemas_that_must_hold_together_are_told_once(value: object, endings: list[str]) -> None:
    """Each part says what it refuses; that they do not hold together is one violation, however many fail."""
    schema = {"allOf": [INTEGER, {**INTEGER, "maximum": 9}]}
    last = [violation.reason for violation in schema_violations(schema, value) if "allOf" in violation.reason]
    assert len(last) == len(endings)
    assert all(reason.endswith(words) for reason, words in zip(last, endings, strict=True))


def test_paths_lead_to_the_field() -> None:
    """In an object of thousands of lines the message alone must be enough."""
    schema = spec(a={"type": "array", "items": spec(b=INTEGER)})
    (violation,) = schema_violations(schema, {"spec": {"a": [{}, {"spec": {"b": "x"}}]}})
    assert violation.path == "spec.a[1].spec.b"


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = INTEGER
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def test_deep_schemas_are_refused_and_not_followed() -> None:
    """No recursion may exhaust the stack, whoever wrote the definition."""
    old, new = crd("v1", schema=spec(a=INTEGER)), crd("v1", schema=nested(5_000))
    with pytest.raises(ManifestError, match="nests deeper than"):
        upgrade_faults(old, new)
    with pytest.raises(ManifestError, match="nests deeper than"):
        upgrade_step(old, new, [thing("a")])


@pytest.mark.parametrize(
    "schema",
    [{"properties": 5}, {"properties": {"a": 5}}, {"oneOf": {"a": 1}}, {"items": [INTEGER]}, {"allOf": ["x"]}],
    ids=["properties", "property", "oneOf", "items", "allOf"],
)
def test_what_is_no_schema_is_named(schema: dict[str, Any]) -> None:
    """A clear error with file, document, object and field, whichever verdict comes to it first."""
    new = evolve(crd("v1", schema=schema), origin=Origin("new.yaml", 3))
    for verdict in (lambda: upgrade_faults(new, new), lambda: upgrade_step(crd("v1", schema={}), new, [thing("a")])):
        with pytest.raises(ManifestError) as refused:
            verdict()
        assert str(refused.value).startswith(
            f"{new.origin}: CustomResourceDefinition things.example.com: version v1: openAPIV3Schema."
        )


@pytest.mark.parametrize(
    "constraint",
    [
        {"maximum": "x"},
        {"minimum": 10**400},
        {"pattern": 5},
        {"enum": "x"},
        {"required": "x"},
        {"required": [{}, None]},
        {"maxLength": True},
        {"multipleOf": 0},
        {"title": 10**5000},
        {"x-kubernetes-list-type": 10**5000},
        {"x-kubernetes-validations": [5, {"rule": {}}]},
    ],
    ids=lambda constraint: next(iter(constraint)),
)
def test_constraints_of_the_wrong_type_count_for_nothing(constraint: dict[str, Any]) -> None:
    """The API server refuses such objects; validating one must not crash."""
    old, new = crd("v1", schema=spec(a=TEXT)), crd("v1", schema=spec(a={**TEXT, **constraint}))
    upgrade_faults(old, new)
    assert upgrade_step(old, new, [thing("a", a="text"), thing("b", a=3)]).crd == "things.example.com"


def test_catastrophic_patterns_are_harmless() -> None:
    """A backtracking engine would not end within the age of the universe."""
    schema = spec(a={**TEXT, "pattern": "^(a+)+$"})
    (violation,) = schema_violations(schema, {"spec": {"a": "a" * 5_000 + "!"}})
    assert "should match '^(a+)+$'" in violation.reason


def test_patterns_that_are_none_refuse_everything() -> None:
    """As in the recorded product, where such a pattern never matches."""
    (violation,) = schema_violations(spec(a={**TEXT, "pattern": "("}), {"spec": {"a": "x"}})
    assert "pattern is invalid" in violation.reason


def test_huge_lists_take_linear_time() -> None:
    """Comparing all items of a list with each other would take many minutes here."""
    schema = spec(a={"type": "array", "uniqueItems": True, "items": INTEGER})
    many = list(range(20_000))
    assert schema_violations(schema, {"spec": {"a": many}}) == ()
    assert len(schema_violations(schema, {"spec": {"a": [*many, 7.0]}})) == 1, "7 and 7.0 are one number"
