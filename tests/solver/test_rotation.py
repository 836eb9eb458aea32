"""Model rotation saves questions, and changes no core: what it names is needed, by brute force."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain, combinations, islice

import pytest

from olmsolve import Incomplete
from olmsolve.solver import (
    Branch,
    Budget,
    Choice,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Mandatory,
    MaskedNeeds,
    Prohibited,
    Variables,
    reachable,
    solve,
)
from olmsolve.solver.backends import PORTABLE
from olmsolve.solver.core_oracle import SatOracle
from olmsolve.solver.deciding import core_oracle
from olmsolve.solver.deciding.core_oracle import DecidingOracle
from olmsolve.solver.family_rotation import FamilyRotation
from olmsolve.solver.glancing import masked_walk
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.rotation import Rotation, Scope
from olmsolve.solver.units import GROUP, Rank, UnitTable, member_of
from olmsolve.solver.views import UnitView, easy_witness
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem
from tests.solver.core_problems import in_families, layered, with_outsiders
from tests.solver.problems import DenseVariables
from tests.solver.test_families import Packages, packages

_KINDS = (Dependency, Prohibited, Incompatible, Formula)


def _broken(problem: Variables, ranks: dict[Identifier, int], model: frozenset[Identifier]) -> set[Rank]:
    """Return the units that *model* breaks; an identifier without a rank gets a name that no unit has."""
    broken: set[Rank] = {(0, position) for position, root in enumerate(problem.roots) if not oracle.meets(root, model)}
    groups: dict[GroupName, set[Identifier]] = {}
    for identifier in model:
        for position, constraint in enumerate(problem.constraints(identifier)):
            if isinstance(constraint, Exclusive):
                for group in constraint.groups:
                    groups.setdefault(group, set()).add(identifier)
            elif not oracle.meets(constraint, model):
                kind = _KINDS.index(type(constraint))
                rank = ranks.get(identifier)
                broken.add((1, rank, kind, identifier, position) if rank is not None else (-1, identifier, position))
    return broken | {(2, group) for group, members in groups.items() if len(members) > 1}


def _subsets(identifiers: Iterable[Identifier]) -> list[frozenset[Identifier]]:
    every = list(identifiers)
    return [frozenset(s) for s in chain.from_iterable(combinations(every, size) for size in range(len(every) + 1))]


@pytest.mark.parametrize("by_member", [False, True], ids=["units", "members"])
def test_what_rotation_names_is_needed(by_member: bool) -> None:
    """Without a key that rotation names, everything else can be met: brute force finds a set that does so."""
    named = rotated = 0
    for seed in range(scaled(400)):
        generator = random.Random(f"rotation {seed} {by_member}")
        problem = random_problem(generator, "abcdefg", formulas=seed % 4 == 0)
        table = UnitTable(CachedProblem(problem))
        reached = [identifier for identifier, _ in islice(reachable(problem), 20)]
        # Blocks that the walk has not met have no rank; they are on, or off, together.
        explored = generator.choice([0, 2, len(reached)])
        for identifier in reached[:explored]:
            table.ranks.rank_of(identifier)
        ranks = {i: rank for i in reached if (rank := table.ranks.explored(i)) is not None}
        blocks_on = generator.random() < 0.5
        models = _subsets(reached)
        everything = {model: _broken(problem, ranks, model) for model in models}
        units = sorted(unit for unit in set().union(*everything.values()) if unit[0] >= 0)
        off = {unit for unit in units if generator.random() < 0.1}
        key = member_of if by_member else _same
        found_of = {
            model: {(-1,) if u[0] < 0 else key(u) for u in broken if u not in off and (blocks_on or u[0] >= 0)}
            for model, broken in everything.items()
        }
        needed = {next(iter(names)) for names in found_of.values() if len(names) == 1}
        solvable = any(not names for names in found_of.values())
        rotation = Rotation(table, key, Budget())
        for model in generator.sample(models, min(len(models), 12)) + [m for m in models if len(found_of[m]) == 1][:8]:
            found = rotation.needed(model, Scope(partial(_is_not_in, off), blocks_on), units)
            assert found <= needed, (seed, model)
            assert not found or len(found_of[model]) == 1, (seed, model)
            named += len(found)
            rotated += bool(found) and not solvable
    # A rotation that names nothing would pass too, but would be of no use.
    assert named > scaled(1000)
    assert rotated > scaled(200)


def _is_not_in(off: set[Rank], unit: Rank) -> bool:
    return unit not in off


def _same(unit: Rank) -> Rank:
    return unit


def test_a_witness_breaks_one_key_of_its_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rotation starts from there: blocks that no walk has met are on exactly where groups alone are off."""
    questions: Counter[bool] = Counter()
    problem: Variables
    groups_alone = False
    rotate = SatOracle._rotate

    def noted(finder: SatOracle, last: Rank, found: AbstractSet[Rank]) -> None:
        nonlocal groups_alone
        groups_alone = finder._is_whole and last[0] == GROUP
        rotate(finder, last, found)

    def checked(rotation: Rotation, witness: Iterable[Identifier], scope: Scope, _: object) -> set[Rank]:
        model = frozenset(each for each in witness if not isinstance(each, Branch))
        table = rotation._table
        ranks = {each: rank for each in model if (rank := table.ranks.explored(each)) is not None}
        on = (unit for unit in _broken(problem, ranks, model) if (scope.blocks_on if unit[0] < 0 else scope.on(unit)))
        assert len({(-1,) if unit[0] < 0 else rotation._key(unit) for unit in on}) == 1
        assert scope.blocks_on == groups_alone
        questions[scope.blocks_on] += 1
        return set()

    monkeypatch.setattr(Rotation, "needed", checked)
    monkeypatch.setattr(SatOracle, "_rotate", noted)
    # In 113 and 146 a witness breaks a block that no walk has met, for a question that leaves blocks off.
    for seed in range(100, 100 + scaled(400)):
        problem = packages(random.Random(f"3 {seed}"), 6, 4)
        solve(problem, backend=PORTABLE)
    assert min(questions.values()) > 10


def _silent(*_: object) -> set[Rank]:
    return set()


def _problems(count: int) -> Iterable[Variables]:
    for seed in range(count):
        generator = random.Random(f"rotated {seed}")
        yield random_problem(generator, "abcdefghijklm", formulas=seed % 3 == 0)
        yield with_outsiders(generator)
        yield layered(generator)


def test_cores_are_the_same_without_rotation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rotation only saves questions, so leaving it out changes no answer; the short run tries a sixth."""
    problems = list(_problems(scaled(150)))
    rotated = [solve(problem) for problem in problems]
    monkeypatch.setattr(Rotation, "needed", _silent)
    cores = 0
    for number, (problem, answer) in enumerate(zip(problems, rotated, strict=True)):
        assert repr(solve(problem)) == repr(answer), number
        cores += isinstance(answer, Core)
    assert cores > scaled(200)


def test_a_masked_witness_breaks_nothing_that_is_on() -> None:
    """A walk of masked needs answers for the whole problem, so what it selects meets every member that is on."""
    found_some = broke_some = 0
    for seed in range(scaled(2400)):
        generator = random.Random(f"masked witness {seed}")
        problem = packages(generator, 5, 3)
        table = UnitTable(CachedProblem(problem), problem)
        reached = [identifier for identifier, _ in reachable(problem)]
        for identifier in generator.sample(reached, generator.choice([0, 1, len(reached)])):
            table.ranks.rank_of(identifier)
        ranks = {i: rank for i in reached if (rank := table.ranks.explored(i)) is not None}
        every = {member_of(unit) for unit in _broken(problem, ranks, frozenset(reached)) if unit[0] >= 0}
        keys = sorted(every | {(2, group) for group in problem.packages})
        for last in generator.sample(keys, min(len(keys), 5)):
            found = {key for key in every if generator.random() < 0.2}
            blocks_on = last[0] == 2
            walk = masked_walk(table, partial(_is_before, last, found), blocks_on, Budget())
            if walk is None:
                continue
            broken = _broken(problem, ranks, frozenset(walk.selected))
            assert not any(_is_before(last, found, member_of(u)) if u[0] >= 0 else blocks_on for u in broken), (
                seed,
                last,
            )
            found_some += 1
            broke_some += bool(broken)
    assert found_some > scaled(1600)
    assert broke_some > scaled(80)


def test_a_masked_witness_heeds_what_families_share() -> None:
    """A bundle may hold the group of a package that is not its own, and a root may want bundles of two packages."""

    def witness(roots: Sequence[Sequence[str]], off: Sequence[Rank] = ()) -> list[Identifier] | None:
        variables: dict[Identifier, list[Constraint]] = {
            "a.1": [Exclusive("a.1", ("a",))],
            "b.1": [Exclusive("b.1", ("b", "a", "api"))],
            "b.2": [Exclusive("b.2", ("b",)), Dependency("b.2", ("c.1",), None, "c")],
            "c.1": [Exclusive("c.1", ("c",)), Prohibited("c.1")],
            "c.2": [Exclusive("c.2", ("c", "api"))],
        }
        variables |= {f"root {number}": [Dependency(None, tuple(root))] for number, root in enumerate(roots)}
        masked = {"a.1": ((), ()), "b.1": ((), ("a", "api")), "b.2": ((("c", 0b10),), ()), "c.2": ((), ("api",))}
        families: dict[GroupName, Sequence[str]] = {"a": ["a.1"], "b": ["b.1", "b.2"], "c": ["c.1", "c.2"]}
        problem = Packages(variables, families, {name: MaskedNeeds(*needs) for name, needs in masked.items()})
        table = UnitTable(CachedProblem(problem), problem)
        walk = masked_walk(table, lambda key: key not in off, True, Budget())
        return None if walk is None else list(walk.selected)

    assert witness([["a.1"]]) == ["a.1"]
    assert witness([["b.1"]]) == ["b.1"]
    for both in ([["a.1"], ["b.1"]], [["b.1"], ["a.1"]]):
        assert witness(both) is None
        assert witness(both, [(2, "a")]) == [*both[0], *both[1]]
    assert witness([["b.1"], ["c.2"]]) is None
    assert witness([["b.1"], ["c.2"]], [(2, "api")]) == ["b.1", "c.2"]
    # Only a prohibition is in the way, which masked needs do not say.
    assert witness([["b.2"]]) is None
    assert witness([["b.2"]], [(0, 0)]) == []
    # A bit means one member in the family of a and another one in that of b.
    assert witness([["a.1", "b.2"]]) is None


def _is_before(last: Rank, found: set[Rank], key: Rank) -> bool:
    return key < last or key in found


def test_cores_are_the_same_without_glances(monkeypatch: pytest.MonkeyPatch) -> None:
    """A glance only saves questions, so leaving it out changes no core."""
    problems = [in_families(layered(random.Random(f"glances {seed}"))) for seed in range(scaled(100))]
    glances: list[bool] = []
    glance = DecidingOracle.glance

    def noted(finder: DecidingOracle, last: Rank, found: set[Rank]) -> bool:
        glances.append(glance(finder, last, found))
        return glances[-1]

    # It would spare most of the glances.
    monkeypatch.setattr(FamilyRotation, "members", _silent)
    monkeypatch.setattr(DecidingOracle, "glance", noted)
    answers = [solve(problem) for problem in problems]
    monkeypatch.setattr(DecidingOracle, "glance", lambda *_: False)
    for seed, (problem, answer) in enumerate(zip(problems, answers, strict=True)):
        assert repr(solve(problem)) == repr(answer), seed
    assert glances.count(True) > scaled(60)
    assert glances.count(False) > scaled(60)


def test_rotation_saves_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """All thirty versions of three packages are needed; without rotation, each of them costs a question."""

    def version(package: int, number: int) -> int:
        return 100 * package + number

    def versions(package: int) -> tuple[Identifier, ...]:
        return tuple(version(package, number) for number in range(10))

    variables: dict[Identifier, Sequence[Constraint]] = {
        number: [Dependency(number, versions(package + 1), None, f"package {package + 1}"), _alone(number, package)]
        for package in range(3)
        for number in versions(package)
        if isinstance(number, int)
    }
    for last in versions(3):
        variables[last] = [_alone(last, 3), Incompatible(last, 1000)]
    variables[1000] = [Mandatory(1000)]
    variables["root"] = [Dependency(None, versions(0), None, "package 0")]
    problem = DenseVariables(variables)
    questions = 0

    def counted(
        view: UnitView, wanted: Sequence[Container[Identifier]], budget: Budget
    ) -> dict[Identifier, None] | None:
        nonlocal questions
        questions += 1
        return easy_witness(view, wanted, budget)

    monkeypatch.setattr(core_oracle, "easy_witness", counted)
    core = solve(problem)
    assert isinstance(core, Core)
    assert len(core.constraints) == 42
    assert questions <= 6
    questions = 0
    monkeypatch.setattr(Rotation, "needed", _silent)
    assert solve(problem) == core
    assert questions > 42


def _alone(identifier: Identifier, package: int) -> Exclusive:
    return Exclusive(identifier, (f"package {package}",))


def test_formulas_are_not_rotated_through() -> None:
    """A witness does not say how a formula is met, so rotation names nothing where a formula is on."""
    branch = Branch(Choice(("b",)))
    variables: dict[Identifier, Sequence[Constraint]] = {
        "root": [Dependency(None, ("a",))],
        "a": [Formula("a", FirstOf((branch,))), Dependency("a", ("c",))],
        "b": [],
        "c": [Prohibited("c")],
    }
    problem = Variables(variables)
    table = UnitTable(CachedProblem(problem))
    units = [unit for name in "abc" for unit, _ in table.units_of(name)[0]] + [unit for unit, _ in table.roots]
    rotation = Rotation(table, _same, Budget())
    for witness in (["a", "b"], ["a", branch, "b"], ["a", "b", "c"]):
        assert rotation.needed(witness, Scope(lambda _: True, True), units) == set()
    formula = table.unit_of(problem.variables["a"][0])
    assert rotation.needed(["a", "b", "c"], Scope(lambda unit: unit != formula, True), units) == {
        table.roots[0][0],
        table.unit_of(problem.variables["a"][1]),
    }


def test_rotation_ends_with_the_budget() -> None:
    """No engine looks at the clock during rotation, so rotation must do so itself."""
    problem = Variables({"root": [Dependency(None, ("a",))], "a": [Dependency("a", ("b",))], "b": [Prohibited("b")]})
    table = UnitTable(CachedProblem(problem))
    units = [*(unit for name in "ab" for unit, _ in table.units_of(name)[0]), *(unit for unit, _ in table.roots)]
    everything = Scope(lambda _: True, True)
    cancel = threading.Event()
    rotation = Rotation(table, _same, Budget(cancel=cancel))
    assert rotation.needed(["a", "b"], everything, units) == set(units[:1]) | {table.roots[0][0]}
    cancel.set()
    with pytest.raises(Incomplete, match="cancel"):
        rotation.needed(["a", "b"], everything, units)
