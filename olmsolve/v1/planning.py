"""Several extensions planned together with what their bundles require, which OLM v1 itself does not do.

OLM v1 refuses bundles that declare dependencies. A plan says what would have to be installed for them. The solver
that classic uses chooses one bundle for each extension, and one for a further extension where no chosen bundle meets a
requirement. Wanted most is a bundle that is not deprecated, then the catalog of the highest priority, then the highest
version; of a further extension a release before every pre-release. Every requirement, compound constraints too, is a
test on one bundle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from operator import attrgetter
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import events
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve._records import evolve
from olmsolve.catalog.index import Group, groups_of
from olmsolve.errors import ConstraintError, RequestError
from olmsolve.predicates import Predicate, Published, Requirement, published, requirements
from olmsolve.solver import (
    AtMost,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    Identifier,
    Mandatory,
    Prohibited,
    RestrictedProblem,
    Root,
    Solution,
    attempt,
    solve,
)
from olmsolve.solver.backends import DEFAULT, BackendLike
from olmsolve.v1.errors import (
    BundleNeeds,
    ChosenBefore,
    ExtensionNeeds,
    OnlyOneOf,
    PlanError,
    PlanReason,
    UnplannableBundle,
)
from olmsolve.v1.explanation import ExtensionExplanation
from olmsolve.v1.obstacle_view import held_back
from olmsolve.v1.obstacles import HeldBack
from olmsolve.v1.offers import Offer, offers_of
from olmsolve.v1.plans import (
    FailedExtension,
    PassedOverBundle,
    Plan,
    Planned,
    RequiredBy,
    kept_plan,
    resolvable,
    without_dependency_check,
)
from olmsolve.v1.request import ClusterCatalog, ExtensionRequest
from olmsolve.v1.resolving import downgrade_risk, explain, is_refused, offered, wish_of
from olmsolve.v1.validations import no_dependencies

_PASSED_OVER: Final = 3
"""The bundles that were passed over and get reasons, for each extension: each takes a search."""

_Key: TypeAlias = tuple[str, str, str]
"""A bundle of a catalog: the catalog's name, the package and the bundle's name."""


def plan(
    requests: Iterable[ExtensionRequest],
    *,
    keep_going: bool = False,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Plan:
    """Return the preferred bundles for all *requests* together, with the further extensions that they require.

    Each request filters its package as :func:`resolve` does, with two differences: of catalogs with the same priority,
    the first in the request is preferred, and bundles with dependencies pass. Its other validations hold. At most one
    bundle of a package and one provider of an API is planned. Further extensions come from the catalogs of all
    requests, from any channel, in any version.

    With *keep_going*, requests that cannot be met are left out, as on a cluster, where each extension is resolved by
    itself; the plan lists them in ``failed``. Requests join in the order given, and of requests that collide, the last
    one is left out. If catalogs of the same priority tie for a request, it fails, as on the cluster.

    Raises:
        PlanError: the requests cannot be met together; it holds the constraints that collide, and the funnels
            of the requests whose filters left no bundle.
        RequestError: two requests for one package, or different catalogs under one name.
        ResolutionError: a request, a catalog that it needs, or the installed bundle, cannot be read.
        Incomplete: *timeout* (seconds) or *conflicts* (of the SAT solver) was met, or the caller cancelled.

    >>> from olmsolve import load, v1
    >>> commons = v1.ClusterCatalog("commons", load("olmsolve/examples/catalogs/commons"))
    >>> request = v1.ExtensionRequest(v1.Extension("ledgerdb", channels=["stable"]), [commons], validations=())
    >>> [planned.bundle for planned in v1.plan([request]).planned]
    ['ledgerdb.v5.3.0', 'keyring.v1.0.2']
    """
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return _plan(requests, keep_going=keep_going, backend=backend)


def _plan(requests: Iterable[ExtensionRequest], *, keep_going: bool, backend: BackendLike) -> Plan:
    planned = tuple(requests)
    kept = {position: plan for position, request in enumerate(planned) if (plan := kept_plan(request)) is not None}
    planned = tuple(request for position, request in enumerate(planned) if position not in kept)
    if keep_going:
        wanted, failed = resolvable(planned)
        problem, solution, colliding = _fitting(wanted, backend)
        return Plan((*kept.values(), *_planned(problem, solution, backend)), (*failed, *colliding))
    problem = _ExtensionsProblem(planned)
    outcome = solve(problem, backend=backend)
    if isinstance(outcome, Core):
        raise problem.error(outcome)
    return Plan((*kept.values(), *_planned(problem, outcome, backend)))


def _fitting(
    requests: Sequence[ExtensionRequest], backend: BackendLike
) -> tuple[_ExtensionsProblem, Solution, tuple[FailedExtension, ...]]:
    """Return the problem of the *requests* that fit together, its solution, and the requests that are left out.

    Requests join in order, and the first one that does not fit together with the earlier ones is explained: then the
    last of the colliding ones is left out. Mostly all fit at once; else the *step* halves where some do not, and
    doubles where they do, so that few problems are large.
    """
    wanted = list(requests)
    failed: dict[int, FailedExtension] = {}
    fitting, step, reopened = 0, len(wanted), False
    while True:
        size = min(fitting + step, len(wanted))
        problem = _ExtensionsProblem(tuple(wanted[:size]))
        # Several at once need only fit; a single one that does not has to be explained, which takes a core.
        if size - fitting > 1:
            solution = attempt(problem, backend=backend)
            if solution is None:
                step = (size - fitting) // 2
                continue
        else:
            outcome = solve(problem, backend=backend)
            if isinstance(outcome, Core):
                last = problem.last_in(outcome)
                wanted.remove(last)
                # The core may be about earlier ones alone: a request that joins also limits what they can require.
                is_earlier = last in problem.requests[:fitting]
                fitting -= is_earlier
                reopened = reopened or is_earlier
                error = problem.error(outcome)
                failed[requests.index(last)] = FailedExtension(last.name, last.extension.package, error)
                continue
            solution = outcome
        if size == len(wanted):
            break
        fitting, step = size, 2 * step
    # A request that collided with one that had to leave later may fit after all.
    for position in checked(list(failed) if reopened else ()):
        kept = [request for number, request in enumerate(requests) if number == position or number not in failed]
        larger = _ExtensionsProblem(tuple(kept))
        fits = attempt(larger, backend=backend)
        if fits is not None:
            problem, solution = larger, fits
            del failed[position]
    return problem, solution, tuple(failed.values())


def _planned(problem: _ExtensionsProblem, solution: Solution, backend: BackendLike) -> Iterator[Planned]:
    """Yield the selected bundles, each with the requirements that it meets and preferred bundles that lost to it."""
    required: dict[Identifier, dict[RequiredBy, None]] = {}
    for chosen in solution.choices:
        if chosen.subject is not None and chosen.subject != chosen.identifier:
            assert isinstance(chosen.origin, Requirement)
            requirement = RequiredBy(problem.key(chosen.subject)[2], chosen.origin.predicate)
            required.setdefault(chosen.identifier, {})[requirement] = None
    for identifier in checked(solution.selected):
        made = problem.planned(identifier, tuple(required.get(identifier, ())))
        if made.further:
            yield made
        else:
            passed_over = tuple(problem.passed_over(identifier, solution, backend))
            yield evolve(made, passed_over=passed_over)


@attrs.frozen
class _PlannableBundle:
    """A bundle that may be planned; the lowest *rank* is wanted most, and equal ones stay in the order of offers."""

    key: _Key
    offer: Offer
    facts: Published
    rank: tuple[bool, int, int, str]

    @property
    def further_rank(self) -> tuple[bool, bool, int, int, str]:
        """The rank where no request asks for the package: pre-releases come after releases, as in a version range."""
        is_prerelease = self.offer.version is not None and bool(self.offer.version.version.pre)
        # After deprecation and before priorities, as a range without a pre-release would leave it out in any catalog.
        return (self.rank[0], is_prerelease, *self.rank[1:])


class _CatalogOffers:
    """All offers of one catalog, with the facts that their bundles publish; built once for each catalog."""

    def __init__(self, catalog: ClusterCatalog, release_support: bool) -> None:
        self.offers: list[tuple[str, Offer, Published]] = []
        content = catalog.catalog
        for package in checked(content.packages if content is not None else ()):
            assert content is not None
            offers = offers_of(content, package, release_support=release_support)
            for offer in offers.offers if offers is not None else ():
                self.offers.append((package, offer, published(package, offer.bundle.properties)))


class _ExtensionsProblem:
    """The requests as a lazy :class:`~olmsolve.solver.Problem`; identifiers are of the type :data:`_Key`."""

    def __init__(self, requests: tuple[ExtensionRequest, ...]) -> None:
        packages: set[str] = set()
        for request in requests:
            if request.extension.package in packages:
                raise RequestError(f"two requests for package {request.extension.package!r}", field="requests")
            packages.add(request.extension.package)
        self.requests = requests
        self._by_package = {request.extension.package: request for request in requests}
        self._catalogs: dict[str, tuple[ClusterCatalog, bool]] = {}
        self._further: list[_PlannableBundle] | None = None
        # Bundles share requirements, so each requirement is tested on all candidates once.
        self._met: dict[Predicate, tuple[_Key, ...]] = {}
        self._candidates: dict[_Key, _PlannableBundle] = {}
        self._wanted: dict[str, tuple[_Key, ...]] = {}
        for request in checked(requests):
            self._wanted[request.extension.package] = self._filtered(request)

    @property
    def roots(self) -> Sequence[Root]:
        return [Dependency(None, self._wanted[r.extension.package], r) for r in self.requests]

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        candidate = self._candidates[self.key(identifier)]
        try:
            required = requirements(candidate.offer.bundle.properties)
        except ConstraintError as error:
            return [Prohibited(identifier, error)]
        result: list[Constraint] = []
        # The olm.package properties of a bundle may name other packages than the one that holds it.
        groups = dict.fromkeys((Group("package", candidate.key[1]), *groups_of(candidate.facts)))
        result.append(Exclusive(identifier, tuple(groups)))
        result.extend(
            Dependency(identifier, self._meeting(requirement.predicate), requirement) for requirement in required
        )
        return result

    def block(self, identifier: Identifier) -> str:
        return self.key(identifier)[1]

    @staticmethod
    def key(identifier: Identifier) -> _Key:
        assert isinstance(identifier, tuple)
        return identifier

    def planned(self, identifier: Identifier, requirements: tuple[RequiredBy, ...]) -> Planned:
        candidate = self._candidates[self.key(identifier)]
        catalog, package, bundle = candidate.key
        version = candidate.offer.version
        text = "" if version is None else str(version.legacy_version)
        request = self._by_package.get(package)
        if request is None:
            refusal = no_dependencies(candidate.offer.bundle)
            return Planned(package, bundle, text, catalog, True, requirements, refusal=refusal)
        checks = no_dependencies in request.validations
        return Planned(
            package,
            bundle,
            text,
            catalog,
            False,
            requirements,
            extension=request.name,
            installed=request.installed.name if request.installed is not None else "",
            refusal=no_dependencies(candidate.offer.bundle) if checks else "",
            held_back=self._held_back(request),
            risk=downgrade_risk(candidate.offer, request),
        )

    def _held_back(self, request: ExtensionRequest) -> tuple[HeldBack, ...]:
        """Return the newer bundles that the filters of *request* leave out; collisions are no matter here."""
        bundles = held_back(without_dependency_check(request))
        wanted = {(catalog, bundle) for catalog, _, bundle in self._wanted[request.extension.package]}
        return tuple(newer for newer in bundles if (newer.catalog, newer.bundle) not in wanted)

    def passed_over(
        self, identifier: Identifier, solution: Solution, backend: BackendLike
    ) -> Iterator[PassedOverBundle]:
        """Yield the first bundles that the extension of *identifier* wants more, with the constraints against each."""
        package = self.key(identifier)[1]
        before = tuple(takewhile(lambda wanted: wanted != identifier, self._wanted[package][:_PASSED_OVER]))
        if not before:
            return
        earlier = [
            Mandatory(chosen.identifier)
            for chosen in takewhile(lambda choice: choice.identifier != identifier, solution.choices)
            if chosen.subject is None
        ]
        others = [root for root in self.roots if root.origin is not self._by_package[package]]
        for key in checked(before):
            # Mostly a bundle fails by itself, or beside what was chosen before it: small questions come first.
            for roots in ([Mandatory(key)], [*earlier, Mandatory(key)], [*earlier, Mandatory(key), *others]):
                core = solve(RestrictedProblem(self, roots), backend=backend)
                if isinstance(core, Core):
                    break
            assert isinstance(core, Core)
            because = tuple(
                self.reason(constraint)
                for constraint in core.constraints
                if not (constraint.is_root and constraint.subject == key)
            )
            candidate = self._candidates[key]
            assert candidate.offer.version is not None
            yield PassedOverBundle(key[2], str(candidate.offer.version.legacy_version), key[0], because)

    def error(self, core: Core) -> PlanError:
        """Return *core* as the error that says why there is no plan."""
        return PlanError(tuple(map(self.reason, core.constraints)), explanation=self.explanation())

    def last_in(self, core: Core) -> ExtensionRequest:
        """Return the last of the requests that *core* is about; every core is about at least one."""
        origins = [constraint.origin for constraint in core.constraints]
        return [request for request in self.requests if any(request is origin for origin in origins)][-1]

    def explanation(self) -> ExtensionExplanation:
        """Return the funnels of the requests whose filters left no bundle, one request after another."""
        unmet = [request for request in self.requests if not self._wanted[request.extension.package]]
        return ExtensionExplanation(tuple(funnel for request in unmet for funnel in explain(request).funnels))

    def reason(self, constraint: Constraint) -> PlanReason:
        """Return a constraint of a core as a value for people."""
        if isinstance(constraint, Dependency):
            names = tuple(dict.fromkeys(self.key(candidate)[2] for candidate in constraint.candidates))
            if isinstance(constraint.origin, ExtensionRequest):
                return ExtensionNeeds(constraint.origin.extension.package, names)
            assert isinstance(constraint.origin, Requirement)
            return BundleNeeds(self.key(constraint.subject)[2], constraint.origin.predicate, names)
        if isinstance(constraint, AtMost):
            assert isinstance(constraint.origin, Group)
            return OnlyOneOf(constraint.origin, tuple(self.key(identifier)[2] for identifier in constraint.identifiers))
        if isinstance(constraint, Prohibited):
            assert isinstance(constraint.origin, ConstraintError)
            return UnplannableBundle(self.key(constraint.subject)[2], constraint.origin)
        assert isinstance(constraint, Mandatory)
        return ChosenBefore(self.key(constraint.subject)[2])

    def _filtered(self, request: ExtensionRequest) -> tuple[_Key, ...]:
        """Return the candidates for *request*'s own package, most wanted first."""
        wish = wish_of(request)
        filtered: list[_PlannableBundle] = []
        for position, (catalog, offers) in enumerate(offered(request, wish)):
            earlier, _ = self._catalogs.setdefault(catalog.name, (catalog, request.release_support))
            if _differ(earlier, catalog):
                raise RequestError(f"two different catalogs are called {catalog.name!r}", field="catalogs")
            if offers is None:
                continue
            for offer in checked(wish.filtered(offers).edges, every=16):
                if offer.version is not None and not is_refused(offer, request, ignoring=no_dependencies):
                    facts = published(request.extension.package, offer.bundle.properties)
                    filtered.append(self._candidate(catalog, position, request.extension.package, offer, facts))
        return tuple(bundle.key for bundle in sorted(filtered, key=attrgetter("rank")))

    def _candidate(
        self, catalog: ClusterCatalog, position: int, package: str, offer: Offer, facts: Published
    ) -> _PlannableBundle:
        key = (catalog.name, package, offer.name)
        made = _PlannableBundle(key, offer, facts, (offer.deprecated, -catalog.priority, position, package))
        return self._candidates.setdefault(key, made)

    def _unrequested(self) -> list[_PlannableBundle]:
        """Return the candidates of all packages that no request asks for, most wanted first."""
        if self._further is None:
            unrequested: list[_PlannableBundle] = []
            for position, (catalog, release_support) in enumerate(self._catalogs.values()):
                if catalog.catalog is None:
                    continue
                content = catalog.catalog.derived(
                    (_CatalogOffers, release_support), partial(_CatalogOffers, catalog, release_support)
                )
                for package, offer, facts in checked(content.offers, every=256):
                    if package not in self._wanted and offer.version is not None:
                        unrequested.append(self._candidate(catalog, position, package, offer, facts))
            # Sorting is stable: inside a package offers are already in order.
            unrequested.sort(key=attrgetter("further_rank"))
            self._further = unrequested
        return self._further

    def _meeting(self, predicate: Predicate) -> tuple[_Key, ...]:
        """Return the candidates that meet *predicate*: first of requested packages, as requests allow, then others."""
        # Bundles of one package mostly share their requirements, and each look walks all candidates of all packages.
        meeting = self._met.get(predicate)
        if meeting is None:
            requested = checked([key for keys in self._wanted.values() for key in keys], every=64)
            meeting_keys = [key for key in requested if predicate.test(self._candidates[key].facts)]
            further = checked(self._unrequested(), every=64)
            meeting_keys += [bundle.key for bundle in further if predicate.test(bundle.facts)]
            meeting = self._met[predicate] = tuple(meeting_keys)
        return meeting


def _differ(one: ClusterCatalog, other: ClusterCatalog) -> bool:
    """Return True if these cannot be one catalog of a cluster."""
    # Mostly they are one object, and comparing two catalogs compares all their bundles.
    same = one.catalog is other.catalog or one.catalog == other.catalog
    return not same or one.priority != other.priority
