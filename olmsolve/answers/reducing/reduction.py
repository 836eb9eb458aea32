"""The verb of the room: hierarchical delta debugging, from whole catalogs down to the terms of ranges.

Coarse parts come first, so that a catalog of hundreds of packages is down to a few after a dozen tries::

    community: 333 packages -> 9 that the request can touch -> 2 -> 3 bundles -> 1 property each

The packages that a request can touch are the ones it wishes for, and all that can meet their requirements.

Also here: delta debugging (A. Zeller, R. Hildebrandt, 2002), the fewest parts with which a predicate still holds.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import olmsolve._attrs as attrs
from olmsolve import classic, v1
from olmsolve._arguments import wrong_type
from olmsolve._limits import checked
from olmsolve.answers.reducing import request_parts
from olmsolve.answers.reducing.outcomes import AnyRequest, Keeps, same_core
from olmsolve.catalog import Bundle, Catalog, Package
from olmsolve.classic import Request, Semantics, Unsatisfiable
from olmsolve.eligibility import CandidateFacts, refusal
from olmsolve.errors import ConstraintError, OlmsolveError, RequestError
from olmsolve.predicates import Fact, Predicate, Property, Published, leaves, published, requirements
from olmsolve.semver import reading_by


def reachable(catalogs: Iterable[Catalog], packages: Iterable[str], properties: Iterable[Property] = ()) -> set[str]:
    """Return the names *packages*, and the names of all packages that they can need, directly or not.

    *properties* belong to installed operators, whose requirements count too. A package that a requirement only
    excludes counts: whether it is there matters.
    """
    return Reach(catalogs).reached_from(packages, properties)


class Reach:
    """The packages that wishes over *catalogs* can touch, for many sets of wishes; each package is looked at once."""

    def __init__(self, catalogs: Iterable[Catalog]) -> None:
        self._facts: dict[str, list[Published]] = defaultdict(list)
        for package in (package for catalog in catalogs for package in catalog):
            bundles = checked(package.bundles.values(), every=64)
            self._facts[package.name] += (published(package.name, bundle.properties) for bundle in bundles)
        self._providers = _Providers(self._facts)
        self._met_by: dict[Predicate, tuple[str, ...]] = {}
        self._needed_by: dict[str, frozenset[str]] = {}

    def reached_from(self, packages: Iterable[str], properties: Iterable[Property] = ()) -> set[str]:
        """Return what :func:`reachable` does for *packages* and *properties*."""
        reached: set[str] = set()
        waiting = [*packages, *self._providers_of(requirement_leaves(tuple(properties)))]
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting.extend(self._needs(name) - reached)
        return reached

    def _needs(self, package: str) -> frozenset[str]:
        """Return the packages that bundles of *package* can need themselves."""
        if package not in self._needed_by:
            bundles = checked(self._facts.get(package, ()), every=64)
            leaves_needed = (leaf for bundle in bundles for leaf in requirement_leaves(bundle.properties))
            self._needed_by[package] = frozenset(self._providers_of(leaves_needed))
        return self._needed_by[package]

    def _providers_of(self, leaves: Iterable[Predicate]) -> Iterator[str]:
        for leaf in leaves:
            if leaf not in self._met_by:
                self._met_by[leaf] = tuple(self._providers.providers_of(leaf))
            yield from self._met_by[leaf]


class _Providers:
    """The packages that can meet a predicate, by tables for those that name something."""

    def __init__(self, facts: dict[str, list[Published]]) -> None:
        self._facts = facts
        self._stating: dict[Fact, set[str]] = defaultdict(set)
        for name, bundles in facts.items():
            for fact in (fact for bundle in checked(bundles, every=64) for fact in bundle.facts()):
                self._stating[fact].add(name)

    def providers_of(self, leaf: Predicate) -> Iterable[str]:
        if leaf.fact is not None:
            return self._stating.get(leaf.fact, ())
        facts = self._facts.items()
        return [name for name, bundles in facts if any(leaf.test(bundle) for bundle in checked(bundles, every=64))]


def requirement_leaves(properties: Iterable[Property]) -> Iterator[Predicate]:
    """Yield the requirements among *properties* without compounds; nothing where they do not parse."""
    try:
        stated = requirements(properties)
    except ConstraintError:
        return
    for requirement in stated:
        yield from leaves(requirement.predicate)


T = TypeVar("T")


class Deadline:
    """The end of the time for a reduction, *seconds* of wall-clock time from now; None: there is no end.

    It is no limit (:mod:`olmsolve._limits`): what a reduction has found by then is its result, not an error.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end


def fewest(parts: Sequence[T], holds: Callable[[list[T]], bool], deadline: Deadline) -> list[T]:
    """Return a minimal part of *parts*, in their order: *holds* accepts it, and refuses it without any one of them.

    *holds* is true for all *parts*. Chunks are left out, large ones first, so that hundreds of parts that do not matter
    take a few tries::

        8 parts, of which the third matters:  without 1-8 no, without 1-4 no, without 5-8 yes, without 1-2 yes, ...

    At the *deadline* the parts that are left then are returned.
    """
    kept = list(parts)
    size = len(kept)
    while size and kept:
        position = 0
        is_smaller = False
        while position < len(kept) and not deadline.is_over:
            fewer = kept[:position] + kept[position + size :]
            if holds(fewer):
                kept = fewer
                is_smaller = True
            else:
                # Delta debugging: parts of half the list are left out, then of a quarter, and last one by one.
                position += size
        # Taking out a single part may make an earlier one superfluous.
        if size > 1:
            size = min(size // 2, len(kept))
        elif not is_smaller:
            break
        if deadline.is_over:
            break
    return kept


_ROUNDS: Final = 5
"""The most rounds over all kinds of parts: after the second there is hardly ever anything left to take out."""


@attrs.frozen
class RequestSize:
    """The size of a request: its packages and bundles, over all catalogs, and the properties of these bundles."""

    packages: int
    bundles: int
    properties: int

    @classmethod
    def of_request(cls, request: AnyRequest) -> RequestSize:
        """Return the size of *request*."""
        packages = [package for catalog in request_parts.catalogs_of(request) for package in catalog]
        bundles = [bundle for package in packages for bundle in package.bundles.values()]
        return cls(len(packages), len(bundles), sum(len(bundle.properties) for bundle in bundles))

    def __str__(self) -> str:
        names = (("package", self.packages), ("bundle", self.bundles))
        counts = [f"{count} {name}{'s' * (count != 1)}" for name, count in names]
        properties = f"{self.properties} {'property' if self.properties == 1 else 'properties'}"
        return f"{', '.join(counts)} and {properties}"


@attrs.frozen
class Reduction:
    """A reduced *request* and how it came about.

    *before* and *after* are sizes, *tries* counts the requests that were tried. *is_minimal* says whether no single
    part can be taken out: it is False where the time ended before that.
    """

    request: AnyRequest
    before: RequestSize
    after: RequestSize
    tries: int
    seconds: float
    is_minimal: bool


def reduced(
    request: AnyRequest,
    keeps: Callable[[Any], bool] | None = None,
    *,
    semantics: Semantics = Semantics.DOCUMENTED,
    timeout: float | None = None,
) -> AnyRequest:
    """Return the smallest request found for which *keeps* still holds, by taking out parts of *request*.

    *keeps* takes a request; by default it has to end as *request* does under *semantics*, with a core that says the
    same where there is one (:func:`olmsolve.testing.same_core`). No single part of the result can be taken
    out, unless *timeout* (seconds of wall-clock time) ended the search.

    Raises:
        RequestError: *keeps* does not hold for *request* itself, or *request* is an extension's and has system
            constraints, which no document can say.
    """
    return reduction_of(request, keeps, semantics=semantics, seconds=timeout).request


def reduction_of(
    request: AnyRequest,
    keeps: Callable[[Any], bool] | None = None,
    *,
    semantics: Semantics = Semantics.DOCUMENTED,
    seconds: float | None = None,
) -> Reduction:
    """Return what :func:`reduced` does within *seconds*, with sizes and the number of tries.

    The other parameters and the errors are the same.
    """
    if keeps is not None and not callable(keeps):
        raise wrong_type(keeps, "a function of a request", "keeps")
    began = time.monotonic()
    plain = without_eligibility(request)
    before = RequestSize.of_request(request)
    holds = same_core(plain, semantics) if keeps is None else keeps
    if not holds(plain):
        raise RequestError("the predicate does not hold for the request itself", hint="check the predicate")
    work = _Reducing(plain, holds, Deadline(seconds))
    work.run(semantics)
    after = RequestSize.of_request(work.request)
    took = time.monotonic() - began
    return Reduction(work.request, before, after, work.tries, took, not work.deadline.is_over)


def without_eligibility(request: AnyRequest) -> AnyRequest:
    """Return *request* without system constraints: the bundles that they refuse declare themselves deprecated instead.

    Classic OLM treats both alike, and a document can say the second.

    Raises:
        RequestError: *request* is an extension's and has system constraints.
    """
    if not isinstance(request, Request | v1.ExtensionRequest):
        raise wrong_type(request, "a Request or an ExtensionRequest", "request")
    if not request.eligibility:
        return request
    if not isinstance(request, Request):
        raise RequestError(
            "the system constraints of an extension cannot be reduced",
            hint="leave out the versions of Kubernetes and OpenShift",
        )
    keys = [source.key for source in request.sources]
    constraints = request.eligibility

    def marked(number: int, bundle: Bundle) -> Bundle:
        with reading_by(request.sources[number].catalog.scheme):
            facts = published(bundle.package, bundle.properties)
        version = str(facts.version or "")
        candidate = CandidateFacts(bundle.name, bundle.package, version, keys[number], bundle.properties)
        if facts.deprecated or not refusal(candidate, constraints):
            return bundle
        return attrs.evolve(bundle, properties=(*bundle.properties, Property("olm.deprecated", {})))

    return attrs.evolve(request_parts.with_bundles(request, marked), eligibility=())


class _Reducing:
    """A reduction under way: the smallest *request* so far for which the predicate holds."""

    def __init__(self, request: AnyRequest, holds: Keeps, deadline: Deadline) -> None:
        self.request = request
        self.deadline = deadline
        self.tries = 0
        self._holds = holds

    def run(self, semantics: Semantics) -> None:
        """Take out what can be taken out, coarse parts first, until nothing more can."""
        self._begin(semantics)
        for _ in range(_ROUNDS):
            before = self.request
            for only in (request_parts.only_packages, request_parts.only_channels, request_parts.only_bundles):
                self._fewest(only)
            self._lists()
            for only in (request_parts.only_deprecations, request_parts.only_edges, request_parts.only_properties):
                self._fewest(only)
            self._simplify(request_parts.simpler_wishes)
            self._simplify(_with_simpler_values)
            if self.request == before or self.deadline.is_over:
                return

    def _begin(self, semantics: Semantics) -> None:
        """Take the large step: keep the packages of the core, or else the packages that the request can touch."""
        packages = request_parts.paths_of(self.request, request_parts.only_packages)
        for names in (self._core_packages(semantics), self._reachable()):
            paths = frozenset(path for path in packages if path[1] in names)
            if self._try(request_parts.only_packages(self.request, paths.__contains__)):
                break
        for all_properties in (False, True):
            change = partial(_bare, all_properties=all_properties)
            bare = request_parts.with_packages(self.request, change)
            if self._try(bare):
                break

    def _core_packages(self, semantics: Semantics) -> set[str]:
        """Return the packages that the wishes or the core name."""
        names = set(self._wished())
        if isinstance(self.request, Request):
            try:
                plan = classic.resolve(self.request, semantics=semantics)
            except Unsatisfiable as failure:
                names.update(candidate.package for reason in failure.core for candidate in reason.candidates_named())
            except OlmsolveError:
                return names
            except Exception:  # noqa: BLE001 - a crash is what is being reduced
                return names
            else:
                names.update(install.package for install in plan.installs)
        return names

    def _wished(self) -> list[str]:
        if isinstance(self.request, Request):
            wanted = [subscription.package for subscription in self.request.subscriptions]
            return wanted + [rule.bundles.package for rule in self.request.house_rules if rule.bundles.package]
        return [self.request.extension.package]

    def _reachable(self) -> set[str]:
        installed = self.request.installed if isinstance(self.request, Request) else ()
        properties = [property_ for operator in installed for property_ in operator.properties]
        return reachable(request_parts.catalogs_of(self.request), self._wished(), properties)

    def _fewest(self, only: request_parts.Only) -> None:
        """Keep the fewest of the parts of which *only* leaves some."""
        whole = self.request
        paths = request_parts.paths_of(whole, only)
        fewest(paths, lambda kept: self._try(only(whole, frozenset(kept).__contains__)), self.deadline)

    def _lists(self) -> None:
        """Keep the fewest catalogs, wishes, installed operators and house rules."""
        is_classic = isinstance(self.request, Request)
        lists = ("sources", "unreadable", "subscriptions", "installed", "house_rules") if is_classic else ("catalogs",)
        for field in lists:
            with_field = partial(self._try_with, self.request, field)
            fewest(getattr(self.request, field), with_field, self.deadline)
        if isinstance(self.request, v1.ExtensionRequest) and self.request.installed is not None:
            self._try(attrs.evolve(self.request, installed=None))

    def _simplify(self, simpler: Callable[[AnyRequest], Iterable[AnyRequest]]) -> None:
        """Take one step after another to a simpler request, as long as one of the steps holds."""
        while not self.deadline.is_over and any(self._try(request) for request in simpler(self.request)):
            pass

    def _try_with(self, whole: AnyRequest, field: str, values: list[Any]) -> bool:
        """Try *whole* with other *values* of a *field*; a request that contradicts itself does not hold."""
        try:
            changed = _with_field(whole, {field: tuple(values)})
        except RequestError:
            return False
        return self._try(changed)

    def _try(self, candidate: AnyRequest) -> bool:
        """Return whether the predicate holds for *candidate*, which is then the request."""
        if self.deadline.is_over:
            return False
        self.tries += 1
        if not self._holds(candidate):
            return False
        self.request = candidate
        return True


def _with_field(request: AnyRequest, fields: dict[str, Any]) -> AnyRequest:
    """Return *request* with other *fields*. Raises RequestError where it then contradicts itself."""
    if isinstance(request, Request):
        return attrs.evolve(request, **fields)
    return attrs.evolve(request, catalogs=fields["catalogs"])


def _bare(_: int, package: Package, *, all_properties: bool) -> Package:
    return request_parts.bare(package, all_properties=all_properties)


def _with_simpler_values(request: AnyRequest) -> Iterator[AnyRequest]:
    for path in request_parts.requirement_values(request):
        for value in request_parts.simpler_values(request_parts.value_at(request, path).value):
            yield request_parts.with_value(request, path, value)
