"""Unions: what all versions of a package rule out is ruled out before one of them is decided for."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence

import pytest

from olmsolve import Unsatisfiable, resolve
from olmsolve.errors import Incomplete
from olmsolve.solver import Budget, Dependency, Exclusive, GroupName, Identifier, MaskedNeeds
from olmsolve.solver.deciding import engine as engine_module
from olmsolve.solver.deciding import unions as unions_module
from olmsolve.solver.deciding.compiling import Need
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.engine import cause
from olmsolve.solver.deciding.unions import Unions
from olmsolve.solver.deciding.variables import VariableTable
from olmsolve.testing.synthetic import DenseShape, dense_problem
from tests.scale import scaled
from tests.solver.driven import Run
from tests.solver.test_families import Packages
from tests.solver.test_looking_ahead import in_packages

NEEDS: dict[str, Sequence[Sequence[str]]] = {
    "a2": [["b3", "b2"]],
    "a1": [["b2", "b1"]],
    "b4": [],
    "b3": [],
    "b2": [],
    "b1": [],
}
"""Both versions of a need the package b, but neither needs b4."""


def _drawn(problem: object) -> Run:
    assert isinstance(problem, Packages)
    run = Run(problem)
    run.propagation.drawing_unions = True
    return run


def _members_left(run: Run, name: str) -> set[Identifier | None]:
    """Return the members of package *name* that are left; None among them if none needs to be selected."""
    variable = run.propagation.variables.of_group(name)
    value = run.domains.domains[variable]
    return {member for number, member in enumerate(run.domains.members[variable]) if value >> number & 1}


def test_what_all_versions_exclude_is_ruled_out() -> None:
    run = _drawn(in_packages(NEEDS, [["a2", "a1"]]))
    assert run.propagation.run() is None
    assert _members_left(run, "b") == {"b3", "b2", "b1"}
    # Looking at what it needs does not compile the second version.
    assert set(run.propagation.compiled) == {"a2"}


@pytest.mark.parametrize("has_table", [True, False])
def test_only_the_members_that_are_left_are_read(monkeypatch: pytest.MonkeyPatch, *, has_table: bool) -> None:
    """Members that are ruled out are read once a decision is taken back; without a table, one after the other."""
    read: list[Identifier] = []
    needs = NEEDS | {"a3": [["b4"]]}
    problem = in_packages(needs, [["a3", "a2", "a1"]])
    assert isinstance(problem, Packages)
    domains = Domains()
    variables = VariableTable(domains, problem)
    unions = Unions(domains, variables, problem, Budget())
    masked_needs, needs_by_target = Packages.masked_needs, Packages.needs_by_target

    def noted_member(self: Packages, identifier: Identifier) -> MaskedNeeds | None:
        read.append(identifier)
        return masked_needs(self, identifier)

    def noted_mask(self: Packages, group: GroupName, mask: int) -> object:
        if has_table:
            members = enumerate(self.packages[group], 1)
            read.extend(member for position, member in members if mask & 1 << position)
            return needs_by_target(self, group, mask)
        return None

    monkeypatch.setattr(Packages, "masked_needs", noted_member)
    monkeypatch.setattr(Packages, "needs_by_target", noted_mask)
    variable, target = variables.of_group("a"), variables.of_group("b")
    domains.narrow(variable, 0b1110, ((), None))
    domains.decide(target, ~0b1)
    domains.narrow(variable, 0b1100, (((target, ~0b1),), None))
    unions.draw(variable)
    assert (read, domains.domains[target]) == (["a2", "a1"], 0b11100)
    domains.backtrack(0)
    unions.draw(variable)
    assert (read[2:], domains.domains[target]) == (["a3", "a2", "a1"], 0b11110)


def test_what_is_passed_over_may_be_ruled_out_by_its_own_need() -> None:
    """a1 and a2 need c1, and nobody has compiled them when their union is drawn: one event rules both out."""
    needs = {"a4": [["c2"]], "a3": [["c2"]], "a2": [["b1"], ["c1"]], "a1": [["c1"]], "b1": [], "c2": [], "c1": []}
    run = _drawn(in_packages(needs, [["c2"], ["a4", "a3", "a2", "a1"]]))
    assert run.propagation.run() is None
    assert _members_left(run, "a") == {"a4", "a3"}
    assert set(run.propagation.compiled) == {"a4", "c2"}
    variable = run.propagation.variables.of_group("a")
    causes = []
    for name in ("a2", "a1"):
        bit = run.propagation.variables.variable_of(name)[1]
        causes.append(cause(run.domains, name, variable, bit, lambda need: (need.subject, need.source)))
    assert causes == [("a2", 1), ("a1", 0)]
    assert len(run.domains.events[variable]) == 2


def test_a_package_that_may_stay_out_requires_nothing() -> None:
    run = _drawn(in_packages(NEEDS, []))
    variable = run.propagation.variables.of_group("a")
    run.domains.narrow(variable, 0b111, ((), None))
    assert run.propagation.run() is None
    assert _members_left(run, "b") >= {None, "b4"}


def test_nothing_follows_where_one_version_needs_another_package() -> None:
    run = _drawn(in_packages(NEEDS | {"a1": [["c1"]], "c1": []}, [["a2", "a1"]]))
    assert run.propagation.run() is None
    assert None in _members_left(run, "b")
    assert None in _members_left(run, "c")


def test_versions_whose_needs_are_unmet_are_ruled_out_and_do_not_count() -> None:
    """a1 cannot be selected beside c2, and nobody has looked at it; so b1 is ruled out, which only a1 allows."""
    needs = NEEDS | {"a3": [["b3"]], "a2": [["b2"]], "a1": [["b1"], ["c1"]], "c2": [], "c1": []}
    run = _drawn(in_packages(needs, [["c2"], ["a3", "a2", "a1"]]))
    assert run.propagation.run() is None
    assert (_members_left(run, "a"), _members_left(run, "b")) == ({"a3", "a2"}, {"b3", "b2"})


def test_only_families_whose_masks_say_everything_have_unions() -> None:
    needs = {name: [Dependency(name, tuple(c[0]), None, "b")] for name, c in NEEDS.items() if c}
    variables = {name: [Exclusive(name, (name[0],)), *needs.get(name, [])] for name in NEEDS}
    variables["root"] = [Dependency(None, ("a2", "a1"), None, "a")]
    families = {"a": ("a2", "a1"), "b": ("b4", "b3", "b2", "b1")}
    masked: dict[Identifier, MaskedNeeds] = {"a2": MaskedNeeds((("b", 0b1100),), ()), "b4": MaskedNeeds((), ())}
    # a1 has constraints alone, and then a is no family at all.
    for known in (families, {"b": families["b"]}):
        run = _drawn(Packages(variables, known, masked if "a" in known else {}))  # type: ignore[arg-type]
        assert run.propagation.run() is None
        assert {None, "b4"} <= _members_left(run, "b")


def test_a_domain_that_has_only_lost_none_has_no_union() -> None:
    """Its values are without end: -2 is all of them but "none", and has one bit by Python's count."""
    members = tuple(f"a.{number}" for number in range(70))
    names: dict[Identifier, Sequence[Exclusive]] = {name: [Exclusive(name, ("package a",))] for name in members}
    problem = Packages(names, {"package a": members}, {name: MaskedNeeds((), ()) for name in members})
    domains = Domains()
    variables = VariableTable(domains, problem)
    variable = variables.of_group("package a")
    domains.narrow(variable, ~1, ((), "a root"))
    Unions(domains, variables, problem, Budget()).draw(variable)
    assert domains.domains[variable] == -2


def test_a_domain_with_many_values_has_no_union(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unions_module, "_MOST_VALUES", 1)
    run = _drawn(in_packages(NEEDS, [["a2", "a1"]]))
    assert run.propagation.run() is None
    assert None in _members_left(run, "b")


def test_a_refutation_rests_on_the_needs_of_all_versions_and_on_the_group_of_the_target() -> None:
    """a needs b3 or b2, whichever version, and c needs b1: no decision is needed to see that they conflict."""
    needs = NEEDS | {"a2": [["b3"]], "a1": [["b2"]], "c2": [["b1"]], "c1": [["b1"]]}
    run = _drawn(in_packages(needs, [["a2", "a1"], ["c2", "c1"]]))
    conflict = run.propagation.run()
    assert conflict is not None
    refutation, level = run.learn(conflict)
    assert level == 0
    blamed = run.blamed(refutation)
    subjects = {constraint.subject for constraint in blamed.constraints if isinstance(constraint, Dependency)}
    assert subjects == {None, "a2", "a1", "c2", "c1"}
    # Without the group, b3 and b1 could both be selected.
    assert set(blamed.groups) == {"b"}


def test_what_is_passed_over_is_ruled_out_by_the_need_of_the_selected_version() -> None:
    run = _drawn(in_packages(NEEDS, [["a2", "a1"]]))
    assert run.propagation.run() is None
    run.propagation.compile("a1")
    run.propagation.decide(*run.propagation.variables.variable_of("a1"))
    assert run.propagation.run() is None
    variable, bit = run.propagation.variables.variable_of("b4")

    def source_of(need: Need) -> object:
        return need.subject, need.source

    assert cause(run.domains, "b4", variable, bit, source_of) == ("a1", 0)


def test_reading_ends_with_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unions_module, "_READ_PER_CHECK", 1)
    problem = in_packages(NEEDS, [["a2", "a1"]])
    assert isinstance(problem, Packages)
    domains = Domains()
    variables = VariableTable(domains, problem)
    unions = Unions(domains, variables, problem, Budget(timeout=1e-9))
    variable = variables.of_group("a")
    domains.narrow(variable, 0b110, ((), None))
    with pytest.raises(Incomplete):
        unions.draw(variable)


def test_a_search_leaves_nothing_to_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reasons in cycles keep a whole search until the collector comes: it had 193,772 objects of 100,000 bundles."""
    monkeypatch.setattr(engine_module, "_CONFLICTS_UNTIL_UNIONS", 1)
    request = dense_problem(DenseShape(100, 10, 3, 5), "hard", satisfiable=True, seed=0).request()
    plan = resolve(request)
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        assert resolve(request) == plan
        assert gc.collect() < 50
    finally:
        if was_enabled:
            gc.enable()


def test_answers_and_cores_are_the_same_with_unions_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unions leave conflicts out, and change no plan and no preferred core."""
    engines: list[engine_module.Engine] = []
    learn: Callable[[engine_module.Engine, int], int | None] = engine_module.Engine._learn

    def noted(self: engine_module.Engine, conflict: int) -> int | None:
        engines.append(self)
        return learn(self, conflict)

    monkeypatch.setattr(engine_module.Engine, "_learn", noted)
    conflicts = {0: 0, 1: 0}
    for seed in range(scaled(24)):
        shape = DenseShape(60 + seed % 60, 6 + seed % 8, 3, 5)
        request = dense_problem(shape, "hard", satisfiable=seed % 2 == 0, seed=seed).request()
        answers = []
        for start in conflicts:
            monkeypatch.setattr(engine_module, "_CONFLICTS_UNTIL_UNIONS", start)
            engines.clear()
            try:
                answers.append(str(resolve(request)))
            except Unsatisfiable as unsatisfiable:
                answers.append(str(unsatisfiable))
            conflicts[start] += len(engines)
        assert answers[0] == answers[1]
    assert conflicts[1] < conflicts[0]
