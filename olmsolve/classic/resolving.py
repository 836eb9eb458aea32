"""Resolve classic requests: from request to problem, and from the solver's answer to a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from olmsolve.catalog import Source, UnreadableSource
from olmsolve.classic.failure import failure
from olmsolve.classic.problem import ClassicProblem, Wish
from olmsolve.classic.reasons import Asked
from olmsolve.classic.request import HealthPolicy, Installed, Request, Semantics, Subscription
from olmsolve.classic.unreadable import explained, refuse_named, refuse_touched, visible_unreadable
from olmsolve.errors import RequestError
from olmsolve.index import Visible
from olmsolve.predicates import Requirement, semantics_differ
from olmsolve.resolution import Install, Resolution, WantedBy
from olmsolve.solver import Budget, Cancellation, Core, Identifier, Solution, solve
from olmsolve.solver.backends import DEFAULT

if TYPE_CHECKING:
    from olmsolve.cluster.eligibility import Eligibility

__all__ = ["Resolver", "SemanticsName", "plan", "resolve"]

# Views of the catalogs, by namespaces; a service for many tenants has as many of them.
_MOST_VIEWS: Final = 64

SemanticsName: TypeAlias = Semantics | Literal["documented", "controller"]


def resolve(
    request: Request,
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: str = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
) -> Resolution:
    """The preferred plan for *request*.

    *timeout* (seconds of wall-clock time) and *conflicts* (of one question to the SAT solver) limit the work;
    setting *cancel* (a :class:`threading.Event`) from another thread ends it.

    Raises:
        Unsatisfiable: there is no plan; its core says why.
        CatalogError: what decides the request is broken inside a catalog.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was reached, or the caller cancelled.
    """
    visible = Visible(request.sources, request.namespaces)
    budget = Budget(timeout, conflicts, cancel)
    return _resolve(request, visible, _semantics(semantics), backend, budget)


class Resolver:
    """Resolves many requests over the same *sources*; indexes and candidates are worked out once.

    *unreadable* are catalogs beside them whose content cannot be had, and *health_policy* says what is resolved in
    spite of them. Safe to share between threads.
    """

    def __init__(
        self,
        sources: Iterable[Source],
        *,
        semantics: SemanticsName = Semantics.DOCUMENTED,
        backend: str = DEFAULT,
        unreadable: Iterable[UnreadableSource] = (),
        health_policy: HealthPolicy = HealthPolicy.STRICT,
    ) -> None:
        self.sources = tuple(sources)
        self.unreadable = tuple(unreadable)
        self.health_policy = health_policy
        self.semantics = _semantics(semantics)
        self.backend = backend
        self._visible: dict[tuple[str, ...], Visible] = {}

    def __repr__(self) -> str:
        names = ", ".join(source.key for source in self.sources)
        return f"<Resolver over {names or 'no catalogs'}, {self.semantics.value}>"

    def resolve(
        self,
        subscriptions: Iterable[Subscription],
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
    ) -> Resolution:
        """The preferred plan for *subscriptions* in the first of *namespaces*; raises what :func:`resolve` does."""
        request = Request(
            namespaces=namespaces,
            sources=self.sources,
            subscriptions=subscriptions,
            installed=installed,
            unreadable=self.unreadable,
            health_policy=self.health_policy,
            eligibility=eligibility,
        )
        visible = self._visible.get(request.namespaces)
        if visible is None:
            if len(self._visible) >= _MOST_VIEWS:
                self._visible.clear()
            visible = self._visible[request.namespaces] = Visible(self.sources, request.namespaces)
        return _resolve(request, visible, self.semantics, self.backend, Budget(timeout, conflicts, cancel))


def _semantics(value: SemanticsName) -> Semantics:
    try:
        return Semantics(value)
    except ValueError:
        raise RequestError(
            f"there are no semantics {value!r}", field="semantics", hint="documented or controller"
        ) from None


def _resolve(request: Request, visible: Visible, semantics: Semantics, backend: str, budget: Budget) -> Resolution:
    asked = Asked(request, semantics, backend)
    refuse_named(request, asked)
    problem = ClassicProblem(request, visible, semantics)
    outcome = solve(problem, backend=backend, budget=budget)
    if isinstance(outcome, Core):
        raise explained(request, failure(problem, outcome, backend))
    refuse_touched(problem, outcome, asked)
    return plan(problem, outcome, backend)


def plan(problem: ClassicProblem, solution: Solution, backend: str = DEFAULT) -> Resolution:
    """What *solution* of *problem* means: the bundles to install, for whom, and what becomes of installed operators."""
    wanted: dict[Identifier, list[WantedBy]] = {}
    for chosen in solution.choices:
        if isinstance(chosen.origin, Wish):
            who = WantedBy(subscription=chosen.origin.subscription.name)
        elif isinstance(chosen.origin, Requirement) and chosen.subject is not None:
            bundle = problem.candidate(chosen.subject).name
            who = WantedBy(bundle=bundle, requirement=str(chosen.origin.predicate))
        else:
            continue
        reasons = wanted.setdefault(chosen.identifier, [])
        if who not in reasons and chosen.identifier != chosen.subject:
            reasons.append(who)
    installs: dict[Identifier, Install] = {}
    for identifier in solution.selected:
        if not problem.is_installed(identifier):
            candidate = problem.candidate(identifier)
            reasons = wanted.get(identifier, [])
            installs[identifier] = Install(candidate, problem.replaces(identifier), tuple(reasons))
    kept = sorted(i for i in solution.selected if isinstance(i, int) and problem.is_installed(i))
    replaced = [
        (problem.candidate(operator), install)
        for identifier, install in installs.items()
        for operator in problem.updated_by(identifier)
    ]
    differing = [
        problem.candidate(identifier)
        for identifier in (*kept, *installs)
        if any(semantics_differ(requirement.predicate) for requirement in problem.requirements(identifier))
    ]
    return Resolution(
        installs=tuple(installs.values()),
        kept=tuple(problem.candidate(identifier) for identifier in kept),
        replaced=tuple(replaced),
        differing=tuple(differing),
        semantics=problem.semantics.value,
        unreadable=(unreadable := visible_unreadable(problem.request)),
        health_policy=problem.request.health_policy.value if unreadable else "",
        asked=Asked(problem.request, problem.semantics, backend),
    )
