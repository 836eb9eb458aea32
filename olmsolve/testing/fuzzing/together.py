"""Subscriptions that can never be served together, and packages that only their names let win: all packages at once."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from olmsolve.answers.reducing import requirement_leaves
from olmsolve.catalog import Source
from olmsolve.errors import ConstraintError
from olmsolve.predicates import NoneOf, Predicate, Property, Published, published, requirements
from olmsolve.semver import reading_by
from olmsolve.testing.fuzzing.findings import NeverTogether, WonByName
from olmsolve.testing.fuzzing.questions import CandidateKey, Examiner, Profile, Winner

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
        if not any(map(_has_negation, waiting)):
            return
        yield from requirement_leaves(self._properties(key))


def _has_negation(predicate: Predicate) -> bool:
    return isinstance(predicate, NoneOf) or any(map(_has_negation, predicate.parts))


def refusal_of(examiner: Examiner, pair: Pair) -> tuple[str, ...] | None:
    """Return why the subscriptions of *pair* can never be served together, None if they can."""
    return examiner.refusal([examiner.wish(request.catalog, request.package, request.channel) for request in pair])


def never_together(refused: Iterable[tuple[Pair, tuple[str, ...]]]) -> Iterator[NeverTogether]:
    """Yield a finding for each pair of packages, with the channels of both; the reasons are those of the first pair.

    Channels that exclude the same channels of the other package are told together::

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
        wishes = tuple((each.catalog, each.package, each.channel) for each in first)
        yield NeverTogether((_channels_text(ones), _channels_text(partners)), wishes, reasons=reasons[first])


def _channels_text(profiles: Sequence[Profile]) -> str:
    channels = ", ".join(profile.channel for profile in profiles)
    first = profiles[0]
    return f"package {first.package} from channel{'s' * (len(profiles) > 1)} {channels} of {first.catalog}"


def won_by_name(winners: Iterable[Winner]) -> Iterator[WonByName]:
    """Yield a finding for each package that is taken for requirements, and each time only because of its name."""
    cases: defaultdict[tuple[str, str], list[Winner]] = defaultdict(list)
    for winner in winners:
        cases[winner.catalog, winner.package].append(winner)
    for (catalog, package), answers in sorted(cases.items()):
        if all(winner.rival for winner in answers):
            first = min(answers, key=lambda winner: (winner.bundle, winner.requirement))
            yield WonByName(catalog, package, first.rival, first.bundle, first.requirement)
