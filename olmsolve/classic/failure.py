"""The way from the solver's core to reasons, which name subscriptions, bundles and requirements."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, assert_never

from olmsolve.catalog.index import Fault, Group
from olmsolve.classic.context import RequestContext
from olmsolve.classic.house_rules import AtLeastOne, Never, TotalAtMost
from olmsolve.classic.problem import ClassicProblem, IsDeprecated, IsNotEligible, Wish
from olmsolve.classic.reasons import (
    Broken,
    CannotStayBeside,
    Deprecated,
    MustStay,
    NotEligible,
    OnePerAPI,
    OnePerPackage,
    Reason,
    Requires,
    RuleDemands,
    RuleForbids,
    RuleKeepsApart,
    RuleLimits,
    SubscriptionWants,
    Unsatisfiable,
)
from olmsolve.classic.unmet import opposed, unmet_parts
from olmsolve.errors import CatalogError
from olmsolve.events import Statistics
from olmsolve.predicates import Predicate, Requirement
from olmsolve.resolution import Candidate
from olmsolve.solver import (
    AtMost,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    Formula,
    Incompatible,
    Limit,
    Listed,
    Mandatory,
    Prohibited,
    Trace,
    candidates_of,
    choices_of,
    exclusions_of,
)
from olmsolve.solver.backends import BackendLike


def failure(
    problem: ClassicProblem, core: Core, backend: BackendLike, trace: Trace | None = None
) -> Unsatisfiable | CatalogError:
    """Return the exception for *core*: the first fault of a catalog in it, else all its constraints as reasons.

    A fault comes first because repairing the catalog may be all it takes; the reasons are then its cause.
    """
    against = opposed(core.constraints)
    unsatisfiable = Unsatisfiable(
        tuple(reason_for(problem, constraint, against) for constraint in core.constraints),
        RequestContext(problem.request, problem.semantics, backend, core.constraints, problem.visible),
        Statistics() if trace is None else trace.statistics(),
    )
    for constraint in core.constraints:
        if isinstance(constraint, Prohibited) and isinstance(constraint.origin, Fault):
            fault = constraint.origin
            error = CatalogError(
                f"the request fails because of a fault here: {fault.reason}",
                origin=fault.origin,
                catalog=problem.candidate(constraint.subject).catalog,
                package=fault.package,
                channel=fault.channel,
                bundle=fault.bundle,
                property=fault.property,
                excerpt=fault.excerpt,
            )
            error.__cause__ = unsatisfiable
            return error
    return unsatisfiable


def reason_for(problem: ClassicProblem, constraint: Constraint, against: Collection[Any] | None = None) -> Reason:
    """Return one constraint of a core as a reason for people; values, which only ``str()`` words.

    The core speaks *against* these candidates (:func:`.unmet.opposed`), which tells the parts of a compound requirement
    that are not met; None where the core is not known.
    """
    candidate = problem.candidate
    if isinstance(constraint, Mandatory):
        return MustStay(candidate(constraint.subject))
    if isinstance(constraint, Dependency):
        candidates = tuple(map(candidate, constraint.candidates))
        if isinstance(constraint.origin, Wish):
            wish = constraint.origin
            return wish.unknown() if wish.unknown else SubscriptionWants(wish.subscription, candidates)
        if isinstance(constraint.origin, AtLeastOne):
            return RuleDemands(constraint.origin, candidates)
        return _requires(problem, constraint, candidates, against)
    if isinstance(constraint, Formula):
        if isinstance(constraint.origin, Never):
            return RuleKeepsApart(candidate(constraint.subject), constraint.origin, _excluded(problem, constraint))
        # Parts of a compound requirement may share candidates.
        mentioned = dict.fromkeys(candidates_of(constraint.tree))
        return _requires(problem, constraint, tuple(map(candidate, mentioned)), against)
    if isinstance(constraint, Prohibited):
        if isinstance(constraint.origin, IsDeprecated):
            return Deprecated(candidate(constraint.subject))
        if isinstance(constraint.origin, IsNotEligible):
            return NotEligible(candidate(constraint.subject), constraint.origin.refusal)
        if isinstance(constraint.origin, Never):
            return RuleForbids(candidate(constraint.subject), constraint.origin)
        return Broken(constraint.origin, candidate(constraint.subject))
    if isinstance(constraint, Incompatible):
        return CannotStayBeside(candidate(constraint.subject), candidate(constraint.other))
    if isinstance(constraint, AtMost):
        members = tuple(map(candidate, constraint.identifiers))
        if isinstance(constraint.origin, TotalAtMost):
            return RuleLimits(members, constraint.origin, constraint.weights)
        group: Group = constraint.origin
        return OnePerPackage(group.name, members) if group.kind == "package" else OnePerAPI(group.gvk, members)
    assert not isinstance(constraint, Exclusive | Limit), "a core names a group as a whole, as the limit above"
    assert_never(constraint)


def _requires(
    problem: ClassicProblem,
    constraint: Dependency | Formula,
    candidates: tuple[Candidate, ...],
    against: Collection[Any] | None,
) -> Requires:
    requirement: Requirement = constraint.origin
    bundle = problem.candidate(constraint.subject)
    missing: tuple[Predicate, ...] = ()
    excluded: tuple[Candidate, ...] = ()
    failing: tuple[Predicate, ...] = ()
    if isinstance(constraint, Formula):
        missing = tuple(choice.origin for choice in choices_of(constraint.tree) if not choice.candidates)
        excluded = _excluded(problem, constraint)
        failing = missing if against is None else unmet_parts(constraint, against)
    return Requires(bundle, requirement.predicate, candidates, missing, excluded, failing)


def _excluded(problem: ClassicProblem, constraint: Formula) -> tuple[Candidate, ...]:
    """Return the candidates of the core that a formula rules out."""
    listed = (
        exclusion.excluded for exclusion in exclusions_of(constraint.tree) if isinstance(exclusion.excluded, Listed)
    )
    return tuple(
        map(problem.candidate, dict.fromkeys(number for candidate in listed for number in candidate.identifiers))
    )
