"""Propagation at single decisions: what it looks at then, what it takes back, and what it remembers.

A queue takes other decisions, and ends before most of these states; so these tests look behind the door.
"""

from __future__ import annotations

import random

import pytest

from olmsolve.solver import Constraint, Dependency, Exclusive, Identifier, MaskedNeeds, Variables
from olmsolve.solver.deciding import propagation as propagation_module
from tests.scale import scaled
from tests.solver.driven import Run
from tests.solver.test_families import Packages, packages
from tests.solver.test_looking_ahead import CHAIN, in_packages


def _selected(run: Run) -> set[Identifier]:
    assert run.propagation.run() is None
    return set(run.must())


@pytest.mark.parametrize("masked", [False, True], ids=["constraints", "masks"])
def test_the_first_candidate_that_may_do_is_looked_at_and_no_other(masked: bool) -> None:
    """Of thousands of candidates most are never looked at, whose constraints would take most of the time.

    a4 is a dead end, so a3 is looked at. It needs one of three bundles, of which the first is looked at once a3 is
    selected.
    """
    needs = {"a4": [["b9"]], "a3": [["c3", "c2", "c1"]], "a2": [], "a1": [], "b9": [], "b1": []}
    needs |= {"c3": [], "c2": [], "c1": []}
    run = Run(in_packages(needs, [["b1"], ["a4", "a3", "a2", "a1"]], masked=masked))
    assert _selected(run) == {"b1"}
    assert set(run.propagation.compiled) == {"b1", "a4", "a3"}
    variable, bit = run.propagation.variables.variable_of("a3")
    # Losing a candidate that is not the support is no reason to look for another one.
    run.domains.narrow(variable, ~run.propagation.variables.variable_of("a2")[1], ((), None))
    assert _selected(run) == {"b1"}
    assert set(run.propagation.compiled) == {"b1", "a4", "a3"}
    run.propagation.decide(variable, bit)
    assert _selected(run) == {"b1", "a3"}
    assert set(run.propagation.compiled) == {"b1", "a4", "a3", "c3"}


def test_what_may_stay_out_is_not_looked_at() -> None:
    """Only where one must be selected are candidates looked at: the package b may stay out once a1 is taken back."""
    run = Run(in_packages({"a1": [["b3", "b2", "b1"]], "b3": [], "b2": [], "b1": []}, []))
    where = run.propagation.variables.variable_of("a1")
    assert run.propagation.possible("a1", *where)
    run.propagation.decide(*where)
    assert _selected(run) == {"a1"}
    assert set(run.propagation.compiled) == {"a1", "b3"}
    run.propagation.backtrack(0)
    variable, bit = run.propagation.variables.variable_of("b2")
    run.domains.narrow(variable, 1 | bit | bit << 1, ((), None))
    assert _selected(run) == set()
    assert set(run.propagation.compiled) == {"a1", "b3"}


def test_a_candidate_is_ruled_out_beside_its_unmet_need() -> None:
    """Once looked at, a candidate leaves with the last bundle that it needs, whoever decides."""
    needs = {"a2": [["b2", "b1"]], "a1": [], "b3": [], "b2": [], "b1": [], "c2": [], "c1": [["b3"]]}
    run = Run(in_packages(needs, [["a2", "a1"], ["c2", "c1"]]))
    assert _selected(run) == set()
    variable, bit = run.propagation.variables.variable_of("c1")
    assert run.propagation.possible("c1", variable, bit)
    run.propagation.decide(variable, bit)
    assert _selected(run) == {"c1", "b3", "a1"}
    run.propagation.backtrack(0)
    assert _selected(run) == set()


@pytest.mark.parametrize("family", [False, True], ids=["constraints", "masks"])
def test_whoever_holds_a_group_rules_its_members_out(family: bool) -> None:
    """The bundle a has the groups of two packages, so those who need package b go when it is selected.

    In the view of families b is one, whose members are known before anybody has looked at them.
    """
    variables: dict[Identifier, list[Constraint]] = {
        "a": [Exclusive("a", ("first", "b"))],
        "b2": [Exclusive("b2", ("b",))],
        "b1": [Exclusive("b1", ("b",))],
        "c": [Exclusive("c", ("c",)), Dependency("c", ("b2", "b1"), None, "b")],
    }
    masked: dict[Identifier, MaskedNeeds] = {name: MaskedNeeds((), ()) for name in ("b2", "b1")}
    masked["c"] = MaskedNeeds((("b", 0b110),), ())
    problem = Packages(variables, {"b": ("b2", "b1"), "c": ("c",)}, masked) if family else Variables(variables)
    run = Run(problem)
    if not family:
        run.propagation.compile("c")
    where = run.propagation.variables.variable_of("a")
    assert run.propagation.possible("a", *where)
    run.propagation.decide(*where)
    assert _selected(run) == {"a"}
    assert not run.is_left("b2")
    # Who has been looked at goes with the last bundle that it needs, and who has not when it is looked at.
    assert run.is_left("c") is family
    assert not run.propagation.possible("c", *run.propagation.variables.variable_of("c"))
    assert not run.is_left("c")
    run.propagation.backtrack(0)
    assert run.is_left("c")


@pytest.mark.parametrize("masked", [False, True], ids=["constraints", "masks"])
@pytest.mark.parametrize(
    ("ahead", "looked_at"),
    [(0, {"a2"}), (1, {"a2", "b2"}), (2, {"a2", "b2", "c2", "b1"}), (3, {"a2", "b2", "c2", "b1"})],
)
def test_a_chain_of_requirements_is_seen_so_many_steps_ahead(ahead: int, looked_at: set[str], masked: bool) -> None:
    """The chain of :data:`CHAIN`: with two steps a2 is ruled out without a decision, with fewer it is not."""
    run = Run(in_packages(CHAIN, [["d1"]], masked=masked))
    run.propagation.compile("a2")
    assert _selected(run) == {"d1"}
    run.propagation.steps_ahead = ahead
    variable, bit = run.propagation.variables.variable_of("a2")
    assert run.propagation.possible("a2", variable, bit) is (ahead < 2)
    assert run.is_left("a2") is (ahead < 2)
    assert run.propagation.steps_ahead == ahead
    assert set(run.propagation.compiled) - {"d1"} == looked_at


def test_a_need_with_a_known_candidate_has_no_other_looked_at() -> None:
    """A candidate that was looked at and is left can be selected, as far as is known, so one of them is enough."""
    needs = {"a2": [["b3", "b2", "b1"]], "a1": [], "b3": [], "b2": [], "b1": []}
    run = Run(in_packages(needs, []), ahead=2)
    run.propagation.compile("b2")
    assert run.propagation.possible("a2", *run.propagation.variables.variable_of("a2"))
    assert set(run.propagation.compiled) == {"a2", "b2"}


def test_only_bundles_of_the_need_count_as_its_known_candidates() -> None:
    """b1 is known and left, but a2 needs b2, which needs what the request refuses."""
    needs = {"a2": [["b2"]], "a1": [], "b2": [["c2"]], "b1": [], "c2": [], "c1": []}
    run = Run(in_packages(needs, [["c1"]]), ahead=1)
    assert _selected(run) == {"c1"}
    run.propagation.compile("b1")
    assert not run.propagation.possible("a2", *run.propagation.variables.variable_of("a2"))


def _domains(seed: int) -> tuple[list[list[int]], int]:
    """Return the domains at the end of each run of propagation between random decisions, and the most remembered."""
    generator = random.Random(f"remembered {seed}")
    run = Run(packages(generator, 5, 5))
    domains: list[list[int]] = []
    while True:
        conflict = run.propagation.run()
        domains.append(list(run.domains.domains))
        if not (run.decide(generator) if conflict is None else run.learn(conflict)[1]):
            return domains, max(map(len, run.propagation._unmet.values()), default=0)


def test_domains_with_their_unmet_needs_are_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long search goes through millions of domains, whose unmet needs would fill the memory."""
    known = [_domains(seed) for seed in range(scaled(160))]
    assert max(most for _, most in known) > 3
    monkeypatch.setattr(propagation_module, "_MOST_REMEMBERED", 3)
    for seed, (domains, most) in enumerate(known):
        repeated, fewer = _domains(seed)
        assert repeated == domains
        assert fewer == min(most, 3) or most > 3 >= fewer
