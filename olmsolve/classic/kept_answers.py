"""Answers that a resolver keeps, and which of them hold when its catalogs have changed.

An answer depends on the packages that its request can reach: the packages of its subscriptions, the packages, APIs and
labels that their bundles require, and so on. A change of packages that state none of these facts changes no constraint
of the request's problem, so the answer stays as it is::

    subscription to storefront, whose bundles require ledgerdb, whose bundles require keyring
    parcels changed: nobody in this chain asks for it or what it provides, and the plan is kept
    keyring changed, or parcels provides an API now that ledgerdb requires: the request is resolved
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve._records import evolve
from olmsolve.catalog import Catalog, Source
from olmsolve.catalog.fbc import kept_packages
from olmsolve.catalog.index import CatalogIndex, Fault, Visible, index_of
from olmsolve.classic.context import RequestContext
from olmsolve.classic.reasons import Broken, Unsatisfiable
from olmsolve.classic.request import Request, Semantics
from olmsolve.errors import ConstraintError
from olmsolve.predicates import Fact, Predicate, leaves, requirements
from olmsolve.resolution import Resolution
from olmsolve.solver.backends import BackendLike

Answer: TypeAlias = Resolution | Unsatisfiable


class KeptAnswers:
    """The last answers of a resolver, at most *most*, by their requests; the oldest goes first.

    Requests with house rules or unreadable catalogs have their answers worked out each time: a rule may look anywhere.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._answers: dict[object, tuple[Request, Answer]] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def find(self, request: Request, visible: Visible, semantics: Semantics, backend: BackendLike) -> Answer | None:
        """Return the answer to *request*, which asks over the catalogs of today, None if it was not kept."""
        kept = self._answers.get(_key(request))
        if kept is None:
            return None
        _, answer = kept
        if isinstance(answer, Resolution):
            return evolve(answer, context=RequestContext(request, semantics, backend, visible=visible))
        # The constraints of its core go by numbers of slots, which may have changed.
        return Unsatisfiable(answer.core, RequestContext(request, semantics, backend), answer.statistics)

    def keep(self, request: Request, answer: Answer) -> None:
        """Keep *answer* to *request*."""
        key = _key(request)
        if key is None:
            return
        while len(self._answers) >= self.most:
            try:
                oldest = next(iter(self._answers), None)
            except RuntimeError:
                continue  # another thread has kept an answer, or has taken the oldest away, at the same time
            self._answers.pop(oldest, None)
        self._answers[key] = request, answer

    def give(self, later: KeptAnswers, before: Sequence[Source], now: Sequence[Source]) -> None:
        """Give *later* the answers over the catalogs *before* that hold over the catalogs *now* as well."""
        if [attrs.evolve(source, catalog=_NONE) for source in before] != [
            attrs.evolve(source, catalog=_NONE) for source in now
        ]:
            return
        # Another scheme reads the same versions in another order.
        if [source.catalog.scheme for source in before] != [source.catalog.scheme for source in now]:
            return
        changed = [changed_packages(old.catalog, new.catalog) for old, new in zip(before, now, strict=True)]
        facts: set[Fact] = set()
        for old, new, names in zip(before, now, changed, strict=True):
            for catalog in (old.catalog, new.catalog) if names else ():
                facts |= _facts_of(index_of(catalog), names)
        has_same_names = all(
            old.catalog.packages.keys() == new.catalog.packages.keys() for old, new in zip(before, now, strict=True)
        )
        reach = _RequestReach([index_of(source.catalog) for source in before])
        for request, answer in list(self._answers.values()):
            check()
            # A reason may name packages of similar names, and a broken channel says where it is.
            if isinstance(answer, Unsatisfiable) and (
                not has_same_names or any(isinstance(reason, Broken) for reason in answer.core)
            ):
                continue
            reached = reach.of_request(request)
            if reached is not None and reached.isdisjoint(facts):
                later.keep(request, answer)


def changed_packages(before: Catalog, now: Catalog) -> set[str]:
    """Return the names of the packages that are not equal in two catalogs, or in one of them alone."""
    if before is now:
        return set()
    changed = before.packages.keys() ^ now.packages.keys()
    # The parts that a reloaded catalog has taken over are the same objects, which may be on other lines now.
    kept_before, kept_now = kept_packages(before.packages)[0], kept_packages(now.packages)[0]
    for name in kept_before.keys() & kept_now.keys():
        old, new = kept_before[name], kept_now[name]
        if old is not new and old != new:
            changed.add(name)
    return changed


class _RequestReach:
    """The facts through which requests over some catalogs reach bundles, remembered for each package."""

    def __init__(self, indexes: Sequence[CatalogIndex]) -> None:
        self._indexes = indexes
        # By catalog and package, and by fact: many requests reach the same packages. Without the steps, 999 answers are
        # given to a new version of community-prod in 47 ms, not in 26.
        self._needs: dict[tuple[int, str], set[Fact] | None] = {}
        self._steps: dict[Fact, set[Fact] | None] = {}

    def of_request(self, request: Request) -> set[Fact] | None:
        """Return the facts that lead from one bundle to others, None if a requirement may be met by any bundle."""
        reached: set[Fact] = set()
        waiting: list[Fact] = [Fact("package", wish.package) for wish in request.subscriptions]
        for operator in request.installed:
            try:
                needs = _facts_that_meet(requirement.predicate for requirement in requirements(operator.properties))
            except ConstraintError:
                return None
            if needs is None:
                return None
            waiting += needs
        while waiting:
            fact = waiting.pop()
            if fact in reached:
                continue
            reached.add(fact)
            step = self._step_from(fact)
            if step is None:
                return None
            waiting += step
        return reached

    def _step_from(self, fact: Fact) -> set[Fact] | None:
        """Return the facts that the bundles which state *fact* lead to, None if they may lead to any."""
        if fact not in self._steps:
            step: set[Fact] | None = set()
            for number, index in enumerate(self._indexes):
                for package in _packages_stating(index, fact):
                    needs = self._needs_of(number, index, package)
                    step = None if step is None or needs is None else step | needs
            self._steps[fact] = step
        return self._steps[fact]

    def _needs_of(self, number: int, index: CatalogIndex, package: str) -> set[Fact] | None:
        key = number, package
        if key not in self._needs:
            predicates: list[Predicate] = []
            for slots in index.offered(package) or ():
                for slot in slots.all:
                    requires = index.requires(slot)
                    if not isinstance(requires, Fault):
                        predicates += [requirement.predicate for requirement in requires]
            facts = _facts_that_meet(predicates)
            self._needs[key] = None if facts is None else {*facts, Fact("package", package)}
        return self._needs[key]


def _facts_that_meet(predicates: Iterable[Predicate]) -> set[Fact] | None:
    """Return the facts of which a bundle must state one to meet a part of *predicates*, None if it need not."""
    facts: set[Fact] = set()
    for predicate in predicates:
        for leaf in leaves(predicate):
            if leaf.fact is None:
                return None
            facts.add(leaf.fact)
    return facts


def _packages_stating(index: CatalogIndex, fact: Fact) -> set[str]:
    """Return the packages with a bundle that states *fact*, and the package of this name."""
    packages = set()
    if fact.kind == "package" and isinstance(fact.value, str) and fact.value in index:
        packages.add(fact.value)
    packages.update(map(index.package, index.stating(fact)))
    return packages


def _facts_of(index: CatalogIndex, packages: Iterable[str]) -> set[Fact]:
    """Return the facts that the bundles of *packages* state."""
    facts: set[Fact] = set()
    for package in packages:
        facts.add(Fact("package", package))
        for slots in index.offered(package) or ():
            for slot in slots.all:
                if index.has_bundle(slot):
                    facts.update(index.published(slot).facts())
    return facts


def _key(request: Request) -> object:
    """Return the key of *request*, the same for equal requests over the same catalogs; None where no answer is kept."""
    if request.house_rules or request.unreadable:
        return None
    key = request.namespaces, request.subscriptions, request.installed, request.eligibility
    try:
        hash(key)
    except TypeError:
        return None
    return key


_NONE: Final = Catalog({})
"""The stand-in for the catalogs of sources that are compared by everything else: packages are compared one by one."""
