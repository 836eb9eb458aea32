"""Classic resolution of small requests straight from its definition: the oracle of the fast resolver.

This shares no code with the indexes, the encoding or the search of the resolver; it reads the catalog model
and the predicates, and follows the definition sentence by sentence. Whether something is consistent with
everything is found by trying all ways to meet what is still to be met, so it can take exponential time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import attrs

from olmsolve.catalog import ChannelEntry, Package, Published, Source, published
from olmsolve.classic.request import Request, Semantics, Subscription
from olmsolve.errors import CatalogError, ConstraintError, RangeError
from olmsolve.predicates import (
    Conjunction,
    Disjunction,
    Negative,
    NormalForm,
    Positive,
    Predicate,
    Requirement,
    normalise,
    requirements,
)
from olmsolve.semver import blang

__all__ = ["EXISTING", "Selected", "TooLarge", "resolve"]

EXISTING: Final = "@existing"
"""The catalog of the installed operators."""


class Selected(NamedTuple):
    """A candidate of the solution: *catalog* is ``name/namespace`` (:data:`EXISTING` for what is installed).

    *replaces* is the installed operator that it replaces, else what its channel entry says.
    """

    catalog: str
    package: str
    channel: str
    name: str
    replaces: str


class TooLarge(Exception):  # noqa: N818 - not an error: the caller asked for too much
    """The request takes more steps than the caller allows."""


def resolve(
    request: Request, semantics: Semantics = Semantics.DOCUMENTED, *, max_steps: int = 200_000
) -> tuple[Selected, ...] | None:
    """The preferred solution of *request* in the order of selection, None where there is none.

    What stays installed is part of it, under the catalog :data:`EXISTING`.

    Raises:
        CatalogError: a subscription names a channel without exactly one chain (and its catalog), or the
            requirements of an unowned installed operator do not parse. (Other faults of a catalog make
            candidates unselectable; where the resolver blames them, this says None.)
        TooLarge: after *max_steps* steps of the exhaustive search.
    """
    world = _World(request)
    owners = request.owners()
    wishes: list[_Wish] = []
    for operator in world.existing:
        if operator.name not in owners:
            if operator.fault is not None:
                raise CatalogError(operator.fault, catalog=EXISTING, bundle=operator.name)
            wishes.append(_Choice((operator,)))
    for subscription in request.subscriptions:
        held = next((o for o in world.existing if owners.get(o.name) is subscription), None)
        updates = world.candidates_of(subscription, held)
        if updates is None:
            return None
        if held is None:
            wishes.append(_Choice(updates))
        else:
            world.excluded_pairs.extend((update, held) for update in updates)
            wishes.append(_Choice((*updates, held)))
        world.selectable.update(dict.fromkeys(updates))
    return _Search(world, semantics, wishes, max_steps).preferred()


@attrs.frozen(eq=False)
class _Candidate:
    """A bundle seen through one channel of one catalog, or an installed operator; compared by identity."""

    catalog: str
    package: str
    entry: ChannelEntry
    channel: str
    published: Published = attrs.field(repr=False)
    requirements: tuple[Requirement, ...] = attrs.field(repr=False)
    fault: str | None

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def packages(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.published.packages)

    def excludes(self, other: _Candidate) -> bool:
        """Whether at most one of the two can be selected, by the invariants."""
        if not self.packages.isdisjoint(other.packages):
            return True
        return not set(self.published.gvks).isdisjoint(other.published.gvks)


@attrs.frozen(eq=False)
class _Choice:
    """One of *candidates* must be selected, the first that can be."""

    candidates: tuple[_Candidate, ...]


@attrs.frozen(eq=False)
class _Exclusion:
    """None of *candidates*, which are all that could match, may be selected."""

    candidates: tuple[_Candidate, ...]


@attrs.frozen(eq=False)
class _All:
    parts: tuple[_Wish, ...]


@attrs.frozen(eq=False)
class _Any:
    parts: tuple[_Wish, ...]


_Wish: TypeAlias = _Choice | _Exclusion | _All | _Any


@attrs.frozen(eq=False)
class _Channel:
    """A channel with its candidates by name, and the names of its chain, None without exactly one."""

    name: str
    candidates: dict[str, _Candidate]
    chain: list[str] | None


class _World:
    """Everything that can be selected, and in which order it is preferred."""

    def __init__(self, request: Request) -> None:
        self.target = request.namespaces[0]
        self.sources = sorted(
            (source for source in request.sources if source.namespace in request.namespaces),
            key=lambda s: (-s.priority, s.namespace != self.target, s.name, s.namespace),
        )
        self.existing = sorted(
            (
                _candidate(
                    EXISTING,
                    "",
                    "",
                    ChannelEntry(operator.name),
                    published("", operator.properties, version=operator.version or None),
                )
                for operator in request.installed
            ),
            key=lambda candidate: candidate.name,
        )
        self.channels = {
            (source.key, package.name): _channels(source, package)
            for source in self.sources
            for package in source.catalog
        }
        self.excluded_pairs: list[tuple[_Candidate, _Candidate]] = []
        # Subscriptions add theirs: a starting CSV can be selected though nothing can depend on it.
        self.selectable = dict.fromkeys(self.ordered(""))

    def ordered(self, own_catalog: str) -> list[_Candidate]:
        """The candidates for a dependency of a bundle from *own_catalog*, most wanted first."""
        result = list(self.existing)
        for source in sorted(self.sources, key=lambda source: source.key != own_catalog):
            channels = [
                (channel.name != package.default_channel, package.name, channel.name, channel)
                for package in source.catalog
                for channel in self.channels[source.key, package.name]
            ]
            for *_, channel in sorted(channels, key=lambda item: item[:3]):
                result.extend(channel.candidates[name] for name in channel.chain or ())
        return [candidate for candidate in result if _can_be_selected(candidate)]

    def candidates_of(
        self, subscription: Subscription, installed: _Candidate | None
    ) -> tuple[_Candidate, ...] | None:
        """The candidates of *subscription*, staying left out; None where it names something unknown."""
        wanted = f"{subscription.source}/{subscription.source_namespace}"
        channels = [
            channel
            for source in self.sources
            if not subscription.source or source.key == wanted
            for channel in self._in_order(source, subscription.package)
            if not subscription.channel or channel.name == subscription.channel
        ]
        if not channels:
            return None
        result: list[_Candidate] = []
        if installed is None and subscription.starting_csv:
            named = [channel.candidates.get(subscription.starting_csv) for channel in channels]
            result = [candidate for candidate in named if candidate is not None]
            return tuple(filter(_can_be_selected, result)) if result else None
        for channel in channels:
            # Without a catalog it names no channel in particular, and others may serve it.
            if channel.chain is None and subscription.channel and subscription.source:
                reason = "the channel has not exactly one chain"
                raise CatalogError(reason, package=subscription.package, channel=channel.name)
            for name in channel.chain or ():
                candidate = channel.candidates[name]
                if installed is None or _updates(candidate.entry, installed):
                    result.append(candidate)
        return tuple(filter(_can_be_selected, result))

    def _in_order(self, source: Source, package: str) -> list[_Channel]:
        """The channels of *package*, default first, then by name."""
        found = source.catalog.packages.get(package)
        if found is None:
            return []
        channels = self.channels[source.key, package]
        return sorted(channels, key=lambda channel: (channel.name != found.default_channel, channel.name))

    def wish(self, candidate: _Candidate, requirement: Requirement, semantics: Semantics) -> _Wish:
        """What *requirement* of *candidate* asks."""
        predicate = requirement.predicate
        if semantics is Semantics.CONTROLLER:
            return self._choice(candidate, [predicate])
        return self._documented(candidate, normalise(predicate))

    def _documented(self, candidate: _Candidate, form: NormalForm) -> _Wish:
        match form:
            case Positive():
                return self._choice(candidate, [form.predicate])
            case Negative():
                return _Exclusion(
                    tuple(other for other in self.selectable if form.predicate.test(other.published))
                )
            case Conjunction():
                return _All(tuple(self._documented(candidate, part) for part in form.parts))
            case Disjunction():
                leaves = [part.predicate for part in form.parts if isinstance(part, Positive)]
                if len(leaves) == len(form.parts):
                    return self._choice(candidate, leaves)
                return _Any(tuple(self._documented(candidate, part) for part in form.parts))

    def _choice(self, candidate: _Candidate, predicates: Sequence[Predicate]) -> _Choice:
        return _Choice(
            tuple(
                other
                for other in self.ordered(candidate.catalog)
                if any(predicate.test(other.published) for predicate in predicates)
            )
        )


class _Search:
    """The preferred solution: a queue of wishes, each granted in the first way that everything allows."""

    def __init__(self, world: _World, semantics: Semantics, wishes: list[_Wish], max_steps: int) -> None:
        self.world = world
        self.semantics = semantics
        self.roots = wishes
        self.steps_left = max_steps
        self._wishes: dict[_Candidate, tuple[_Wish, ...]] = {}
        self._excludes: dict[tuple[_Candidate, _Candidate], bool] = {}

    def preferred(self) -> tuple[Selected, ...] | None:
        selected: list[_Candidate] = []
        asserted: list[_Wish] = []
        if not self._consistent(selected, asserted):
            return None
        queue = deque(self.roots)
        while queue:
            wish = queue.popleft()
            if _is_met(wish, selected):
                continue
            match wish:
                case _Choice():
                    choice = next(c for c in wish.candidates if self._consistent([*selected, c], asserted))
                    selected.append(choice)
                    queue.extend(_flat(self._wishes_of(choice)))
                case _Any():
                    part = next(p for p in wish.parts if self._consistent(selected, [*asserted, p]))
                    asserted.append(part)
                    queue.extend(_flat([part]))
                case _:
                    # An exclusion selects nothing, and was asserted with whatever brought it here.
                    pass
        return tuple(map(self._described, selected))

    def _described(self, candidate: _Candidate) -> Selected:
        held = next((old.name for new, old in self.world.excluded_pairs if new is candidate), None)
        replaces = candidate.entry.replaces if held is None else held
        return Selected(candidate.catalog, candidate.package, candidate.channel, candidate.name, replaces)

    def _consistent(self, selected: list[_Candidate], asserted: list[_Wish]) -> bool:
        """Whether a set of candidates holds all *selected* and meets everything, *asserted* included."""
        if any(not self._fits(one, selected[:index], frozenset()) for index, one in enumerate(selected)):
            return False
        wishes = [*self.roots, *asserted, *(wish for one in selected for wish in self._wishes_of(one))]
        return self._possible(selected, frozenset(), wishes)

    def _possible(
        self, selected: list[_Candidate], excluded: frozenset[_Candidate], wishes: list[_Wish]
    ) -> bool:
        """Whether *selected* can grow, without *excluded*, to meet *wishes* and those of all that joins."""
        self.steps_left -= 1
        if self.steps_left < 0:
            raise TooLarge
        if not wishes:
            return True
        wish, rest = wishes[0], wishes[1:]
        match wish:
            case _Exclusion():
                if any(candidate in selected for candidate in wish.candidates):
                    return False
                return self._possible(selected, excluded.union(wish.candidates), rest)
            case _All():
                return self._possible(selected, excluded, [*wish.parts, *rest])
            case _Any():
                return any(self._possible(selected, excluded, [part, *rest]) for part in wish.parts)
            case _Choice():
                if any(candidate in selected for candidate in wish.candidates):
                    return self._possible(selected, excluded, rest)
                return any(
                    self._possible([*selected, one], excluded, [*rest, *self._wishes_of(one)])
                    for one in wish.candidates
                    if self._fits(one, selected, excluded)
                )

    def _fits(
        self, candidate: _Candidate, selected: Iterable[_Candidate], excluded: frozenset[_Candidate]
    ) -> bool:
        if not _can_be_selected(candidate) or candidate in excluded:
            return False
        return not any(self._exclude_each_other(candidate, other) for other in selected)

    def _exclude_each_other(self, one: _Candidate, other: _Candidate) -> bool:
        if (one, other) not in self._excludes:
            pairs = self.world.excluded_pairs
            self._excludes[one, other] = one.excludes(other) or (one, other) in pairs or (other, one) in pairs
        return self._excludes[one, other]

    def _wishes_of(self, candidate: _Candidate) -> tuple[_Wish, ...]:
        if candidate not in self._wishes:
            self._wishes[candidate] = tuple(
                self.world.wish(candidate, requirement, self.semantics)
                for requirement in candidate.requirements
            )
        return self._wishes[candidate]


def _is_met(wish: _Wish, selected: list[_Candidate]) -> bool:
    match wish:
        case _Choice():
            return any(candidate in selected for candidate in wish.candidates)
        case _Exclusion():
            return not wish.candidates
        case _All():
            return all(_is_met(part, selected) for part in wish.parts)
        case _Any():
            return any(_is_met(part, selected) for part in wish.parts)


def _flat(wishes: Iterable[_Wish]) -> Iterator[_Wish]:
    """*wishes* as they join the queue: the parts of a conjunction one by one."""
    for wish in wishes:
        if isinstance(wish, _All):
            yield from _flat(wish.parts)
        else:
            yield wish


def _candidate(catalog: str, package: str, channel: str, entry: ChannelEntry, facts: Published) -> _Candidate:
    try:
        return _Candidate(catalog, package, entry, channel, facts, requirements(facts.properties), None)
    except ConstraintError as error:
        return _Candidate(catalog, package, entry, channel, facts, (), str(error))


def _can_be_selected(candidate: _Candidate) -> bool:
    return candidate.fault is None and not candidate.published.deprecated


def _channels(source: Source, package: Package) -> list[_Channel]:
    result: list[_Channel] = []
    for channel in package.channels.values():
        entries = {entry.name: entry for entry in channel.entries if entry.name in package.bundles}
        candidates = {
            name: _candidate(
                source.key,
                package.name,
                channel.name,
                entry,
                published(package.name, package.bundles[name].properties),
            )
            for name, entry in entries.items()
        }
        result.append(_Channel(channel.name, candidates, _chain(entries)))
    return result


def _chain(entries: dict[str, ChannelEntry]) -> list[str] | None:
    """The names from the head down, less those skipped; None where there is not exactly one chain."""
    skipped = {name for entry in entries.values() for name in entry.skips}
    below = skipped | {entry.replaces for entry in entries.values()}
    heads = [name for name in entries if name not in below]
    if len(heads) != 1:
        return None
    walked: list[str] = []
    name = heads[0]
    while name in entries:
        if name in walked:
            return None
        walked.append(name)
        name = entries[name].replaces
    return [name for name in walked if name not in skipped]


def _updates(entry: ChannelEntry, installed: _Candidate) -> bool:
    if entry.replaces == installed.name or installed.name in entry.skips:
        return True
    version = installed.published.version
    if not entry.skip_range or version is None:
        return False
    try:
        return version in blang.Range.parse(entry.skip_range)
    except RangeError:
        return False
