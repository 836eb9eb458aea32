"""The oracle of the deciding engine: what its glances and runs save, and when it gives a core up.

Glances, inheriting and giving up save time and change no core: with neither glances nor rotation in bits, cores of
layered families take no conflict and no look at the limits more. So these tests look behind the door.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from olmsolve import Request, Unsatisfiable, resolve
from olmsolve.errors import Incomplete
from olmsolve.solver import (
    Branch,
    Budget,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Mandatory,
    Variables,
)
from olmsolve.solver.backends import PORTABLE, find
from olmsolve.solver.deciding import Engine, core_oracle
from olmsolve.solver.deciding.analysis import blame
from olmsolve.solver.deciding.core_oracle import DecidingOracle, Patience
from olmsolve.solver.deciding.engine import GivenUpError
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.portable import search
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.rotation import Rotation, Scope
from olmsolve.solver.units import GROUP, Rank, UnitTable, member_of
from olmsolve.solver.views import UnitView
from olmsolve.testing.synthetic import DenseShape, dense_problem
from tests.scale import scaled
from tests.solver.bulk import random_problem
from tests.solver.core_problems import Blocks, in_families, layered, with_outsiders
from tests.solver.test_families import Packages, packages
from tests.solver.test_looking_ahead import in_packages


class Question:
    """A problem, whether it *has_core*, and the run that has refuted it then."""

    def __init__(self, problem: Variables) -> None:
        self.problem = CachedProblem(problem)
        self.engine = Engine(self.problem, Budget(), families=self.problem.families)
        self.has_core = not self.engine.run()
        self.table = UnitTable(self.problem, self.problem.families)


def _questions(name: str, count: int) -> Iterator[tuple[Question, random.Random]]:
    for seed in range(count):
        generator = random.Random(f"{name} {seed}")
        if seed % 4 < 2:
            problem: Variables = in_families(layered(generator))
        elif seed % 4 == 2:
            own = packages(generator, 4, 3)
            problem = Blocks(own.variables, own.packages, own.masked) if generator.random() < 0.5 else own
        elif seed % 8 == 3:
            problem = with_outsiders(generator)
        else:
            problem = random_problem(generator, "abcdefg")
        question = Question(problem)
        if question.has_core:
            yield question, generator


class _Counted(core_oracle.WitnessRun):
    """A run that counts the runs of all, and their conflicts."""

    runs = conflicts = 0

    def run(self) -> bool:
        before = self._budget.trace.conflicts
        solved = super().run()
        _Counted.runs += 1
        _Counted.conflicts += self._budget.trace.conflicts - before
        return solved


def test_glances_and_rotation_in_bits_answer_for_much_of_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both take a fraction of the time of what comes after them, and a descent without them has the same core.

    Of the questions that they leave, most with a group off take one run: it inherits nogoods, because it leaves on all
    groups that are far from the last refutation, and mostly does without those.
    """
    scopes: list[Scope] = []
    rotate = Rotation.needed

    def scoped(rotation: Rotation, witness: Iterable[Identifier], scope: Scope, targets: Iterable[Rank]) -> set[Rank]:
        scopes.append(scope)
        return rotate(rotation, witness, scope, targets)

    monkeypatch.setattr(Rotation, "needed", scoped)
    monkeypatch.setattr(core_oracle, "WitnessRun", _Counted)
    kinds: Counter[str] = Counter()
    for question, _ in _questions("descents", scaled(400)):
        finder = DecidingOracle(question.table, Budget(), member_of, None)
        core = finder.adopt(question.engine) or finder.conflict(None, frozenset())
        needed: set[Rank] = set()
        while core and core - needed:
            last = max(core - needed)
            glanced, smaller, runs = finder.glance(last, needed), None, _Counted.runs
            if not glanced:
                smaller = finder.probe(last, needed)
            if last[0] == GROUP and _Counted.runs > runs:
                kinds[f"group in {_Counted.runs - runs}"] += 1
            if smaller is not None:
                core = smaller
                continue
            known, finder.needed = finder.needed, set()
            rotated = finder.rotate_families(last, core)
            assert rotated is bool(finder.needed)
            assert last[0] == GROUP or not rotated
            kinds["glanced"] += glanced
            kinds["rotated" if glanced else "rotated without a glance"] += rotated
            assert finder.needed_units(core, finder.blamed) <= finder.blamed
            kinds["units"] += len(finder.needed_units(core, finder.blamed))
            finder.needed |= known
            finder.rotate(last, needed)
            while scopes:
                # The question's units are on, and the last one. Blocks that no walk has met are on beside groups alone.
                scope = scopes.pop()
                assert scope.blocks_on == (last[0] == GROUP)
                assert scope.on(last)
                assert not scope.on((GROUP, "~ after all others"))
                kinds["rotated constraints"] += 1
            needed |= {last, *finder.needed}
    assert min(kinds["glanced"], kinds["units"], kinds["rotated constraints"]) > scaled(80), kinds
    assert kinds["group in 1"] > 2 * kinds["group in 2"] + scaled(40), kinds
    assert min(kinds["rotated"], kinds["rotated without a glance"]) > scaled(8), kinds


def test_what_a_run_inherits_still_follows() -> None:
    """A nogood that rests on a group which is off would refute what has a solution; every other one is kept, once.

    What a nogood rests on is found as for a refutation. The candidates with masked needs are kept too, and need not be
    compiled again, if no group of theirs is off.
    """
    kept = dropped = deep = spared = 0
    for seed in range(scaled(2400)):
        generator = random.Random(f"inherited {seed}")
        problem: Packages = in_families(layered(generator))
        if seed % 3:
            problem = packages(generator, 6, 4, odd_share=0.1 * (seed % 5))
        cached = CachedProblem(problem)
        before = Engine(cached, Budget(), families=cached.families)
        before.run()
        variables = before._propagation.variables
        groups = sorted(cached.met_groups(), key=str)
        lost = frozenset(generator.sample(groups, min(len(groups), generator.randrange(3))))
        view = UnitView(UnitTable(cached, cached.families), lambda unit, off=lost: unit[-1] not in off, True)  # type: ignore[misc]
        after = Engine(view, Budget(), idle=False, families=view.families)
        after.inherit(before, lost)
        inherited = Counter(_conditions(nogood) for nogood in _watched(after))
        gone = {variables.existing(group) for group in lost}
        may: Counter[_Conditions] = Counter()
        must: Counter[_Conditions] = Counter()
        for nogood in _watched(before):
            if not isinstance(nogood.source, list):
                continue
            blamed = blame(before._domains, nogood, variables.existing, before._source)
            formulas = [constraint for constraint in blamed.constraints if isinstance(constraint, Formula)]
            if (
                lost.isdisjoint({*blamed.groups, *blamed.broken})
                and gone.isdisjoint(variable for variable, _ in nogood.conditions)
                # The formula of a branch is known to the problem that made it alone.
                and not any(isinstance(formula.subject, Branch) for formula in formulas)
            ):
                may[_conditions(nogood)] += 1
                must[_conditions(nogood)] += not formulas
                origins = [origin for _, origin in nogood.source]
                deep += any(isinstance(origin, Nogood) and isinstance(origin.source, list) for origin in origins)
            else:
                dropped += 1
        assert must <= inherited <= may, seed
        kept += inherited.total()
        compiled = before._propagation.compiled.items()
        names = [
            name
            for name, compiled_needs in compiled
            if compiled_needs.masked and not lost & _groups_about(cached, name)
        ]
        assert list(after._propagation.compiled) == names, seed
        spared += len(names)
        assert after.run() is (search(CachedProblem(view), find(PORTABLE), Budget()) is not None), seed
    assert min(kept, dropped, deep, spared) > scaled(100), (kept, dropped, deep, spared)


def test_nothing_is_inherited_that_rests_on_a_branch() -> None:
    """A core names the formula that a branch belongs to, which only the problem knows that has made the branch.

    The first branch of a wants x and y, which need two versions of z: it is learned that it cannot be selected.
    """
    tree = FirstOf((Branch(Every((Choice(("x",)), Choice(("y",))))), Branch(Choice(("v",)))))
    variables: dict[Identifier, list[Constraint]] = {
        "a": [Mandatory("a"), Formula("a", tree)],
        "x": [Dependency("x", ("z1",), None, "z")],
        "y": [Dependency("y", ("z2",), None, "z")],
        "z1": [Exclusive("z1", ("z",))],
        "z2": [Exclusive("z2", ("z",))],
        "v": [],
    }
    problem = CachedProblem(Variables(variables))
    before = Engine(problem, Budget())
    assert before.run()
    [learned] = [nogood for nogood in _watched(before) if isinstance(nogood.source, list)]
    after = Engine(UnitView(UnitTable(problem), lambda _: True, True), Budget(), idle=False)
    after.inherit(before, frozenset())
    assert not _watched(after)
    # Without the branches, it is inherited.
    learned.source = [(-1, variables["x"][0])]
    after = Engine(UnitView(UnitTable(problem), lambda _: True, True), Budget(), idle=False)
    after.inherit(before, frozenset())
    assert [nogood.conditions for nogood in _watched(after)] == [learned.conditions]


def test_inheriting_spares_conflicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one group nearly everything holds that was learned with it; to learn it anew takes as long as before."""
    small, large = DenseShape(20, 4, 2, 4), DenseShape(60, 6, 2, 4)
    requests = [dense_problem(small, "easy", satisfiable=False, seed=3).request()]
    requests += [dense_problem(large, "hard", satisfiable=False, seed=seed).request() for seed in range(3)]
    monkeypatch.setattr(core_oracle, "WitnessRun", _Counted)
    with_it = sum(map(_conflicts_of_core, requests))
    monkeypatch.setattr(Engine, "inherit", lambda *_: None)
    assert 2 * with_it < sum(map(_conflicts_of_core, requests))


def _conflicts_of_core(request: Request) -> int:
    _Counted.conflicts = 0
    with pytest.raises(Unsatisfiable):
        resolve(request)
    return _Counted.conflicts


def test_patience_counts_the_conflicts_of_all_questions() -> None:
    """A descent with as many conflicts as it takes comes to its core, and with one less it is given up."""
    given_up = 0
    for question, _ in _questions("patience", scaled(320)):
        patience = Patience(1000)
        core = _descended(question, patience)
        needed_patience = 1000 - patience.left
        assert _descended(question, exact := Patience(needed_patience)) == core
        assert not exact.left
        if needed_patience:
            given_up += 1
            with pytest.raises(GivenUpError):
                _descended(question, Patience(needed_patience - 1))
    assert given_up > scaled(24)


def _descended(question: Question, patience: Patience) -> set[Rank]:
    """Return the core that a descent from all units finds, with as many conflicts as *patience* has left."""
    table = UnitTable(question.problem, question.problem.families)
    finder = DecidingOracle(table, Budget(), member_of, None, patience)
    core, needed = finder.conflict(None, frozenset()), set[Rank]()
    assert core is not None
    while core - needed:
        last = max(core - needed)
        smaller = finder.conflict(last, needed)
        if smaller is None:
            needed |= {last, *finder.needed}
        else:
            core = smaller
    return needed


class _Lettered(Packages):
    """Packages whose members are one block each, both named by their first letter."""

    def block(self, identifier: Identifier) -> str:
        return str(identifier)[0]

    def block_of(self, group: GroupName) -> str | None:
        return str(group)


def test_a_glance_at_a_group_counts_needs_that_no_walk_has_met() -> None:
    """The first refutation is about p1 and p2. Far behind it, u and w need two versions of b, the group before p.

    With package p off, the needs of u and w are on, although a search for cores has not ranked their blocks by then.
    """
    needs = {"a1": [["p1"], ["t1"]], "c1": [["p2"]], "t1": [["u2", "u1"]], "w1": [["b1"]]}
    needs |= {"u2": [["b2"], ["w1"]], "u1": [["b2"], ["w1"]], "p1": [], "p2": [], "b1": [], "b2": []}
    problem = in_packages(needs, [["a1"], ["c1"]])
    assert isinstance(problem, Packages)
    question = Question(_Lettered(problem.variables, problem.packages, problem.masked))
    table = UnitTable(question.problem, question.problem.families)
    finder = DecidingOracle(table, Budget(), member_of, None)
    core = finder.adopt(question.engine)
    assert core is not None
    assert max(core) == (GROUP, "p")
    assert table.ranks.explored("w1") is None
    assert not finder.glance((GROUP, "p"), frozenset())
    smaller = finder.conflict((GROUP, "p"), frozenset())
    assert smaller is not None
    assert max(smaller) == (GROUP, "b")


class _Stopped(Budget):
    """A budget that has run out."""

    def check(self) -> None:
        raise Incomplete("time")


def test_each_question_looks_at_the_limits() -> None:
    """A core may take thousands of questions, most of which no engine has to answer: each can be the last one."""
    question = Question(in_families(layered(random.Random(5))))
    first = question.table.roots[0][0]
    finder = DecidingOracle(question.table, Budget(), member_of, None)
    assert finder.glance(first, frozenset())
    assert finder.conflict(first, frozenset()) is None
    finder = DecidingOracle(question.table, _Stopped(), member_of, None)
    for ask in (finder.glance, finder.conflict, finder.probe):
        with pytest.raises(Incomplete):
            ask(first, frozenset())


_Conditions = tuple[tuple[int, int], ...]


def _conditions(nogood: Nogood) -> _Conditions:
    return tuple(sorted(nogood.conditions))


def _watched(engine: Engine) -> list[Nogood]:
    """Return the nogoods that *engine* watches; those that it has learned have steps as their source."""
    watched = engine._propagation.nogoods.watched.values()
    return list({id(nogood): nogood for watching in watched for _, nogood in watching}.values())


def _groups_about(problem: CachedProblem, identifier: Identifier) -> set[GroupName]:
    """Return the groups that a masked candidate is about: its own, and those that it needs a member of."""
    assert problem.families is not None
    member = problem.families.family_of(identifier)
    masked = problem.families.masked_needs(identifier)
    assert member is not None
    assert masked is not None
    return {member[0], *masked.groups, *(group for group, _ in masked.needs)}
