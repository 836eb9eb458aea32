"""Which parts of a compound requirement keep it from being met: the fewest that are reason enough."""

from __future__ import annotations

from olmsolve.classic import opposed, unmet_choices
from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Every,
    Exclusion,
    FirstOf,
    Formula,
    Incompatible,
    Listed,
    Mandatory,
    Prohibited,
    Tree,
)

_SUBJECT = 0
_MET, _REFUSED, _OTHER, _NOTHING, _OWN = Choice((1,)), Choice((2,)), Choice((2, 3)), Choice(()), Choice((_SUBJECT,))
_AGAINST = frozenset({2, 3})


def _either(*parts: Tree) -> FirstOf:
    return FirstOf(tuple(map(Branch, parts)))


def _unmet(tree: Tree) -> list[Choice]:
    return unmet_choices(tree, _AGAINST, _SUBJECT)


def test_a_choice_is_unmet_if_all_its_candidates_are_refused() -> None:
    """The subject itself may give what it requires."""
    assert [_unmet(choice) for choice in (_MET, _REFUSED, _OTHER, _NOTHING, _OWN)] == [
        [],
        [_REFUSED],
        [_OTHER],
        [_NOTHING],
        [],
    ]


def test_of_a_conjunction_what_nothing_gives_is_reason_enough() -> None:
    """Otherwise all parts that are unmet are told, and those that can be met never are."""
    assert _unmet(Every((_MET, _REFUSED, _OTHER))) == [_REFUSED, _OTHER]
    assert _unmet(Every((_REFUSED, _NOTHING, _OTHER))) == [_NOTHING]
    assert _unmet(Every((_REFUSED, _either(_NOTHING, _NOTHING), _OTHER))) == [_NOTHING, _NOTHING]
    assert _unmet(Every((_REFUSED, _either(_NOTHING, _OTHER)))) == [_REFUSED, _NOTHING, _OTHER]
    assert _unmet(Every((_MET, _OWN))) == []


def test_of_alternatives_all_are_told() -> None:
    """None of them can be taken, each for a reason of its own; exclusions are told by what they rule out."""
    assert _unmet(_either(_REFUSED, Every((_MET, _OTHER)), Exclusion(Listed((3,))))) == [_REFUSED, _OTHER]
    assert _unmet(Exclusion(Listed((3,)))) == []


def test_what_a_formula_rules_out_is_spoken_against() -> None:
    """A choice with only such candidates is unmet beside it, as if a constraint prohibited them."""
    rules_out = Formula(_SUBJECT, Every((_MET, Exclusion(Listed((2, 3))))))
    assert opposed([rules_out]) == {_SUBJECT, 2, 3}
    assert opposed([Incompatible(4, 5), AtMost(1, (6, 7)), Prohibited(8), Mandatory(9)]) == {4, 5, 6, 7, 8}
