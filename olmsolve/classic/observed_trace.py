"""The trace of a classic request: what an observer is told of its candidates, in names and reasons."""

from __future__ import annotations

from typing import Any

from olmsolve import events
from olmsolve.catalog.index import Group
from olmsolve.classic.failure import reason_for
from olmsolve.classic.problem import ClassicProblem
from olmsolve.classic.reasons import OnePerAPI, OnePerPackage, Reason
from olmsolve.solver import (
    Branch,
    Dependency,
    Formula,
    Hopeless,
    Identifier,
    Incompatible,
    Mandatory,
    Needs,
    Prohibited,
    SharedGroup,
    ToldTrace,
)


class ClassicTrace(ToldTrace):
    """A trace that tells of the candidates of *problem* as well, which is set once it is stated."""

    __slots__ = ("problem",)

    def __init__(self, observer: events.Observer) -> None:
        super().__init__(observer)
        self.problem: ClassicProblem | None = None

    def note_problem(self, problem: object) -> None:
        """Keep *problem*, which names the candidates of later events."""
        assert isinstance(problem, ClassicProblem)
        self.problem = problem

    def passed_over(self, identifier: Identifier, cause: Any) -> None:
        """Tell of a candidate; the branches of formulas are no candidates."""
        if self.problem is None or isinstance(identifier, Branch):
            return
        candidate, reason = self.problem.candidate(identifier), reason_against(self.problem, identifier, cause)
        self._observer.passed_over(events.CandidatePassedOver(candidate, reason, events.now()))


def reason_against(problem: ClassicProblem, identifier: Identifier, cause: Any) -> Reason | None:
    """Return *cause*, which rules out the candidate *identifier*, as a reason; None if no single constraint does."""
    if isinstance(cause, SharedGroup):
        return _one_per(problem, cause.group, (cause.holder, identifier))
    if isinstance(cause, Group):
        return _one_per(problem, cause, (identifier,))
    if isinstance(cause, Hopeless):
        return reason_for(problem, cause.dependency)
    if isinstance(cause, Needs):
        return reason_for(problem, cause.dependencies[-1])
    if isinstance(cause, Mandatory | Dependency | Formula | Prohibited | Incompatible):
        # A branch of a formula is no candidate: what it brings is a part of a requirement.
        return None if isinstance(cause.subject, Branch) else reason_for(problem, cause)
    return None


def _one_per(problem: ClassicProblem, group: object, members: tuple[Identifier, ...]) -> Reason | None:
    if not isinstance(group, Group):
        return None
    candidates = tuple(map(problem.candidate, members))
    return OnePerPackage(group.name, candidates) if group.kind == "package" else OnePerAPI(group.gvk, candidates)
