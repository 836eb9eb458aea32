"""Laws of agreement: whoever answers, and however the request comes, the answer is the same.

Other backends and other ways in answer alike; the checker confirms the certificate; other libraries find in ranges
and rules what olmsolve finds, but for known differences, and a second reader of our own in all that bundles say.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from olmsolve import classic
from olmsolve.answers import certificate, plain_reading
from olmsolve.answers.plain_reading import (
    BundleTest,
    PartsTest,
    PlainFacts,
    PlainRange,
    UnreadableRequirementError,
    facts,
)
from olmsolve.answers.reducing import requirement_leaves
from olmsolve.answers.verification import verify
from olmsolve.catalog import Catalog, ChannelEntry, Package
from olmsolve.catalog.update_graph import bundle_version, skip_range
from olmsolve.cel import Rule, RuleOpinions, rule_difference
from olmsolve.classic import ClassicResolver, Request, Semantics, Unsatisfiable
from olmsolve.errors import BackendError, CatalogError, ConstraintError, RequestError
from olmsolve.predicates import (
    Predicate,
    Property,
    Published,
    Requirement,
    published,
    requirements,
    semantics_differ,
)
from olmsolve.requests import read_request, request_document
from olmsolve.semver import BlangRange, MastermindsRange, Version, range_difference, range_opinion
from olmsolve.solver.backends import PORTABLE, BackendLike, PythonSolver, find
from olmsolve.testing.laws.outcomes import Outcome, broken, bundles_of, compare, outcome_of, outcome_text, statements_of

OTHER_BACKENDS: Final[tuple[BackendLike, ...]] = (PORTABLE, PythonSolver)
"""Backends that share no search with the default one: a SAT solver of python-sat, and our own."""


def check_backends(
    request: Request,
    semantics: Semantics = Semantics.DOCUMENTED,
    *,
    backends: Iterable[BackendLike] = OTHER_BACKENDS,
) -> None:
    """Check that each of *backends* gives the answer of the default one.

    Raises:
        AssertionError: one gives another.
    """
    ours = "by default", outcome_text(outcome_of(request, semantics))
    for backend in backends:
        name = backend if isinstance(backend, str) else getattr(backend, "__name__", str(backend))
        compare("backends differ", request, ours, (f"by {name}", _answer(request, semantics, backend)))


def _answer(request: Request, semantics: Semantics, backend: BackendLike) -> str:
    backend_found = find(backend)
    try:
        outcome: Outcome = classic.resolve(request, semantics=semantics, backend=backend_found)
    except (Unsatisfiable, CatalogError) as failure:
        outcome = failure
    except BackendError as error:
        # A backend that contradicts itself gives no answer, where others give one.
        return str(error)
    return outcome_text(outcome)


def check_semantics(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that both semantics answer a request alike in which nothing has two meanings (:func:`has_two_meanings`).

    *semantics* is there for programs that treat all laws alike.

    Raises:
        AssertionError: the answers differ.
    """
    if has_two_meanings(request):
        return
    first, second = ((Semantic.value, outcome_text(outcome_of(request, Semantic))) for Semantic in Semantics)
    compare("semantics differ where nothing has two meanings", request, first, second)


def has_two_meanings(request: Request) -> bool:
    """Return whether a constraint or a ``startingCSV`` of *request* can mean something else to the shipped controller.

    The shipped controller takes a ``startingCSV`` that a ``skipRange`` of the same channel contains; by OLM's
    documentation most of these are gone. This is True for all of them.
    """
    return any(semantics_differ(requirement.predicate) for requirement in _requirements(request)) or any(
        _may_be_removed(subscription.package, subscription.starting_csv, source.catalog)
        for subscription in request.subscriptions
        for source in request.sources
        if subscription.starting_csv
    )


def _may_be_removed(package: str, name: str, catalog: Catalog) -> bool:
    """Return whether *name* is in the ``skipRange`` of another entry of its channel, in *package* of *catalog*."""
    package_there = catalog.packages.get(package)
    version = None if package_there is None else bundle_version(package_there, name)
    if package_there is None or version is None:
        return False
    for channel in package_there.channels.values():
        names = {entry.name for entry in channel.entries}
        ranges = [skip_range(entry.skip_range) for entry in channel.entries if entry.skip_range and entry.name != name]
        if name in names and any(versions is not None and version in versions for versions in ranges):
            return True
    return False


def _requirements(request: Request) -> Iterator[Requirement]:
    for properties in statements_of(request):
        try:
            yield from requirements(properties)
        except ConstraintError:
            continue


def check_document(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that *request*, written as a JSON document and read again, has the same answer.

    Raises:
        AssertionError: it has another.
    """
    # System constraints are functions, which no document can hold.
    if request.eligibility:
        return
    reread = read_request(json.loads(json.dumps(request_document(request))))
    before, after = (
        ("as it is", outcome_text(outcome_of(request, semantics))),
        ("read again", outcome_text(outcome_of(reread, semantics))),
    )
    compare("a document has another answer", request, before, after)


def check_warm(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that a resolver that has answered each wish alone still gives the answer of a new one.

    Raises:
        AssertionError: it gives another.
    """
    # Catalogs that cannot be read belong to a request, and a resolver has none.
    if request.unreadable:
        return
    resolver = ClassicResolver(request.sources, semantics=semantics)
    for subscription in request.subscriptions:
        # An operator of another subscription would have no owner in this request.
        alone = [operator for operator in request.installed if operator.subscription in (None, subscription.name)]
        _warm_answer(resolver, request, [subscription], alone)
    warm = "warm", outcome_text(_warm_answer(resolver, request, request.subscriptions, request.installed))
    compare(
        "a warm resolver answers differently", request, ("fresh", outcome_text(outcome_of(request, semantics))), warm
    )


def _warm_answer(
    resolver: ClassicResolver,
    request: Request,
    subscriptions: Iterable[classic.Subscription],
    installed: Iterable[classic.Installed],
) -> Outcome:
    try:
        return resolver.resolve(
            subscriptions,
            namespaces=request.namespaces,
            installed=installed,
            eligibility=request.eligibility,
            house_rules=request.house_rules,
        )
    except (Unsatisfiable, CatalogError) as failure:
        return failure


def check_ranges(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check each version range of *request* on the versions of its package by a second opinion (:func:`check_range`).

    *semantics* is there for programs that treat all laws alike.

    Raises:
        AssertionError: semantic-version finds another version in a range, for no known reason.
    """
    versions: dict[str, dict[Version, None]] = {}
    for _, bundle in bundles_of(request):
        version = published(bundle.package, bundle.properties).version
        if version is not None:
            versions.setdefault(bundle.package, {})[version] = None
    for package, wanted in _ranges(request):
        check_range(wanted, versions.get(package, ()))


def _ranges(request: Request) -> set[tuple[str, BlangRange]]:
    """Return each range with the package that it is about: of requirements, and every ``skipRange``."""
    leaves = (leaf for properties in statements_of(request) for leaf in requirement_leaves(properties))
    ranges: set[tuple[str, BlangRange]] = {leaf.package_range for leaf in leaves if leaf.package_range is not None}
    skipped = ((package.name, skip_range(entry.skip_range)) for package, entry in _skipping(request))
    return ranges | {(name, wanted) for name, wanted in skipped if wanted is not None}


def check_range(wanted: BlangRange | MastermindsRange, versions: Iterable[Version]) -> None:
    """Check that semantic-version finds the same of *versions* in the range *wanted*, if it can read the range.

    Raises:
        AssertionError: it finds another one, and none of :data:`olmsolve.semver.RANGE_DIFFERENCES` explains that.
    """
    for version in versions:
        opinion = range_opinion(wanted, version)
        if opinion is not None and opinion != (version in wanted) and range_difference(wanted, version) is None:
            raise AssertionError(
                f"{version} in {wanted}: olmsolve says {version in wanted}, semantic-version {opinion}"
            )


def check_rule(rule: Rule, bundles: Iterable[Iterable[Property]], opinions: RuleOpinions) -> None:
    """Check that cel-python gives the same for *rule* on the properties of each of *bundles*, where it has an opinion.

    *opinions* is the process to ask, which several checks share.

    Raises:
        AssertionError: it gives another, and none of :data:`olmsolve.cel.RULE_DIFFERENCES` explains that.
    """
    lists = [[{"type": property_.type, "value": property_.value} for property_ in properties] for properties in bundles]
    for properties, opinion in zip(lists, opinions.of(rule, lists), strict=True):
        ours = rule.matches(properties)
        if opinion is not None and opinion != ours and rule_difference(rule, properties) is None:
            raise AssertionError(f"{rule.text} on {properties}: olmsolve says {ours}, cel-python {opinion}")


def check_reading(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that a second reader finds the same: what bundles state, who meets each requirement, what ranges hold.

    That reader (:mod:`olmsolve.answers.plain_reading`) shares no code with the resolver's. *semantics* is there for
    programs that treat all laws alike.

    Raises:
        AssertionError: the two readers differ.
    """
    stated: list[tuple[str, str, Iterable[Property], str | None]] = [
        (bundle.name, bundle.package, bundle.properties, None) for _, bundle in bundles_of(request)
    ]
    stated += [(operator.name, "", operator.properties, operator.version or None) for operator in request.installed]
    read = [
        (name, published(package, properties, version=version), facts(package, properties, version=version))
        for name, package, properties, version in stated
    ]
    faults = [f"{name} states different facts" for name, one, other in read if _facts(one) != _facts(other)]
    needs: dict[Predicate, BundleTest] = {}
    for name, _, properties, _ in stated:
        first, second = _predicates(properties), _tests(properties)
        if first is None or second is None:
            is_same = first is None and second is None
            faults += [] if is_same else [f"the requirements of {name} parse for only one reader"]
        else:
            needs |= chain.from_iterable(map(_paired_parts, first, second))
    for predicate, test in needs.items():
        # For each requirement one bundle is reported: a fault of a reader mostly shows on all.
        meeting = [name for name, one, other in read if predicate.test(one) != test.test(other)]
        faults += [f"{name} meets {predicate} for only one reader" for name in meeting[:1]]
    versions = [(one.version, other.version) for _, one, other in read if one.version and other.version]
    for text in {entry.skip_range for _, entry in _skipping(request)}:
        wanted, plain = skip_range(text), PlainRange.read(text)
        if wanted is None or plain is None:
            is_same = wanted is None and plain is None
            faults += [] if is_same else [f"the range {text} parses for only one reader"]
        else:
            holding = [str(one) for one, other in versions if (one in wanted) != plain.contains(other)]
            faults += [f"{version} is in {text} for only one reader" for version in holding[:1]]
    if faults:
        raise broken("two readers differ", request, faults)


def _facts(facts: Published | PlainFacts) -> tuple[object, ...]:
    packages = [(name, str(version)) for name, version in facts.packages]
    return packages, str(facts.version), facts.gvks, facts.labels, facts.deprecated


def _predicates(properties: Iterable[Property]) -> list[Predicate] | None:
    try:
        return [requirement.predicate for requirement in requirements(properties)]
    except ConstraintError:
        return None


def _tests(properties: Iterable[Property]) -> list[BundleTest] | None:
    try:
        return [requirement.predicate for requirement in plain_reading.requirements(properties)]
    except UnreadableRequirementError:
        return None


def _paired_parts(predicate: Predicate, test: BundleTest) -> Iterator[tuple[Predicate, BundleTest]]:
    """Yield *predicate* with the *test* that is to say the same, and their parts.

    A compound hides what one of its parts gets wrong, as an alternative beside one that is met.
    """
    yield predicate, test
    parts = test.parts if isinstance(test, PartsTest) else ()
    if len(parts) == len(predicate.parts):
        for part, its_test in zip(predicate.parts, parts, strict=True):
            yield from _paired_parts(part, its_test)


def _skipping(request: Request) -> Iterator[tuple[Package, ChannelEntry]]:
    """Yield each entry of a channel that has a ``skipRange``, with its package."""
    for package in (package for source in request.sources for package in source.catalog):
        for channel in package.channels.values():
            yield from ((package, entry) for entry in channel.entries if entry.skip_range)


def check_certificate(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that the answer to *request* has a certificate, and that the checker confirms it after a trip through JSON.

    Answers that a broken or unreadable catalog decides have none.

    Raises:
        AssertionError: the checker refuses it.
    """
    outcome = outcome_of(request, semantics)
    if isinstance(outcome, CatalogError):
        return
    try:
        proof = json.loads(json.dumps(certificate(outcome)))
    except RequestError:
        return
    verdict = verify(proof, request)
    if not verdict:
        raise broken("the certificate proves nothing", request, [str(verdict.reason)])
