"""Preferences as weights, and clauses as texts for other solvers, whose models are read."""

from __future__ import annotations

from itertools import product

import pytest

from olmsolve.solver import AtMost, Dependency, Identifier, Mandatory, Root
from olmsolve.solver.clauses import RootWeights, Soft, TextClause, dimacs, opb, read_literals, wcnf


def test_weights_are_the_order_of_preferences() -> None:
    """The example of the module: an assignment costs as many as there are better ones, from 0 to the highest cost."""
    lists = [tuple(f"{letter}{number}" for number in range(count)) for letter, count in (("a", 2), ("b", 3), ("c", 4))]
    roots: list[Root] = [
        Mandatory("m"),
        *(Dependency(None, list_) for list_ in lists),
        Dependency(None, ("single",)),
        AtMost(1, ("m",)),
    ]
    weights = RootWeights(roots)
    assert (weights.choosing, weights.carried, weights.highest, len(weights)) == (3, 3, 23, 6)
    numbers: dict[Identifier, int] = {
        name: number for number, name in enumerate((name for list_ in lists for name in list_), start=1)
    }
    places = list(weights.places(numbers.__getitem__, 20))
    assert [place.variable for place in places] == list(range(20, 26))
    assert [place.weight for place in places] == [12, 4, 4, 1, 1, 1]
    assert [(place.lost, place.literals) for place in places if place.root.candidates == lists[2]] == [
        (1, (6, 23)),
        (2, (-23, 7, 24)),
        (3, (-24, 8, 25)),
    ]
    for cost, candidates in enumerate(product(*lists)):
        lost = [place for place in places if not set(place.root.candidates[: place.lost]) & set(candidates)]
        assert sum(place.weight for place in lost) == cost


def test_weights_end_with_63_bits_and_never_skip() -> None:
    """The weight of a hard clause is one above the highest cost. A root behind one that does not fit counts no more.

    62 roots of two candidates have 2**62 assignments; one more, and a hard clause would weigh 2**63.
    """
    two, eight = (Dependency(None, tuple(range(count))) for count in (2, 8))
    for roots, carried, top in [
        ([two] * 70, 62, 2**62),
        ([two] * 60 + [eight, two], 60, 2**60),
        ([two] * 59 + [eight, two], 60, 2**62),
    ]:
        weights = RootWeights(roots)
        assert (weights.choosing, weights.carried, weights.highest) == (len(roots), carried, top - 1)
        assert top < 2**63


def test_models_are_read_as_solvers_print_them() -> None:
    """Optimisers print a better model later; a word that is no literal is no part of any."""
    for text, literals in [
        ("v 1 -2\nv 3 0", [1, -2, 3]),
        ("v 1 2 0\nc better\nv -1 2 0\no 3", [-1, 2]),
        ("1 -2 0 3", [1, -2, 3]),
        ("v x1 -x2\nv x30", [1, -2, 30]),
        ("v1 -2\nv3 0", [1, -2, 3]),
        ("", []),
    ]:
        assert list(read_literals(text)) == literals
    for text in ("s SATISFIABLE", "v 1 two", "v xx3"):
        with pytest.raises(ValueError, match="invalid literal"):
            list(read_literals(text))


def test_comments_stay_on_their_line() -> None:
    """A name with a line end would write clauses of its own, and one with an escape would write to the terminal."""
    clauses = [TextClause((1, -2), "a\nb"), TextClause((), "tab\tand \x1b[1m"), TextClause((2,), "")]
    heading = ["żółw\r\n"]
    assert list(dimacs(heading, 2, 3, clauses)) == [
        "c żółw\\r\\n\n",
        "p cnf 2 3\n",
        "c a\\nb\n",
        "1 -2 0\n",
        "c tab\\tand \\x1b[1m\n",
        "0\n",
        "2 0\n",
    ]
    assert list(wcnf(heading, 3, 3, clauses, [Soft(-2, 4), Soft(3, 1)], 5)) == [
        "c żółw\\r\\n\n",
        "p wcnf 3 5 6\n",
        "c a\\nb\n",
        "6 1 -2 0\n",
        "c tab\\tand \\x1b[1m\n",
        "6 0\n",
        "6 2 0\n",
        "4 -2 0\n",
        "1 3 0\n",
    ]
    assert list(opb([], 0, 0, [], [])) == ["* #variable= 1 #constraint= 0\n"]
    assert list(opb([], 3, 2, [TextClause((-3, 1, -2), "why"), TextClause((), "")], [])) == [
        "* #variable= 3 #constraint= 2\n",
        "* why\n",
        "-1 x3 +1 x1 -1 x2 >= -1 ;\n",
        "+0 x1 >= 1 ;\n",
    ]
