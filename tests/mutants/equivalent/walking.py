"""Mutants of the search over families, its units and cores that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.solver.core",
        "from where on another way to the same core is faster",
        ("_LONG: Final = 100", "100 -> 101"),
    ),
    *alike(
        "olmsolve.solver.leaping",
        "one more question, after which the descent goes on to the same core",
        ("return (GROUP, groups[first + left // 2]) if left > 0 else None", "left > 0 -> left >= 0"),
    ),
    *alike(
        "olmsolve.solver.walking",
        "looking ahead: a family without a possible member is found when the queue comes to it",
        (
            "lost = user.wanted and not user.taken and not self._is_possible(user, user.support)",
            "not user.taken -> user.taken",
        ),
        ("if lost and not self._find_support(family):", "if lost and (not self._find_support(family)) -> if False"),
        ("return False", "False -> True", "_propagate", "if lost and not self._find_support(family):"),
        ("if lost and not self._find_support(user):", "if lost and (not self._find_support(user)) -> if False"),
        ("return False", "False -> True", "_propagate", "if lost and not self._find_support(user):"),
    ),
    *alike(
        "olmsolve.solver.walking",
        "a member that has its clauses gets no further ones",
        ("self._waiting.clear()", "self._waiting.clear() left out"),
    ),
    *alike(
        "olmsolve.solver.walked",
        "the lowest bit stands for no member, as no bit does",
        ("self.support: int = 0", "0 -> 1"),
        ("self.encoded: int = 0", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.judging",
        "a question that may go unanswered: without an answer, the last core is blamed",
        (
            "return self._session.solve_within(conflicts, assumptions)",
            "return self._session.solve_within(conflicts, assumptions) -> return None",
        ),
    ),
    *alike(
        "olmsolve.solver.walked",
        "a candidate that a root lists twice sets the same bit twice",
        (
            "if found is None or (member is not None and (found[0] != member[0] or found[1] <= member[1])):",
            "found[1] <= member[1] -> found[1] < member[1]",
        ),
    ),
    *alike(
        "olmsolve.solver.ladders",
        "a variable more, which no clause has",
        ("self._variables = 0", "0 -> 1"),
    ),
)
