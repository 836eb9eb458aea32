"""Constraints as values: what they say, and what makes two of them equal."""

from __future__ import annotations

import pytest

from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    Incompatible,
    Listed,
    Mandatory,
    Prohibited,
    Variables,
    candidates_of,
    choices_of,
    exclusions_of,
)
from olmsolve.solver.clauses import CNF, EncodedIdentifier

WORDS: list[tuple[Constraint, str]] = [
    (Mandatory("a"), "a is mandatory"),
    (Prohibited("a"), "a is prohibited"),
    (Dependency("a", ("b", "c")), "a requires at least one of b, c"),
    (Dependency(None, ("b",)), "the request requires at least one of b"),
    (Dependency("a", ()), "a has a dependency without any candidates to satisfy it"),
    (Incompatible("a", "b"), "a conflicts with b"),
    (AtMost(1, ("a", "b")), "at most 1 of a, b"),
    (Exclusive("a", ("g", "h")), "a is exclusive in g, h"),
    (Formula("a", Choice(("b",))), "a requires a formula"),
]


@pytest.mark.parametrize(("constraint", "words"), WORDS, ids=[words for _, words in WORDS])
def test_constraints_say_what_they_demand(constraint: Constraint, words: str) -> None:
    """Programs that use the solver alone print these."""
    assert str(constraint) == words


def test_origins_make_no_difference() -> None:
    """The solver never looks at an origin, so constraints with several origins are the same one."""
    assert Mandatory("a", origin=1) == Mandatory("a", origin=2) != Mandatory("b", origin=1)
    assert Prohibited("a", origin=1) == Prohibited("a", origin=2) != Prohibited("b", origin=1)
    assert Dependency("a", ("b",), origin=1, group="g") == Dependency("a", ("b",), origin=2)
    assert Dependency("a", ("b",)) != Dependency(None, ("b",))
    assert Incompatible("a", "b", origin=1) == Incompatible("a", "b", origin=2) != Incompatible("b", "a")
    assert AtMost(1, ("a",), origin=1) == AtMost(1, ("a",), origin=2) != AtMost(2, ("a",))


def test_trees_are_equal_by_what_they_need() -> None:
    """Two tests on identifiers cannot be compared, so exclusions are equal; a branch is an identifier of its own."""
    assert Choice(("a",), origin=1) == Choice(("a",), origin=2) != Choice(("b",), origin=1)
    assert Exclusion(Listed(("a",)), origin=1) == Exclusion(Listed(("b",)), origin=2)
    assert Formula("a", Choice(("b",)), origin=1) == Formula("a", Choice(("b",)), origin=2) != Formula("a", Every(()))
    assert Branch(Choice(("a",))) != Branch(Choice(("a",)))


def test_leaves_are_found_wherever_they_stand() -> None:
    """Explanations list what a formula asks for and rules out, its branches included, in the order as written."""
    first, second, third = (Choice((letter, "z")) for letter in "abc")
    one, other = (Exclusion(Listed((letter,))) for letter in "de")
    tree = Every((first, one, FirstOf((Branch(Every((second, other))), Branch(third)))))
    assert list(choices_of(tree)) == [first, second, third]
    assert [id(exclusion) for exclusion in exclusions_of(tree)] == [id(one), id(other)]
    assert list(candidates_of(tree)) == ["a", "z", "b", "z", "c", "z"]


def test_variables_of_clauses_have_meanings() -> None:
    """The first variables are the identifiers, in the order in which the roots reach them."""
    cnf = CNF(Variables({"c": [], "a": [Mandatory("a"), Dependency("a", ("b", "c"))], "b": []}))
    assert list(cnf.identifiers) == ["a", "b", "c"]
    meanings = [cnf.meaning(variable) for variable in range(1, cnf.variable_count + 1)]
    assert meanings[:3] == [EncodedIdentifier(letter) for letter in "abc"]
    for clause in cnf.clauses():
        assert {abs(literal) for literal in clause.literals} <= set(range(1, cnf.variable_count + 1))
