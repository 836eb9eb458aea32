"""Several extensions planned together with what their bundles require, which OLM v1 itself does not do.

OLM v1 refuses bundles that declare dependencies. A plan says what would have to be installed for them. The solver
that classic uses chooses one bundle for each extension, and one for a further extension where no chosen bundle meets a
requirement. Wanted most is a bundle that is not deprecated, then the catalog of the highest priority, then the highest
version. Every requirement, compound constraints too, is a test on one bundle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

import attrs

from olmsolve.catalog.index import Group, groups_of
from olmsolve.errors import ConstraintError, RequestError
from olmsolve.predicates import Predicate, Published, Requirement, published, requirements
from olmsolve.resolution import SCHEMA_VERSION
from olmsolve.solver import (
    AtMost,
    Budget,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    Identifier,
    Prohibited,
    Root,
    solve,
)
from olmsolve.solver.backends import DEFAULT
from olmsolve.v1.errors import PlanError
from olmsolve.v1.explanation import ExtensionExplanation
from olmsolve.v1.offers import Offer, offers_of
from olmsolve.v1.request import ClusterCatalog, ExtensionRequest
from olmsolve.v1.resolving import explain, offered, refusal_of, wish_of
from olmsolve.v1.validations import no_dependencies

_Key: TypeAlias = tuple[str, str, str]
"""A bundle of a catalog: the catalog's name, the package and the bundle's name."""


@attrs.frozen
class Planned:
    """A bundle of the plan, of a requested package or a *further* one; *required_by* names the bundles that need it."""

    package: str
    bundle: str
    version: str
    catalog: str
    further: bool
    required_by: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "package": self.package,
            "bundle": self.bundle,
            "version": self.version,
            "catalog": self.catalog,
            "further": self.further,
            "requiredBy": list(self.required_by),
        }


@attrs.frozen
class Plan:
    """The bundles that would be installed: one for each request, in order, then further ones as they are needed."""

    planned: tuple[Planned, ...]

    @property
    def further(self) -> tuple[Planned, ...]:
        """The bundles of packages that no request asks for."""
        return tuple(each for each in self.planned if each.further)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; what the fields mean is documented in docs/v1.md."""
        return {
            "schema": "olmsolve.v1.plan",
            "schemaVersion": SCHEMA_VERSION,
            "planned": [each.to_dict() for each in self.planned],
        }


def plan(
    requests: Iterable[ExtensionRequest],
    *,
    backend: str = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
) -> Plan:
    """Return the preferred bundles for all *requests* together, with the further extensions that they require.

    Each request filters its package as :func:`resolve` does, with two differences: of catalogs of one priority the
    first in the request is preferred, and bundles with dependencies pass. Its other validations hold. At most one
    bundle of a package and one provider of an API is planned. Further extensions come from the catalogs of all
    requests, from any channel, in any version.

    Raises:
        PlanError: the requests cannot be met together; it holds the requirements that collide, and the funnels
            of the requests whose filters left no bundle.
        RequestError: two requests for one package, or different catalogs under one name.
        ResolutionError: a request, a catalog that it asks or what is installed cannot be read.
        Incomplete: *timeout* (seconds) or *conflicts* (of the SAT solver) was reached.
    """
    problem = _ExtensionsProblem(tuple(requests))
    outcome = solve(problem, backend=backend, budget=Budget(timeout, conflicts, None))
    if isinstance(outcome, Core):
        reasons = tuple(problem.sentence(constraint) for constraint in outcome.constraints)
        raise PlanError(reasons, explanation=problem.explanation())
    required: dict[Identifier, list[str]] = {}
    for chosen in outcome.choices:
        if chosen.subject is not None and chosen.subject != chosen.identifier:
            names = required.setdefault(chosen.identifier, [])
            name = problem.key(chosen.subject)[2]
            if name not in names:
                names.append(name)
    return Plan(tuple(problem.planned(each, tuple(required.get(each, ()))) for each in outcome.selected))


@attrs.frozen
class _PlannableBundle:
    """A bundle that may be planned; the lowest *rank* is wanted most, and equal ones stay in the order of offers."""

    key: _Key
    offer: Offer
    facts: Published
    rank: tuple[bool, int, int, str]


class _CatalogOffers:
    """All offers of one catalog, with the facts that their bundles publish; built once for each catalog."""

    def __init__(self, catalog: ClusterCatalog, release_support: bool) -> None:
        self.offers: list[tuple[str, Offer, Published]] = []
        content = catalog.catalog
        for package in content.packages if content is not None else ():
            assert content is not None
            found = offers_of(content, package, release_support=release_support)
            for offer in found.offers if found is not None else ():
                self.offers.append((package, offer, published(package, offer.bundle.properties)))


class _ExtensionsProblem:
    """The requests as a lazy :class:`~olmsolve.solver.Problem`; identifiers are of the type :data:`_Key`."""

    def __init__(self, requests: tuple[ExtensionRequest, ...]) -> None:
        packages = [request.extension.package for request in requests]
        for package in packages:
            if packages.count(package) > 1:
                raise RequestError(f"two requests for package {package!r}", field="requests")
        self._requests = requests
        self._catalogs: dict[str, tuple[ClusterCatalog, bool]] = {}
        self._further: list[_PlannableBundle] | None = None
        self._met: dict[Predicate, tuple[_Key, ...]] = {}
        self._candidates: dict[_Key, _PlannableBundle] = {}
        self._wanted: dict[str, tuple[_Key, ...]] = {}
        for request in requests:
            self._wanted[request.extension.package] = self._filtered(request)

    @property
    def roots(self) -> Sequence[Root]:
        return [Dependency(None, self._wanted[r.extension.package], r) for r in self._requests]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        candidate = self._candidates[self.key(identifier)]
        try:
            required = requirements(candidate.offer.bundle.properties)
        except ConstraintError as error:
            return [Prohibited(identifier, str(error))]
        result: list[Constraint] = []
        # The olm.package properties of a bundle may name other packages than the one that holds it.
        groups = dict.fromkeys((Group("package", candidate.key[1]), *groups_of(candidate.facts)))
        result.append(Exclusive(identifier, tuple(groups)))
        result.extend(Dependency(identifier, self._meeting(each.predicate), each) for each in required)
        return result

    def block(self, identifier: Identifier) -> str:
        return self.key(identifier)[1]

    @staticmethod
    def key(identifier: Identifier) -> _Key:
        assert isinstance(identifier, tuple)
        return identifier

    def planned(self, identifier: Identifier, required_by: tuple[str, ...]) -> Planned:
        candidate = self._candidates[self.key(identifier)]
        catalog, package, bundle = candidate.key
        version = candidate.offer.version
        text = "" if version is None else str(version.legacy_version)
        return Planned(package, bundle, text, catalog, package not in self._wanted, required_by)

    def explanation(self) -> ExtensionExplanation:
        """Return the funnels of the requests whose filters left no bundle, one request after another."""
        unmet = [request for request in self._requests if not self._wanted[request.extension.package]]
        return ExtensionExplanation(tuple(funnel for request in unmet for funnel in explain(request).funnels))

    def sentence(self, constraint: Constraint) -> str:
        """Return a constraint of a core as a sentence."""
        if isinstance(constraint, Dependency):
            names = ", ".join(self.key(each)[2] for each in constraint.candidates[:5])
            names += ", ..." if len(constraint.candidates) > 5 else ""
            if isinstance(constraint.origin, ExtensionRequest):
                who, what = "the request", f"a bundle of package {constraint.origin.extension.package}"
            else:
                assert isinstance(constraint.origin, Requirement)
                who, what = self.key(constraint.subject)[2], str(constraint.origin.predicate)
            return f"{who} requires {what}: {names or 'nothing that can be installed'}"
        if isinstance(constraint, AtMost):
            names = ", ".join(self.key(each)[2] for each in constraint.identifiers)
            return f"only one can be installed for {constraint.origin}: {names}"
        if isinstance(constraint, Prohibited):
            return f"{self.key(constraint.subject)[2]} cannot be installed: {constraint.origin}"
        return str(constraint)

    def _filtered(self, request: ExtensionRequest) -> tuple[_Key, ...]:
        """Return the candidates for *request*'s own package, most wanted first."""
        wish = wish_of(request)
        found: list[_PlannableBundle] = []
        for position, (catalog, offers) in enumerate(offered(request, wish)):
            earlier, _ = self._catalogs.setdefault(catalog.name, (catalog, request.release_support))
            if _differ(earlier, catalog):
                raise RequestError(f"two different catalogs are called {catalog.name!r}", field="catalogs")
            if offers is None:
                continue
            for offer in wish.filtered(offers).edges:
                if offer.version is not None and not refusal_of(offer, request, ignoring=no_dependencies):
                    facts = published(request.extension.package, offer.bundle.properties)
                    found.append(self._candidate(catalog, position, request.extension.package, offer, facts))
        return tuple(each.key for each in sorted(found, key=lambda each: each.rank))

    def _candidate(
        self, catalog: ClusterCatalog, position: int, package: str, offer: Offer, facts: Published
    ) -> _PlannableBundle:
        key = (catalog.name, package, offer.name)
        made = _PlannableBundle(key, offer, facts, (offer.deprecated, -catalog.priority, position, package))
        return self._candidates.setdefault(key, made)

    def _unrequested(self) -> list[_PlannableBundle]:
        """Return the candidates of all packages that no request asks for, most wanted first."""
        if self._further is None:
            found: list[_PlannableBundle] = []
            for position, (catalog, release_support) in enumerate(self._catalogs.values()):
                if catalog.catalog is None:
                    continue
                content = catalog.catalog.derived(
                    (_CatalogOffers, release_support), partial(_CatalogOffers, catalog, release_support)
                )
                for package, offer, facts in content.offers:
                    if package not in self._wanted and offer.version is not None:
                        found.append(self._candidate(catalog, position, package, offer, facts))
            # Sorting is stable: inside a package offers are already in order.
            found.sort(key=lambda each: each.rank)
            self._further = found
        return self._further

    def _meeting(self, predicate: Predicate) -> tuple[_Key, ...]:
        """Return the candidates that meet *predicate*: first of requested packages, as requests allow, then others."""
        meeting = self._met.get(predicate)
        if meeting is None:
            requested = [key for keys in self._wanted.values() for key in keys]
            found = [key for key in requested if predicate.test(self._candidates[key].facts)]
            found += [each.key for each in self._unrequested() if predicate.test(each.facts)]
            meeting = self._met[predicate] = tuple(found)
        return meeting


def _differ(one: ClusterCatalog, other: ClusterCatalog) -> bool:
    """Return True if these cannot be one catalog of a cluster."""
    same = one.catalog is other.catalog or one.catalog == other.catalog
    return not same or one.priority != other.priority
