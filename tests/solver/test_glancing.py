"""A glance takes the queue in sets of bits as its definition takes it in names, and gives up where that gives up.

What a glance overlooks, the next question finds, and what it invents, the descent to units drops again: no core shows
either, so these tests look behind the door.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from olmsolve.solver import (
    Budget,
    Constraint,
    Dependency,
    Exclusive,
    GroupName,
    Identifier,
    MaskedNeeds,
    Solution,
    reachable,
    solve,
)
from olmsolve.solver.glancing import MaskedWalk, User, bits_of, masked_walk, replayed
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.units import BLOCK, GROUP, Rank, UnitTable, member_of
from tests.scale import scaled
from tests.solver.core_problems import Blocks
from tests.solver.test_families import Packages, packages

_Need = tuple[GroupName, tuple[Identifier, ...]]


class _NamedWalk:
    """The walk by its definition, which knows neither bits nor the groups that masked needs leave out."""

    def __init__(self, problem: Packages, table: UnitTable, on: Callable[[Rank], bool], blocks_on: bool) -> None:
        self.selected: list[Identifier] = []
        self.queue: list[_Need] = []
        self._problem = problem
        self._table = table
        self._on = on
        self._blocks_on = blocks_on

    def begin(self) -> bool:
        """Put the roots that are on into the queue; return False if one of them is no choice in one family."""
        for unit, root in self._table.roots:
            if self._on(unit):
                candidates = root.candidates if isinstance(root, Dependency) else ()
                members = [self._problem.family_of(candidate) for candidate in candidates]
                groups = {None if member is None else member[0] for member in members}
                if len(groups) != 1 or (group := groups.pop()) is None:
                    return False
                self.queue.append((group, tuple(c for c in self._problem.packages[group] if c in candidates)))
        return True

    def run(self) -> bool:
        """Meet each need of the queue; return False at a dead end."""
        return all(self._meet(*need) for need in self.queue)  # more join while the loop runs

    def _meet(self, group: GroupName, candidates: Sequence[Identifier]) -> bool:
        if any(candidate in self.selected for candidate in candidates):
            return True
        # Only one member can be selected while the group is on, so it has to meet all other needs too.
        others = self._others(group) if self.is_on(group) else []
        for candidate in candidates:
            if any(candidate not in names for names in others):
                continue
            masked = self._problem.masked.get(candidate)
            if masked is not None and self._fits(candidate, needs := self._needs(candidate, masked)):
                self.selected.append(candidate)
                self.queue.extend(needs)
                return True
        return False

    def _needs(self, candidate: Identifier, masked: MaskedNeeds) -> list[_Need]:
        if self.is_free(candidate):
            return []
        return [(group, _names(self._problem.packages[group], mask)) for group, mask in masked.needs]

    def is_on(self, group: GroupName) -> bool:
        return self._on((GROUP, group))

    def is_free(self, member: Identifier) -> bool:
        """Return True if the needs of *member* are off."""
        rank = self._table.ranks.explored(member)
        return not self._blocks_on and (rank is None or not self._on((BLOCK, rank, 0)))

    def _fits(self, candidate: Identifier, needs: Sequence[_Need]) -> bool:
        """Return True if *candidate* breaks no group, and each of its *needs* can be met beside all needs so far."""
        groups = {group for group in self._table.groups_of(candidate) if self.is_on(group)}
        if any(not groups.isdisjoint(self._table.groups_of(other)) for other in self.selected):
            return False
        return all(self._can_be_met(*need) for need in needs if self.is_on(need[0]))

    def _others(self, group: GroupName) -> list[tuple[Identifier, ...]]:
        """Return the needs of this family so far."""
        return [names for name, names in self.queue if name == group]

    def _can_be_met(self, group: GroupName, candidates: Sequence[Identifier]) -> bool:
        others = self._others(group)
        taken = [member for member in self.selected if member in self._problem.packages[group]]
        remaining = [
            member for member in taken or self._problem.packages[group] if all(member in names for names in others)
        ]
        # A family that nobody has asked for has not been looked at.
        return not others or any(member in candidates for member in remaining)


def _names(members: Sequence[Identifier], mask: int) -> tuple[Identifier, ...]:
    return tuple(members[bit.bit_length() - 2] for bit in bits_of(mask))


def _queue(walk: MaskedWalk) -> list[_Need]:
    return [(group.name, _names(group.members, mask)) for group, mask in walk.queue]


def _problem(generator: random.Random) -> Packages:
    """Packages, some of whose bundles hold the group of another package; in half of them a package is one block.

    A root may want bundles of two packages, whose bits mean different bundles.
    """
    problem = packages(generator, 5, 3)
    variables, masked = dict(problem.variables), dict(problem.masked)
    for name in generator.sample(sorted(map(str, masked)), min(2, len(masked))):
        exclusive, *others = variables[name]
        assert isinstance(exclusive, Exclusive)
        group = generator.choice([package for package in problem.packages if package != exclusive.groups[0]])
        own: list[Constraint] = [Exclusive(name, (*exclusive.groups, group)), *others]
        variables[name] = own
        masked[name] = masked[name]._replace(groups=(*masked[name].groups, group))
    if generator.random() < 0.1:
        two_packages = generator.sample(list(problem.packages.values()), 2)
        variables["root of two"] = [Dependency(None, tuple(generator.choice(members) for members in two_packages))]
    kind = generator.choice([Packages, Blocks])
    return kind(variables, problem.packages, masked)


def test_a_glance_is_the_queue_in_names() -> None:
    """Whatever is off, it selects the first members that break nothing at once, or comes to a dead end as they do."""
    ends = {False: 0, True: 0}
    for seed in range(scaled(3200)):
        generator = random.Random(f"glance {seed}")
        problem = _problem(generator)
        table = UnitTable(CachedProblem(problem), problem)
        reached = [identifier for identifier, _ in reachable(problem)]
        for identifier in generator.sample(reached, generator.choice([0, 1, len(reached)])):
            table.ranks.rank_of(identifier)
        groups = sorted({str(group) for identifier in reached for group in table.groups_of(identifier)})
        ranked = [identifier for identifier in reached if table.ranks.explored(identifier) is not None]
        keys = {member_of(unit) for identifier in ranked for unit, _ in table.units_of(identifier)[0]} | {
            (GROUP, g) for g in groups
        }
        for blocks_on in (False, True):
            off = {key for key in sorted(keys) if generator.random() < 0.2 and not (blocks_on and key[0] == BLOCK)}
            off |= {unit for unit, _ in table.roots if generator.random() < 0.2}
            walk = masked_walk(table, lambda unit: member_of(unit) not in off, blocks_on, Budget())  # noqa: B023 - called at once
            named = _NamedWalk(problem, table, lambda unit: member_of(unit) not in off, blocks_on)  # noqa: B023
            assert walk.is_witness == (named.begin() and named.run()), seed
            ends[walk.is_witness] += 1
            if walk.is_witness:
                assert list(walk.selected) == named.selected, seed
                assert _queue(walk) == named.queue, seed
                _check_groups(walk, named, problem)
    assert min(ends.values()) > scaled(1000)


def _check_groups(walk: MaskedWalk, named: _NamedWalk, problem: Packages) -> None:
    """Hold what a walk says of its families to what it selects, and to the same walk in names."""
    groups = walk.groups.values()
    taken = {name for group in groups for name in _names(group.members, group.taken)}
    assert taken == set(walk.selected)
    users = Counter((group.name, user) for group in groups for user in group.users)
    assert users == Counter(_users(walk, named, problem))
    for name, group in walk.groups.items():
        assert group.name == name
        assert group.on == named.is_on(group.name)
        free = set(map(named.is_free, group.members))
        assert group.is_free is None or free == {group.is_free}
        allowed = [names for name, names in _queue(walk) if name == group.name and group.on]
        assert [member for number, member in enumerate(group.members) if group.allowed & 2 << number] == [
            member for member in group.members if all(member in names for names in allowed)
        ]
    assert walk.holders == {group for identifier in walk.selected for group in problem.masked[identifier].groups}


def _users(walk: MaskedWalk, named: _NamedWalk, problem: Packages) -> Iterator[tuple[GroupName, User]]:
    """Yield who needs which family: the roots that stand first in the queue, and the selections that are not free."""
    roots = [group for group, _ in walk.queue if any(user[0] is None for user in group.users)]
    count = sum(user[0] is None for group in walk.groups.values() for user in group.users)
    assert {group.name for group in roots} == {group.name for group, _ in walk.queue[:count]}
    for number, (group, mask) in enumerate(walk.queue[:count]):
        yield group.name, (None, 0, number, mask)
    for identifier in walk.selected:
        family = problem.family_of(identifier)
        assert family is not None
        if not named.is_free(identifier):
            for number, (name, mask) in enumerate(problem.masked[identifier].needs):
                yield name, (family[0], 2 << family[1], number, mask)


def test_a_replayed_search_is_a_walk() -> None:
    """What another search has selected becomes a walk if masked needs say all about it, and else nothing."""
    outcomes = {False: 0, True: 0}
    for seed in range(scaled(1600)):
        problem = _problem(random.Random(f"replayed {seed}"))
        solution = solve(problem)
        if not isinstance(solution, Solution):
            continue
        table = UnitTable(CachedProblem(problem), problem)
        walk = replayed(table, solution.selected)
        named = _NamedWalk(problem, table, lambda _: True, True)
        is_plain = named.begin() and all(identifier in problem.masked for identifier in solution.selected)
        assert (walk is not None) == is_plain, seed
        outcomes[is_plain] += 1
        if walk is not None:
            assert list(walk.selected) == list(solution.selected)
            assert _queue(walk) == named.queue
            _check_groups(walk, named, problem)
    assert min(outcomes.values()) > scaled(150)
