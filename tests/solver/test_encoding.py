"""Constraints as clauses: groups of any size, exclusions that reach further, and the closure that has variables."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

import olmsolve
from olmsolve import Incomplete
from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Core,
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
    Solution,
    Variables,
    solve,
)
from olmsolve.solver.backends import PythonSolver
from olmsolve.solver.clauses import CNF
from tests.solver import oracle


def _group(count: int) -> CNF:
    """Return the clauses of a group of *count* members, which are the variables from 1 on; a root reaches them."""
    members = tuple(range(count))
    return CNF(
        Variables({"root": [Dependency(None, members)], **{member: [Exclusive(member, ("g",))] for member in members}})
    )


def test_a_group_of_any_size_takes_one_member_at_most() -> None:
    """Helpers stand for earlier members, chunk by chunk: none, or each member alone, and no two of them."""
    for count in range(1, 20):
        solver = PythonSolver()
        for clause in _group(count).clauses():
            if isinstance(clause.constraint, Exclusive):
                solver.add_clause(clause.literals)
        members = range(1, count + 1)
        assert solver.solve([-member for member in members])
        for number, one in enumerate(members):
            assert solver.solve([literal if literal == one else -literal for literal in members])
            for other in members[:number]:
                assert not solver.solve([one, other])


def test_large_groups_have_few_clauses() -> None:
    """All pairs of 1,000 members would be 499,500 clauses.

    250 chunks of four are 6 pairs each. All but the last have a helper, with a clause for each of the four and one for
    the helper before it, but for the first; and all members but the first four exclude the helper before them.
    """
    cnf = _group(1000)
    clauses = [clause for clause in cnf.clauses() if isinstance(clause.constraint, Exclusive)]
    assert len(clauses) == 250 * 6 + 249 * 4 + 248 + 996
    assert cnf.variable_count - len(cnf.identifiers) == 249


def test_helpers_mean_what_they_are_true_for() -> None:
    """Whoever reads a model of another solver computes their values from these ways, the earlier variables first."""
    cnf = _group(9)
    # Of nine members, the fifth one makes a helper for the four before it, the ninth one for that helper and four more.
    meanings: list[Any] = [cnf.meaning(variable) for variable in range(10, cnf.variable_count + 1)]
    assert [(meaning.serves, meaning.ways) for meaning in meanings] == [
        ("g", ((1,), (2,), (3,), (4,))),
        ("g", ((10,), (5,), (6,), (7,), (8,))),
    ]


@pytest.mark.parametrize("limit", range(4))
def test_a_limit_counts_up_to_itself(limit: int) -> None:
    """Its helpers say "at least 1, 2, ... so far"; with the values that follow, all clauses hold within the limit."""
    names = tuple(range(6))
    cnf = CNF(Variables({"root": [AtMost(limit, names)], **{name: [] for name in names}}))
    clauses = [clause.literals for clause in cnf.clauses()]
    meanings: list[Any] = [cnf.meaning(variable) for variable in range(7, cnf.variable_count + 1)]
    for selected in product((False, True), repeat=6):
        values = [False, *selected]
        for meaning in meanings:
            values.append(any(all(values[identifier] for identifier in way) for way in meaning.ways))
        met = all(any(values[abs(literal)] == (literal > 0) for literal in clause) for clause in clauses)
        assert met == (sum(selected) <= limit)


@pytest.mark.parametrize("backend", ["deciding", "minisat22", "python"])
def test_a_core_needs_no_constraint_that_is_off(backend: str) -> None:
    """A clause that is always on would be in no core, so that a core without its constraint could hold.

    Each of these conflicts rests on one kind alone, beside wishes; each kind is left out of the cores of the others.
    """
    inner = FirstOf((Branch(Choice(("c",))), Branch(Every((Choice(("d",)), Exclusion(Listed(("e",))))))))
    wishes = [Dependency(None, (name,)) for name in "ab"]
    conflicts: list[tuple[list[Constraint], list[Constraint]]] = [
        ([], [Prohibited("a")]),
        ([], [Dependency("a", ())]),
        ([], [Incompatible("a", "b")]),
        ([], [Formula("a", Choice(()))]),
        ([], [Formula("a", FirstOf((Branch(Exclusion(Listed(("b", "later")))),)))]),
        ([], [Formula("a", FirstOf((Branch(inner),))), Incompatible("a", "c"), Incompatible("a", "d")]),
        ([], [Formula("a", FirstOf((Branch(inner),))), Incompatible("a", "c"), Dependency("a", ("e",))]),
        ([AtMost(0, ("a",))], []),
        ([AtMost(1, ("a", "b", "c"))], []),
    ]
    for number, (limits, own) in enumerate(conflicts):
        problem = Variables(
            {"root": [*limits, *wishes], "a": own, **{name: [] for name in ("b", "c", "d", "e", "later")}}
        )
        core = solve(problem, backend=backend)
        assert isinstance(core, Core)
        assert {*limits, *map(str, own)} <= {*core.constraints, *map(str, core.constraints)}, number
        for constraint in core.constraints:
            kept = [other for other in core.constraints if other is not constraint]
            assert oracle.models(kept, ("a", "b", "c", "d", "e", "later")), number


@pytest.mark.parametrize("backend", ["deciding", "minisat22", "python"])
def test_an_exclusion_reaches_identifiers_that_come_later(backend: str) -> None:
    """A search meets identifiers one by one, and what was ruled out before stays so; branches are no identifiers.

    After a dead end about p and q, y is wanted, which comes late and is ruled out by the first bundle.
    """

    class Late(Listed):
        def __contains__(self, identifier: object) -> bool:
            assert not isinstance(identifier, Branch), "catalogs know no branches"
            return super().__contains__(identifier)

    rule = Every((Exclusion(Late(("y",))), FirstOf((Branch(Choice(("c",))), Branch(Choice(("d",)))))))
    variables: dict[Identifier, Sequence[Constraint]] = {
        "root": [Dependency(None, ("a",)), Dependency(None, ("p", "r")), Dependency(None, ("w",))],
        "a": [Formula("a", rule)],
        "p": [Dependency("p", ("q",))],
        "q": [Dependency("q", ("x", "y"))],
        "w": [Dependency("w", ("v",))],
        "v": [Incompatible("v", "x")],
        **{name: [] for name in "cdrxy"},
    }
    solution = solve(Variables(variables), backend=backend)
    assert isinstance(solution, Solution)
    assert solution.selected == ("a", "r", "w", "v", "c")


def test_each_clause_is_of_one_group() -> None:
    """Who looks at a clause wants the group behind it, not all groups of the bundle."""
    names = tuple("abcdef")
    problem = Variables({"root": [AtMost(6, names)], **{name: [Exclusive(name, ("g", "h"))] for name in names}})
    cnf = CNF(problem)
    groups = [clause.constraint.groups for clause in cnf.clauses() if isinstance(clause.constraint, Exclusive)]
    assert groups.count(("g",)) == groups.count(("h",)) == len(groups) / 2 > 0
    helpers = [cnf.meaning(number) for number in range(7, cnf.variable_count + 1)]
    assert {getattr(helper, "serves", None) for helper in helpers} >= {"g", "h"}


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
