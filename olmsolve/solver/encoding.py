"""The encoding of constraints as clauses, which are streamed into a backend.

One :class:`Encoding` serves the search, which needs no selectors, and the finding of cores, where each clause carries
the negated selector of its constraint: assuming the selector switches the constraint on. Constraints are encoded one
by one, as a search needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.constraints import (
    Branch,
    Choice,
    Constraint,
    Every,
    Exclusion,
    FirstOf,
    GroupName,
    Identifier,
    Limit,
    Tree,
)
from olmsolve.solver.counters import Ways

# Members of a group that exclude each other pairwise, before a helper stands for all of them: 6 clauses for 4
# members. All pairs of a group of 1,000 would be 499,500 clauses; chunks make about 3,700. With chunks of 2 and of 8
# the core of the easy problem of 20,000 bundles takes 4 to 8 % longer (minisat22).
_CHUNK: Final = 4


class Helper(NamedTuple):
    """The meaning of a variable that stands for no identifier: with it, a group or limit takes fewer clauses.

    It is true if one of *ways* holds; these name earlier variables. *serves* is the group's name, or the limit.
    """

    serves: GroupName | Limit
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

    __slots__ = ("_exclusions", "_groups", "_variables", "add_clause", "helpers", "identifiers")

    def __init__(self, add_clause: Callable[[Sequence[int]], object]) -> None:
        self.add_clause: Callable[[Sequence[int]], object] = add_clause
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

    def helper_of(self, serves: GroupName | Limit, ways: Ways) -> int:
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
                        self.add_clause([*guard, -variable])
        return variable

    def add(self, constraint: Constraint, unless: tuple[int, ...] = ()) -> None:
        """Add the clauses of *constraint*, each with the literals *unless* (negated selectors) in front."""
        constraint.add_clauses(self, unless)

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
        add = self.add_clause
        if len(state.chunk) == _CHUNK:
            before = ((state.earlier,),) if state.earlier else ()
            later = self.helper_of(group, (*before, *[(member,) for member in state.chunk]))
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

    def add_tree(self, tree: Tree, guard: list[int]) -> None:
        """Add the clauses of *tree*, each with the literals *guard* in front, whose last is its own."""
        if isinstance(tree, Choice):
            self.add_clause([*guard, *map(self.variable, tree.candidates)])
        elif isinstance(tree, Every):
            for part in tree.parts:
                self.add_tree(part, guard)
        elif isinstance(tree, FirstOf):
            self.add_clause([*guard, *map(self.variable, tree.branches)])
            unless = guard[:-1]
            for branch in tree.branches:
                self.add_tree(branch.tree, [*unless, -self.variable(branch)])
        else:
            self._exclusions.append((guard, tree))
            for identifier, variable in self._variables.items():
                if not isinstance(identifier, Branch) and identifier in tree.excluded:
                    self.add_clause([*guard, -variable])
