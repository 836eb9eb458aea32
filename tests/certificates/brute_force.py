"""The truth about a small request: every selection that keeps all rules, and the preferred one, written from the docs.

It shares with olmsolve what a bundle publishes and how one predicate tests one bundle. Candidates, orders, rules and
the queue of choices are read anew from docs/semantics.md and docs/house-rules.md; selections are sets of bits, of which
all are tried. So it answers requests with few candidates, and nothing else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import attrs

from olmsolve import AtLeastOne, Bundles, Never, Prefer, Request, Semantics, Source, Subscription
from olmsolve.catalog import Channel, ChannelEntry
from olmsolve.eligibility import CandidateFacts
from olmsolve.errors import ConstraintError, RangeError
from olmsolve.predicates import AllOf, AnyOf, NoneOf, Predicate, Published, published, requirements
from olmsolve.semver import BlangRange, Version

__all__ = ["MOST_CANDIDATES", "Named", "NoTruth", "Truth", "truth"]

MOST_CANDIDATES = 16
"""The most candidates of a request that is answered: 65,536 selections, of which groups leave few."""

Named: TypeAlias = tuple[str, str, str, str]
"""A candidate by catalog, package, channel and name; an installed operator is of the catalog ``@existing`` alone."""

Form: TypeAlias = tuple[str, Any]
"""A requirement with negations at its leaves: ("one", predicates), ("none", predicate), ("all", forms), ("any", forms).
"""


class NoTruth(Exception):  # noqa: N818 - no error: another request is drawn
    """The request has too many candidates, or a broken catalog decides it."""


@attrs.frozen(eq=False)
class Candidate:
    """A bundle in a channel, or an installed operator, with what it publishes and requires (None: unreadable)."""

    named: Named
    entry: ChannelEntry
    facts: Published
    requires: tuple[Predicate, ...] | None
    catalogs: tuple[str, ...]
    refused: bool = False

    @property
    def selectable(self) -> bool:
        return self.requires is not None and not self.facts.deprecated and not self.refused


@attrs.frozen
class Truth:
    """The *preferred* plan in the order of selection, None if there is none, and all selections that keep the rules."""

    preferred: tuple[Named, ...] | None
    solutions: tuple[frozenset[Named], ...] = ()


def truth(request: Request, semantics: Semantics) -> Truth:
    """Return the truth about *request*.

    Raises:
        NoTruth: there are too many candidates, or the answer is a fault of a catalog.
    """
    question = _Question(request, semantics)
    roots = question.roots()
    return Truth(None) if roots is None else question.answered(roots)


class _Question:
    """The candidates of a request as bits, and what the rules say of them."""

    def __init__(self, request: Request, semantics: Semantics) -> None:
        self.request, self.semantics, self.rules = request, semantics, request.house_rules
        target = request.namespaces[0]
        self.sources = sorted(
            (source for source in request.sources if source.namespace in request.namespaces),
            key=lambda source: (-source.priority, source.namespace != target, source.name, source.namespace),
        )
        owners = request.owners()
        self.operators = []
        for operator in sorted(request.installed, key=lambda operator: operator.name):
            owner = owners.get(operator.name)
            facts = published("", operator.properties, version=operator.version or None)
            catalogs = ("@existing", *([owner.catalog] if owner else []))
            named = ("@existing", "", "", operator.name)
            self.operators.append(
                self.judged(Candidate(named, ChannelEntry(operator.name), facts, _needs(facts), catalogs))
            )
        self.channels: dict[tuple[str, str, str], dict[str, Candidate]] = {}
        for source in self.sources:
            for package in source.catalog:
                for channel in package.channels.values():
                    entries = {entry.name: entry for entry in channel.entries if entry.name in package.bundles}
                    self.channels[source.key, package.name, channel.name] = {
                        name: self.offered(source, channel, entry, package.bundles[name].properties)
                        for name, entry in entries.items()
                    }
        # Everything that can be selected; subscriptions add what only they can select.
        self.everything = list(dict.fromkeys(self.eligible("")))
        self.updates: list[tuple[Candidate, Candidate]] = []

    def offered(self, source: Source, channel: Channel, entry: ChannelEntry, properties: Any) -> Candidate:
        facts = published(channel.package, properties)
        named = (source.key, channel.package, channel.name, entry.name)
        version = str(facts.version or "")
        about = CandidateFacts(entry.name, channel.package, version, source.key, facts.properties)
        refused = any(constraint(about) for constraint in self.request.eligibility)
        return self.judged(Candidate(named, entry, facts, _needs(facts), (source.key,), refused))

    def judged(self, candidate: Candidate) -> Candidate:
        forbidden = any(
            isinstance(rule, Never) and rule.beside is None and _is_of(rule.bundles, candidate) for rule in self.rules
        )
        return attrs.evolve(candidate, refused=True) if forbidden else candidate

    # -- the orders of candidates

    def eligible(self, own: str) -> list[Candidate]:
        """List what a requirement of a bundle from the catalog *own* may select, the most wanted first."""
        candidates = list(self.operators)
        for source in [*(s for s in self.sources if s.key == own), *(s for s in self.sources if s.key != own)]:
            channels = [
                (channel.name != package.default_channel, package.name, channel.name)
                for package in source.catalog
                for channel in package.channels.values()
            ]
            for _, package, channel in sorted(channels):
                candidates += self.chain(source.key, package, channel) or ()
        return self.preferred_first(candidate for candidate in candidates if candidate.selectable)

    def preferred_first(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        wishes = [rule.bundles for rule in self.rules if isinstance(rule, Prefer)]
        return sorted(candidates, key=lambda candidate: [not _is_of(bundles, candidate) for bundles in wishes])

    def chain(self, catalog: str, package: str, channel: str) -> list[Candidate] | None:
        """List a channel from its head down, without skipped entries; None where it has not one head and one chain."""
        candidates = self.channels[catalog, package, channel]
        entries = [candidate.entry for candidate in candidates.values()]
        skipped = {name for entry in entries for name in entry.skips}
        heads = [e for e in entries if e.name not in skipped and all(e.name != other.replaces for other in entries)]
        if not entries:
            return []
        if len(heads) != 1:
            return None
        chain: list[str] = []
        name = heads[0].name
        while name in candidates:
            if name in chain:
                return None
            chain.append(name)
            name = candidates[name].entry.replaces
        return [candidates[name] for name in chain if name not in skipped]

    # -- roots

    def roots(self) -> list[list[Candidate]] | None:
        """List what each root may select: operators that stay, subscriptions, demands; None for an unknown name."""
        owners = self.request.owners()
        owned = {owner.name: operator for operator, owner in owners.items()}
        by_name = {candidate.named[3]: candidate for candidate in self.operators}
        stays = [candidate for candidate in self.operators if candidate.named[3] not in owners]
        if any(candidate.requires is None for candidate in stays):
            raise NoTruth
        roots = [[candidate] for candidate in stays]
        for wish in self.request.subscriptions:
            operator = by_name.get(owned.get(wish.name, ""))
            candidates = self.serving(wish, operator)
            if candidates is None:
                return None
            self.everything = list(dict.fromkeys([*self.everything, *candidates]))
            if operator is not None:
                self.updates += [(candidate, operator) for candidate in candidates]
                candidates = [*candidates, operator]
            roots.append(self.preferred_first(candidates))
        demands = [rule.bundles for rule in self.rules if isinstance(rule, AtLeastOne)]
        return [
            *roots,
            *([candidate for candidate in self.eligible("") if _is_of(wanted, candidate)] for wanted in demands),
        ]

    def serving(self, wish: Subscription, operator: Candidate | None) -> list[Candidate] | None:
        channels = []
        for source in self.sources:
            package = source.catalog.packages.get(wish.package)
            if package is None or wish.catalog not in ("", source.key):
                continue
            names = sorted(package.channels, key=lambda name: (name != package.default_channel, name))
            channels += [(source.key, wish.package, name) for name in names if wish.channel in ("", name)]
        if not channels:
            return None
        if operator is None and wish.starting_csv:
            candidates = [self.starting(channel, wish.starting_csv) for channel in channels]
            named = [candidate for candidate in candidates if candidate is not None]
            return [candidate for candidate in named if candidate.selectable] if named else None
        result: list[Candidate] = []
        decides = operator is not None or (wish.channel and wish.source)
        if decides and all(self.chain(*channel) is None for channel in channels):
            raise NoTruth
        for channel in channels:
            chain = self.chain(*channel)
            result += [
                candidate for candidate in chain or () if operator is None or _follows(candidate.entry, operator)
            ]
        return [candidate for candidate in result if candidate.selectable]

    def starting(self, channel: tuple[str, str, str], name: str) -> Candidate | None:
        """Return the entry *name* of a channel, None if there is none or the documentation takes it out."""
        candidates = self.channels[channel]
        start = candidates.get(name)
        if start is None or self.semantics is Semantics.CONTROLLER or start.facts.version is None:
            return start
        chain = self.chain(*channel)
        others = [candidate.entry for candidate in candidates.values() if candidate is not start]
        kept = (chain and chain[0] is start) or any(entry.replaces == name for entry in others)
        lost = any(_in_range(start.facts.version, entry.skip_range) for entry in others)
        return start if kept or not lost else None

    # -- selections as bits

    def answered(self, roots: Sequence[Sequence[Candidate]]) -> Truth:
        pool = list(dict.fromkeys([*self.everything, *(candidate for root in roots for candidate in root)]))
        if len(pool) > MOST_CANDIDATES:
            raise NoTruth
        self.bit = {candidate: 1 << number for number, candidate in enumerate(pool)}
        self.forms = {candidate: self.requirements_of(candidate) for candidate in pool}
        self.valid = list(self.solutions(pool, [self.mask(root) for root in roots]))
        if not self.valid:
            return Truth(None)
        solutions = [
            frozenset(candidate.named for candidate in pool if self.bit[candidate] & truths) for truths in self.valid
        ]
        return Truth(tuple(candidate.named for candidate in self.walk(roots)), tuple(solutions))

    def mask(self, candidates: Iterable[Candidate]) -> int:
        return sum(self.bit[candidate] for candidate in candidates)

    def solutions(self, pool: Sequence[Candidate], roots: Sequence[int]) -> Iterator[int]:
        """Yield every selection that keeps all rules."""
        excluded = dict.fromkeys(pool, 0)
        for one in pool:
            for other in pool:
                replaces = (one, other) in self.updates or (other, one) in self.updates
                if one is not other and (replaces or _share_a_group(one.facts, other.facts)):
                    excluded[one] |= self.bit[other]

        def extended(selection: int, rest: Sequence[Candidate]) -> Iterator[int]:
            if not rest:
                yield selection
                return
            yield from extended(selection, rest[1:])
            if rest[0].selectable and not excluded[rest[0]] & selection:
                yield from extended(selection | self.bit[rest[0]], rest[1:])

        for selection in extended(0, pool):
            if all(selection & root for root in roots) and all(
                self.holds(form, selection)
                for candidate in pool
                if self.bit[candidate] & selection
                for form in self.forms[candidate]
            ):
                yield selection

    def requirements_of(self, candidate: Candidate) -> list[Form]:
        """List the conditions of *candidate* in the order of its properties, then those of house rules."""
        own = candidate.named[0]
        if self.semantics is Semantics.CONTROLLER:
            forms: list[Form] = [("one", (own, (requirement,))) for requirement in candidate.requires or ()]
        else:
            forms = [_form(requirement, own) for requirement in candidate.requires or ()]
        for rule in self.rules:
            if isinstance(rule, Never) and rule.beside is not None and _is_of(rule.bundles, candidate):
                apart = [other for other in self.everything if other is not candidate and _is_of(rule.beside, other)]
                forms.append(("apart", apart))
        return forms

    def of_form(self, form: Form) -> list[Candidate]:
        """List the candidates of a leaf, the most wanted first."""
        kind, content = form
        if kind == "apart":
            return list(content)
        if kind == "none":
            return [
                candidate for candidate in self.everything if candidate.selectable and content.test(candidate.facts)
            ]
        own, predicates = content
        return [
            candidate
            for candidate in self.eligible(own)
            if any(predicate.test(candidate.facts) for predicate in predicates)
        ]

    def holds(self, form: Form, selection: int, *, so_far: bool = False) -> bool:
        """Return whether *form* holds of *selection*, *so_far*: whatever is selected beside it."""
        kind, content = form
        if kind == "all":
            return all(self.holds(part, selection, so_far=so_far) for part in content)
        if kind == "any":
            return any(self.holds(part, selection, so_far=so_far) for part in content)
        mask = self.mask(self.of_form(form))
        if kind == "one":
            return bool(mask & selection)
        return not mask if so_far else not mask & selection

    def walk(self, roots: Sequence[Sequence[Candidate]]) -> list[Candidate]:
        """Walk the queue: each choice takes the first way with which some valid selection has all that was taken."""
        selected: list[Candidate] = []
        selection, parts = 0, list[Form]()

        def possible(more: int, part: Form | None = None) -> bool:
            wanted = [*parts, *([] if part is None else [part])]
            with_more = selection | more
            return any(
                solution & with_more == with_more and all(self.holds(form, solution) for form in wanted)
                for solution in self.valid
            )

        queue: deque[Form] = deque(("root", root) for root in roots)
        while queue:
            form = kind, content = queue.popleft()
            if kind == "any" and not self.holds(form, selection, so_far=True):
                part = next(part for part in content if possible(0, part))
                parts.append(part)
                queue.extend(_leaves(part))
            if kind not in ("root", "one"):
                continue
            candidates = content if kind == "root" else self.of_form(form)
            if self.mask(candidates) & selection:
                continue
            chosen = next(candidate for candidate in candidates if possible(self.bit[candidate]))
            selected.append(chosen)
            selection |= self.bit[chosen]
            queue.extend(leaf for form in self.forms[chosen] for leaf in _leaves(form))
        return selected


def _needs(facts: Published) -> tuple[Predicate, ...] | None:
    try:
        return tuple(requirement.predicate for requirement in requirements(facts.properties))
    except ConstraintError:
        return None


def _is_of(bundles: Bundles, candidate: Candidate) -> bool:
    return bundles.include(candidate.named[3], candidate.catalogs, candidate.facts)


def _share_a_group(one: Published, other: Published) -> bool:
    packages = {name for name, _ in one.packages} & {name for name, _ in other.packages}
    apis = {tuple(api) for api in one.gvks} & {tuple(api) for api in other.gvks}
    return bool(packages or apis)


def _follows(entry: ChannelEntry, operator: Candidate) -> bool:
    name, version = operator.named[3], operator.facts.version
    if name == entry.replaces or name in entry.skips:
        return True
    return version is not None and _in_range(version, entry.skip_range)


def _in_range(version: Version, text: str) -> bool:
    try:
        return bool(text) and version in BlangRange.parse(text)
    except RangeError:
        return False


def _form(predicate: Predicate, own: str, *, negated: bool = False) -> Form:
    """Return *predicate* with its negations at the leaves, where a choice of plain alternatives is one leaf."""
    if not isinstance(predicate, AllOf | AnyOf | NoneOf):
        return ("none", predicate) if negated else ("one", (own, (predicate,)))
    inside = negated != isinstance(predicate, NoneOf)
    kind = "any" if negated != isinstance(predicate, AnyOf) else "all"
    parts: list[Form] = []
    for inner in predicate.parts:
        part = _form(inner, own, negated=inside)
        alike = part[0] == kind or (kind == "any" and part[0] == "one" and len(part[1][1]) > 1)
        if alike and part[0] == "one":
            parts += [("one", (own, (leaf,))) for leaf in part[1][1]]
        else:
            parts += part[1] if alike else [part]
    if len(parts) == 1:
        return parts[0]
    if kind == "any" and all(part[0] == "one" for part in parts):
        return "one", (own, tuple(leaf for part in parts for leaf in part[1][1]))
    return kind, parts


def _leaves(form: Form) -> Iterator[Form]:
    if form[0] == "all":
        for part in form[1]:
            yield from _leaves(part)
    else:
        yield form
