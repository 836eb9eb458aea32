"""The independent conflicts of a request: minimal cores, no two of which share a root.

The first core is the one that the failure names. Its roots (subscriptions, operators that must stay) are set aside
and the rest is solved; its core is the next one, and so on until the rest has a solution. Each core is the preferred
one of its rest, so the conflicts and their order depend on the request alone.

A conflict that shares a root with an earlier one is not listed: a change that resolves the earlier one may resolve
both. No fix overlooks it, since a fix is resolved with the whole request.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import attrs

from olmsolve.classic import ClassicProblem, Wish
from olmsolve.solver import Budget, Constraint, Core, Dependency, Identifier, Mandatory, Root, Solution, solve


@attrs.frozen
class RestrictedProblem:
    """*problem* with other *roots* than its own: some of them, or more."""

    problem: ClassicProblem
    roots: Sequence[Root]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        return self.problem.constraints(identifier)

    def block(self, identifier: Identifier) -> str:
        return self.problem.block(identifier)


def conflicting(
    problem: ClassicProblem, first: tuple[Constraint, ...], *, backend: str, budget: Budget | None = None
) -> list[Core]:
    """Return the cores of *problem*; none if it has a solution. *first* is the first of them, () to search for it too.

    Raises Incomplete when the budget runs out.
    """
    found: list[Core] = []
    rest = RestrictedProblem(problem, problem.roots)
    outcome: Solution | Core | None = Core(first) if first else None
    while rest.roots:
        outcome = outcome or solve(rest, backend=backend, budget=budget)
        if not isinstance(outcome, Core):
            break
        found.append(outcome)
        # By key: two subscriptions with the same candidates are equal as constraints, and only one may be involved.
        involved = {root_key(problem, constraint) for constraint in outcome.constraints}
        rest = RestrictedProblem(problem, [root for root in rest.roots if root_key(problem, root) not in involved])
        outcome = None
    return found


def root_key(problem: ClassicProblem, root: Constraint) -> tuple[str, str] | None:
    """Return the kind and name of a root, which identify it in changed requests too; None for other constraints.

    The kind is ``"subscription"`` or ``"operator"``.
    """
    if isinstance(root, Mandatory):
        return "operator", problem.candidate(root.subject).name
    if isinstance(root, Dependency) and isinstance(root.origin, Wish):
        return "subscription", root.origin.subscription.name
    return None


def without(problem: ClassicProblem, keys: Collection[tuple[str, str]]) -> RestrictedProblem:
    """Return *problem* without the roots of these *keys*."""
    return RestrictedProblem(problem, [root for root in problem.roots if root_key(problem, root) not in keys])
