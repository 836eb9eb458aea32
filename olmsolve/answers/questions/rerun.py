"""A resolution solved once more, with everything in hand that its plan no longer says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import attrs

from olmsolve.answers.explain import RestrictedProblem
from olmsolve.classic import Asked, ClassicProblem, Request, reason
from olmsolve.errors import RequestError
from olmsolve.resolution import Resolution, WantedBy
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

__all__ = ["Rerun", "asked_of", "rerun_of"]


@attrs.frozen
class Rerun:
    """*problem* with its *solution*."""

    problem: ClassicProblem
    solution: Solution
    backend: str

    @property
    def selected(self) -> tuple[int, ...]:
        """The selected candidates in order (parts of compound constraints left out)."""
        return tuple(each for each in self.solution.selected if isinstance(each, int))

    def choice_of(self, identifier: Identifier) -> Chosen | None:
        """The choice that selected *identifier*."""
        for chosen in self.solution.choices:
            if chosen.identifier == identifier and not chosen.selected_before:
                return chosen
        return None

    def candidates(self, chosen: Chosen) -> Sequence[int]:
        """What *chosen* chose from, most wanted first."""
        if chosen.subject is None:
            lists = [_of_root(root) for root in self.problem.roots if root.origin is chosen.origin]
        else:
            lists = [
                candidates
                for constraint in self.problem.constraints(chosen.subject)
                for candidates in _of_constraint(constraint)
                if _same_origin(constraint, chosen)
            ]
        found = next((each for each in lists if chosen.identifier in each), (chosen.identifier,))
        return [each for each in found if isinstance(each, int)]

    def wanted_by(self, chosen: Chosen) -> WantedBy | None:
        """Whose choice it was; None for an operator that must stay."""
        origin = chosen.origin
        if chosen.subject is not None:
            return WantedBy(bundle=self.problem.candidate(chosen.subject).name, requirement=str(origin_words(origin)))
        wish = getattr(origin, "subscription", None)
        return None if wish is None else WantedBy(subscription=wish.name)

    def impossible(self, candidate: int, held: Sequence[int]) -> tuple[str, ...]:
        """Why *candidate* cannot be selected beside *held*, a sentence a constraint; nothing if it can."""
        alone = Mandatory(candidate)
        # What it needs is few; the wishes it could serve may have thousands of candidates, and are asked about last.
        for roots in ([alone], [*map(Mandatory, held), alone, *self._unserved({*held, candidate})]):
            outcome = solve(RestrictedProblem(self.problem, roots), backend=self.backend)
            if isinstance(outcome, Core):
                return tuple(self._said(outcome, candidate))
        return ()

    def _unserved(self, held: Collection[Identifier]) -> Iterable[Root]:
        """The wishes of the request that none of *held* serves."""
        return (root for root in self.problem.roots if not any(each in held for each in _of_root(root)))

    def _said(self, core: Core, candidate: int) -> Iterable[str]:
        unowned = {root.subject for root in self.problem.roots if isinstance(root, Mandatory)}
        for constraint in core.constraints:
            if isinstance(constraint, Mandatory) and constraint.subject not in unowned:
                if constraint.subject != candidate:
                    yield f"{self.problem.candidate(constraint.subject)} is selected before it"
            else:
                yield str(reason(self.problem, constraint))


def origin_words(origin: object) -> object:
    """What a requirement requires, in words."""
    return getattr(origin, "predicate", origin)


def _same_origin(constraint: object, chosen: Chosen) -> bool:
    # Problems are lazy: asked again, they give equal constraints and not the same ones.
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


def asked_of(resolution: Resolution, request: Request | None) -> tuple[Request, Asked]:
    """The request of *resolution* and how it was resolved. Raises RequestError where it is not known."""
    asked = resolution.asked if isinstance(resolution, Resolution) else None
    if request is None and asked is not None:
        request = asked.request
    if asked is None or request is None:
        raise RequestError(
            f"this {type(resolution).__name__} does not say what was asked",
            field="request",
            hint="a plan that was pickled leaves its request behind: give it as request=",
        )
    return request, asked


def rerun_of(resolution: Resolution, request: Request | None) -> Rerun:
    """*resolution* solved once more. Raises RequestError if it is not the answer to its request."""
    request, asked = asked_of(resolution, request)
    problem = ClassicProblem.of(request, asked.semantics)
    solution = solve(problem, backend=asked.backend)
    if not isinstance(solution, Solution):
        raise RequestError("the plan is not one of this request", field="request")
    rerun = Rerun(problem, solution, asked.backend)
    names = {(each.catalog, each.channel, each.name) for each in map(problem.candidate, rerun.selected)}
    plan = {(each.catalog, each.channel, each.name) for each in resolution.installs}
    if not plan <= names or len(names) != len(plan) + len(resolution.kept):
        raise RequestError("the plan is not one of this request", field="request")
    return rerun
