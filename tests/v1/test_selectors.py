"""Label selectors: which catalogs one chooses, and which ones Kubernetes refuses, by the syntax of its labels."""

from __future__ import annotations

import random

import pytest

from olmsolve import v1
from tests.scale import scaled

_LETTERS = "aB1-_./"


def _is_name(text: str) -> bool:
    """Return whether *text* is the name of a label: 1 to 63 letters, digits, and ``-_.`` between them."""
    inner = text.replace("-", "").replace("_", "").replace(".", "")
    return 0 < len(text) < 64 and text[0].isalnum() and text[-1].isalnum() and (not inner or inner.isalnum())


def _is_key(text: str) -> bool:
    """Return whether *text* is a key: a name, perhaps after a DNS subdomain of at most 253 characters and a slash."""
    prefix, slash, name = text.rpartition("/")
    if not slash:
        return _is_name(name)
    parts = prefix.split(".")
    lower = prefix == prefix.lower() and "_" not in prefix and "/" not in prefix
    return (
        _is_name(name) and lower and len(prefix) < 254 and all(p and p[0].isalnum() and p[-1].isalnum() for p in parts)
    )


def test_keys_and_values_have_the_syntax_of_labels() -> None:
    """A selector that Kubernetes refuses exists on no cluster: what is said about it would help nobody."""
    generator = random.Random(11)
    outcomes = {True: 0, False: 0}
    texts = ["".join(generator.choices(_LETTERS, k=generator.randint(0, 6))) for _ in range(scaled(4000))]
    texts += [letter * count for letter in "a" for count in (63, 64)]
    texts += [f"{'a' * count}/a" for count in (253, 254)]
    for text in texts:
        assert (v1.LabelSelector({text: "x"}).fault() == "") == _is_key(text), text
        fault = v1.LabelSelector({"key": text}).fault()
        assert (fault == "") == (not text or _is_name(text)), text
        outcomes[fault == ""] += 1
    assert min(outcomes.values()) > 50


@pytest.mark.parametrize(
    ("requirement", "part"),
    [
        (v1.LabelRequirement("a", "In", ()), "values set can't be empty"),
        (v1.LabelRequirement("a", "NotIn", ()), "values set can't be empty"),
        (v1.LabelRequirement("a", "Exists", ("b",)), "values set must be empty"),
        (v1.LabelRequirement("a", "DoesNotExist", ("b",)), "values set must be empty"),
        (v1.LabelRequirement("a", "Near", ("b",)), '"Near" is not a valid label selector operator'),
        (v1.LabelRequirement("a", "In", ("b", "-")), "values[1][a]"),
        (v1.LabelRequirement("A.b/c", "Exists"), "prefix part a lowercase RFC 1123 subdomain"),
        (v1.LabelRequirement("/c", "Exists"), "prefix part must be non-empty"),
        (v1.LabelRequirement(f"{'a' * 254}/c", "Exists"), "prefix part must be no more than 253 bytes"),
        (v1.LabelRequirement("a/", "Exists"), "name part must be non-empty"),
        (v1.LabelRequirement("a" * 64, "Exists"), "name part must be no more than 63 bytes"),
        (v1.LabelRequirement("a/b/c", "Exists"), "with an optional DNS subdomain prefix"),
    ],
    ids=str,
)
def test_a_fault_says_what_is_wrong(requirement: v1.LabelRequirement, part: str) -> None:
    """The message names the part of the requirement, as the cluster's does."""
    assert part in v1.LabelSelector(match_expressions=[requirement]).fault()


def test_a_selector_chooses_what_meets_all_of_it() -> None:
    """NotIn and DoesNotExist also choose what lacks the label."""
    labels = [{}, {"a": "1"}, {"a": "2"}, {"a": "1", "b": "2"}]
    chosen = {
        v1.LabelRequirement("a", "In", ("1", "3")): [1, 3],
        v1.LabelRequirement("a", "NotIn", ("1", "3")): [0, 2],
        v1.LabelRequirement("b", "Exists"): [3],
        v1.LabelRequirement("b", "DoesNotExist"): [0, 1, 2],
    }
    for requirement, numbers in chosen.items():
        selector = v1.LabelSelector(match_expressions=[requirement])
        assert selector.fault() == ""
        assert [number for number, label in enumerate(labels) if selector.matches(label)] == numbers
        both = v1.LabelSelector({"a": "1"}, [requirement])
        expected = [number for number in numbers if labels[number].get("a") == "1"]
        assert [number for number, label in enumerate(labels) if both.matches(label)] == expected
