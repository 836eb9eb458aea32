"""The meaning of each predicate on one bundle; and predicates are plain values, as indexes need them."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from olmsolve import cel
from olmsolve.predicates import (
    GVK,
    AllOf,
    AnyOf,
    HasLabel,
    InPackage,
    NoneOf,
    Predicate,
    Property,
    ProvidesGVK,
    Published,
    Satisfies,
    described,
    failure_messages,
    is_joint,
    published,
    stated,
)
from olmsolve.semver import BlangRange

ETCD = GVK("etcd.example.com", "v1", "Etcd")
PROVIDES = ProvidesGVK(ETCD)
LABEL = HasLabel("tier-one")


def in_package(name: str, versions: str) -> InPackage:
    return InPackage(name, BlangRange.parse(versions))


def bundle(package: str, *properties: tuple[str, object], version: str | None = None) -> Published:
    return published(package, [Property(kind, value) for kind, value in properties], version=version)


SHOP = bundle(
    "shop",
    ("olm.package", {"packageName": "shop", "version": "2.1.0"}),
    ("olm.gvk", {"group": "etcd.example.com", "version": "v1", "kind": "Etcd"}),
    ("olm.label", {"label": "tier-one"}),
)
BARE = bundle("bare")


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        (PROVIDES, "the API etcd.example.com/v1/Etcd"),
        (in_package("shop", ">=2.0.0"), "package shop in >=2.0.0"),
        (LABEL, "the label tier-one"),
        (Satisfies(cel.compile("properties.size() > 0")), "properties that satisfy properties.size() > 0"),
        (AllOf((PROVIDES, LABEL)), "all of (the API etcd.example.com/v1/Etcd; the label tier-one)"),
        (AnyOf((LABEL, HasLabel("x"))), "any of (the label tier-one; the label x)"),
        (NoneOf((HasLabel("x"), HasLabel("y"))), "none of (the label x; the label y)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_holds_on_a_bundle_and_says_itself(predicate: Predicate, words: str) -> None:
    """Predicates print the phrases of reasons; processes exchange predicates, so copies must be equal."""
    assert predicate.test(SHOP)
    assert str(predicate) == words
    copy = pickle.loads(pickle.dumps(predicate))  # noqa: S301
    assert copy == predicate
    assert hash(copy) == hash(predicate)
    assert copy.test(SHOP)


@pytest.mark.parametrize(
    "predicate",
    [
        PROVIDES,
        in_package("bare", ">=0.0.0"),
        LABEL,
        Satisfies(cel.compile("properties.size() > 0")),
        Satisfies(cel.compile("properties[0].type == 'x'")),
        AllOf((NoneOf((LABEL,)), LABEL)),
        AnyOf((LABEL, PROVIDES)),
        NoneOf((LABEL, NoneOf((LABEL,)))),
    ],
    ids=str,
)
def test_none_holds_on_a_bundle_that_publishes_nothing(predicate: Predicate) -> None:
    """A missing fact, or a rule that fails for want of one, is never a match."""
    assert not predicate.test(BARE)


@pytest.mark.parametrize(
    ("published_", "name", "versions", "expected"),
    [
        (SHOP, "shop", "<2.0.0", False),
        (SHOP, "store", ">=2.0.0", False),
        # The name of the package that holds the bundle is enough.
        (bundle("held", ("olm.package", {"packageName": "x", "version": "1.0.0"})), "held", "1.0.0", True),
        # The name of one olm.package property and the version of another.
        (
            bundle(
                "held",
                ("olm.package", {"packageName": "x", "version": "1.0.0"}),
                ("olm.package", {"packageName": "y", "version": "2.0.0"}),
            ),
            "x",
            "2.0.0",
            True,
        ),
        # The bundle's own version, where the property's is not strict.
        (bundle("held", ("olm.package", {"packageName": "x", "version": "v1.0"})), "x", "1.0.0", True),
        (bundle("held", version="3.0.0"), "held", "3.x", True),
        (bundle("held"), "held", ">=0.0.0", False),
    ],
)
def test_package_and_version_may_come_from_different_places(
    published_: Published, name: str, versions: str, expected: bool
) -> None:
    """The shipped controller tests the name and the version apart, and plans depend on that."""
    assert in_package(name, versions).test(published_) is expected


def test_compound_predicates_need_parts() -> None:
    """A compound without parts is refused: an empty conjunction would hold everywhere."""
    for compound in (AllOf, AnyOf, NoneOf):
        with pytest.raises(ValueError, match="parts"):
            compound(())


def test_rules_cost_nothing_until_they_are_used() -> None:
    """Most requests never meet a CEL rule, so importing must not load the CEL evaluator."""
    code = "import sys, olmsolve.predicates; print(sorted(m for m in sys.modules if 'cel' in m.split('.')))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_requirement_is_stated_as_a_verb_phrase() -> None:
    """A "none of" could be read as "need not have", so it says what a bundle must not be beside."""
    shop = in_package("shop", "<2.0.0")
    assert stated(PROVIDES) == "requires the API etcd.example.com/v1/Etcd"
    assert stated(NoneOf((shop,)), rules_out=True) == "excludes package shop in <2.0.0"
    others = NoneOf((PROVIDES, LABEL, Satisfies(cel.compile("true")), shop))
    assert stated(others, rules_out=True) == (
        "excludes a bundle with the API etcd.example.com/v1/Etcd or a bundle with the label tier-one"
        " or a bundle with properties that satisfy true or package shop in <2.0.0"
    )
    assert stated(NoneOf((LABEL,))) == "requires a bundle that matches none of (the label tier-one)"
    assert stated(NoneOf((NoneOf((LABEL,)),)), rules_out=True) == "requires the label tier-one"


def test_messages_of_parts_that_fail() -> None:
    """Without failing parts all messages are told, each once; with them, those on the way to these parts."""
    label = HasLabel("x", message="no label")
    either = AnyOf((PROVIDES, label), message="neither")
    everything = AllOf((either, NoneOf((LABEL,), message="too fine"), either), message="not all")
    assert failure_messages(everything) == ("not all", "neither", "no label", "too fine")
    assert failure_messages(everything, [LABEL]) == ("not all", "too fine")
    assert failure_messages(everything, [either]) == ("not all", "neither", "no label")
    assert failure_messages(everything, [PROVIDES]) == ("not all", "neither")
    assert failure_messages(LABEL) == ()


@pytest.mark.parametrize(
    ("value", "phrase"),
    [
        (None, "null"),
        (True, "the boolean true"),
        ("", "the empty string"),
        ("x", "a string"),
        (-7, "the number -7"),
        (10**15, "a number"),
        ([], "a list"),
        ({}, "an object"),
    ],
)
def test_values_are_described_by_their_kind(value: object, phrase: str) -> None:
    """Messages show short values; a string may be anything, and of any length."""
    assert described(value) == phrase


@pytest.mark.parametrize("first", ["Kind", "KIND"])
def test_nulls_of_several_spellings(first: str) -> None:
    """As Go reads it: of a field that is spelt in two ways the last one counts, and a null changes nothing."""
    fields = {"group": "g", "version": "v1"}
    for spellings in ({first: "K", "kind": None}, {first: None, "kind": "K"}, {first: "J", "kind": "K"}):
        assert bundle("p", ("olm.gvk", fields | spellings)).gvks == (GVK("g", "v1", "K"),)


def test_a_property_keeps_its_value() -> None:
    """Whoever made it may change the object that it was made of, or the one that it gives: the property stays."""
    given = {"names": ["a"]}
    property_ = Property("custom", given)
    given["names"].append("b")
    property_.value["names"].append("c")
    assert property_.value == {"names": ["a"]}
    assert property_ == Property("custom", {"names": ["a"]})


def test_a_joint_requirement_asks_a_single_bundle_for_several_things() -> None:
    """Also behind negations that cancel; one of several is asked for one thing."""
    several = (PROVIDES, LABEL)
    assert [is_joint(predicate) for predicate in (PROVIDES, AnyOf(several), AllOf(several), NoneOf(several))] == [
        False, False, True, True,
    ]  # fmt: skip
    assert [is_joint(NoneOf((NoneOf(parts),))) for parts in ((PROVIDES,), several)] == [False, False]
    assert is_joint(NoneOf((NoneOf((PROVIDES,)), NoneOf((LABEL,)))))


def test_a_null_in_an_api_is_an_empty_text() -> None:
    """Go's decoder leaves a text as it was, so that OLM takes the core group, as it does in a requirement."""
    of_core = published("p", [Property("olm.gvk", {"group": None, "version": "v1", "kind": "Pod"})])
    assert of_core.gvks == (GVK("", "v1", "Pod"),)
    assert published("p", [Property("olm.gvk", {"group": 0, "version": "v1", "kind": "Pod"})]).gvks == ()
