"""The resolver of the facade, which answers and explains many requests over the same catalogs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Self

from olmsolve._limits import Cancellation, scoped
from olmsolve._records import evolve
from olmsolve.classic import ClassicResolver, HealthPolicy, Semantics, Subscription
from olmsolve.errors import CatalogError, RequestError
from olmsolve.resolution import Resolution, ResolutionFailure
from olmsolve.solver.backends import DEFAULT

if TYPE_CHECKING:
    from olmsolve import events
    from olmsolve.answers.explain import Explanation
    from olmsolve.answers.questions import Why, WhyNot
    from olmsolve.catalog import Source, UnreadableSource
    from olmsolve.catalog.index import Visible
    from olmsolve.classic import HouseRule, Installed, KeptAnswers, PlanDiff, Request, SemanticsName, SubscriptionPath
    from olmsolve.eligibility import Eligibility
    from olmsolve.resolution import Resolution
    from olmsolve.solver import Trace
    from olmsolve.solver.backends import BackendLike


class Resolver(ClassicResolver):
    """A resolver of many requests over the same catalogs, which indexes them and orders candidates once.

    *sources* are the catalogs, *unreadable* the catalogs whose content is not available, and *health_policy* says what
    is resolved in spite of them. *keep* is how many of the last answers are kept for repeated requests; :meth:`after`
    takes them to the next version of the catalogs. All methods take their requests as :meth:`resolve` does, and share
    the kept data. Safe to share between threads.

    >>> import olmsolve
    >>> commons = olmsolve.load("olmsolve/examples/catalogs/commons")
    >>> resolver = olmsolve.Resolver([olmsolve.Source("commons", "shop", 0, commons)])
    >>> wish = olmsolve.Subscription("db", "shop", "ledgerdb", channel="stable")
    >>> [install.name for install in resolver.resolve([wish], namespaces=["shop"]).installs]
    ['ledgerdb.v5.3.0', 'keyring.v1.0.2']
    >>> resolver.is_satisfiable([olmsolve.evolve(wish, channel="beta")], namespaces=["shop"])
    False
    >>> print(resolver.why([wish], "keyring", namespaces=["shop"]).chain[-1])
    ledgerdb.v5.3.0 requires the API keys.example.com/v1/KeyRing, which selects keyring.v1.0.2 (stable, shop/commons)
    """

    def __init__(
        self,
        sources: Iterable[Source],
        *,
        semantics: SemanticsName = Semantics.DOCUMENTED,
        backend: BackendLike = DEFAULT,
        unreadable: Iterable[UnreadableSource] = (),
        health_policy: HealthPolicy = HealthPolicy.STRICT,
        keep: int = 0,
    ) -> None:
        super().__init__(
            sources, semantics=semantics, backend=backend, unreadable=unreadable, health_policy=health_policy
        )
        if isinstance(keep, bool) or not isinstance(keep, int) or keep < 0:
            raise RequestError(f"{keep!r} is not how many answers to keep, 0 or more", field="keep")
        self._kept: KeptAnswers | None = None
        if keep:
            from olmsolve.classic import KeptAnswers

            self._kept = KeptAnswers(keep)

    def after(self, sources: Iterable[Source]) -> Self:
        """Return a resolver over *sources*, new versions of the catalogs, with the answers that hold over them as well.

        An answer is kept unless its request can reach a package that changed: by its subscriptions, by what the bundles
        of these packages require, and so on. What :func:`olmsolve.load` has loaded with *before* need not be compared.
        This resolver stays as it is, for whoever still uses it.

        >>> import olmsolve
        >>> path = "olmsolve/examples/catalogs/commons"
        >>> commons = olmsolve.load(path, before=olmsolve.Catalog({}))
        >>> resolver = olmsolve.Resolver([olmsolve.Source("commons", "shop", 0, commons)], keep=1000)
        >>> later = olmsolve.load(path, before=commons)
        >>> resolver = resolver.after([olmsolve.Source("commons", "shop", 0, later)])
        """
        later = type(self)(
            sources,
            semantics=self.semantics,
            backend=self.backend,
            unreadable=self.unreadable,
            health_policy=self.health_policy,
            keep=0 if self._kept is None else self._kept.most,
        )
        if self._kept is not None:
            later._take(self._kept, self.sources)  # noqa: SLF001 (of this class)
        return later

    def _take(self, kept: KeptAnswers, sources: Sequence[Source]) -> None:
        """Take the answers over *sources*, an earlier version of the catalogs, that hold over this resolver's too."""
        assert self._kept is not None
        kept.give(self._kept, sources, self.sources)

    def _answer(self, request: Request, view: Visible, trace: Trace) -> Resolution:
        if self._kept is None:
            return super()._answer(request, view, trace)
        from olmsolve.classic import Unsatisfiable

        answer: Resolution | Unsatisfiable | None
        answer = self._kept.find(request, view, self.semantics, self.backend)
        if answer is None:
            try:
                answer = super()._answer(request, view, trace)
            except Unsatisfiable as failure:
                self._kept.keep(request, failure)
                raise
            self._kept.keep(request, answer)
        if isinstance(answer, Unsatisfiable):
            raise answer
        return answer

    def explanation(
        self,
        subscriptions: Iterable[Subscription],
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        house_rules: Iterable[HouseRule] = (),
        catalogs: Iterable[Source] = (),
        fixes: int = 5,
        tries: int = 100,
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
        observer: events.Observer | None = None,
    ) -> Explanation:
        """Return why :meth:`resolve` has no plan for the same request, or what its plan holds back.

        *catalogs*, *fixes* and *tries* are as for :func:`olmsolve.explanation`. The limits hold for the answer and its
        explanation together.

        Raises:
            CatalogError: what decides the request is broken inside a catalog, and no constraint is to blame.
            BackendError: there is no such backend, or it cannot keep a limit.
            Incomplete: a limit was met before all conflicts were found, or the caller cancelled.
        """
        from olmsolve.answers.explain import explanation

        with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
            try:
                answer = self.resolve(
                    subscriptions,
                    namespaces=namespaces,
                    installed=installed,
                    eligibility=eligibility,
                    house_rules=house_rules,
                )
            except ResolutionFailure as failure:
                return explanation(failure, catalogs=catalogs, fixes=fixes, tries=tries)
            except CatalogError as broken:
                if broken.__cause__ is None:
                    raise
                return explanation(broken, catalogs=catalogs, fixes=fixes, tries=tries)
            return explanation(answer)

    def why(
        self,
        subscriptions: Iterable[Subscription],
        name: str,
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        house_rules: Iterable[HouseRule] = (),
        reasons: int = 50,
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
        observer: events.Observer | None = None,
    ) -> Why:
        """Return why the bundle *name*, or the one of a package, is in the plan of the same request.

        It answers as :func:`olmsolve.why` does, *reasons* included.

        Raises:
            Unsatisfiable: there is no plan.
            RequestError: *name* is not in the plan.
            Incomplete: a limit was met, or the caller cancelled.
        """
        from olmsolve.answers import questions

        with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
            plan = self.resolve(
                subscriptions,
                namespaces=namespaces,
                installed=installed,
                eligibility=eligibility,
                house_rules=house_rules,
            )
            return questions.why(plan, name, reasons=reasons)

    def why_not(
        self,
        subscriptions: Iterable[Subscription],
        package: str,
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        house_rules: Iterable[HouseRule] = (),
        version: str = "",
        channel: str = "",
        catalog: str = "",
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
        observer: events.Observer | None = None,
    ) -> WhyNot:
        """Return why no bundle of *package* (of this *version*, *channel* and *catalog*) is in the same plan.

        It answers as :func:`olmsolve.why_not` does.

        Raises:
            Unsatisfiable: there is no plan; :meth:`explanation` says why.
            RequestError: *version* is not a version.
            Incomplete: a limit was met, or the caller cancelled.
        """
        from olmsolve.answers import questions

        with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
            plan = self.resolve(
                subscriptions,
                namespaces=namespaces,
                installed=installed,
                eligibility=eligibility,
                house_rules=house_rules,
            )
            return questions.why_not(plan, package, version=version, channel=channel, catalog=catalog)

    def diff(
        self,
        subscriptions: Iterable[Subscription],
        other: Iterable[Subscription],
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        house_rules: Iterable[HouseRule] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
        observer: events.Observer | None = None,
    ) -> PlanDiff:
        """Return what changes on the cluster with the subscriptions *other* in place of *subscriptions*.

        It answers as :func:`olmsolve.diff` does; what is installed and the rules are the same on both sides.

        Raises:
            BackendError: there is no such backend, or it cannot keep a limit.
            Incomplete: a limit was met, or the caller cancelled.
        """
        from olmsolve.answers import questions

        with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
            request = self.request(
                subscriptions,
                namespaces=namespaces,
                installed=installed,
                eligibility=eligibility,
                house_rules=house_rules,
            )
            changed = evolve(request, subscriptions=other)
            return questions.diff(request, changed, semantics=self.semantics, backend=self.backend)

    def path(
        self,
        subscriptions: Iterable[Subscription],
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        house_rules: Iterable[HouseRule] = (),
        to: str = "",
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
        observer: events.Observer | None = None,
    ) -> tuple[SubscriptionPath, ...]:
        """Return the updates from what each subscription has installed to the head of its channel, or to *to*.

        Each step is the update that OLM classic takes within the channel, as in :func:`olmsolve.channel_path`; what
        bundles require plays no part in it.

        Raises:
            RequestError: a channel has no bundle *to*.
            Incomplete: a limit was met, or the caller cancelled.
        """
        from olmsolve.classic import subscription_paths

        with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
            request = self.request(
                subscriptions,
                namespaces=namespaces,
                installed=installed,
                eligibility=eligibility,
                house_rules=house_rules,
            )
            return subscription_paths(request, to=to)

    async def resolve_async(
        self,
        subscriptions: Iterable[Subscription],
        *,
        namespaces: Sequence[str],
        installed: Iterable[Installed] = (),
        eligibility: Iterable[Eligibility] = (),
        house_rules: Iterable[HouseRule] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
        observer: events.Observer | None = None,
    ) -> Resolution:
        """Return what :meth:`resolve` does, without keeping the event loop from other work: a thread resolves.

        A task that is cancelled cancels the work: the thread stops at its next look at the limits, within some
        hundredths of a second. Limits and observers of blocks around the call hold in the thread as well
        (:func:`olmsolve.limited`, :func:`olmsolve.observed`).

        Raises:
            Unsatisfiable: there is no plan; its core says why.
            CatalogError: what decides the request is broken inside a catalog.
            BackendError: there is no such backend, or it cannot keep a limit.
            Incomplete: a limit was met.
        """
        import asyncio  # 24 ms, and a program that awaits has loaded it
        import threading

        gone = threading.Event()
        resolve = partial(
            self.resolve,
            subscriptions,
            namespaces=namespaces,
            installed=installed,
            eligibility=eligibility,
            house_rules=house_rules,
            timeout=timeout,
            conflicts=conflicts,
            cancel=gone,
            observer=observer,
        )
        try:
            # It copies the context, in which limits and observers are.
            return await asyncio.to_thread(resolve)
        finally:
            gone.set()
