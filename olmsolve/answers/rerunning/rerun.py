"""A resolution solved once more: the problem, and the choices that the plan itself does not record."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import attrs

from olmsolve._records import record
from olmsolve.answers.rerunning.context import RestrictedProblem, context_of
from olmsolve.classic import AtLeastOne, ClassicProblem, Reason, Request, reason_for
from olmsolve.errors import RequestError
from olmsolve.resolution import Candidate, Resolution, WantedBy
from olmsolve.solver import (
    Choice,
    Chosen,
    Core,
    Dependency,
    Formula,
    Identifier,
    Mandatory,
    Root,
    Solution,
    choices_of,
    solve,
)
from olmsolve.solver.backends import BackendLike


@record(says="{candidate} is selected before it")
class SelectedBefore(Reason):
    """*candidate* was selected before the candidate in question, and stays selected."""

    candidate: Candidate


@attrs.frozen
class Rerun:
    """*problem* with its *solution*, found once more on *backend*."""

    problem: ClassicProblem
    solution: Solution
    backend: BackendLike

    @property
    def selected(self) -> tuple[int, ...]:
        """The selected candidates in order, without the parts of compound requirements."""
        return tuple(identifier for identifier in self.solution.selected if isinstance(identifier, int))

    def choice_of(self, identifier: Identifier) -> Chosen | None:
        """Return the choice that selected *identifier*."""
        for chosen in self.solution.choices:
            if chosen.identifier == identifier and not chosen.selected_before:
                return chosen
        return None

    def candidates(self, chosen: Chosen) -> Sequence[int]:
        """Return the candidates of a choice, most wanted first."""
        if chosen.subject is None:
            lists = [_of_root(root) for root in self.problem.roots if root.origin is chosen.origin]
        else:
            lists = [
                candidates
                for constraint in self.problem.constraints(chosen.subject)
                for candidates in _of_constraint(constraint)
                if _same_origin(constraint, chosen)
            ]
        listed = next((listing for listing in lists if chosen.identifier in listing), (chosen.identifier,))
        return [identifier for identifier in listed if isinstance(identifier, int)]

    def wanted_by(self, chosen: Chosen) -> WantedBy | None:
        """Return whose choice it was; None for an operator that must stay."""
        origin: Any = chosen.origin
        if chosen.subject is not None:
            bundle = self.problem.candidate(chosen.subject).name
            # A part of a compound requirement is a choice of its own, by the predicate of the part.
            return WantedBy(bundle=bundle, requirement=getattr(origin, "predicate", origin))
        if isinstance(origin, AtLeastOne):
            return WantedBy(house_rule=origin.name)
        wish = getattr(origin, "subscription", None)
        return None if wish is None else WantedBy(subscription=wish.name)

    def reasons_against(self, candidate: int, selected: Sequence[int]) -> tuple[Reason, ...]:
        """Return why *candidate* cannot be selected beside *selected*, a reason for each constraint; none if it can."""
        alone = Mandatory(candidate)
        # Its own requirements are few. Wishes that it could serve may have thousands of candidates, so they come last.
        for roots in ([alone], [*map(Mandatory, selected), alone, *self._unserved({*selected, candidate})]):
            outcome = solve(RestrictedProblem(self.problem, roots), backend=self.backend)
            if isinstance(outcome, Core):
                return tuple(self._reasons(outcome, candidate))
        return ()

    def _unserved(self, selected: Collection[Identifier]) -> Iterable[Root]:
        """Return the wishes of the request that none of *selected* serves."""
        return (root for root in self.problem.roots if not any(identifier in selected for identifier in _of_root(root)))

    def _reasons(self, core: Core, candidate: int) -> Iterable[Reason]:
        """Yield the reasons of *core*; that *candidate* is to be selected goes without saying."""
        unowned = {root.subject for root in self.problem.roots if isinstance(root, Mandatory)}
        for constraint in core.constraints:
            if isinstance(constraint, Mandatory) and constraint.subject not in unowned:
                if constraint.subject != candidate:
                    yield SelectedBefore(self.problem.candidate(constraint.subject))
            else:
                yield reason_for(self.problem, constraint)


def _same_origin(constraint: object, chosen: Chosen) -> bool:
    # Problems are lazy and make constraints anew for each call, so origins are compared by value.
    return getattr(constraint, "origin", None) == chosen.origin


def _of_root(root: Root) -> Sequence[Identifier]:
    if isinstance(root, Mandatory):
        return (root.subject,)
    return root.candidates if isinstance(root, Dependency) else ()


def _of_constraint(constraint: object) -> Iterable[Sequence[Identifier]]:
    if isinstance(constraint, Dependency):
        yield constraint.candidates
    elif isinstance(constraint, Formula):
        choices: Iterable[Choice] = choices_of(constraint.tree)
        yield from (choice.candidates for choice in choices)


def rerun_of(resolution: Resolution, request: Request | None) -> Rerun:
    """Solve the request of *resolution* once more.

    Raises:
        RequestError: *resolution* is not the answer to its request.
        Incomplete: a limit was met.
    """
    request, context = context_of(resolution, request)
    problem = ClassicProblem.of(request, context.semantics, context.visible)
    solution = solve(problem, backend=context.backend)
    if not isinstance(solution, Solution):
        raise RequestError("the plan is not one of this request", field="request")
    rerun = Rerun(problem, solution, context.backend)
    if set(map(problem.candidate, rerun.selected)) != set(resolution.selected):
        raise RequestError("the plan is not one of this request", field="request")
    return rerun
