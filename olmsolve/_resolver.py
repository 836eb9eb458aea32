"""The resolver of the facade, which answers and explains many requests over the same catalogs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from olmsolve._limits import Cancellation, scoped
from olmsolve.classic import ClassicResolver, Subscription
from olmsolve.errors import CatalogError
from olmsolve.resolution import ResolutionFailure

if TYPE_CHECKING:
    from olmsolve import events
    from olmsolve.answers.explain import Explanation
    from olmsolve.catalog import Source
    from olmsolve.classic import HouseRule, Installed
    from olmsolve.eligibility import Eligibility


class Resolver(ClassicResolver):
    """A resolver of many requests over the same catalogs, which indexes them and orders candidates once.

    *sources* are the catalogs, *unreadable* those whose content cannot be had, and *health_policy* says what is
    resolved in spite of them. All its answers share what it keeps. Safe to share between threads.

    >>> import olmsolve
    >>> commons = olmsolve.load("olmsolve/examples/catalogs/commons")
    >>> resolver = olmsolve.Resolver([olmsolve.Source("commons", "shop", 0, commons)])
    >>> wish = olmsolve.Subscription("db", "shop", "ledgerdb", channel="stable")
    >>> [install.name for install in resolver.resolve([wish], namespaces=["shop"]).installs]
    ['ledgerdb.v5.3.0', 'keyring.v1.0.2']
    >>> resolver.is_satisfiable([olmsolve.evolve(wish, channel="beta")], namespaces=["shop"])
    False
    """

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
        """Return why :meth:`resolve` has no plan for the same, or what its plan holds back.

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
