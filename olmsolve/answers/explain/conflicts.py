"""The independent conflicts of a request: minimal cores that have no root in common.

The first is the core that the failure names. Its roots (subscriptions, operators that must stay) are set aside,
and what is left is solved; and so on until it has a solution. As each core is the preferred one of what is left,
the conflicts, their order included, are a function of the request alone.

A conflict that shares a root with an earlier one does not appear: whatever resolves the earlier one may resolve
it as well. A fix is resolved as a whole, so it does not overlook any.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import attrs

from olmsolve.classic import ClassicProblem, Wish
from olmsolve.solver import Budget, Constraint, Core, Dependency, Identifier, Mandatory, Root, Solution, solve

__all__ = ["RestrictedProblem", "conflicting", "root_key", "without"]


@attrs.frozen
class RestrictedProblem:
    """*problem* with some of its roots only."""

    problem: ClassicProblem
    roots: Sequence[Root]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        return self.problem.constraints(identifier)

    def block(self, identifier: Identifier) -> str:
        return self.problem.block(identifier)


def conflicting(
    problem: ClassicProblem, first: tuple[Constraint, ...], *, backend: str, budget: Budget | None = None
) -> list[Core]:
    """The cores; none if the problem has a solution. *first* is the first of them where it is known already.

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
        # By name: two subscriptions that can be served by the same are equal as constraints.
        involved = {root_key(problem, constraint) for constraint in outcome.constraints}
        rest = RestrictedProblem(problem, [root for root in rest.roots if root_key(problem, root) not in involved])
        outcome = None
    return found


def root_key(problem: ClassicProblem, root: Constraint) -> tuple[str, str] | None:
    """What names a root in any version of the request: its kind, and the subscription or operator."""
    if isinstance(root, Mandatory):
        return "operator", problem.candidate(root.subject).name
    if isinstance(root, Dependency) and isinstance(root.origin, Wish):
        return "subscription", root.origin.subscription.name
    return None


def without(problem: ClassicProblem, names: Collection[tuple[str, str]]) -> RestrictedProblem:
    """*problem* without the roots of these *names*."""
    return RestrictedProblem(problem, [root for root in problem.roots if root_key(problem, root) not in names])
