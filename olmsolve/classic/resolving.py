"""Resolving: from a request to its problem, and from the solver's answer to the plan or the reasons against it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from olmsolve import events
from olmsolve._arguments import every
from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve.catalog import Source, UnreadableSource
from olmsolve.catalog.index import Views, Visible
from olmsolve.classic.context import RequestContext
from olmsolve.classic.plan_reasons import reasons_by_candidate, unparsed_requirements
from olmsolve.classic.problem import ClassicProblem
from olmsolve.classic.request import Request, Semantics
from olmsolve.classic.request_parts import HealthPolicy, Installed, Subscription
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import semantics_differ
from olmsolve.resolution import Candidate, Install, Resolution
from olmsolve.solver import Core, Identifier, Solution, Trace, attempt, solvable, solve
from olmsolve.solver.backends import DEFAULT

if TYPE_CHECKING:
    from olmsolve.classic.house_rules import HouseRule
    from olmsolve.classic.reasons import Unsatisfiable
    from olmsolve.eligibility import Eligibility
    from olmsolve.solver.backends import BackendLike

SemanticsName: TypeAlias = Semantics | Literal["documented", "controller"]


def resolve(
    request: Request,
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
) -> Resolution:
    """Return the preferred plan for *request*, within the limits of the current scope, whose observer receives events.

    Raises:
        Unsatisfiable: there is no plan; its core says why.
        CatalogError: what decides the request is broken inside a catalog.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    meaning = semantics_named(semantics)
    with _question(request, backend) as trace:
        return _resolve(request, Visible(request.sources, request.namespaces), meaning, backend, trace)


def is_satisfiable(
    request: Request,
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
) -> bool:
    """Return True if :func:`resolve` returns a plan for *request*, False if it raises Unsatisfiable or CatalogError.

    A "no" comes sooner than from :func:`resolve`, which searches on for the reasons.

    Raises:
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    meaning = semantics_named(semantics)
    return _is_satisfiable(request, lambda: Visible(request.sources, request.namespaces), meaning, backend)


class ClassicResolver:
    """A resolver of many requests over the same *sources*, which indexes them and orders candidates once.

    Programs use :class:`olmsolve.Resolver`, which explains as well.

    *unreadable* are further catalogs, whose content cannot be had, and *health_policy* says what is resolved in
    spite of them. Safe to share between threads.
    """

    def __init__(
        self,
        sources: Iterable[Source],
        *,
        semantics: SemanticsName = Semantics.DOCUMENTED,
        backend: BackendLike = DEFAULT,
        unreadable: Iterable[UnreadableSource] = (),
        health_policy: HealthPolicy = HealthPolicy.STRICT,
    ) -> None:
        # A request checks the types, and that no name is given twice.
        checked = Request(("default",), sources, (), unreadable=unreadable, health_policy=health_policy)
        self.sources: tuple[Source, ...] = checked.sources
        self.unreadable: tuple[UnreadableSource, ...] = checked.unreadable
        self.health_policy: HealthPolicy = checked.health_policy
        self.semantics: Semantics = semantics_named(semantics)
        if backend != DEFAULT:
            from olmsolve.solver.backends import find

            # Refuse an unknown backend here, not at the first request.
            find(backend)
        self.backend = backend
        self._views = Views(self.sources)

    def __repr__(self) -> str:
        names = ", ".join(source.key for source in self.sources)
        return f"<{type(self).__name__} over {names or 'no catalogs'}, {self.semantics.value}>"

    def resolve(
        self,
        subscriptions: Iterable[Subscription],
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        house_rules: Iterable[HouseRule] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
        observer: events.Observer | None = None,
    ) -> Resolution:
        """Return the preferred plan for *subscriptions* in the first of *namespaces*, or raise as :func:`resolve`."""
        with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
            request = self.request(
                subscriptions,
                namespaces=namespaces,
                installed=installed,
                eligibility=eligibility,
                house_rules=house_rules,
            )
            with _question(request, self.backend) as trace:
                return self._answer(request, self._views.seen_from(request.namespaces), trace)

    def _answer(self, request: Request, view: Visible, trace: Trace) -> Resolution:
        """Return the answer to *request*, or raise it; a resolver that keeps answers looks among them first."""
        return _resolve(request, view, self.semantics, self.backend, trace)

    def is_satisfiable(
        self,
        subscriptions: Iterable[Subscription],
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        house_rules: Iterable[HouseRule] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
        observer: events.Observer | None = None,
    ) -> bool:
        """Return True if :meth:`resolve` returns a plan for the same, False if it raises Unsatisfiable or CatalogError.

        A "no" comes sooner than from :meth:`resolve`, which searches on for the reasons.

        Raises:
            BackendError: there is no such backend, or it cannot keep a limit.
            Incomplete: a limit was met, or the caller cancelled.
        """
        with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
            request = self.request(
                subscriptions,
                namespaces=namespaces,
                installed=installed,
                eligibility=eligibility,
                house_rules=house_rules,
            )
            return _is_satisfiable(
                request, lambda: self._views.seen_from(request.namespaces), self.semantics, self.backend
            )

    def request(
        self,
        subscriptions: Iterable[Subscription],
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        house_rules: Iterable[HouseRule] = (),
    ) -> Request:
        """Return the request that :meth:`resolve` answers, for the verbs that take one, such as :func:`olmsolve.diff`.

        They share the indexes of the catalogs with this resolver.
        """
        return Request(
            namespaces=namespaces,
            sources=self.sources,
            subscriptions=subscriptions,
            installed=installed,
            unreadable=self.unreadable,
            health_policy=self.health_policy,
            eligibility=eligibility,
            house_rules=house_rules,
        )

    def warm(
        self,
        *,
        namespaces: Sequence[str],
        packages: Collection[str] | None = None,
        timeout: float | None = None,
        cancel: Cancellation | None = None,
        observer: events.Observer | None = None,
    ) -> None:
        """Do now what the first requests for *namespaces* would do: index the catalogs, and make what requests look up.

        An index makes requirements, candidates and names when a request first asks for them, so the first request for
        each package takes longer than later ones. This makes them for the bundles of *packages*, by default for all. It
        takes half the time of building the index on real catalogs, more where bundles state many different
        requirements, and memory for what is made. A process that answers a few requests does without. After
        a limit, the next call goes on with what is missing. On Python without its global lock, each thread has an index
        of its own, and makes the same at its first request.

        Raises:
            CatalogError: a catalog that was read from an index file has changed.
            Incomplete: *timeout* (seconds) was met, or the caller cancelled.
        """
        names = every(namespaces, str, "namespaces")
        chosen = None if packages is None else every(packages, str, "packages")
        with scoped(timeout=timeout, cancel=cancel, observer=observer):
            self._views.warm(names, chosen)


def semantics_named(value: SemanticsName) -> Semantics:
    """Return the semantics that *value* is, or names. Raises RequestError."""
    if isinstance(value, Semantics):
        return value
    try:
        return Semantics(value)
    except ValueError:
        raise RequestError(
            f"there are no semantics {value!r}", field="semantics", hint="documented or controller"
        ) from None


# A context made of a generator takes five times as long, and most requests have no observer.
class _Unobserved:
    """The context of a question without an observer; used as a function: ``with _Unobserved() as trace``."""

    __slots__ = ()

    def __enter__(self) -> Trace:
        return Trace()

    def __exit__(self, *_: object) -> None:
        pass


_UNOBSERVED: Final = _Unobserved()
_NO_PAUSE: Final = nullcontext()


def _question(request: Request, backend: BackendLike) -> AbstractContextManager[Trace]:
    """Return a context for answering *request*; its value is the trace, whose events go to the current observer."""
    observer = events.current()
    return _UNOBSERVED if observer is None else _observed(request, backend, observer)


@contextmanager
def _observed(request: Request, backend: BackendLike, observer: events.Observer) -> Iterator[Trace]:
    from olmsolve.classic.failure import ClassicTrace
    from olmsolve.solver.backends import find

    trace = ClassicTrace(observer)
    with events.question(observer, request.name, request.namespaces[0], find(backend).name, trace):
        yield trace


def _resolve(
    request: Request, visible: Visible, semantics: Semantics, backend: BackendLike, trace: Trace
) -> Resolution:
    # Most requests have no unreadable catalog, and then need no context before there is an answer.
    if request.unreadable:
        from olmsolve.classic import unreadable

        unreadable.check_catalogs_before_solving(request, RequestContext(request, semantics, backend))
    # The judgement about unreadable catalogs reads what the bundles of a solution require, and nothing else does.
    problem = ClassicProblem(request, visible, semantics, numbered=visible.dense and not request.unreadable)
    trace.note_problem(problem)
    # The plan is made in the pause of the search. If that ended before, the collector would walk all that the search
    # has made as soon as the plan makes objects: 85 of 110 ms for the plan of the hard problem of 100,000 bundles.
    with COLLECTOR_PAUSE if problem.dense else _NO_PAUSE:
        answer = _solved(problem, backend, trace)
    if isinstance(answer, Core):
        raise _failure(problem, answer, backend, trace)
    return answer


def _solved(problem: ClassicProblem, backend: BackendLike, trace: Trace) -> Resolution | Core:
    """Return the plan of *problem*, or its core."""
    outcome = solve(problem, backend=backend, trace=trace)
    trace.end()
    if isinstance(outcome, Core):
        return outcome
    _check_order_of_operators(problem)
    request = problem.request
    if request.unreadable:
        from olmsolve.classic import unreadable

        unreadable.check_catalogs_after_solving(problem, outcome, RequestContext(request, problem.semantics, backend))
    return resolution_of(problem, outcome, backend, trace)


def _failure(problem: ClassicProblem, core: Core, backend: BackendLike, trace: Trace) -> Unsatisfiable | CatalogError:
    # Reasons take a while to import, and most requests have a plan.
    from olmsolve.classic.failure import failure

    failed = failure(problem, core, backend, trace)
    if not problem.request.unreadable:
        return failed
    from olmsolve.classic.unreadable import with_unreadable_catalogs

    return with_unreadable_catalogs(problem.request, failed)


def _is_satisfiable(request: Request, view: Callable[[], Visible], semantics: Semantics, backend: BackendLike) -> bool:
    from olmsolve.classic.reasons import Unsatisfiable
    from olmsolve.classic.unreadable import check_catalogs_after_solving, check_catalogs_before_solving

    context = RequestContext(request, semantics, backend)
    try:
        with _question(request, backend) as trace:
            check_catalogs_before_solving(request, context)
            problem = ClassicProblem(request, view(), semantics)
            trace.note_problem(problem)
            if not request.unreadable:
                if not solvable(problem, backend=backend, trace=trace):
                    raise Unsatisfiable(())
                _check_order_of_operators(problem)
                return True
            solution = attempt(problem, backend=backend, trace=trace)
            if solution is None:
                raise Unsatisfiable(())
            _check_order_of_operators(problem)
            check_catalogs_after_solving(problem, solution, context)
    except (Unsatisfiable, CatalogError):
        return False
    return True


def _check_order_of_operators(problem: ClassicProblem) -> None:
    # Two operators of one package are rare, and requests without them do not wait for the module.
    if len(problem.installed.names) > 1:
        from olmsolve.classic.unordered import check_order_of_operators

        check_order_of_operators(problem)


def resolution_of(
    problem: ClassicProblem, solution: Solution, backend: BackendLike = DEFAULT, trace: Trace | None = None
) -> Resolution:
    """Return *solution* of *problem* as a plan: the bundles to install, for whom, and what becomes of operators.

    *trace* is the trace of its solving, for the statistics.
    """
    unparsed = unparsed_requirements(problem, solution)
    wanted_by = reasons_by_candidate(problem, solution, unparsed)
    kept: list[int] = []
    installs: list[Install] = []
    replaced: list[tuple[Candidate, Install]] = []
    added: list[Identifier] = []
    up_to_date: list[Install] = []
    owned: dict[str, str] = {}
    if problem.installed.names:
        owned = {owner.name: name for name, owner in problem.request.owners().items()}
    for identifier in checked(solution.selected, every=16):
        if problem.is_installed(identifier):
            assert isinstance(identifier, int)
            kept.append(identifier)
            continue
        reasons = wanted_by.get(identifier, ())
        install = Install(problem.candidate(identifier), problem.replaces(identifier), reasons)
        added.append(identifier)
        operators = problem.updated_by(identifier)
        if not operators:
            installs.append(install)
            continue
        is_up_to_date = _is_up_to_date(install.candidate, problem.request, owned)
        (up_to_date if is_up_to_date else installs).append(install)
        for operator in operators:
            # An entry of the operator's own name changes nothing on the cluster: the operator is kept, not replaced.
            if problem.candidate(operator).name == install.name:
                kept.append(operator)
            else:
                replaced.append((problem.candidate(operator), install))
    kept.sort()
    request = problem.request
    unreadable: tuple[UnreadableSource, ...] = ()
    if request.unreadable:
        from olmsolve.classic.unreadable import visible_unreadable

        unreadable = visible_unreadable(request)
    return Resolution(
        installs=tuple(installs),
        kept=tuple(map(problem.candidate, kept)),
        replaced=tuple(replaced),
        differing=tuple(_differing(problem, (*kept, *added), unparsed)),
        semantics=problem.semantics.value,
        unreadable=unreadable,
        health_policy=request.health_policy.value if unreadable else "",
        context=RequestContext(request, problem.semantics, backend, visible=problem.visible),
        statistics=events.Statistics() if trace is None else trace.statistics(),
        up_to_date=tuple(up_to_date),
    )


def _is_up_to_date(entry: Candidate, request: Request, owned: Mapping[str, str]) -> bool:
    """Return whether all subscriptions that the chosen *entry* serves own the operator of its name, as recorded.

    *owned* maps the name of each subscription to the operator that it owns.
    OLM looks at subscriptions by package, channel and catalog, not at who asked for the entry. Then it plans nothing;
    otherwise its plan takes the operator up for the others.
    """
    return all(
        owned.get(wish.name) == entry.name
        for wish in request.subscriptions
        if wish.package == entry.package
        and wish.channel in ("", entry.channel)
        and (not wish.source or wish.catalog == entry.catalog)
    )


def _differing(
    problem: ClassicProblem, selected: Sequence[Identifier], unparsed: Container[Identifier]
) -> list[Candidate]:
    """Return the *selected* candidates with a requirement that means something else under the other semantics.

    None of the *unparsed* requirements does: they are about packages alone.
    """
    differing: list[Candidate] = []
    for identifier in selected:
        if identifier in unparsed:
            continue
        for requirement in problem.requirements(identifier):
            if semantics_differ(requirement.predicate):
                differing.append(problem.candidate(identifier))
                break
    return differing
