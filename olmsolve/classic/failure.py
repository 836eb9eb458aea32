"""The constraints of the solver as reasons, which name subscriptions, bundles and requirements.

The constraints of a core become the exception of the request. Some parts of a compound requirement may be met: of
``all of (grey; none of (blue))`` beside a blue bundle, only the second part is the reason, because grey can be had. The
constraint that rules out a candidate becomes the reason that an observer gets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, assert_never

from olmsolve import events
from olmsolve.catalog.index import Fault, Group
from olmsolve.classic.context import RequestContext
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
from olmsolve.errors import CatalogError
from olmsolve.events import Statistics
from olmsolve.predicates import Predicate, Requirement
from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Core,
    Dependency,
    Every,
    Exclusive,
    FirstOf,
    Formula,
    Hopeless,
    Identifier,
    Incompatible,
    Limit,
    Mandatory,
    Needs,
    Prohibited,
    SharedGroup,
    ToldTrace,
    Trace,
    Tree,
    candidates_of,
    choices_of,
    exclusions_of,
    ruled_out,
)

if TYPE_CHECKING:
    from olmsolve.solver.backends import BackendLike


def opposed(core: Iterable[Constraint]) -> frozenset[Any]:
    """Return the candidates that some constraint of *core* speaks against: a choice with any other can be met."""
    return frozenset(number for constraint in core for number in constraint.speaks_against())


def unmet_parts(formula: Formula, against: Collection[Any]) -> tuple[Predicate, ...]:
    """Return the parts of *formula* that are not met beside the core, which speaks *against* these candidates."""
    broken = (exclusion.origin.predicate for exclusion in exclusions_of(formula.tree) if exclusion.excluded)
    return (*(choice.origin for choice in unmet_choices(formula.tree, against, formula.subject)), *broken)


def unmet_choices(tree: Tree, against: Collection[Any], subject: Any) -> list[Choice]:
    """Return the choices that keep *tree*, a formula of *subject*, from being met; none if only exclusions do.

    A part of a conjunction that can be met, perhaps by *subject* itself, is no reason. A part that nothing at all can
    meet is reason enough: of "x and y", where nothing gives y, only the choice for y is returned.
    """
    if isinstance(tree, Choice):
        met = subject in tree.candidates or any(number not in against for number in tree.candidates)
        return [] if met else [tree]
    if isinstance(tree, Every):
        parts = [unmet_choices(part, against, subject) for part in tree.parts]
        # Of a part that somebody could meet, and one that nobody can, the second is what keeps the whole from being
        # met.
        hopeless = [part for part in parts if part and not any(choice.candidates for choice in part)]
        return hopeless[0] if hopeless else [choice for part in parts for choice in part]
    if isinstance(tree, FirstOf):
        return [choice for branch in tree.branches for choice in unmet_choices(branch.tree, against, subject)]
    return []


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
        if isinstance(constraint.origin, Fault):
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

    The core speaks *against* these candidates (:func:`opposed`), which gives the parts of a compound requirement that
    are not met; None where the core is not known.
    """
    candidate = problem.candidate
    match constraint:
        case Mandatory():
            return MustStay(candidate(constraint.subject))
        case Dependency(origin=origin):
            candidates = tuple(map(candidate, constraint.candidates))
            if isinstance(origin, Wish):
                return origin.unknown() if origin.unknown else SubscriptionWants(origin.subscription, candidates)
            if not isinstance(origin, Requirement):
                return RuleDemands(origin, candidates)
            return Requires(candidate(constraint.subject), origin.predicate, candidates, (), (), ())
        case Formula():
            return _reason_for_formula(problem, constraint, against)
        case Prohibited(origin=origin):
            bundle = candidate(constraint.subject)
            if isinstance(origin, IsDeprecated):
                return Deprecated(bundle)
            if isinstance(origin, IsNotEligible):
                return NotEligible(bundle, origin.refusal)
            return Broken(origin, bundle) if isinstance(origin, Fault) else RuleForbids(bundle, origin)
        case Incompatible():
            return CannotStayBeside(candidate(constraint.subject), candidate(constraint.other))
        case AtMost(origin=group):
            members = tuple(map(candidate, constraint.identifiers))
            if not isinstance(group, Group):
                return RuleLimits(members, group, constraint.weights)
            return OnePerPackage(group.name, members) if group.kind == "package" else OnePerAPI(group.gvk, members)
        case Exclusive() | Limit():
            raise AssertionError("a core names a group as a whole, as the limit above")
        case _:
            assert_never(constraint)


def _reason_for_formula(problem: ClassicProblem, formula: Formula, against: Collection[Any] | None) -> Reason:
    bundle = problem.candidate(formula.subject)
    excluded = tuple(map(problem.candidate, dict.fromkeys(ruled_out(formula.tree))))
    if not isinstance(formula.origin, Requirement):
        return RuleKeepsApart(bundle, formula.origin, excluded)
    # Parts of a compound requirement may share candidates.
    candidates = tuple(map(problem.candidate, dict.fromkeys(candidates_of(formula.tree))))
    missing = tuple(choice.origin for choice in choices_of(formula.tree) if not choice.candidates)
    failing = missing if against is None else unmet_parts(formula, against)
    return Requires(bundle, formula.origin.predicate, candidates, missing, excluded, failing)


class ClassicTrace(ToldTrace):
    """A trace whose events name the candidates of *problem*, which is set once the problem is stated."""

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
