"""What propagation looks at: dead ends before somebody decides for them, and no more candidates than that takes."""

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
    Identifier,
    Incompatible,
    Listed,
    Mandatory,
    MaskedNeeds,
    Prohibited,
    Trace,
    Variables,
)
from olmsolve.solver.deciding import Engine
from olmsolve.solver.deciding import engine as engine_module
from olmsolve.solver.deciding import propagation as propagation_module
from olmsolve.solver.problem import CachedProblem
from tests.scale import scaled
from tests.solver.bulk import random_problem
from tests.solver.driven import Run
from tests.solver.test_families import Packages, packages


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
        pairs = [(choice[0][0], sum(2 << families[choice[0][0]].index(each) for each in choice)) for choice in choices]
        masks[name] = MaskedNeeds(tuple(pairs), ())
    return Packages(variables, families, masks) if masked else Variables(variables)  # type: ignore[arg-type]


def _selected(run: Run) -> set[Identifier]:
    assert run.propagation.run() is None
    return set(run.must())


@pytest.mark.parametrize("masked", [False, True], ids=["constraints", "masks"])
def test_a_dead_end_is_seen_before_somebody_decides_for_it(masked: bool) -> None:
    """a3 and a2 need versions of b that the request refuses, so a1 must be taken: nothing has to be decided."""
    needs = {"a3": [["b3"]], "a2": [["b2"]], "a1": [["b1"]], "b3": [], "b2": [], "b1": []}
    run = Run(in_packages(needs, [["b1"], ["a3", "a2", "a1"]], masked=masked))
    assert _selected(run) == {"a1", "b1"}
    # Without any way out, the conflict needs no decision either.
    needs["a1"] = [["b2"]]
    run = Run(in_packages(needs, [["b1"], ["a3", "a2", "a1"]], masked=masked))
    assert run.propagation.run() is not None
    assert not run.domains.starts


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


@pytest.mark.parametrize("masked", [False, True], ids=["constraints", "masks"])
def test_a_candidate_that_is_ruled_out_is_not_looked_at(masked: bool) -> None:
    """A choice may have lost its first thousand candidates before its turn."""
    run = Run(in_packages({"a3": [], "a2": [], "a1": []}, [["a3", "a2", "a1"]], masked=masked))
    variable, bit = run.propagation.variables.variable_of("a3")
    run.domains.narrow(variable, ~bit, ((), None))
    assert _selected(run) == set()
    assert set(run.propagation.compiled) == {"a2"}


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


def test_a_wanted_bundle_excludes_the_others_of_its_group_at_once() -> None:
    """Wherever the group is said: b1 is wanted, so c2, which needs b2, is no candidate, and nothing else is looked at.

    What a choice of several wants is not looked at before propagation comes to it.
    """
    variables: dict[Identifier, list[Constraint]] = {
        "b1": [Mandatory("b1"), Exclusive("b1", ("b",))],
        "root": [Dependency(None, ("d2", "d1"))],
        "grouped root": [Dependency(None, ("c1",), None, "c")],
        "b2": [Exclusive("b2", ("b",))],
        "c2": [Exclusive("c2", ("c",)), Dependency("c2", ("b2",), None, "b")],
        "c1": [Exclusive("c1", ("c",))],
        "d2": [],
        "d1": [],
    }
    run = Run(Variables(variables))
    assert set(run.propagation.compiled) == {"b1"}
    assert not run.propagation.possible("c2", *run.propagation.variables.variable_of("c2", "c"))
    assert set(run.propagation.compiled) == {"b1", "c2"}


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


def test_a_candidate_that_breaks_its_own_constraints_is_never_possible() -> None:
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
    }
    run = Run(Variables({**variables, "missing": [Prohibited("missing")]}))
    missing = run.propagation.compile("missing")
    assert not run.propagation.possible("missing", missing.variable, missing.bit)
    for name in variables:
        compiled = run.propagation.compile(name)
        possible = run.propagation.possible(name, compiled.variable, compiled.bit)
        assert possible is (name in ("other", "fine"))
        assert run.is_left(name) is possible


def test_a_candidate_that_a_selected_one_refuses_is_not_possible() -> None:
    """Whichever of the two says so, and however: nobody decides for a candidate that breaks something at once."""
    refused: dict[Identifier, list[Constraint]] = {
        "of the same group": [Exclusive("of the same group", ("other", "g"))],
        "that refuses it": [Incompatible("that refuses it", "a")],
        "that excludes it": [Formula("that excludes it", Exclusion(Listed(("b", "a"))))],
        "that it excludes": [],
        "beyond the limit": [],
    }
    variables: dict[Identifier, list[Constraint]] = {
        "a": [Mandatory("a"), Exclusive("a", ("g",)), Formula("a", Exclusion(Listed(("that it excludes", "b"))))],
        "limit": [AtMost(1, ("a", "beyond the limit"))],
        "wide limit": [AtMost(2, ("a", "fine"))],
        "b": [],
        **refused,
        "fine": [Incompatible("fine", "b"), Exclusive("fine", ("h",)), Formula("fine", Exclusion(Listed(("b",))))],
    }
    run = Run(Variables(variables))
    assert _selected(run) == {"a"}
    for name in (*refused, "fine"):
        assert run.propagation.possible(name, *run.propagation.variables.variable_of(name)) is (name == "fine")


# a2 needs b, both versions of which need c2, which needs d2; and the request wants d1.
_CHAIN: dict[str, Sequence[Sequence[str]]] = {
    "a2": [["b2", "b1"]],
    "a1": [],
    "b2": [["c2"]],
    "b1": [["c2"]],
    "c2": [["d2"]],
    "c1": [],
    "d2": [],
    "d1": [],
}


@pytest.mark.parametrize("masked", [False, True], ids=["constraints", "masks"])
@pytest.mark.parametrize(
    ("ahead", "looked_at"),
    [(0, {"a2"}), (1, {"a2", "b2"}), (2, {"a2", "b2", "c2", "b1"}), (3, {"a2", "b2", "c2", "b1"})],
)
def test_a_chain_of_requirements_is_seen_so_many_steps_ahead(ahead: int, looked_at: set[str], masked: bool) -> None:
    """The chain in the module's docstring: with two steps a2 is ruled out without a decision, with fewer it is not."""
    run = Run(in_packages(_CHAIN, [["d1"]], masked=masked))
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


def _chains(count: int) -> Variables:
    """Return *count* copies of the chain, of which the request wants a2 or a1 each."""
    variables: dict[Identifier, list[Constraint]] = {}

    def choice(subject: str | None, number: int, wanted: Sequence[str]) -> Dependency:
        return Dependency(subject, tuple(f"{number}{each}" for each in wanted), None, f"{number}{wanted[0][0]}")

    for number in range(count):
        for name, choices in _CHAIN.items():
            subject = f"{number}{name}"
            own = [choice(subject, number, wanted) for wanted in choices]
            variables[subject] = [Exclusive(subject, (f"{number}{name[0]}",)), *own]
        for wanted in (["d1"], ["a2", "a1"]):
            variables[f"root {number}{wanted}"] = [choice(None, number, wanted)]
    return Variables(variables)


def _conflicts(count: int) -> int:
    budget = Budget()
    assert Engine(CachedProblem(_chains(count)), budget).run()
    return budget.trace.conflicts


def test_after_ten_conflicts_a_chain_costs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue takes each a2 before the first b, so each costs a conflict; b2 costs another one in the beginning.

    After ten conflicts, those of five chains, a look at c2 rules b2 and b1 out before the queue decides for one.
    Looking ahead at once would make easy problems slower, as more candidates are looked at.
    """
    for count in (1, 2, 5):
        assert _conflicts(count) == 2 * count
    assert _conflicts(40) == 10 + 35
    monkeypatch.setattr(engine_module, "_CONFLICTS_UNTIL_AHEAD", 10**9)
    assert _conflicts(40) == 2 * 40


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
        again, fewer = _domains(seed)
        assert again == domains
        assert fewer == min(most, 3) or most > 3 >= fewer


class _Checked(Budget):
    """A budget that counts how often somebody looks at it."""

    def __init__(self) -> None:
        super().__init__(timeout=600)
        self.checks = 0

    def check(self) -> None:
        self.checks += 1
        super().check()


def test_limits_are_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look costs as much as a step, so there is one for every fourth candidate here, and every fifth step.

    The request wants 39 bundles, each of which is compiled, and takes one step of the queue.
    """
    monkeypatch.setattr(propagation_module, "_COMPILED_PER_CHECK", 4)
    names = [f"v{number}" for number in range(39)]
    problem = CachedProblem(Variables({name: [Mandatory(name)] for name in names}))
    for steps, checks in [(100, 9), (5, 9 + 7), (38, 9 + 1), (40, 9)]:
        monkeypatch.setattr(engine_module, "_STEPS_PER_CHECK", steps)
        budget = _Checked()
        assert Engine(problem, budget).run()
        assert budget.checks == checks


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
        problem = CachedProblem(random_problem(random.Random(f"limit {seed}"), "abcdefghijkl"))
        budget = Budget()
        budget.trace = trace = _Learnt()
        answer = Engine(problem, budget).run()
        conflicts = trace.conflicts
        assert conflicts == len(trace.sizes)
        assert all(trace.sizes[:-1])
        if conflicts:
            assert bool(trace.sizes[-1]) is answer
            assert Engine(problem, Budget(conflicts=conflicts)).run() is answer
            if conflicts > 1:
                met += 1
                with pytest.raises(Incomplete):
                    Engine(problem, Budget(conflicts=conflicts - 1)).run()
    assert met > scaled(40)
