"""Model rotation finds everything that one change of a witness shows: brute force makes the changes too.

A part that it overlooks costs one question among hundreds, which no count at the door tells apart; so these tests look
behind the door. What it may not name shows in cores (see ``test_cores_by_definition``).
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

import attrs
import pytest

from olmsolve import Incomplete
from olmsolve.solver import (
    Branch,
    Budget,
    Choice,
    Constraint,
    Dependency,
    Exclusive,
    GroupName,
    Identifier,
    Incompatible,
    Limit,
    Mandatory,
    Prohibited,
    Variables,
    reachable,
)
from olmsolve.solver import rotation as rotation_module
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.rotation import Rotation, Scope
from olmsolve.solver.units import BLOCK, GROUP, ROOT, Rank, UnitTable, member_of
from tests.scale import scaled
from tests.solver import oracle
from tests.solver.bulk import random_problem

_Set = frozenset[Identifier]


@attrs.frozen
class _Question:
    """A question about *problem* in which the units *off* are off, and those without a rank too unless *blocks_on*."""

    problem: Variables
    table: UnitTable
    names: Sequence[Identifier]
    units: Sequence[Rank]
    off: AbstractSet[Rank]
    blocks_on: bool

    def scope(self) -> Scope:
        return Scope(lambda unit: unit not in self.off, self.blocks_on)

    def keys(self, broken: Iterable[Rank], key: Callable[[Rank], Rank]) -> set[Rank]:
        return {(-1,) if unit[0] < 0 else key(unit) for unit in broken}

    def broken(self, selected: _Set) -> dict[Rank, Constraint | GroupName]:
        """Return what *selected* breaks, by unit; a unit without a rank has a name of its own that starts with -1."""
        broken: dict[Rank, Constraint | GroupName] = {}
        for position, root in enumerate(self.problem.roots):
            if not oracle.meets(root, selected):
                broken[ROOT, position] = root
        for name in selected:
            rank = self.table.ranks.explored(name)
            for position, constraint in enumerate(self.problem.constraints(name)):
                if not isinstance(constraint, Exclusive) and not oracle.meets(constraint, selected):
                    unit = (-1, name, position) if rank is None else (BLOCK, rank, constraint.place, name, position)
                    broken[unit] = constraint
        for group in {group for name in selected for group in self.groups(name)}:
            if sum(group in self.groups(name) for name in selected) > 1:
                broken[GROUP, group] = group
        return {u: cause for u, cause in broken.items() if (self.blocks_on if u[0] < 0 else u not in self.off)}

    def groups(self, identifier: Identifier) -> set[GroupName]:
        own = self.problem.constraints(identifier)
        return {group for constraint in own if isinstance(constraint, Exclusive) for group in constraint.groups}

    def with_(self, selected: _Set, candidate: Identifier) -> _Set:
        """Return *selected* with *candidate* in place of everything that shares a group with it."""
        groups = {group for group in self.groups(candidate) if (GROUP, group) not in self.off}
        return frozenset(name for name in selected if not groups & self.groups(name)) | {candidate}

    def changes(self, selected: _Set) -> Iterator[tuple[Identifier | None, _Set]]:
        """Yield the candidate that comes in, if one does, and the set that *selected* becomes by one change."""
        for broken in self.broken(selected).values():
            for candidate in _candidates(broken):
                yield candidate, self.with_(selected, candidate)
            for removed in self._removable(broken, selected):
                yield None, selected - {removed}
                needs = [
                    *self.problem.roots,
                    *(constraint for name in selected for constraint in self.problem.constraints(name)),
                ]
                for need in needs:
                    if removed in (candidates := _candidates(need)):
                        for candidate in set(candidates) - selected:
                            yield candidate, self.with_(selected - {removed}, candidate)

    def mended(self, selected: _Set) -> Iterator[_Set]:
        """Yield what *selected*, which breaks two constraints, becomes with a candidate for one, a need."""
        broken = self.broken(selected)
        if len(broken) == 2:
            for unit, need in broken.items():
                for candidate in need.candidates if isinstance(need, Dependency) else ():
                    changed = self.with_(selected, candidate)
                    if self.broken(changed).keys() == broken.keys() - {unit}:
                        yield changed

    def _removable(self, broken: Constraint | GroupName, selected: _Set) -> Iterable[Identifier]:
        """Return what may go so that *broken* holds."""
        if isinstance(broken, str | tuple):
            return [name for name in selected if broken in self.groups(name)]
        if isinstance(broken, Limit):
            return selected & set(broken.identifiers)
        if isinstance(broken, Incompatible):
            return {broken.subject, broken.other}
        return {broken.subject} & selected


def _candidates(broken: Constraint | GroupName) -> tuple[Identifier, ...]:
    if isinstance(broken, Dependency):
        return broken.candidates
    return (broken.subject,) if isinstance(broken, Mandatory) else ()


def _question(generator: random.Random, problem: Variables) -> _Question:
    """Return a question about *problem* with some units off, and with ranks for some or all blocks."""
    table = UnitTable(CachedProblem(problem))
    names = [identifier for identifier, _ in reachable(problem)]
    for name in generator.choice([names, names, names[:2]]):
        table.ranks.rank_of(name)
    units = _units(problem, table, names)
    off = {unit for unit in units if generator.random() < 0.1}
    return _Question(problem, table, names, units, off, generator.random() < 0.7)


def _subsets(names: Sequence[Identifier]) -> Iterator[_Set]:
    for number in range(1 << len(names)):
        yield frozenset(name for position, name in enumerate(names) if number >> position & 1)


def _units(problem: Variables, table: UnitTable, names: Iterable[Identifier]) -> list[Rank]:
    """Return the units of *names* and of the roots; a subject without a rank has none."""
    units: list[Rank] = [unit for unit, _ in table.roots]
    for name in names:
        rank = table.ranks.explored(name)
        for position, constraint in enumerate(problem.constraints(name)):
            if isinstance(constraint, Exclusive):
                units += [(GROUP, group) for group in constraint.groups]
            elif rank is not None:
                units.append((BLOCK, rank, constraint.place, name, position))
    return sorted(set(units))


def _same(unit: Rank) -> Rank:
    return unit


def _subjects(units: Iterable[Rank], key: Callable[[Rank], Rank]) -> dict[Identifier, set[Rank]]:
    """Return the keys of the units of each subject."""
    by_subject: dict[Identifier, set[Rank]] = {}
    for unit in units:
        if unit[0] == BLOCK:
            by_subject.setdefault(unit[3], set()).add(key(unit))
    return by_subject


@pytest.mark.parametrize("key", [_same, member_of], ids=["units", "members"])
def test_one_change_is_enough(key: Callable[[Rank], Rank], monkeypatch: pytest.MonkeyPatch) -> None:
    """What rotation overlooks costs a question to an engine, so it finds whatever one change of the witness shows.

    A change brings in a candidate with a unit that is wanted, or takes an identifier out. Where the candidate brings
    a second need, one candidate of it may follow. Limits of time are out of the way.
    """
    for limit in ("_TRIES", "_CHANGES"):
        monkeypatch.setattr(rotation_module, limit, 10**6)
    shown_by: Counter[str] = Counter()
    for seed in range(scaled(800)):
        generator = random.Random(f"one change {seed}")
        problem = random_problem(generator, "abcdef", formulas=False)
        question = _question(generator, problem)
        targets = [unit for unit in question.units if generator.random() < 0.8]
        on = [unit for unit in targets if unit not in question.off]
        wanted = _subjects(on, key)
        shown = {model: question.keys(question.broken(model), key) for model in _subsets(question.names)}
        needed = {next(iter(keys)) for keys in shown.values() if len(keys) == 1}
        witnesses = [model for model, keys in shown.items() if len(keys) == 1]
        for witness in generator.sample(witnesses, min(len(witnesses), 8)):
            remaining = set(map(key, on)) - shown[witness]
            expected: dict[Rank, str] = {}
            for candidate, changed in question.changes(witness):
                its = remaining if candidate is None else wanted.get(candidate, set()) & remaining
                if len(shown[changed]) == 1 and shown[changed] <= its:
                    expected |= dict.fromkeys(shown[changed], "removed" if candidate is None else "added")
                elif candidate is not None and its:
                    for mended in question.mended(changed):
                        if shown[mended] <= its:
                            expected |= dict.fromkeys(shown[mended], "repaired")
            rotation = Rotation(question.table, key, Budget())
            named = rotation.needed(witness, question.scope(), targets)
            assert expected.keys() <= named, (seed, witness)
            assert named <= needed & remaining, (seed, witness)
            shown_by.update(expected.values())
            # The same rotation serves further questions, with what it has looked up.
            assert named == rotation.needed(witness, question.scope(), targets), (seed, witness)
            several = generator.choice(list(shown))
            assert len(shown[several]) == 1 or rotation.needed(several, question.scope(), targets) == set()
    assert min(shown_by.values()) > scaled(40), shown_by


def _rotation(
    variables: Mapping[Identifier, Sequence[Constraint]], key: Callable[[Rank], Rank] = _same
) -> tuple[Rotation, UnitTable, list[Rank]]:
    """Return a rotation of witnesses of *variables*, with the table and units of them all."""
    problem = _Strict(variables)
    table = UnitTable(problem)
    names = [identifier for identifier, _ in reachable(problem)]
    for name in names:
        table.ranks.rank_of(name)
    return Rotation(table, key, Budget()), table, _units(problem, table, names)


class _Strict(Variables):
    """A problem that knows no branches, as those of catalogs do not."""

    def block(self, identifier: Identifier) -> str:
        assert not isinstance(identifier, Branch)
        return str(identifier).rstrip("0123456789")


_EVERYTHING: Final = Scope(lambda _: True, True)


def test_what_came_in_may_conflict_with_what_comes_next() -> None:
    """The set then breaks the conflict too, and a core with the conflict may do without the other part.

    Neither the prohibition of y nor that of x is in this core: x is wanted, x needs y, x excludes y.
    """
    conflict = Incompatible("x", "y")
    root, need = Dependency(None, ("x",)), Dependency("x", ("y",))
    later, table, units = _rotation({"root": [root], "x": [need, conflict], "y": [Prohibited("y")]})
    assert later.needed([], _EVERYTHING, units) == {table.unit_of(need)}
    at_once, table, units = _rotation({"root": [root], "x": [need, conflict, Prohibited("x")], "y": []})
    assert at_once.needed([], _EVERYTHING, units) == set()


def test_a_second_need_may_be_met_by_any_of_its_candidates() -> None:
    """The first one breaks too much, so the second one is added beside x, whose prohibition is left alone."""
    ban = Prohibited("x")
    variables: dict[Identifier, Sequence[Constraint]] = {
        "root": [Dependency(None, ("x",))],
        "x": [Dependency("x", ("y", "z")), ban],
        "y": [Prohibited("y"), Incompatible("y", "x")],
        "z": [],
    }
    rotation, table, units = _rotation(variables)
    assert rotation.needed([], _EVERYTHING, units) == {table.unit_of(ban)}


def test_a_witness_with_a_branch_is_not_rotated() -> None:
    """It does not say how the formula is met; and problems know nothing of branches, so they are not asked."""
    branch = Branch(Choice(("b",)))
    variables: dict[Identifier, Sequence[Constraint]] = {
        "root": [Dependency(None, ("a",))],
        "a": [Dependency("a", ("c",))],
        "b": [],
        "c": [Prohibited("c")],
    }
    rotation, _, units = _rotation(variables)
    assert rotation.needed(["a", branch, "b"], _EVERYTHING, units) == set()


def _counted(monkeypatch: pytest.MonkeyPatch) -> Counter[Identifier]:
    """Return a counter of the identifiers whose constraints rotation compares with a set, from now on."""
    counts: Counter[Identifier] = Counter()
    examine = Rotation._add_own

    def counted(rotation: Rotation, breaches: Any, identifier: Identifier, selected: Any) -> None:
        counts[identifier] += 1
        examine(rotation, breaches, identifier, selected)

    monkeypatch.setattr(Rotation, "_add_own", counted)
    return counts


def test_a_candidate_is_tried_six_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of ten links of a chain may take c instead of the next link, but c never breaks one constraint alone."""
    counts = _counted(monkeypatch)
    ban = Prohibited("c")
    variables: dict[Identifier, Sequence[Constraint]] = {"root": [Dependency(None, (0,))]}
    for link in range(10):
        variables[link] = [Dependency(link, (link + 1, "c"))]
    variables |= {10: [Prohibited(10)], "c": [ban, Incompatible("c", 0), Incompatible("c", "c")]}
    rotation, table, units = _rotation(variables)
    targets = [unit for unit in units if unit[0] == BLOCK and (unit[3] != "c" or unit == table.unit_of(ban))]
    assert rotation.needed([], _EVERYTHING, targets) == set(targets) - {table.unit_of(ban)}
    assert counts["c"] == 6
    # A second question repeats the changes that need no candidate, and those of candidates with tries left.
    first = Counter(counts)
    counts.clear()
    rotation.needed([], _EVERYTHING, targets)
    assert counts["c"] == 0
    assert all(counts[link] <= first[link] for link in range(10))


def test_twelve_changes_are_examined_for_each_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A witness may have thousands of candidates; asking an engine is quicker than to try each of them.

    The needs of all versions of c are one key. Each version conflicts with a, so that no change shows it.
    """
    counts = _counted(monkeypatch)
    versions = tuple(f"c{number}" for number in range(50))
    wish, ban = Dependency(None, ("a",)), Prohibited("d")
    need = Dependency("c0", ("d",))
    variables: dict[Identifier, Sequence[Constraint]] = {
        "root": [wish],
        "a": [Dependency("a", versions)],
        **{name: [attrs.evolve(need, subject=name), Incompatible(name, "a")] for name in versions},
        "d": [ban],
    }
    rotation, table, units = _rotation(variables, member_of)
    targets = [unit for unit in units if unit[0] == BLOCK and unit[2] == 0 and unit[3] != "a"]
    assert rotation.needed(["a"], _EVERYTHING, targets) == set()
    # The witness itself is looked at first.
    assert counts.total() == 1 + 12
    # The same holds where a candidate brings a need: x is tried twice, each time with six candidates for its need.
    counts.clear()
    variables = {
        "root": [Dependency(None, ("a", "x"))],
        "a": [Dependency("a", ("x",))],
        "x": [ban := Prohibited("x"), Dependency("x", tuple("bcdefghi"))],
        **{name: [Prohibited(name)] for name in "bcdefghi"},
    }
    rotation, table, _ = _rotation(variables)
    assert rotation.needed(["a"], _EVERYTHING, [table.unit_of(ban)]) == set()
    assert counts == {"a": 1, "x": 2, **dict.fromkeys("bcdefg", 2), "f": 1, "g": 1}


def test_rotation_ends_with_the_budget() -> None:
    """No engine looks at the clock during rotation, so rotation must do so itself."""
    problem = Variables({"root": [Dependency(None, ("a",))], "a": [Dependency("a", ("b",))], "b": [Prohibited("b")]})
    table = UnitTable(CachedProblem(problem))
    units = [*(unit for name in "ab" for unit, _ in table.units_of(name)[0]), *(unit for unit, _ in table.roots)]
    cancel = threading.Event()
    rotation = Rotation(table, _same, Budget(cancel=cancel))
    assert rotation.needed(["a", "b"], _EVERYTHING, units) == set(units[:1]) | {table.roots[0][0]}
    cancel.set()
    with pytest.raises(Incomplete, match="cancel"):
        rotation.needed(["a", "b"], _EVERYTHING, units)
