"""What the deciding engine looks at: dead ends before it decides for them, and no more candidates than that takes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from olmsolve.errors import Incomplete
from olmsolve.solver import (
    AtMost,
    Budget,
    Constraint,
    Dependency,
    Exclusion,
    Exclusive,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Listed,
    Mandatory,
    MaskedNeeds,
    Prohibited,
    Trace,
    Variables,
    attempt,
)
from tests.scale import scaled
from tests.solver.bulk import random_problem
from tests.solver.engines import Decided, decided_solution
from tests.solver.test_families import Packages


def in_packages(
    needs: Mapping[str, Sequence[Sequence[str]]], roots: Sequence[Sequence[str]], *, masked: bool = True
) -> Packages | Variables:
    """Return a problem of bundles such as "a2" of package "a", each with what it *needs*; roots are choices too.

    Higher versions are preferred. With *masked* all bundles are in families and have masked needs.
    """
    families: dict[str, tuple[str, ...]] = {}
    for name in sorted(needs, reverse=True):
        families[name[0]] = (*families.get(name[0], ()), name)
    variables: dict[Identifier, list[Constraint]] = {
        f"root {number}": [Dependency(None, tuple(wanted), None, wanted[0][0])] for number, wanted in enumerate(roots)
    }
    masks: dict[Identifier, MaskedNeeds] = {}
    for name, choices in needs.items():
        own = [Dependency(name, tuple(wanted), None, wanted[0][0]) for wanted in choices]
        variables[name] = [Exclusive(name, (name[0],)), *own]
        pairs = [
            (choice[0][0], sum(2 << families[choice[0][0]].index(candidate) for candidate in choice))
            for choice in choices
        ]
        masks[name] = MaskedNeeds(tuple(pairs), ())
    return Packages(variables, families, masks) if masked else Variables(variables)  # type: ignore[arg-type]


def _work(problem: Variables) -> tuple[tuple[Identifier, ...] | None, int, int]:
    """Return what the engine selects, how many candidates it has looked at, and its conflicts."""
    trace = Trace()
    solution = decided_solution(problem, families=getattr(problem, "families", None), trace=trace)
    return (None if solution is None else solution.selected), trace.candidates, trace.conflicts


@pytest.mark.parametrize("masked", [False, True], ids=["constraints", "masks"])
def test_a_dead_end_is_seen_before_somebody_decides_for_it(masked: bool) -> None:
    """a3 and a2 need versions of b that the request refuses, so a1 must be taken: nothing has to be decided."""
    needs = {"a3": [["b3"]], "a2": [["b2"]], "a1": [["b1"]], "b3": [], "b2": [], "b1": []}
    assert _work(in_packages(needs, [["b1"], ["a3", "a2", "a1"]], masked=masked)) == (("b1", "a1"), 4, 0)
    # Without any way out, the first conflict is the refutation.
    needs["a1"] = [["b2"]]
    selected, _, conflicts = _work(in_packages(needs, [["b1"], ["a3", "a2", "a1"]], masked=masked))
    assert (selected, conflicts) == (None, 1)


@pytest.mark.parametrize("masked", [False, True], ids=["constraints", "masks"])
def test_the_first_candidate_that_may_do_is_looked_at_and_no_other(masked: bool) -> None:
    """Of thousands of candidates most are never looked at, whose constraints would take most of the time.

    a4 is a dead end, so a3 is looked at; of the three bundles that it needs, the first one.
    """
    needs = {"a4": [["b9"]], "a3": [["c3", "c2", "c1"]], "a2": [], "a1": [], "b9": [], "b1": []}
    needs |= {"c3": [], "c2": [], "c1": []}
    problem = in_packages(needs, [["b1"], ["a4", "a3", "a2", "a1"]], masked=masked)
    assert _work(problem) == (("b1", "a3", "c3"), len(("b1", "a4", "a3", "c3")), 0)


@pytest.mark.parametrize("masked", [False, True], ids=["constraints", "masks"])
def test_a_candidate_that_is_ruled_out_is_not_looked_at(masked: bool) -> None:
    """A choice may have lost its first thousand candidates before its turn."""
    needs: dict[str, Sequence[Sequence[str]]] = {"a3": [], "a2": [], "a1": []}
    problem = in_packages(needs, [["a3", "a2", "a1"], ["a2", "a1"]], masked=masked)
    assert _work(problem) == (("a2",), 1, 0)


def test_what_may_stay_out_is_not_looked_at() -> None:
    """Only where one must be selected are candidates looked at: nobody wants package b once a2 is taken."""
    needs = {"a2": [], "a1": [["b3", "b2", "b1"]], "b3": [], "b2": [], "b1": []}
    assert _work(in_packages(needs, [["a2", "a1"]])) == (("a2",), 1, 0)


def test_a_candidate_is_ruled_out_beside_its_unmet_need() -> None:
    """Once looked at, a candidate leaves with the last bundle that it needs: a2 goes when c1 needs another b."""
    needs = {"a2": [["b2", "b1"]], "a1": [], "b3": [], "b2": [], "b1": [], "c1": [["b3"]]}
    assert _work(in_packages(needs, [["c1"], ["a2", "a1"]])) == (("c1", "a1", "b3"), 4, 0)


def test_a_wanted_bundle_excludes_the_others_of_its_group_at_once() -> None:
    """b1 is wanted last, so c2, which needs b2, is no candidate, and b2 is not looked at, wherever the group is."""
    variables: dict[Identifier, list[Constraint]] = {
        "root": [Dependency(None, ("c2", "c1"), None, "c")],
        "b1": [Mandatory("b1"), Exclusive("b1", ("b",))],
        "b2": [Exclusive("b2", ("b",))],
        "c2": [Exclusive("c2", ("c",)), Dependency("c2", ("b2",), None, "b")],
        "c1": [Exclusive("c1", ("c",))],
    }
    assert _work(Variables(variables)) == (("c1", "b1"), len(("b1", "c2", "c1")), 0)


@pytest.mark.parametrize("family", [False, True], ids=["constraints", "masks"])
def test_whoever_holds_a_group_rules_its_members_out(family: bool) -> None:
    """The bundle a has the groups of two packages, so those who need package b are no candidates beside it.

    In the view of families b is one, whose members are known before anybody has looked at them.
    """
    variables: dict[Identifier, list[Constraint]] = {
        "root": [Dependency(None, ("a",)), Dependency(None, ("c", "d"), None, "c")],
        "a": [Exclusive("a", ("first", "b"))],
        "b2": [Exclusive("b2", ("b",))],
        "b1": [Exclusive("b1", ("b",))],
        "c": [Exclusive("c", ("c",)), Dependency("c", ("b2", "b1"), None, "b")],
        "d": [Exclusive("d", ("c",))],
    }
    masked: dict[Identifier, MaskedNeeds] = {name: MaskedNeeds((), ()) for name in ("b2", "b1", "d")}
    masked["c"] = MaskedNeeds((("b", 0b110),), ())
    families: dict[GroupName, Sequence[str]] = {"b": ("b2", "b1"), "c": ("c", "d")}
    selected, _, conflicts = _work(Packages(variables, families, masked) if family else Variables(variables))
    assert (selected, conflicts) == (("a", "d"), 0)


@pytest.mark.parametrize("name", ["nothing", "itself", "sibling", "lonely", "other", "fine"])
def test_a_candidate_that_breaks_its_own_constraints_is_never_possible(name: str) -> None:
    """It needs what nobody offers, refuses itself, or needs another one of its own group: no decision is in vain.

    The lonely one needs another one of its group or the missing one, which is prohibited.
    """
    variables: dict[Identifier, list[Constraint]] = {
        "nothing": [Dependency("nothing", ())],
        "itself": [Incompatible("itself", "itself")],
        "sibling": [Exclusive("sibling", ("g",)), Dependency("sibling", ("other",), None, "g")],
        "other": [Exclusive("other", ("g",))],
        "lonely": [Exclusive("lonely", ("g",)), Dependency("lonely", ("other", "missing"))],
        "fine": [Exclusive("fine", ("g",)), Dependency("fine", ("other", "fine"), None, "g")],
        "missing": [Prohibited("missing")],
        "x": [],
        "way out": [Exclusive("way out", ("g",))],
    }
    group = "g" if name not in ("nothing", "itself") else None
    # By the time of the second choice, the missing one has been looked at.
    variables["roots"] = [Dependency(None, ("missing", "x")), Dependency(None, (name, "way out"), None, group)]
    selected, _, conflicts = _work(Variables(variables))
    # That the other one shares the group of the lonely one is not known before somebody looks at it.
    assert (selected, conflicts) == (("x", name if name in ("other", "fine") else "way out"), int(name == "lonely"))


@pytest.mark.parametrize(
    "name",
    ["of the same group", "that refuses it", "that excludes it", "that it excludes", "beyond the limit", "fine"],
)
def test_a_candidate_that_a_selected_one_refuses_is_not_possible(name: str) -> None:
    """Whichever of the two says so, and however: nobody decides for a candidate that breaks something at once."""
    variables: dict[Identifier, list[Constraint]] = {
        "a": [Mandatory("a"), Exclusive("a", ("g",)), Formula("a", Exclusion(Listed(("that it excludes", "b"))))],
        "root": [Dependency(None, (name, "way out"))],
        "limit": [AtMost(1, ("a", "beyond the limit"))],
        "wide limit": [AtMost(2, ("a", "fine"))],
        "b": [],
        "of the same group": [Exclusive("of the same group", ("other", "g"))],
        "that refuses it": [Incompatible("that refuses it", "a")],
        "that excludes it": [Formula("that excludes it", Exclusion(Listed(("b", "a"))))],
        "that it excludes": [],
        "beyond the limit": [],
        "fine": [Incompatible("fine", "b"), Exclusive("fine", ("h",)), Formula("fine", Exclusion(Listed(("b",))))],
        "way out": [],
    }
    selected, _, conflicts = _work(Variables(variables))
    assert (selected, conflicts) == (("a", "fine" if name == "fine" else "way out"), 0)


# a2 needs b, both versions of which need c2, which needs d2; and the request wants d1.
CHAIN: dict[str, Sequence[Sequence[str]]] = {
    "a2": [["b2", "b1"]],
    "a1": [],
    "b2": [["c2"]],
    "b1": [["c2"]],
    "c2": [["d2"]],
    "c1": [],
    "d2": [],
    "d1": [],
}


def _chains(count: int) -> Variables:
    """Return *count* copies of the chain, of which the request wants a2 or a1 each."""
    variables: dict[Identifier, list[Constraint]] = {}

    def choice(subject: str | None, number: int, wanted: Sequence[str]) -> Dependency:
        return Dependency(subject, tuple(f"{number}{letter}" for letter in wanted), None, f"{number}{wanted[0][0]}")

    for number in range(count):
        for name, choices in CHAIN.items():
            subject = f"{number}{name}"
            own = [choice(subject, number, wanted) for wanted in choices]
            variables[subject] = [Exclusive(subject, (f"{number}{name[0]}",)), *own]
        for wanted in (["d1"], ["a2", "a1"]):
            variables[f"root {number}{wanted}"] = [choice(None, number, wanted)]
    return Variables(variables)


def _conflicts(count: int) -> int:
    selected, _, conflicts = _work(_chains(count))
    assert selected is not None
    return conflicts


def test_after_ten_conflicts_a_chain_costs_one() -> None:
    """The queue takes each a2 before the first b, so each costs a conflict; b2 costs another one in the beginning.

    After ten conflicts, those of five chains, a look at c2 rules b2 and b1 out before the queue decides for one.
    Looking ahead at once would make easy problems slower, as more candidates are looked at.
    """
    for count in (1, 2, 5):
        assert _conflicts(count) == 2 * count
    assert _conflicts(40) == 10 + 35


class _Learnt(Trace):
    """A trace that keeps how many conditions each conflict has."""

    observed = True

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def learnt(self, conditions: int) -> None:
        self.sizes.append(conditions)


def test_a_limit_of_conflicts_is_kept_to_the_conflict() -> None:
    """Who allows as many conflicts as the question takes gets an answer, who allows one less does not.

    Observers are told of each: how many conditions cannot hold together, and at the end of a refutation of none.
    """
    met = 0
    for seed in range(scaled(400)):
        problem = Decided(random_problem(random.Random(f"limit {seed}"), "abcdefghijkl"))
        trace = _Learnt()
        answer = attempt(problem, trace=trace) is not None
        conflicts = trace.conflicts
        assert conflicts == len(trace.sizes)
        assert all(trace.sizes[:-1])
        if conflicts:
            assert bool(trace.sizes[-1]) is answer
            assert (attempt(problem, budget=Budget(conflicts=conflicts)) is not None) is answer
            if conflicts > 1:
                met += 1
                with pytest.raises(Incomplete):
                    attempt(problem, budget=Budget(conflicts=conflicts - 1))
    assert met > scaled(40)
