"""The independent parts of a problem: roots that share no identifier, block or group with the roots of other parts.

A core lies within one part, since nothing in it speaks about another one. So the cores of a part can be found without
the rest of the problem, and their order among all cores follows from where the whole problem would meet them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final, TypeAlias

from olmsolve.solver.constraints import (
    Excluded,
    Identifier,
    Limit,
)
from olmsolve.solver.problem import Problem, Root
from olmsolve.solver.queue import Core
from olmsolve.solver.units import BLOCK, GROUP, ROOT, Rank

NumberedRoot: TypeAlias = tuple[int, Root]
"""A root with its position among the roots of the whole problem."""

# Exclusions test each identifier by itself; with more tests than this, the problem counts as one part.
_MOST_TESTS: Final = 200_000


def independent_parts(problem: Problem, roots: Sequence[NumberedRoot]) -> list[list[NumberedRoot]]:
    """Return *roots* in groups that share nothing, each in order; the groups in the order of their first roots.

    >>> from olmsolve.solver import Dependency, Variables
    >>> problem = Variables({"a": [], "b": [], "c": []})
    >>> roots = [Dependency(None, ("a", "b")), Dependency(None, ("c",)), Dependency(None, ("b",))]
    >>> [[position for position, _ in part] for part in independent_parts(problem, list(enumerate(roots)))]
    [[0, 2], [1]]
    """
    joined = _Joined(position for position, _ in roots)
    exclusions: list[tuple[int, Excluded]] = []
    reached: dict[Identifier, int] = {}
    for position, root in roots:
        waiting = list(root.mentions())
        while waiting:
            identifier = waiting.pop()
            if identifier in reached:
                joined.join(position, reached[identifier])
                continue
            reached[identifier] = position
            joined.meet(position, (BLOCK, problem.block(identifier)))
            for constraint in problem.constraints(identifier):
                waiting.extend(constraint.mentions())
                exclusions.extend((position, exclusion.excluded) for exclusion in constraint.exclusions())
                for group in constraint.groups:
                    joined.meet(position, (GROUP, group))
    if len(exclusions) * len(reached) > _MOST_TESTS:
        return [list(roots)]
    for position, excluded in exclusions:
        for identifier, other in reached.items():
            if identifier in excluded:
                joined.join(position, other)
    parts: dict[int, list[NumberedRoot]] = {}
    for position, root in roots:
        parts.setdefault(joined.first(position), []).append((position, root))
    return list(parts.values())


def rank_among_parts(problem: Problem, roots: Sequence[NumberedRoot], core: Core) -> Rank:
    """Return the rank of the last member of *core*, a core of the part *roots*, which compares with other parts' ranks.

    Cores are preferred by their last members (:mod:`olmsolve.solver.core`). A breadth-first walk over the whole
    problem meets a block earlier than that of another part if it is less deep, or as deep and below an earlier root.
    """
    last = core.constraints[-1]
    is_limit = isinstance(last, Limit)
    for position, root in roots:
        # A core has a copy of a limit, narrowed to the members that it needs; the origin is the same object.
        if root is last or (is_limit and isinstance(root, Limit) and root.origin is last.origin):
            return (ROOT, position)
    if is_limit:
        return (GROUP, last.origin)
    assert not last.groups, "cores name groups, not memberships"
    block = problem.block(last.subject)
    seen: set[Identifier] = set()
    level = [(identifier, position) for position, root in roots for identifier in root.mentions()]
    depth = 0
    while level:
        deeper: list[tuple[Identifier, int]] = []
        for identifier, position in level:
            if identifier not in seen:
                seen.add(identifier)
                if problem.block(identifier) == block:
                    return (BLOCK, depth, position)
                constraints = problem.constraints(identifier)
                deeper.extend((other, position) for c in constraints for other in c.leads_to())
        depth += 1
        level = deeper
    raise AssertionError("the roots of a part reach the subjects of its cores")


class _Joined:
    """*positions* in disjoint sets, each known by its first position."""

    def __init__(self, positions: Iterable[int]) -> None:
        self._parents = {position: position for position in positions}
        self._owners: dict[Hashable, int] = {}

    def first(self, position: int) -> int:
        """Return the first position of the set of *position*."""
        parents = self._parents
        while parents[position] != position:
            # Halving the way up keeps all ways short.
            parents[position] = parents[parents[position]]
            position = parents[position]
        return position

    def join(self, one: int, other: int) -> None:
        """Unite the sets of two positions."""
        one, other = self.first(one), self.first(other)
        self._parents[max(one, other)] = min(one, other)

    def meet(self, position: int, shared: Hashable) -> None:
        """Unite the set of *position* with that of everybody who meets *shared*."""
        self.join(position, self._owners.setdefault(shared, position))
