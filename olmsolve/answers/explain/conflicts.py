"""The independent conflicts of a request: minimal cores, no two of which share a root.

The first core is the one that the failure names. Its roots (subscriptions, operators that must stay) are set aside
and the rest is solved; its core is the next one, and so on until the rest has a solution. Each core is the preferred
one of its rest, so the conflicts and their order depend on the request alone.

Many roots are first split into parts that share nothing, so that each search is as small as its conflict. The parts'
cores are put into the order in which searches of the whole rest would find them.

A conflict that shares a root with an earlier one is not listed: a change that resolves the earlier one may resolve
both. No fix overlooks it, since a fix is resolved with the whole request.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from olmsolve.answers.rerunning import RestrictedProblem
from olmsolve.classic import AtLeastOne, ClassicProblem, TotalAtMost, Wish
from olmsolve.solver import (
    Constraint,
    Core,
    Dependency,
    Limit,
    Mandatory,
    NumberedRoot,
    Solution,
    attempt,
    independent_parts,
    rank_among_parts,
    solve,
)
from olmsolve.solver.backends import BackendLike

# Up to so many roots the whole rest is searched again, which costs less than splitting it.
_FEW: Final = 12


def conflicting(
    problem: ClassicProblem,
    first: tuple[Constraint, ...],
    *,
    backend: BackendLike,
    aside: Collection[tuple[str, str]] = (),
) -> list[Core]:
    """Return the cores of *problem*; none if it has a solution. *first* is the first of them, () to search for it too.

    The roots with the keys *aside* (see :func:`root_key`) are left out.

    Raises Incomplete when a limit is met.
    """
    cores: list[Core] = []
    roots = enumerate(problem.roots)
    remaining_roots: Sequence[NumberedRoot] = [
        root for root in roots if not aside or root_key(problem, root[1]) not in aside
    ]
    outcome: Solution | Core | None = Core(first) if first else None
    while remaining_roots:
        restricted = _restricted(problem, remaining_roots)
        if outcome is None and cores and len(remaining_roots) > _FEW:
            # A core can cost much more than the knowledge that there is one, and in a part of the problem costs less.
            if attempt(restricted, backend=backend) is not None:
                break
            return [*cores, *_in_parts(problem, remaining_roots, backend)]
        outcome = outcome or solve(restricted, backend=backend)
        if not isinstance(outcome, Core):
            break
        cores.append(outcome)
        remaining_roots = _not_involved(problem, remaining_roots, outcome)
        outcome = None
    return cores


def _in_parts(problem: ClassicProblem, roots: Sequence[NumberedRoot], backend: BackendLike) -> Iterator[Core]:
    """Yield the cores of *roots*, part by part, in the order in which the whole problem would name them."""
    queue: list[tuple[tuple[Any, ...], int, Core, list[NumberedRoot]]] = []
    counter = itertools.count()

    def push(part: list[NumberedRoot]) -> None:
        outcome = solve(_restricted(problem, part), backend=backend) if part else None
        if isinstance(outcome, Core):
            rank = rank_among_parts(problem, part, outcome)
            heapq.heappush(queue, (rank, next(counter), outcome, part))

    for part in independent_parts(problem, roots):
        push(part)
    while queue:
        _, _, core, part = heapq.heappop(queue)
        yield core
        push(_not_involved(problem, part, core))


def _restricted(problem: ClassicProblem, roots: Iterable[NumberedRoot]) -> RestrictedProblem:
    return RestrictedProblem(problem, [root for _, root in roots])


def _not_involved(problem: ClassicProblem, roots: Iterable[NumberedRoot], core: Core) -> list[NumberedRoot]:
    """Return the *roots* that *core* does not need."""
    # By key: two subscriptions with the same candidates are equal as constraints, and only one may be involved.
    involved = {root_key(problem, constraint) for constraint in core.constraints}
    return [root for root in roots if root_key(problem, root[1]) not in involved]


def root_key(problem: ClassicProblem, root: Constraint) -> tuple[str, str] | None:
    """Return the kind and name of a root, which identify it in changed requests too; None for other constraints.

    The kind is ``"subscription"``, ``"operator"`` or ``"rule"``.
    """
    if isinstance(root, Mandatory):
        return "operator", problem.candidate(root.subject).name
    if isinstance(root, Dependency) and isinstance(root.origin, Wish):
        return "subscription", root.origin.subscription.name
    if isinstance(root, Dependency | Limit) and isinstance(root.origin, AtLeastOne | TotalAtMost):
        return "rule", root.origin.name
    return None


def without(problem: ClassicProblem, keys: Collection[tuple[str, str]]) -> RestrictedProblem:
    """Return *problem* without the roots of these *keys*."""
    return RestrictedProblem(problem, [root for root in problem.roots if root_key(problem, root) not in keys])
