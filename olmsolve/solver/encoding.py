"""The encoding of constraints as clauses, which are streamed into a backend.

One :class:`Encoding` serves the search, which needs no selectors, and the finding of cores, where each clause carries
the negated selector of its constraint: assuming the selector switches the constraint on. Constraints are encoded one
by one, as a search needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd
from typing import Final, NamedTuple, TypeAlias, assert_never

from olmsolve.errors import RequestError
from olmsolve.solver.constraints import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    GroupName,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    Tree,
)

# Members of a group that exclude each other pairwise, before a helper stands for all of them: 6 clauses for 4
# members. All pairs of a group of 1,000 would be 499,500 clauses; chunks make about 3,700.
_CHUNK: Final = 4
# Helpers of one limit with weights; 500,000 take about 300 MB.
_MOST_ROOMS: Final = 500_000
_ROUND: Final = "round the numbers, or ask the default engine, which needs no clauses"


Ways: TypeAlias = tuple[tuple[int, ...], ...]
"""The ways in which a helper is true: in each, all of the variables listed are true."""


class Helper(NamedTuple):
    """The meaning of a variable that stands for no identifier: with it, a group or limit takes fewer clauses.

    It is true if one of *ways* holds; these name earlier variables. *serves* is the group's name, or the limit.
    """

    serves: GroupName | AtMost
    ways: Ways


class _GroupClauses:
    """An at-most-one group that grows; see :class:`~olmsolve.solver.constraints.Exclusive` for its clauses.

    *chunk* holds the newest members; *earlier* is the helper that is true if a member before them is (0: no such yet).
    """

    __slots__ = ("chunk", "earlier", "members")

    def __init__(self) -> None:
        self.members: set[int] = set()
        self.chunk: list[int] = []
        self.earlier = 0


class Encoding:
    """The variables of identifiers and helpers; *add_clause* takes the clauses."""

    __slots__ = ("_add", "_exclusions", "_groups", "_variables", "helpers", "identifiers")

    def __init__(self, add_clause: Callable[[Sequence[int]], object]) -> None:
        self._add = add_clause
        # By variable, from 1: its identifier, None for a helper.
        self.identifiers: list[Identifier | None] = [None]
        # By variable: what the helpers of groups and limits mean.
        self.helpers: dict[int, Helper] = {}
        self._variables: dict[Identifier, int] = {}
        self._groups: dict[GroupName, _GroupClauses] = {}
        # Guard clauses and exclusions: they also reach identifiers whose variable does not exist yet.
        self._exclusions: list[tuple[list[int], Exclusion]] = []

    def helper(self) -> int:
        """Return a new variable without an identifier."""
        self.identifiers.append(None)
        return len(self.identifiers) - 1

    def _meaning(self, serves: GroupName | AtMost, ways: Ways) -> int:
        """Return a new helper of a group or limit, which is true in these *ways*."""
        variable = self.helper()
        self.helpers[variable] = Helper(serves, ways)
        return variable

    def variable(self, identifier: Identifier) -> int:
        """Return the variable of *identifier*; make it on first use, with its clauses for earlier exclusions."""
        variable = self._variables.get(identifier)
        if variable is None:
            variable = self._variables[identifier] = len(self.identifiers)
            self.identifiers.append(identifier)
            if self._exclusions and not isinstance(identifier, Branch):
                for guard, exclusion in self._exclusions:
                    if identifier in exclusion.excluded:
                        self._add([*guard, -variable])
        return variable

    def add(self, constraint: Constraint, unless: tuple[int, ...] = ()) -> None:
        """Add the clauses of *constraint*, each with the literals *unless* (negated selectors) in front."""
        variable = self.variable
        if isinstance(constraint, Dependency):
            clause = list(unless)
            if constraint.subject is not None:
                clause.append(-variable(constraint.subject))
            clause.extend(map(variable, constraint.candidates))
            self._add(clause)
        elif isinstance(constraint, Exclusive):
            for group in constraint.groups:
                self.join(group, constraint.subject, unless)
        elif isinstance(constraint, Incompatible):
            self._add([*unless, -variable(constraint.subject), -variable(constraint.other)])
        elif isinstance(constraint, Prohibited):
            self._add([*unless, -variable(constraint.subject)])
        elif isinstance(constraint, Mandatory):
            self._add([*unless, variable(constraint.subject)])
        elif isinstance(constraint, Formula):
            self._tree(constraint.tree, [*unless, -variable(constraint.subject)])
        elif isinstance(constraint, AtMost):
            self._counter(constraint, unless)
        else:
            assert_never(constraint)

    def join(self, group: GroupName, identifier: Identifier, unless: tuple[int, ...] = ()) -> bool:
        """Make *identifier* a member of the at-most-one *group*; return False if it was one.

        All members of a group must come with the same *unless*, because helpers are shared.
        """
        state = self._groups.get(group)
        if state is None:
            state = self._groups[group] = _GroupClauses()
        variable = self.variable(identifier)
        if variable in state.members:
            return False
        state.members.add(variable)
        add = self._add
        if len(state.chunk) == _CHUNK:
            before = ((state.earlier,),) if state.earlier else ()
            later = self._meaning(group, (*before, *[(member,) for member in state.chunk]))
            if state.earlier:
                add([*unless, -state.earlier, later])
            for member in state.chunk:
                add([*unless, -member, later])
            state.earlier = later
            state.chunk = []
        for member in state.chunk:
            add([*unless, -member, -variable])
        if state.earlier:
            add([*unless, -variable, -state.earlier])
        state.chunk.append(variable)
        return True

    def _tree(self, tree: Tree, guard: list[int]) -> None:
        """Add the clauses of *tree*, each with the literals *guard* in front, whose last is its own."""
        if isinstance(tree, Choice):
            self._add([*guard, *map(self.variable, tree.candidates)])
        elif isinstance(tree, Every):
            for part in tree.parts:
                self._tree(part, guard)
        elif isinstance(tree, FirstOf):
            self._add([*guard, *map(self.variable, tree.branches)])
            unless = guard[:-1]
            for branch in tree.branches:
                self._tree(branch.tree, [*unless, -self.variable(branch)])
        else:
            self._exclusions.append((guard, tree))
            for identifier, variable in self._variables.items():
                if not isinstance(identifier, Branch) and identifier in tree.excluded:
                    self._add([*guard, -variable])

    def _counter(self, constraint: AtMost, unless: tuple[int, ...]) -> None:
        """Add the sequential counter of *constraint*; *counts* are the helpers "at least 1, 2, ... so far".

        At most 1 of a, b, c, with the helpers p (a is selected) and q (a or b is):

            ¬a ∨ p
            ¬b ∨ ¬p     ¬p ∨ q     ¬b ∨ q
            ¬c ∨ ¬q     and the same two for a last helper, which nothing reads
        """
        if constraint.weights:
            self._room(constraint, unless)
            return
        limit = constraint.limit
        if limit == 0:
            for identifier in constraint.identifiers:
                self._add([*unless, -self.variable(identifier)])
            return
        counts: list[int] = []
        for identifier in constraint.identifiers:
            variable = self.variable(identifier)
            if len(counts) == limit:
                self._add([*unless, -variable, -counts[-1]])
            following = [
                self._meaning(constraint, _ways(variable, counts, reached))
                for reached in range(min(len(counts) + 1, limit))
            ]
            for earlier, later in zip(counts, following, strict=False):
                self._add([*unless, -earlier, later])
            self._add([*unless, -variable, following[0]])
            for earlier, later in zip(counts, following[1:], strict=False):
                self._add([*unless, -variable, -earlier, later])
            counts = following

    def _room(self, constraint: AtMost, unless: tuple[int, ...]) -> None:
        """Add the clauses of a *constraint* with weights; *rooms* has the helper of each room that may be left.

        3 a + 2 b + 2 c is at most 4, with the helper r ("room for 4") that is always true, and s, t behind a:

            r     ¬r ∨ ¬a ∨ s (room for 1)     a room of 4 is enough for b and c
            ¬s ∨ ¬b     ¬s ∨ t (still room for 1)     ¬t ∨ ¬c
        """
        # The heaviest first: then most rooms soon are enough for all that follow, or too little.
        pairs = sorted(((i, w) for i, w in constraint.weight_of.items() if w), key=lambda pair: -pair[1])
        scale = gcd(*(weight for _, weight in pairs)) or 1
        left = sum(weight for _, weight in pairs) // scale
        limit = constraint.limit // scale
        if left <= limit:
            return
        if limit < 0:
            self._add([*unless])
            return
        rooms: dict[int, list[tuple[int, ...]]] = {limit: [()]}
        states = 0
        for identifier, weight in pairs:
            variable, weight = self.variable(identifier), weight // scale
            left -= weight
            following: dict[int, list[tuple[int, ...]]] = {}
            states += len(rooms)
            if states > _MOST_ROOMS:
                raise RequestError(f"a limit on {len(pairs)} numbers has too many sums for clauses", hint=_ROUND)
            for room, ways in rooms.items():
                helper = self._meaning(constraint, tuple(ways))
                if ways == [()]:
                    self._add([*unless, helper])
                for way in ways:
                    if way:
                        self._add([*unless, *(-literal for literal in way), helper])
                if left > room:
                    following.setdefault(room, []).append((helper,))
                if weight > room:
                    self._add([*unless, -helper, -variable])
                elif left > room - weight:
                    following.setdefault(room - weight, []).append((helper, variable))
            rooms = following


def _ways(variable: int, counts: Sequence[int], reached: int) -> Ways:
    """Return the ways in which at least ``reached + 1`` are true: as many were before, or one less and *variable*."""
    ways: Ways = ((counts[reached],),) if reached < len(counts) else ()
    return (*ways, (variable, counts[reached - 1]) if reached else (variable,))
