"""Facts of explanations as values: what they say, and which candidates they are about."""

from __future__ import annotations

from olmsolve import Candidate
from olmsolve.answers.explain.statements import QuestionRoot, WholeChannel
from olmsolve.answers.wording import bundles_phrase

_OLD, _NEW = (Candidate(f"app.v{each}", "app", "stable", "olm/main", each) for each in ("1.0.0", "1.1.0"))


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
