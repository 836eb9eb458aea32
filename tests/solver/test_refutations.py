"""The deciding engine on small problems made for one fault each: whom a choice speaks for, and what a core blames."""

from __future__ import annotations

import pytest

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
    Listed,
    Mandatory,
    Prohibited,
    Variables,
    solve,
)
from tests.solver.engines import decided_solution
from tests.solver.problems import DenseVariables


def test_a_shared_branch_speaks_for_the_bundle_that_it_was_selected_for() -> None:
    """Bundles with the same requirement may share its formula; who asks why x is there hears of b, as a is not taken.

    The branch is selected for a first. Both bundles of p need q, which is prohibited, so a is taken back.
    """
    tree = FirstOf((Branch(Choice(("x",))), Branch(Choice(("y",)))))
    variables: dict[Identifier, list[Constraint]] = {
        "root": [Dependency(None, ("a", "b"))],
        "a": [Formula("a", tree), Dependency("a", ("p1", "p2"))],
        "b": [Formula("b", tree)],
        "p1": [Dependency("p1", ("q",))],
        "p2": [Dependency("p2", ("q",))],
        "q": [Prohibited("q")],
        "x": [],
        "y": [],
    }
    solution = decided_solution(Variables(variables))
    assert solution is not None
    assert [(chosen.identifier, chosen.subject) for chosen in solution.choices] == [("b", None), ("x", "b")]


def test_a_root_without_candidates_refutes_by_itself() -> None:
    """There is nothing to decide, and the core is that root."""
    empty = Dependency(None, ())
    variables: dict[Identifier, list[Constraint]] = {
        "first": [Dependency(None, ("a", "b"))],
        "second": [empty],
        "a": [],
        "b": [],
    }
    for kind in (Variables, DenseVariables):
        assert solve(kind(variables)) == Core((empty,))


@pytest.mark.parametrize("shared", [False, True])
def test_a_group_is_blamed_where_it_rules_something_out(shared: bool) -> None:
    """The wanted bundle needs x or y. If its own group excludes y, that is a reason; if y is prohibited, it is none."""
    need = Dependency("a", ("x", "y"))
    variables: dict[Identifier, list[Constraint]] = {
        "root": [Dependency(None, ("y", "a"), None, "g")] if shared else [],
        "a": [Mandatory("a"), Exclusive("a", ("g",)), need],
        "x": [Prohibited("x")],
        "y": [Exclusive("y", ("g",))] if shared else [Prohibited("y")],
    }
    for kind in (Variables, DenseVariables):
        core = solve(kind(variables))
        assert isinstance(core, Core)
        reason = AtMost(1, ("a", "y"), "g") if shared else Prohibited("y")
        assert set(core.constraints) == {Mandatory("a"), need, Prohibited("x"), reason}


class _NoBranches(Listed):
    """An exclusion as catalogs give it, which knows bundles alone."""

    def __contains__(self, identifier: object) -> bool:
        assert not isinstance(identifier, Branch)
        return super().__contains__(identifier)


def test_exclusions_are_asked_about_bundles_alone() -> None:
    """A branch is no bundle: the exclusions of a catalog would not know what to say of it."""
    tree = Every((Exclusion(_NoBranches(("z",))), FirstOf((Branch(Choice(("z",))), Branch(Choice(("y",)))))))
    variables: dict[Identifier, list[Constraint]] = {
        "a": [Mandatory("a"), Formula("a", tree)],
        "b": [Mandatory("b"), Formula("b", Exclusion(_NoBranches(("x",))))],
        "x": [],
        "y": [],
        "z": [],
    }
    solution = decided_solution(Variables(variables))
    assert solution is not None
    assert solution.selected == ("a", "b", "y")
