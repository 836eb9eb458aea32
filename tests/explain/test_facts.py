"""Facts of explanations as values: what they say, and which candidates they are about."""

from __future__ import annotations

from typing import Any

import pytest

import olmsolve
from olmsolve import Candidate, Explanation, Never
from olmsolve.answers import bundles_phrase
from olmsolve.answers.explain import (
    ForbiddenFact,
    HiddenCatalog,
    QuestionRoot,
    RequirementFact,
    SkippedBundles,
    Unserved,
    WholeChannel,
)
from olmsolve.predicates import HasLabel
from tests.explain.requests import failure_of, wide

_OLD, _NEW = (Candidate(f"app.v{version}", "app", "stable", "olm/main", version) for version in ("1.0.0", "1.1.0"))


def test_a_house_rule_speaks_in_its_authors_words() -> None:
    """Its name, and what it says."""
    fact = ForbiddenFact(Never("mesh", name="no licence"))
    assert str(fact) == "may not be selected: house rule 'no licence' says never package mesh"


def test_a_question_wants_one_of_several_bundles() -> None:
    """The same bundle of two catalogs is one bundle; nobody asks for one of it."""
    mentioned = ["1.0.0", "1.1.0"]
    elsewhere = Candidate("app.v1.1.0", "app", "stable", "olm/other", "1.1.0")
    assert str(QuestionRoot(bundles_phrase((_NEW,), mentioned))).startswith("app.v1.1.0 ")
    assert str(QuestionRoot(bundles_phrase((_NEW, elsewhere), mentioned))).startswith("app.v1.1.0 ")
    assert str(QuestionRoot(bundles_phrase((_OLD, _NEW), mentioned))).startswith("one of app 1.0.0 and 1.1.0 ")


def test_a_channel_without_an_order_stands_for_its_candidate() -> None:
    """Whoever draws a node looks at its candidates, whichever fact it has."""
    fact = WholeChannel(_NEW)
    assert fact.candidates == (_NEW,)
    assert str(fact) == "channel stable of package app (olm/main)"


@pytest.mark.parametrize(
    ("unserved", "text"),
    [
        (Unserved(("a",), ()), "subscription a cannot be served"),
        (Unserved(("a", "b"), ()), "subscriptions a and b cannot be served together"),
        (Unserved(("a",), ("o.v1",)), "subscription a cannot be served while the installed o.v1 stays"),
        (Unserved((), ("o.v1",)), "the installed o.v1 cannot stay"),
        (Unserved((), ("o.v1", "p.v1")), "the installed o.v1 and p.v1 cannot stay together"),
        (Unserved((), (), ("one",)), "house rule 'one' cannot be kept"),
        (Unserved((), (), ("one", "two")), "house rules 'one' and 'two' cannot be kept together"),
        (
            Unserved(("a", "b"), ("o.v1",), ("one",)),
            "house rule 'one' cannot be kept together with subscriptions a and b and the installed o.v1",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_together_is_named(unserved: Unserved, text: str) -> None:
    """One thing alone cannot be together with itself."""
    assert str(unserved) == text


@pytest.mark.parametrize(
    ("count", "names"), [(1, "a1"), (3, "a1, a2 and a3"), (4, "a1, a2, a3 and a4"), (5, "a1, a2, a3 and 2 more")]
)
def test_of_many_names_three_are_told(count: int, names: str) -> None:
    """Where one alone would be left, its name is as short as its number."""
    note = SkippedBundles(tuple(f"a{number}" for number in range(1, count + 1)))
    assert str(note).startswith(f"{names} would meet it")


def test_a_hidden_catalog_says_how_the_namespace_would_see_it() -> None:
    """On a cluster there are three reasons why it does not; in a document, the document is the reason."""

    def sentence(namespace: str = "shop", **fields: Any) -> str:
        return str(HiddenCatalog(catalog="olm/main", namespace=namespace, package="db", **fields))

    plain = "catalog olm/main has package db but is not visible in namespace shop"
    assert sentence() == plain
    assert sentence(global_namespace="olm", excluded_by="x").startswith(
        f"{plain}, whose operator group hides the global"
    )
    assert sentence(global_namespace="other", excluded_by="x") == f"{plain}, which sees only its own catalogs"
    assert sentence(global_namespace="other").startswith(
        f"{plain}, which sees only its own catalogs and the catalogs of other; if olm"
    )
    seen = sentence("other", global_namespace="other")
    assert "which sees only its own catalogs; if olm is the global namespace of this cluster" in seen


def test_nothing_is_said_that_nobody_knows() -> None:
    """An explanation that was not cut short says so, and a requirement rules nothing out unless it is told."""
    assert not Explanation(()).exhausted
    assert not RequirementFact(HasLabel("fast"), (), provided=True).rules_out
    (node,) = olmsolve.explanation(failure_of(wide(1))).conflicts[0].nodes[:1]
    assert str(node) == node.statement
