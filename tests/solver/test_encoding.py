"""Constraints as clauses: groups of any size, exclusions that reach further, and the closure that has variables."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import product

import pytest

import olmsolve
from olmsolve import Incomplete
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
    Identifier,
    Incompatible,
    Listed,
    Mandatory,
    Prohibited,
    Variables,
)
from olmsolve.solver.backends import PythonSolver
from olmsolve.solver.clauses import CNF
from olmsolve.solver.encoding import Encoding, Helper


def test_a_group_of_any_size_takes_one_member_at_most() -> None:
    """Helpers stand for earlier members, chunk by chunk: none, or each member alone, and no two of them."""
    for count in range(1, 20):
        solver = PythonSolver()
        encoding = Encoding(solver.add_clause)
        for member in range(count):
            encoding.add(Exclusive(member, ("g",)))
        members = [encoding.variable(member) for member in range(count)]
        assert solver.solve([-member for member in members])
        for number, one in enumerate(members):
            assert solver.solve([each if each == one else -each for each in members])
            for other in members[:number]:
                assert not solver.solve([one, other])


def test_large_groups_have_few_clauses() -> None:
    """All pairs of 1,000 members would be 499,500 clauses.

    250 chunks of four are 6 pairs each. All but the last have a helper, with a clause for each of the four and one for
    the helper before it, but for the first; and all members but the first four exclude the helper before them.
    """
    clauses: list[Sequence[int]] = []
    encoding = Encoding(clauses.append)
    for member in range(1000):
        assert encoding.join("g", member)
        assert not encoding.join("g", member)
    assert len(clauses) == 250 * 6 + 249 * 4 + 248 + 996
    assert len(encoding.helpers) == 249


def test_helpers_mean_what_they_are_true_for() -> None:
    """Whoever reads a model of another solver computes their values from these ways, the earlier variables first."""
    encoding = Encoding(lambda clause: None)
    for member in range(9):
        encoding.add(Exclusive(member, ("g",)))
    # Four members are variables 1 to 4; the fifth one makes their helper 6, as 5 is its own.
    assert encoding.helpers == {
        6: Helper("g", ((1,), (2,), (3,), (4,))),
        11: Helper("g", ((6,), (5,), (7,), (8,), (9,))),
    }


@pytest.mark.parametrize("limit", range(4))
def test_a_limit_counts_up_to_itself(limit: int) -> None:
    """Its helpers say "at least 1, 2, ... so far"; with the values that follow, all clauses hold within the limit."""
    clauses: list[Sequence[int]] = []
    encoding = Encoding(clauses.append)
    for number in range(6):
        encoding.variable(number)
    encoding.add(AtMost(limit, tuple(range(6))))
    for selected in product((False, True), repeat=6):
        values = [False, *selected]
        for variable in range(7, len(encoding.identifiers)):
            ways = encoding.helpers[variable].ways
            values.append(any(all(values[each] for each in way) for way in ways))
        met = all(any(values[abs(literal)] == (literal > 0) for literal in clause) for clause in clauses)
        assert met == (sum(selected) <= limit)


def test_selectors_switch_off_whatever_a_constraint_says() -> None:
    """Cores are found by assuming them: a clause without its selector would be in every core, and in none."""
    clauses: list[Sequence[int]] = []
    encoding = Encoding(clauses.append)
    inner = FirstOf((Branch(Choice(("c",))), Branch(Every((Choice(("d",)), Exclusion(Listed(("e",))))))))
    constraints: list[Constraint] = [
        Mandatory("a"),
        Prohibited("a"),
        Dependency("a", ("b",)),
        Dependency(None, ("b",)),
        Incompatible("a", "b"),
        AtMost(0, ("a",)),
        AtMost(1, ("a", "b", "c")),
        *(Exclusive(name, ("g",)) for name in "abcdefgh"),
        Formula("a", FirstOf((Branch(inner), Branch(Exclusion(Listed(("b", "later"))))))),
    ]
    for constraint in constraints:
        encoding.add(constraint, (-999,))
    encoding.variable("later")
    assert len(clauses) > 30
    assert all(clause[0] == -999 for clause in clauses)


def test_an_exclusion_reaches_identifiers_that_come_later() -> None:
    """A search meets identifiers one by one, and what was ruled out before stays so; branches are no identifiers."""

    class Late(Listed):
        def __contains__(self, identifier: object) -> bool:
            assert not isinstance(identifier, Branch), "catalogs know no branches"
            return super().__contains__(identifier)

    tree = FirstOf((Branch(Exclusion(Late(("early", "late")))), Branch(Choice(("c",)))))
    clauses: list[Sequence[int]] = []
    encoding = Encoding(clauses.append)
    early = encoding.variable("early")
    encoding.add(Formula("a", tree))
    encoding.add(Formula("b", FirstOf((Branch(Choice(("d",))),))))
    late, other = encoding.variable("late"), encoding.variable("other")
    guard = encoding.variable(tree.branches[0])
    assert [-guard, -early] in clauses
    assert [-guard, -late] in clauses
    assert not [clause for clause in clauses if -other in clause]


def test_each_clause_is_of_one_group() -> None:
    """Who looks at a clause wants the group behind it, not all groups of the bundle."""
    names = tuple("abcdef")
    problem = Variables({"root": [AtMost(6, names)], **{name: [Exclusive(name, ("g", "h"))] for name in names}})
    cnf = CNF(problem)
    groups = [each.constraint.groups for each in cnf.clauses() if isinstance(each.constraint, Exclusive)]
    assert groups.count(("g",)) == groups.count(("h",)) == len(groups) / 2 > 0
    helpers = [cnf.meaning(number) for number in range(7, cnf.variable_count + 1)]
    assert {each.serves for each in helpers if isinstance(each, Helper)} >= {"g", "h"}


def test_variables_are_for_what_roots_reach_and_what_else_is_wanted() -> None:
    """Breadth first from the roots, by every kind of constraint; then the others, with what they reach themselves."""
    tree = Every((Choice(("e",)), FirstOf((Branch(Choice(("f",))),)), Exclusion(Listed(("y",)))))
    problem = Variables(
        {
            "a": [Mandatory("a"), Incompatible("a", "c"), Dependency("a", ("d", "b"))],
            "b": [Formula("b", tree)],
            **{name: [] for name in "cdefyz"},
            "x": [Dependency("x", ("y", "a"))],
        }
    )
    assert list(CNF(problem).identifiers) == ["a", "c", "d", "b", "e", "f"]
    assert list(CNF(problem, iter(("z", "x", "b"))).identifiers) == ["a", "c", "d", "b", "e", "f", "z", "x", "y"]


class Asked(Variables):
    """A problem that counts the identifiers whose constraints are asked for."""

    asked = 0

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        type(self).asked += 1
        return super().constraints(identifier)


def test_who_has_cancelled_waits_for_no_closure() -> None:
    """The closure of a large problem takes seconds by itself."""
    chain: dict[Identifier, Sequence[Constraint]] = {
        number: [Dependency(number, (number + 1,))] for number in range(200)
    }
    variables: dict[Identifier, Sequence[Constraint]] = {-1: [Mandatory(0)], **chain, 200: []}
    problem = Asked(variables)
    cancelled = threading.Event()
    cancelled.set()
    with olmsolve.limited(cancel=cancelled), pytest.raises(Incomplete):
        CNF(problem)
    assert Asked.asked <= 16
    assert len(CNF(problem).identifiers) == 201
