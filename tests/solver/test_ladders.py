"""Ladders say in clauses what sets of bits say: all assignments of a few variables are tried.

Numbers of variables and clauses are a contract between ladders and judges, and solvers at the door are given clauses
whose numbers they cannot read; so these tests look behind the door.

A value of a ladder is the number of the member that is selected, or -1 if none is; its bit is ``1 << value + 1``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from olmsolve.solver import GroupName, Run
from olmsolve.solver.ladders import Ladder, LadderClauses
from tests.scale import scaled


def _assignments(clauses: Iterable[Sequence[int]], variables: int) -> Iterator[frozenset[int]]:
    """Every assignment of *variables* in which all *clauses* hold, as the literals that hold."""
    for signs in product((1, -1), repeat=variables):
        literals = frozenset(sign * variable for variable, sign in enumerate(signs, 1))
        if all(not literals.isdisjoint(clause) for clause in clauses):
            yield literals


def _value(ladder: Ladder, literals: frozenset[int]) -> int:
    """The value of *ladder* where *literals* hold: one variable says "a member", each further one "a later one"."""
    return sum(ladder.first + number in literals for number in range(ladder.length)) - 1


def _values(ladder: Ladder) -> range:
    return range(-1, ladder.length)


def _allowed(clauses: LadderClauses, *ladders: Ladder) -> set[tuple[int, ...]]:
    """The values of *ladders* that *clauses* allow."""
    variables = clauses.variable() - 1
    return {
        tuple(_value(ladder, literals) for ladder in ladders) for literals in _assignments(clauses.waiting, variables)
    }


def test_a_ladder_selects_one_member_or_none() -> None:
    """Each value has one assignment, and the literals of a ladder say about it what their masks say."""
    for length in range(6):
        clauses = LadderClauses()
        ladder = clauses.ladder(length)
        assignments = list(_assignments(clauses.waiting, length))
        assert sorted(_value(ladder, literals) for literals in assignments) == list(_values(ladder))
        for literals in assignments:
            value = _value(ladder, literals)
            for number in range(length):
                bit = 2 << number
                assert literals.issuperset(ladder.selected(bit)) == (value == number)
                assert literals.isdisjoint(ladder.unselected(bit)) == (value == number)
                for literal in (ladder.first + number, -ladder.first - number):
                    assert (literal in literals) == bool(ladder.mask(literal) & 1 << value + 1)


def test_a_requirement_is_met_by_the_members_in_its_mask() -> None:
    """Whatever runs and gaps the mask has: beside the member that requires it, one of these members is selected."""
    for length, width in product(range(1, 4), range(5)):
        for mask in range(0, 2 << width, 2):
            clauses = LadderClauses()
            user, target = clauses.ladder(length), clauses.ladder(width)
            before = len(clauses.waiting)
            number = mask // 2 % length
            clauses.require(user.unselected(2 << number), target, mask)
            met = [value for value in range(width) if mask & 1 << value + 1]
            # A clause for each beginning and end: two where the candidates stand side by side, however many they are.
            assert len(clauses.waiting) - before <= 1 + sum(value + 1 not in met for value in met)
            every = product(_values(user), _values(target))
            assert _allowed(clauses, user, target) == {
                (one, other) for one, other in every if one != number or other in met
            }


def test_requirements_in_runs_have_the_clauses_of_masks() -> None:
    """The clauses of a whole family are those of its members; None leaves a member out."""
    for seed in range(scaled(400)):
        generator = random.Random(seed)
        in_runs, in_masks = LadderClauses(), LadderClauses()
        lengths = [generator.randint(1, 5) for _ in range(3)]
        ladders: dict[GroupName, Ladder] = {
            f"package {number}": in_runs.ladder(length) for number, length in enumerate(lengths)
        }
        others = {group: in_masks.ladder(ladder.length) for group, ladder in ladders.items()}
        user, *targets = ladders
        members: list[list[Run] | None] = []
        for number in range(lengths[0]):
            row: list[Run] = []
            for group in generator.choices(targets, k=generator.randint(0, 3)):
                first = generator.randrange(ladders[group].length)
                row.append((group, first, generator.randint(first, ladders[group].length)))
            members.append(row if generator.random() < 0.8 else None)
            for group, first, end in members[-1] or ():
                guard = others[user].unselected(2 << number)
                in_masks.require(guard, others[group], (2 << end) - (2 << first))
        in_runs.require_runs(ladders[user], members, ladders)
        assert in_runs.waiting == in_masks.waiting


def test_a_group_has_members_of_one_family_at_most() -> None:
    """Members of several families share a group; those of one family exclude each other anyway."""
    for seed in range(scaled(400)):
        generator = random.Random(seed)
        clauses = LadderClauses()
        ladders = [clauses.ladder(generator.randint(1, 2)) for _ in range(3)]
        members = [(ladder, number) for ladder in ladders for number in range(ladder.length)]
        holdings = {group: generator.sample(members, generator.randint(1, len(members))) for group in "gh"}
        for group, holders in holdings.items():
            for ladder, number in holders:
                clauses.hold(ladder, ladder.unselected(2 << number), group)
        assert _allowed(clauses, *ladders) == {
            values
            for values in product(*map(_values, ladders))
            if all(len(set(zip(ladders, values, strict=True)) & set(holders)) <= 1 for holders in holdings.values())
        }
        # One variable for each member, and one for each ladder in a group: solvers keep memory for all numbers.
        helpers = {(group, ladder) for group, holders in holdings.items() for ladder, _ in holders}
        assert clauses.variable() == len(members) + len(helpers) + 2
