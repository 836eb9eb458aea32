"""Catalogs whose content cannot be had, and the requests that are resolved in spite of them.

OLM resolves nothing in a namespace that sees an unreadable catalog (``strict``). A planner may know more: that the
catalog does not matter (``ignore``), or that failing is right only where it could matter (``referenced``). Its content
is unknown, so it could matter in exactly these cases:

- a subscription names it, or names no catalog;
- the request is unsatisfiable, and a requirement is among the reasons: the catalog might have met it;
- a candidate was passed over: the catalog might have made it possible;
- a requirement was met by a candidate that comes after the catalog in the order of preference, which house rules may
  change;
- a house rule demands a bundle that may come from it.

In all other cases a plan is the same whatever the catalog holds. A compound requirement always counts as such a case,
since it would take a search to know: this errs on the side of failing.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator

from olmsolve._records import evolve, record
from olmsolve.catalog import UnreadableSource
from olmsolve.classic.context import RequestContext
from olmsolve.classic.problem import ClassicProblem
from olmsolve.classic.reasons import Reason, Requires, Unsatisfiable
from olmsolve.classic.request import Request
from olmsolve.classic.request_parts import HealthPolicy, Subscription
from olmsolve.errors import CatalogError
from olmsolve.predicates import Requirement
from olmsolve.resolution import Candidate
from olmsolve.solver import Constraint, Formula, Identifier, Solution


class Influence(enum.Enum):
    """The way in which an answer could depend on an unreadable catalog; the values are templates of :meth:`what`."""

    STRICT = "nothing is resolved while a visible catalog cannot be read"
    NAMED = "subscription {subscription} names it"
    CONSIDERED = "subscription {subscription} considers every visible catalog"
    DEMANDED = "house rule {rule!r} considers it"
    PROVIDER = "nothing can come from a catalog that cannot be read"
    COMPOUND = "{candidate} has a compound requirement, {requirement}, whose choice it could change"
    PASSED_OVER = "it could make {other} possible, which was passed over for {candidate}"
    EARLIER = "it could have a bundle that {other} requires and that comes before {candidate}"


@record
class CatalogsUnreadable(Reason):
    """The answer could depend on catalogs that cannot be read, by the *influence* that they may have.

    *subscription* names the subscription that depends on them. *candidate* was selected; *other* was passed over for
    it (PASSED_OVER) or requires it (EARLIER), and *requirement* is its own (COMPOUND). *house_rule* names the rule that
    could be kept by one of their bundles (DEMANDED).
    """

    catalogs: tuple[UnreadableSource, ...]
    influence: Influence
    candidate: Candidate | None = None
    other: Candidate | None = None
    subscription: str = ""
    requirement: Requirement | None = None
    house_rule: str = ""

    @property
    def is_named(self) -> bool:
        """Whether the subscription names the catalogs, and so fails whatever they hold."""
        return self.influence is Influence.NAMED

    @property
    def what(self) -> str:
        """The influence in words, as the end of a sentence."""
        return self.influence.value.format(
            subscription=self.subscription,
            candidate=self.candidate,
            other=self.other,
            requirement=self.requirement,
            rule=self.house_rule,
        )

    def candidates_named(self) -> tuple[Candidate, ...]:
        return () if self.candidate is None else (self.candidate,)

    def __str__(self) -> str:
        names = " and ".join(f"{catalog.key} ({catalog.error})" for catalog in self.catalogs)
        return f"catalog{'s' if len(self.catalogs) > 1 else ''} {names} cannot be read, and {self.what}"


def visible_unreadable(request: Request) -> tuple[UnreadableSource, ...]:
    """Return the unreadable catalogs that *request* sees, in the order of preference."""
    target = request.namespaces[0]
    seen = [source for source in request.unreadable if source.namespace in request.namespaces]
    return tuple(sorted(seen, key=lambda source: source.rank(target)))


def check_catalogs_before_solving(request: Request, context: RequestContext) -> None:
    """Raise Unsatisfiable where *request* depends on an unreadable catalog whatever a search would find."""
    unreadable = visible_unreadable(request)
    if not unreadable:
        return
    if request.health_policy is HealthPolicy.STRICT:
        raise Unsatisfiable((CatalogsUnreadable(unreadable, Influence.STRICT),), context)
    for subscription in request.subscriptions:
        named = _named_by(subscription, unreadable)
        if named is not None:
            raise Unsatisfiable((named,), context)
        if not subscription.source and request.health_policy is HealthPolicy.REFERENCED:
            reason = CatalogsUnreadable(unreadable, Influence.CONSIDERED, subscription=subscription.name)
            raise Unsatisfiable((reason,), context)
    if request.house_rules and request.health_policy is HealthPolicy.REFERENCED:
        from olmsolve.classic.house_rules import AtLeastOne  # whoever made the rules has loaded it

        for rule in request.house_rules:
            considered = tuple(source for source in unreadable if rule.bundles.catalog in ("", source.key))
            if isinstance(rule, AtLeastOne) and considered:
                reason = CatalogsUnreadable(considered, Influence.DEMANDED, house_rule=rule.name)
                raise Unsatisfiable((reason,), context)


def named_unreadable(request: Request) -> Iterator[CatalogsUnreadable]:
    """Yield a reason for each subscription of *request* that names an unreadable catalog: it fails by any policy.

    A subscription that names a catalog which is not there fails as well, so that leaving a catalog out and ignoring it
    come to the same.
    """
    unreadable = visible_unreadable(request)
    for subscription in request.subscriptions:
        if (reason := _named_by(subscription, unreadable)) is not None:
            yield reason


def _named_by(subscription: Subscription, unreadable: tuple[UnreadableSource, ...]) -> CatalogsUnreadable | None:
    named = tuple(source for source in unreadable if _names(subscription, source))
    return CatalogsUnreadable(named, Influence.NAMED, subscription=subscription.name) if named else None


def with_unreadable_catalogs(request: Request, failed: Unsatisfiable | CatalogError) -> Unsatisfiable | CatalogError:
    """Return *failed*, with the unreadable catalogs as one more reason where they might have met a requirement."""
    if isinstance(failed, CatalogError):
        return failed
    provider = possible_provider(request, failed.core)
    return failed if provider is None else evolve(failed, core=(*failed.core, provider))


def possible_provider(request: Request, reasons: Iterable[Reason]) -> CatalogsUnreadable | None:
    """Return the unreadable catalogs as a reason if they might have met a requirement among *reasons*, else None."""
    unreadable = visible_unreadable(request)
    if not unreadable or request.health_policy is not HealthPolicy.REFERENCED:
        return None
    requires = any(isinstance(reason, Requires) for reason in reasons)
    return CatalogsUnreadable(unreadable, Influence.PROVIDER) if requires else None


def check_catalogs_after_solving(problem: ClassicProblem, solution: Solution, context: RequestContext) -> None:
    """Raise Unsatisfiable where *solution* could be another one, were the content of all catalogs known."""
    unreadable = visible_unreadable(problem.request)
    if not unreadable or problem.request.health_policy is not HealthPolicy.REFERENCED:
        return
    reason = next(_influences(problem, solution, unreadable), None)
    if reason is not None:
        raise Unsatisfiable((reason,), context)


def _influences(
    problem: ClassicProblem, solution: Solution, unreadable: tuple[UnreadableSource, ...]
) -> Iterator[CatalogsUnreadable]:
    # By subject as well: bundles may share a requirement, but their own catalog comes first among its candidates.
    wanted: dict[tuple[Identifier | None, int], Constraint] = {
        (None, id(root.origin)): root for root in problem.roots if root.subject is None
    }
    for identifier in solution.selected:
        for constraint in problem.constraints(identifier):
            if isinstance(constraint, Formula):
                bundle = problem.candidate(identifier)
                yield CatalogsUnreadable(unreadable, Influence.COMPOUND, bundle, requirement=constraint.origin)
            elif constraint.candidates:
                # By identity: an origin may hold functions and mappings, which have no hash, and it is the same object
                # in the choice.
                wanted[identifier, id(constraint.origin)] = constraint
    for chosen in solution.choices:
        dependency = wanted.get((chosen.subject, id(chosen.origin)))
        # An earlier selection met the choice, so nothing was compared with the catalog's bundles.
        if dependency is None or chosen.selected_before:
            continue
        best, candidate = dependency.candidates[0], problem.candidate(chosen.identifier)
        if chosen.identifier != best:
            yield CatalogsUnreadable(unreadable, Influence.PASSED_OVER, candidate, problem.candidate(best))
        elif isinstance(chosen.origin, Requirement):
            before = tuple(source for source in unreadable if _precedes(problem, source, dependency, chosen.identifier))
            if before:
                yield CatalogsUnreadable(before, Influence.EARLIER, candidate, problem.candidate(dependency.subject))


def _precedes(problem: ClassicProblem, source: UnreadableSource, dependency: Constraint, chosen: object) -> bool:
    """Return True if candidates of *source* would come before the *chosen* one."""
    assert isinstance(chosen, int)
    if problem.ruled is not None and problem.ruled.preferred:
        # A house rule may prefer what the catalog has.
        return True
    if problem.is_installed(chosen):
        return False
    position, _, _ = problem.visible.locate(chosen)
    subject = dependency.subject
    assert isinstance(subject, int)
    if not problem.is_installed(subject) and problem.visible.locate(subject)[0] == position:
        # The requiring bundle's own catalog comes before all others.
        return False
    target = problem.request.namespaces[0]
    return source.rank(target) < problem.visible.sources[position].rank(target)


def _names(subscription: Subscription, source: UnreadableSource) -> bool:
    return (subscription.source, subscription.source_namespace) == (source.name, source.namespace)
