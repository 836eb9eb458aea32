"""The clauses of limits: counters of helpers, which :class:`~olmsolve.solver.constraints.AtMost` adds.

They are apart from the kinds because only SAT solvers need clauses, and from the encoding because limits state their
own (:meth:`~olmsolve.solver.constraints.Limit.add_clauses`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd
from typing import Any, Final, Protocol, TypeAlias

from olmsolve.errors import RequestError
from olmsolve.solver.formulas import GroupName, Identifier, Tree

# Helpers of one limit with weights; 500,000 take about 300 MB.
_MOST_ROOMS: Final = 500_000
_ROUND: Final = "round the numbers, or ask the default engine, which needs no clauses"


Ways: TypeAlias = tuple[tuple[int, ...], ...]
"""The ways in which a helper is true: in each, all of the variables listed are true."""


class ClauseWriter(Protocol):
    """The receiver of a constraint's clauses: variables are numbers from 1 on, and a negative number is a negation."""

    def variable(self, identifier: Identifier, /) -> int:
        """Return the variable that is true when *identifier* is selected."""
        ...

    def helper_of(self, limit: Any, ways: Ways, /) -> int:
        """Return a new variable for *limit*, which is to be true in these *ways*."""
        ...

    def add_clause(self, literals: Sequence[int], /) -> object:
        """Add a clause: one of *literals* is true."""
        ...

    def add_tree(self, tree: Tree, guard: list[int], /) -> None:
        """Add the clauses of a formula, each with the literals *guard* in front, whose last is the subject's own."""
        ...

    def join(self, group: GroupName, identifier: Identifier, unless: tuple[int, ...], /) -> object:
        """Make *identifier* a member of an at-most-one group; all members come with the same literals *unless*."""
        ...


def add_counter(
    writer: ClauseWriter, limit: Any, identifiers: Sequence[Identifier], most: int, unless: tuple[int, ...]
) -> None:
    """Add a sequential counter: at most *most* of *identifiers*. *counts* has the helpers "at least 1, 2, ... so far".

    At most 1 of a, b, c, with the helpers p (a is selected) and q (a or b is):

        ¬a ∨ p
        ¬b ∨ ¬p     ¬p ∨ q     ¬b ∨ q
        ¬c ∨ ¬q     and the same two for a last helper, which nothing reads
    """
    add = writer.add_clause
    if most == 0:
        for identifier in identifiers:
            add([*unless, -writer.variable(identifier)])
        return
    counts: list[int] = []
    for identifier in identifiers:
        variable = writer.variable(identifier)
        if len(counts) == most:
            add([*unless, -variable, -counts[-1]])
        following = [
            writer.helper_of(limit, tuple(_ways(variable, counts, reached)))
            for reached in range(min(len(counts) + 1, most))
        ]
        for earlier, later in zip(counts, following, strict=False):
            add([*unless, -earlier, later])
        add([*unless, -variable, following[0]])
        for earlier, later in zip(counts, following[1:], strict=False):
            add([*unless, -variable, -earlier, later])
        counts = following


def _ways(variable: int, counts: Sequence[int], reached: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways in which at least ``reached + 1`` are true: as many were before, or one less and *variable*."""
    if reached < len(counts):
        yield (counts[reached],)
    yield (variable, counts[reached - 1]) if reached else (variable,)


def add_sum(
    writer: ClauseWriter, limit: Any, weight_of: Mapping[Identifier, int], most: int, unless: tuple[int, ...]
) -> None:
    """Add a sum: the weights of what is selected make *most* at most. *rooms* has the helper of each room left.

    3 a + 2 b + 2 c is at most 4, with the helper r ("room for 4") that is always true, and s, t behind a:

        r     ¬r ∨ ¬a ∨ s (room for 1)     a room of 4 is enough for b and c
        ¬s ∨ ¬b     ¬s ∨ t (still room for 1)     ¬t ∨ ¬c

    Raises:
        RequestError: the sums are too many for clauses.
    """
    add = writer.add_clause
    # The heaviest first: then most rooms are soon large enough for all later numbers, or too small.
    pairs = sorted(((i, w) for i, w in weight_of.items() if w), key=lambda pair: -pair[1])
    scale = gcd(*(weight for _, weight in pairs)) or 1
    weight_ahead = sum(weight for _, weight in pairs) // scale
    most //= scale
    if weight_ahead <= most:
        return
    if most < 0:
        add([*unless])
        return
    rooms: dict[int, list[tuple[int, ...]]] = {most: [()]}
    states = 0
    for identifier, weight in pairs:
        variable, weight = writer.variable(identifier), weight // scale
        weight_ahead -= weight
        following: dict[int, list[tuple[int, ...]]] = {}
        states += len(rooms)
        if states > _MOST_ROOMS:
            raise RequestError(f"a limit on {len(pairs)} numbers has too many sums for clauses", hint=_ROUND)
        for room, ways in rooms.items():
            helper = writer.helper_of(limit, tuple(ways))
            if ways == [()]:
                add([*unless, helper])
            for way in ways:
                if way:
                    add([*unless, *(-literal for literal in way), helper])
            if weight_ahead > room:
                following.setdefault(room, []).append((helper,))
            if weight > room:
                add([*unless, -helper, -variable])
            elif weight_ahead > room - weight:
                following.setdefault(room - weight, []).append((helper, variable))
        rooms = following
