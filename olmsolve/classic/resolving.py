"""Resolve classic requests: from request to problem, and from the solver's answer to a plan or to reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from olmsolve.catalog import Source
from olmsolve.classic.problem import ClassicProblem, IsDeprecated, Wish
from olmsolve.classic.reasons import (
    Broken,
    CannotStayBeside,
    Deprecated,
    MustStay,
    OnePerAPI,
    OnePerPackage,
    Reason,
    Requires,
    SubscriptionWants,
    Unsatisfiable,
)
from olmsolve.classic.request import Installed, Request, Semantics, Subscription
from olmsolve.errors import CatalogError, RequestError
from olmsolve.index import Fault, Visible
from olmsolve.predicates import Requirement, semantics_differ
from olmsolve.resolution import Candidate, Install, Resolution, WantedBy
from olmsolve.solver import (
    AtMost,
    Budget,
    Cancellation,
    Choice,
    Conflict,
    Constraint,
    Core,
    Dependency,
    Every,
    FirstOf,
    Formula,
    Identifier,
    Mandatory,
    Prohibited,
    Solution,
    Tree,
    solve,
)
from olmsolve.solver.backends import DEFAULT

__all__ = ["Resolver", "SemanticsName", "resolve"]

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

    *timeout* (seconds of wall-clock time) and *conflicts* (of the SAT solver, in all) limit the work;
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

    Safe to share between threads.
    """

    def __init__(
        self,
        sources: Iterable[Source],
        *,
        semantics: SemanticsName = Semantics.DOCUMENTED,
        backend: str = DEFAULT,
    ) -> None:
        self.sources = tuple(sources)
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
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
    ) -> Resolution:
        """The preferred plan for *subscriptions* in the first of *namespaces*; raises what :func:`resolve` does."""
        request = Request(
            namespaces=namespaces,
            sources=self.sources,
            subscriptions=tuple(subscriptions),
            installed=tuple(installed),
        )
        visible = self._visible.get(request.namespaces)
        if visible is None:
            visible = self._visible[request.namespaces] = Visible(self.sources, request.namespaces)
        return _resolve(request, visible, self.semantics, self.backend, Budget(timeout, conflicts, cancel))


def _semantics(value: SemanticsName) -> Semantics:
    try:
        return Semantics(value)
    except ValueError:
        raise RequestError(
            f"there are no semantics {value!r}", field="semantics", hint="documented or controller"
        ) from None


def _resolve(
    request: Request, visible: Visible, semantics: Semantics, backend: str, budget: Budget
) -> Resolution:
    problem = ClassicProblem(request, visible, semantics)
    outcome = solve(problem, backend=backend, budget=budget)
    if isinstance(outcome, Core):
        raise _failure(problem, outcome)
    return _plan(problem, outcome)


def _plan(problem: ClassicProblem, solution: Solution) -> Resolution:
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
    replaced = []
    for install in installs.values():
        for place, name in enumerate(problem.installed.names):
            if name == install.replaces:
                replaced.append((problem.candidate(problem.visible.size + place), install))
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
    )


def _failure(problem: ClassicProblem, core: Core) -> Unsatisfiable | CatalogError:
    failure = Unsatisfiable(tuple(_reason(problem, constraint) for constraint in core.constraints))
    for constraint in core.constraints:
        if isinstance(constraint, Prohibited) and isinstance(constraint.origin, Fault):
            fault = constraint.origin
            error = CatalogError(
                f"{fault.reason}, which leaves the request without an answer",
                origin=fault.origin,
                catalog=problem.candidate(constraint.subject).catalog,
                package=fault.package,
                channel=fault.channel,
                bundle=fault.bundle,
                property=fault.property,
            )
            error.__cause__ = failure
            return error
    return failure


def _reason(problem: ClassicProblem, constraint: Constraint) -> Reason:
    candidate = problem.candidate
    if isinstance(constraint, Mandatory):
        return MustStay(candidate(constraint.subject))
    if isinstance(constraint, Dependency):
        candidates = tuple(map(candidate, constraint.candidates))
        if isinstance(constraint.origin, Wish):
            return constraint.origin.unknown or SubscriptionWants(constraint.origin.subscription, candidates)
        return _requires(problem, constraint, candidates)
    if isinstance(constraint, Formula):
        mentioned = dict.fromkeys(_choices(constraint.tree))
        return _requires(problem, constraint, tuple(map(candidate, mentioned)))
    if isinstance(constraint, Prohibited):
        if isinstance(constraint.origin, IsDeprecated):
            return Deprecated(candidate(constraint.subject))
        return Broken(str(constraint.origin), candidate(constraint.subject))
    if isinstance(constraint, Conflict):
        return CannotStayBeside(candidate(constraint.subject), candidate(constraint.other))
    assert isinstance(constraint, AtMost)
    kind, _, name = str(constraint.origin).partition(" ")
    members = tuple(map(candidate, constraint.identifiers))
    return OnePerPackage(name, members) if kind == "package" else OnePerAPI(name, members)


def _requires(problem: ClassicProblem, constraint: Dependency | Formula, candidates: tuple[Candidate, ...]) -> Requires:
    requirement: Requirement = constraint.origin
    bundle = problem.candidate(constraint.subject)
    return Requires(bundle, str(requirement.predicate), candidates, requirement.message)


def _choices(tree: Tree) -> Iterable[Identifier]:
    if isinstance(tree, Choice):
        yield from tree.candidates
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from _choices(part)
    elif isinstance(tree, FirstOf):
        for branch in tree.branches:
            yield from _choices(branch.tree)
