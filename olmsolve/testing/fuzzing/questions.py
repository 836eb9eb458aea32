"""The questions of a catalog's author: dead ends of updates, requirements, who wins by name, and who excludes whom.

The first ones are about one package. Which subscriptions can never be served together is asked about all packages at
once, and needs the plan for each subscription alone.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import olmsolve._attrs as attrs
from olmsolve import classic
from olmsolve._records import Record, field, record
from olmsolve.answers.auditing import Auditor, CircularUpdates, NoUpdate, UpdateNotInstallable
from olmsolve.answers.reducing import Reach, requirement_leaves
from olmsolve.authoring import second_opinions
from olmsolve.authoring.checks import Severity
from olmsolve.catalog import Bundle, Catalog, Package, Source
from olmsolve.catalog.update_graph import ClassicChannel
from olmsolve.classic import Semantics, Subscription, SubscriptionWants, Unsatisfiable
from olmsolve.errors import CatalogError, ConstraintError
from olmsolve.predicates import Predicate, Property, Published, Requirement, published, requirements
from olmsolve.requests import NAMESPACE
from olmsolve.resolution import Install, Resolution
from olmsolve.semver import reading_by
from olmsolve.solver.backends import DEFAULT
from olmsolve.testing.fuzzing.findings import (
    DifferentOpinion,
    FuzzFinding,
    NeverDecisive,
    NeverInstallable,
    NeverTogether,
    UpdateDeadEnd,
    WonByName,
)
from olmsolve.testing.varying import AS_CONSTRAINT

CandidateKey = tuple[str, str, str, str]
"""A candidate: its catalog (``namespace/name``), package, channel and bundle."""


@record
class Profile(Record):
    """A subscription, and what its plan installs where it is alone."""

    catalog: str = field("The catalog, namespace/name.")
    package: str = field("The package.")
    channel: str = field("The channel.")
    installs: tuple[CandidateKey, ...] = field("The candidates: catalog, package, channel and bundle of each.")


@record
class Winner(Record):
    """A package that was taken for a requirement."""

    catalog: str = field("The catalog of the package, namespace/name.")
    package: str = field("The package.")
    bundle: str = field("The bundle with the requirement.")
    requirement: str = field("The requirement.")
    rival: str = field("The package that would do as well, empty if nothing would.")


@record
class PackageAnswers(Record):
    """All that was found out about one package."""

    catalog: str = field("The catalog, namespace/name.")
    package: str = field("The package.")
    findings: tuple[FuzzFinding, ...] = field("The findings.")
    profiles: tuple[Profile, ...] = field("Subscriptions to its channels.")
    winners: tuple[Winner, ...] = field("Packages that its requirements take.")


class Examiner:
    """Answers the questions about packages of *sources*."""

    def __init__(self, sources: Sequence[Source], semantics: Semantics) -> None:
        self.sources: dict[str, Source] = {source.key: source for source in sources}
        self._semantics = semantics
        self._auditor = Auditor(sources, semantics, DEFAULT)
        self.reach: Reach = Reach(source.catalog for source in sources)
        self._namespaces = tuple(dict.fromkeys((NAMESPACE, *(source.namespace for source in sources))))

    def examine(self, catalog: str, package: str) -> PackageAnswers:
        """Answer the questions about *package* of the source *catalog* (``namespace/name``)."""
        plans, refusals = self._plans(catalog, package)
        winners = [winner for plan in plans.values() for winner in self._winners(plan)]
        package_there = self.sources[catalog].catalog.packages[package]
        findings = (
            *_never_installable(catalog, package, tuple(plans), refusals),
            *self._dead_ends(catalog, package),
            *self.never_decisive(catalog, package),
            *_opinions(catalog, package_there),
        )
        return PackageAnswers(
            catalog, package, findings, self.profiles(catalog, package, plans), tuple(dict.fromkeys(winners))
        )

    def profiles(
        self, catalog: str, package: str, plans: Mapping[str, Resolution] | None = None
    ) -> tuple[Profile, ...]:
        """Return a profile for each channel of *package* that can be served; *plans* are theirs, if at hand."""
        plans = self._plans(catalog, package)[0] if plans is None else plans
        return tuple(
            Profile(catalog, package, channel, tuple(map(_key, plan.installs))) for channel, plan in plans.items()
        )

    def _plans(self, catalog: str, package: str) -> tuple[dict[str, Resolution], dict[str, tuple[str, ...]]]:
        """Return the plan for a subscription to each channel of *package* alone, and why other channels have none.

        A package without channels is asked about as a whole, under the name "".
        """
        plans: dict[str, Resolution] = {}
        refusals: dict[str, tuple[str, ...]] = {}
        package_there = self.sources[catalog].catalog.packages[package]
        # The default channel first: its reasons are reported.
        by_default = sorted(package_there.channels, key=lambda name: (name != package_there.default_channel, name))
        for channel in by_default or [""]:
            try:
                request = self.request([self.wish(catalog, package, channel)])
                plans[channel] = classic.resolve(request, semantics=self._semantics)
            except (Unsatisfiable, CatalogError) as failure:
                refusals[channel] = _reasons(failure)
        return dict(sorted(plans.items())), refusals

    def wish(self, catalog: str, package: str, channel: str, starting: str = "") -> Subscription:
        """Return the subscription to *channel* of *package* in *catalog*, beginning with the bundle *starting*."""
        source = self.sources[catalog]
        return Subscription(package, NAMESPACE, package, channel, source.name, source.namespace, starting)

    def request(self, wishes: Sequence[Subscription], sources: Iterable[Source] | None = None) -> classic.Request:
        """Return a request for *wishes* where nothing is installed, over *sources* (default: all)."""
        return classic.Request(self._namespaces, self.sources.values() if sources is None else sources, wishes)

    def refusal(self, wishes: Sequence[Subscription]) -> tuple[str, ...] | None:
        """Return why *wishes* cannot be served together, without the wishes themselves; None if they can."""
        try:
            classic.resolve(self.request(wishes), semantics=self._semantics)
        except (Unsatisfiable, CatalogError) as failure:
            return _reasons(failure)
        return None

    # -- updates

    def _dead_ends(self, catalog: str, package: str) -> Iterator[UpdateDeadEnd]:
        """Yield a finding for each channel with dead ends; most of them repeat from version to version."""
        ends: dict[str, list[UpdateNotInstallable | NoUpdate | CircularUpdates]] = {}
        for finding in self._auditor.audit(catalog, package).findings:
            if isinstance(finding, UpdateNotInstallable | NoUpdate | CircularUpdates):
                ends.setdefault(finding.channel, []).append(finding)
        for channel, dead_ends in ends.items():
            versions = tuple(dict.fromkeys(version for dead_end in dead_ends for version in dead_end.versions))
            more = f" ({len(dead_ends) - 1} more like this)" if len(dead_ends) > 1 else ""
            first = dead_ends[0]
            reasons = tuple(map(str, first.reasons))
            bundle = first.circle[0] if isinstance(first, CircularUpdates) else first.bundle
            yield UpdateDeadEnd(catalog, package, channel, bundle, versions, f"{first}{more}", reasons=reasons)

    # -- requirements

    def never_decisive(self, catalog: str, package: str) -> Iterator[NeverDecisive]:
        """Yield the requirements of *package* that decide nothing in any bundle that states them.

        The resolver answers the question: is there a selection with the bundle in which the requirement is not met? So
        the requirement is replaced by its negation. The shipped controller applies ``not`` to each bundle alone, so
        only the documented semantics can answer.

        All yielded requirements can be dropped together. Of requirements that imply each other, the first one stays::

            the APIs Realm and User, which only keycloak provides, always both  ->  User never decides
        """
        if self._semantics is not Semantics.DOCUMENTED:
            return
        idle: dict[str, list[str]] = {}
        decisive: set[str] = set()
        for bundle in self.sources[catalog].catalog.packages[package].bundles.values():
            remaining = bundle
            # From the last one on, so that leaving one out moves none that is still to come.
            for requirement in reversed(_requirements(bundle)):
                text = str(requirement.predicate)
                # One bundle in which it decides is enough: the author needs it.
                if text in decisive or not self._is_installable(catalog, bundle):
                    continue
                if self._is_installable(
                    catalog, _with_property(remaining, requirement, (_negation(bundle, requirement),))
                ):
                    decisive.add(text)
                else:
                    idle.setdefault(text, []).append(bundle.name)
                    remaining = _with_property(remaining, requirement, ())
        for text, bundles in reversed(idle.items()):
            if text not in decisive:
                yield NeverDecisive(catalog, package, text, tuple(bundles))

    def _is_installable(self, catalog: str, bundle: Bundle) -> bool:
        """Return whether some selection has *bundle*, which may differ from the one in the *catalog*."""
        package = self.sources[catalog].catalog.packages[bundle.package]
        is_own = package.bundles[bundle.name] is bundle
        if is_own and self._auditor.known_installable(catalog, bundle.package, bundle.name):
            return True
        sources = None if is_own else list(self._with_bundle(catalog, bundle))
        for channel in package.channels.values():
            if bundle.name in ClassicChannel(channel, package.bundles).order.chain:
                wish = self.wish(catalog, bundle.package, channel.name, bundle.name)
                if classic.is_satisfiable(self.request([wish], sources), semantics=self._semantics):
                    return True
        return False

    def _with_bundle(self, catalog: str, bundle: Bundle) -> Iterator[Source]:
        """Yield the sources with *bundle* in *catalog*, and nothing that it cannot need: small catalogs index fast."""
        names = self.reach.reached_from([bundle.package], bundle.properties)
        for key, source in self.sources.items():
            packages = {package.name: package for package in source.catalog if package.name in names}
            if key == catalog:
                package = packages[bundle.package]
                packages[package.name] = attrs.evolve(package, bundles={**package.bundles, bundle.name: bundle})
            yield attrs.evolve(source, catalog=Catalog(packages, origin=source.catalog.origin))

    # -- names

    def _winners(self, plan: Resolution) -> Iterator[Winner]:
        """Yield each package that a requirement brought into *plan*, with a rival that only a later name kept out."""
        for install in plan.installs:
            first = install.wanted_by[0]
            if not first.subscription:
                rival = self._rival(plan, install)
                yield Winner(install.catalog, install.package, first.bundle, str(first.requirement), rival)

    def _rival(self, plan: Resolution, install: Install) -> str:
        """Return the package that would take the place of *install* in *plan* and has only a later name, "" if none."""
        assert plan.context is not None
        this = install.catalog, install.package

        def refused(candidate: Any) -> str:
            return "left out" if (candidate.catalog, candidate.package) == this else ""

        request = attrs.evolve(plan.context.request, eligibility=(refused,))
        try:
            other = classic.resolve(request, semantics=self._semantics)
        except (Unsatisfiable, CatalogError):
            return ""
        wanted = install.wanted_by[0]
        for installed in other.installs:
            first = installed.wanted_by[0]
            is_same_wish = (first.bundle, first.requirement) == (wanted.bundle, wanted.requirement)
            if is_same_wish and installed.catalog == install.catalog and installed.package > install.package:
                return installed.package
        return ""


def _reasons(failure: Unsatisfiable | CatalogError) -> tuple[str, ...]:
    """Return the reasons of *failure*; the wishes among them only if there are no others."""
    if isinstance(failure, CatalogError):
        return (str(failure),)
    others = tuple(str(reason) for reason in failure.core if not isinstance(reason, SubscriptionWants))
    return others or tuple(map(str, failure.core))


def _never_installable(
    catalog: str, package: str, served: tuple[str, ...], refusals: Mapping[str, tuple[str, ...]]
) -> Iterator[NeverInstallable]:
    """Yield a finding if a channel of *package* serves nobody: *refusals* has the reasons of each."""
    if refusals:
        first = next(iter(refusals.values()))
        channels = tuple(channel for channel in refusals if channel)
        yield NeverInstallable(catalog, package, channels, served, reasons=first)


def _opinions(catalog: str, package: Package) -> Iterator[DifferentOpinion]:
    """Yield the ranges and rules of *package* that other libraries read otherwise, for no known reason."""
    for finding in second_opinions(Catalog({package.name: package})).findings:
        if finding.severity is Severity.WARNING:
            yield DifferentOpinion(catalog, package.name, finding.bundle or "", finding.message)


def _key(install: Install) -> CandidateKey:
    return install.catalog, install.package, install.channel, install.name


def _requirements(bundle: Bundle) -> tuple[Requirement, ...]:
    """Return the requirements of *bundle* that ``olm.constraint`` can negate; none where they do not parse."""
    try:
        stated = requirements(bundle.properties)
    except ConstraintError:
        return ()
    return tuple(
        requirement for requirement in stated if requirement.property_type in ("olm.constraint", *AS_CONSTRAINT)
    )


def _negation(bundle: Bundle, requirement: Requirement) -> Property:
    """Return the property that demands the opposite of a *requirement* of *bundle*."""
    value = json.loads(bundle.properties[requirement.property_index].text)
    if requirement.property_type in AS_CONSTRAINT:
        value = {AS_CONSTRAINT[requirement.property_type]: value}
    return Property("olm.constraint", {"not": {"constraints": [value]}})


def _with_property(bundle: Bundle, requirement: Requirement, stated: tuple[Property, ...]) -> Bundle:
    """Return *bundle* with the properties *stated* in place of *requirement*."""
    position = requirement.property_index
    properties = (*bundle.properties[:position], *stated, *bundle.properties[position + 1 :])
    return attrs.evolve(bundle, properties=properties)


Pair = tuple[Profile, Profile]


def doubtful_pairs(profiles: Iterable[Profile], sources: Mapping[str, Source]) -> list[Pair]:
    """Return the pairs of *profiles* whose plans cannot simply be united; all others can be served together.

    Two plans that share no package and no API, or the same candidate of it, are a plan for both subscriptions:
    nothing in one limits the other. Only a ``not`` looks further. So of 200,000 pairs a few hundred are left to ask::

        shop: shop.v2, broker.v3      depot: depot.v1, broker.v3      -> united
        shop: shop.v2, broker.v3      rival: rival.v1, broker.v2      -> doubtful: two versions of broker
    """
    facts = _Facts(sources)
    using: defaultdict[object, dict[Profile, set[CandidateKey]]] = defaultdict(dict)
    excluding: dict[Profile, list[Predicate]] = {}
    everything = list(profiles)
    for profile in everything:
        for key in profile.installs:
            for group in facts.groups(key):
                using[group].setdefault(profile, set()).add(key)
        excluded = [leaf for key in profile.installs for leaf in facts.excluded(key)]
        if excluded:
            excluding[profile] = excluded
    doubtful: set[Pair] = set()
    for users in using.values():
        doubtful.update(
            _pair(one, other) for one, other in itertools.combinations(users, 2) if users[one] != users[other]
        )
    for one, leaves in excluding.items():
        for other in everything:
            if any(leaf.test(facts.published(key)) for key in other.installs for leaf in leaves):
                doubtful.add(_pair(one, other))
    pairs = (pair for pair in doubtful if pair[0].package != pair[1].package)
    return sorted(pairs, key=lambda pair: (_order(pair[0]), _order(pair[1])))


def _pair(one: Profile, other: Profile) -> Pair:
    return (one, other) if _order(one) <= _order(other) else (other, one)


def _order(profile: Profile) -> tuple[str, str, str]:
    return profile.package, profile.catalog, profile.channel


class _Facts:
    """Facts about the bundles of plans, looked up once."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources

    def _properties(self, key: CandidateKey) -> tuple[Property, ...]:
        catalog, package, _, name = key
        return self._sources[catalog].catalog.packages[package].bundles[name].properties

    def published(self, key: CandidateKey) -> Published:
        with reading_by(self._sources[key[0]].catalog.scheme):
            return published(key[1], self._properties(key))

    def groups(self, key: CandidateKey) -> Iterator[object]:
        """Yield the packages and APIs of which a selection has one bundle at most."""
        facts = self.published(key)
        yield from dict.fromkeys((key[1], *(name for name, _ in facts.packages)))
        yield from facts.gvks

    def excluded(self, key: CandidateKey) -> Iterator[Predicate]:
        """Yield the leaves below a ``not`` in the requirements of a bundle."""
        try:
            waiting = [requirement.predicate for requirement in requirements(self._properties(key))]
        except ConstraintError:
            return
        # Nearly no requirement has a "not", and only then are its leaves needed.
        if not any(map(_has_negation, waiting)):
            return
        yield from requirement_leaves(self._properties(key))


def _has_negation(predicate: Predicate) -> bool:
    return bool(predicate.none_of) or any(map(_has_negation, predicate.parts))


def refusal_of(examiner: Examiner, pair: Pair) -> tuple[str, ...] | None:
    """Return why the subscriptions of *pair* can never be served together, None if they can."""
    return examiner.refusal([examiner.wish(request.catalog, request.package, request.channel) for request in pair])


def never_together(refused: Iterable[tuple[Pair, tuple[str, ...]]]) -> Iterator[NeverTogether]:
    """Yield a finding for each pair of packages, with the channels of both; the reasons are about the first pair.

    Channels that exclude the same channels of the other package are reported together::

        a from x, y; b from z, where (a x, b z) and (a y, b z) are *refused*
    """
    reasons: dict[Pair, tuple[str, ...]] = dict(refused)
    excluded: defaultdict[Profile, list[Profile]] = defaultdict(list)
    for one, other in sorted(reasons, key=lambda pair: (_order(pair[0]), _order(pair[1]))):
        excluded[one].append(other)
    alike: defaultdict[tuple[object, tuple[Profile, ...]], list[Profile]] = defaultdict(list)
    for one, others in excluded.items():
        for _, part in itertools.groupby(others, key=lambda other: (other.package, other.catalog)):
            alike[(one.package, one.catalog), tuple(part)].append(one)
    for (_, partners), ones in alike.items():
        first = ones[0], partners[0]
        wishes = tuple((profile.catalog, profile.package, profile.channel) for profile in first)
        yield NeverTogether((_channels_text(ones), _channels_text(partners)), wishes, reasons=reasons[first])


def _channels_text(profiles: Sequence[Profile]) -> str:
    channels = ", ".join(profile.channel for profile in profiles)
    first = profiles[0]
    return f"package {first.package} from channel{'s' * (len(profiles) > 1)} {channels} of {first.catalog}"


def won_by_name(winners: Iterable[Winner]) -> Iterator[WonByName]:
    """Yield a finding for each package that requirements select, every time only because its name comes first."""
    cases: defaultdict[tuple[str, str], list[Winner]] = defaultdict(list)
    for winner in winners:
        cases[winner.catalog, winner.package].append(winner)
    for (catalog, package), answers in sorted(cases.items()):
        if all(winner.rival for winner in answers):
            first = min(answers, key=lambda winner: (winner.bundle, winner.requirement))
            yield WonByName(catalog, package, first.rival, first.bundle, first.requirement)
