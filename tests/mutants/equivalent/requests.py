"""Mutants of classic and v1 that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.classic.problem",
        "every negative position stands for no catalog",
        (
            "n in meeting and self._selectable(_number(n)) for n in (*self._candidates_meeting(predicate, -1), *wished)",
            "1 -> 2",
        ),
    ),
    *alike(
        "olmsolve.classic.upgrade_path",
        "no bundle updates to itself, so the last step but one is another",
        ("return self.end in (self.installed, *self.steps[:-1]) if self.steps else False", "1 -> 2"),
    ),
    *alike(
        "olmsolve.classic.resolving",
        "a limit of memory: a view that is forgotten is made anew",
        ("self._visible.clear()", "self._visible.clear() left out"),
    ),
    *alike(
        "olmsolve.classic.request",
        "no rules are read as no rules; the classes of rules would load for nothing",
        ("if values == ():", "if values == () -> if False"),
    ),
    *alike(
        "olmsolve.classic.sharing",
        "the members of a group are of one kind",
        ("if isinstance(constraint, AtMost) and isinstance(constraint.identifiers[0], tuple):", "0 -> 1"),
    ),
    *alike(
        "olmsolve.v1.request",
        "which names are compared with near ones is a matter of time",
        ("_LONGEST_NAME_COMPARED: Final = 64", "64 -> 65"),
    ),
    *alike(
        "olmsolve.classic.sharing",
        "a group has at least two members, all of one kind",
        ("if isinstance(constraint, AtMost) and isinstance(constraint.identifiers[0], tuple):", "0 -> 1"),
    ),
    *alike(
        "olmsolve.classic.ruled",
        "a short cut: without preferences, or for one candidate, sorting changes nothing",
        ("if not self.preferred or len(candidates) < 2:", "if not self.preferred or len(candidates) < 2 -> if False"),
    ),
    *alike(
        "olmsolve.classic.ruled",
        "the exclusion of a rule is no branch of a choice, so nobody asks whether it is idle",
        ("return True", "True -> False", "__bool__"),
    ),
    *alike(
        "olmsolve.v1.planning",
        "how many requests join at once: the ones that fit are the same",
        ("step = (size - fitting) // 2", "2 -> 3"),
    ),
    *alike(
        "olmsolve.classic.resolving",
        "how many views of catalogs are remembered",
        ("_MOST_VIEWS: Final = 64", "64 -> 65"),
    ),
)
