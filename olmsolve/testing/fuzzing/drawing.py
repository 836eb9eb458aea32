"""Random requests over somebody's own catalogs, each made from a seed and its number alone.

Most ask classic OLM for one to three packages of which two are likely to share a requirement: from any channel, one
channel, or beginning with a bundle; with operators installed in versions that updates reach or not. Half of the
catalogs are changed a little (:mod:`olmsolve.testing.varying`). Large packages are cut to a few neighbouring versions,
but for one request in ten. Each number has a goal (:class:`.covering.Goal`): rare answers come as often as others.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.answers.reducing import AnyRequest, Reach, without_entries
from olmsolve.catalog import Bundle, Catalog, Channel, Package, Source
from olmsolve.classic import Installed, Request, Subscription
from olmsolve.errors import RangeError, RequestError
from olmsolve.predicates import Property, published
from olmsolve.requests import NAMESPACE
from olmsolve.semver import BlangRange, Version, reading_by
from olmsolve.testing.fuzzing.covering import FOR_EXTENSIONS, GOALS, NEEDS_PLAN, Goal, features
from olmsolve.testing.varying import MOST, Variation, mappings_in, varied

_MOST_BUNDLES: Final = 60
"""The most bundles of a usual request: laws that try everything take seconds on more."""
_MANY_BUNDLES: Final = 600
# Requests drawn for one case. From the seventh on, any will do: no catalog at hand may allow the goal of the case.
_MOST_TRIES: Final = 20
_TRIES_FOR_GOAL: Final = 6
_MOST_PROBES: Final = 12  # packages looked at for one that has a plan
_OLD: Final = "0.0.1"
# A number by itself: neither a part of a version or a name, nor in quotes.
_NUMBER: Final = pattern(r"(?<![\w.\"'])[0-9]{1,9}(?![\w.\"'])")


class RequestDrawer:
    """A source of random requests over *sources*, and near *requests* if there are any; equal seeds, equal requests."""

    def __init__(self, sources: Sequence[Source], requests: Sequence[AnyRequest], seed: int) -> None:
        self._worlds = [_Drawable(sources, None)] if any(len(source.catalog.packages) for source in sources) else []
        self._worlds += [_Drawable(_sources_of(request), request) for request in requests]
        self._has_own = bool(sources)
        self._seed = seed
        if not self._worlds:
            raise RequestError("there is no package to draw requests from", field="sources")

    def drawn(self, number: int) -> AnyRequest:
        """Return the request *number*: the same in every process."""
        return self.drawing(number).request

    def drawing(self, number: int) -> DrawnRequest:
        """Return the request *number*, and whether a constraint in it may have two meanings."""
        generator = random.Random(f"{self._seed}/{number}")  # noqa: S311 - tests, no secrets
        # Half of the requests are near the given ones.
        given = self._worlds[1:] if self._has_own else self._worlds
        world = generator.choice(given) if given and generator.random() < 0.5 else self._worlds[0]
        goal = GOALS[number % len(GOALS)]
        drawn: DrawnRequest | None = None
        for number_of_try in range(_MOST_TRIES):
            draw = _Draw(world, generator, goal)
            try:
                drawn = DrawnRequest(draw.request(), draw.has_own_meanings)
            except RequestError:
                # Drawn operators and wishes may contradict each other; the generator goes on.
                continue
            if number_of_try >= _TRIES_FOR_GOAL or goal is Goal.ANY or goal.value in features(drawn.request):
                return drawn
        return drawn or DrawnRequest(_Draw(world, generator, Goal.ANY).plain())


class DrawnRequest(NamedTuple):
    """A drawn *request*, and whether the drawer wrote channels or alternatives that may have two meanings."""

    request: AnyRequest
    has_own_meanings: bool = False


def _sources_of(request: AnyRequest) -> list[Source]:
    if isinstance(request, Request):
        return list(request.sources)
    return [
        Source(catalog.name, "", catalog.priority, catalog.catalog)
        for catalog in request.catalogs
        if catalog.catalog is not None
    ]


class _Drawable:
    """The catalogs that requests are drawn over, and the request that they are near, if any."""

    def __init__(self, sources: Sequence[Source], near: AnyRequest | None) -> None:
        self.sources = tuple(sources)
        self.near = near
        catalogs = [source.catalog for source in sources]
        self.names = tuple(sorted({package.name for catalog in catalogs for package in catalog if package.bundles}))
        self.reach = Reach(catalogs)
        self.numbers = tuple(sorted({number for catalog in catalogs for number in _numbers_in_rules(catalog)}))
        self.newest: dict[str, str] = {}
        self._schemes = {package.name: catalog.scheme for catalog in reversed(catalogs) for package in catalog}
        for package in (package for catalog in catalogs for package in catalog):
            read = map(self.version, checked(package.bundles.values(), every=64))
            versions = [version for version in read if version is not None]
            if versions:
                self.newest[package.name] = str(max(versions))
        self._namespaces = tuple(dict.fromkeys((NAMESPACE, *(source.namespace for source in sources))))
        self._alone: dict[str, frozenset[str]] = {}

    def version(self, bundle: Bundle) -> Version | None:
        """Return the version of *bundle*, read as its catalog says; None if it has none."""
        with reading_by(self._schemes.get(bundle.package)):
            return _version(bundle)

    def alone(self, name: str) -> frozenset[str]:
        """Return the features of the plan for package *name* alone; none where there is no plan."""
        if name not in self._alone:
            reached = self.reach.reached_from([name])
            parts = [
                Catalog({part: source.catalog.packages[part] for part in reached if part in source.catalog.packages})
                for source in self.sources
            ]
            sources = [attrs.evolve(source, catalog=part) for source, part in zip(self.sources, parts, strict=True)]
            request = Request(self._namespaces, sources, [Subscription(name, NAMESPACE, name)])
            is_large = sum(len(package.bundles) for part in parts for package in part) > _MANY_BUNDLES
            self._alone[name] = frozenset() if is_large else frozenset(features(request))
        return self._alone[name]


def _numbers_in_rules(catalog: Catalog) -> Iterator[int]:
    """Yield the whole numbers in the CEL rules of *catalog*."""
    bundles = checked((bundle for package in catalog for bundle in package.bundles.values()), every=64)
    stated = [item.value for bundle in bundles for item in bundle.properties]
    for part in checked(mappings_in(stated), every=64):
        if isinstance(rule := part.get("rule"), str):
            yield from map(int, _NUMBER.findall(rule))


def _is_number(stated: Property) -> bool:
    return isinstance(stated.value, int) and not isinstance(stated.value, bool) and not stated.type.startswith("olm.")


def _removed(channel: Channel, packages: Sequence[Package]) -> list[str]:
    """Return the entries of *channel* that the ``skipRange`` of another removes: documented, they are gone."""
    bundles = {name: bundle for package in packages for name, bundle in package.bundles.items()}
    ranges = [(entry.name, _range(entry.skip_range)) for entry in channel.entries if entry.skip_range]
    replaced = {entry.replaces for entry in channel.entries}
    names = []
    for entry in channel.entries:
        if entry.name in replaced:
            continue
        version = _version(bundles[entry.name]) if entry.name in bundles else None
        if version is not None and any(
            name != entry.name and skipped is not None and version in skipped for name, skipped in ranges
        ):
            names.append(entry.name)
    return names


def _range(text: str) -> BlangRange | None:
    try:
        return BlangRange.parse(text)
    except RangeError:
        return None


def _version(bundle: Bundle) -> Version | None:
    return published(bundle.package, bundle.properties).version


class _Draw:
    """One request on its way; each method draws its part from *generator*."""

    def __init__(self, world: _Drawable, generator: random.Random, goal: Goal) -> None:
        self._world = world
        self._generator = generator
        self._goal = goal
        self._most = _MANY_BUNDLES if generator.random() < 0.1 else _MOST_BUNDLES
        # Requests that are to have a plan are changed less: what is dropped is what a plan needs.
        self._is_changed = generator.random() < (0.3 if goal in NEEDS_PLAN else 0.9 if goal is Goal.REMOVED else 0.5)
        self._changes: list[str] = []
        self.has_own_meanings = False

    def _chance(self, share: float) -> bool:
        return self._generator.random() < share

    def request(self) -> AnyRequest:
        """Draw a request. Raises RequestError where it would contradict itself."""
        near = self._world.near
        if isinstance(near, v1.ExtensionRequest) or (
            near is None and self._goal in FOR_EXTENSIONS and self._chance(0.4)
        ):
            return self._extension(near)
        return self._classic(near)

    def plain(self) -> AnyRequest:
        """Draw a request for one package, over catalogs as they are."""
        self._is_changed = False
        wished = [self._generator.choice(self._world.names)]
        return self._request_of(self._sources(wished, ()), [Subscription(wished[0], NAMESPACE, wished[0])], [])

    # -- classic requests

    def _classic(self, near: Request | None) -> Request:
        if near is None:
            wished = self._wished()
            sources = self._sources(wished, ())
            subscriptions = [self._subscription(name, sources) for name in wished]
            # The first bundle counts for what is not installed yet.
            owned = [wish.package for wish in subscriptions if not wish.starting_csv or self._chance(0.2)]
            return self._request_of(sources, subscriptions, self._installed(sources, wished, owned))
        kept = [subscription for subscription in near.subscriptions if self._chance(0.85)] or list(near.subscriptions)[
            :1
        ]
        operators = [operator for operator in near.installed if self._chance(0.9)]
        names = {wish.name for wish in kept}
        operators = [
            operator if operator.subscription in (None, *names) else attrs.evolve(operator, subscription=None)
            for operator in operators
        ]
        sources = self._sources(
            [part.package for part in kept], [operator.name for operator in near.installed], operators
        )
        kept = [self._varied_wish(wish, sources) for wish in kept]
        name = self._name()
        return attrs.evolve(near, sources=sources, subscriptions=kept, installed=operators, name=name)

    def _wished(self) -> list[str]:
        """Draw one to three packages: half of the further ones are packages that the first ones can come to require."""
        names = self._world.names
        wished = [self._first(names)]
        share = 0.9 if self._goal in (Goal.WISHES, Goal.ALTERNATIVES) else 0.25 if self._goal in NEEDS_PLAN else 0.4
        while len(wished) < 3 and self._chance(share):
            near = sorted(self._world.reach.reached_from(wished).intersection(names).difference(wished))
            other = self._generator.choice(near) if near and self._chance(0.5) else self._first(names)
            if other not in wished:
                wished.append(other)
        return wished

    def _first(self, names: Sequence[str]) -> str:
        """Draw the first package: one whose plan, where it is wished for alone, is as the goal wants, if soon found."""
        wanted = self._goal.value if self._goal in (Goal.NEEDED, Goal.ALTERNATIVES) else Goal.PLAN.value
        drawn = [self._generator.choice(names) for _ in range(_MOST_PROBES if self._goal in NEEDS_PLAN else 1)]
        return next((name for name in drawn if len(drawn) > 1 and wanted in self._world.alone(name)), drawn[0])

    def _request_of(self, sources: list[Source], wishes: list[Subscription], installed: list[Installed]) -> Request:
        namespaces = dict.fromkeys((NAMESPACE, *(source.namespace for source in sources)))
        return Request(namespaces, sources, wishes, installed, name=self._name())

    def _name(self) -> str:
        return "; ".join(self._changes)[:500]

    def _subscription(self, package: str, sources: Sequence[Source]) -> Subscription:
        """Draw a wish for *package*: for a channel, a catalog and a first bundle in about a half of the wishes each."""
        holding = [source for source in sources if package in source.catalog.packages]
        fields: dict[str, str] = {}
        if holding and self._chance(0.5):
            holding = [self._generator.choice(holding)]
            fields = {"source": holding[0].name, "source_namespace": holding[0].namespace}
        channels = [channel for source in holding for channel in source.catalog.packages[package].channels.values()]
        packages = [source.catalog.packages[package] for source in holding]
        removed = [(channel.name, name) for channel in channels for name in _removed(channel, packages)]
        if removed and self._chance(0.9 if self._goal is Goal.REMOVED else 0.5):
            fields["channel"], fields["starting_csv"] = self._generator.choice(removed)
        elif channels and self._chance(0.4 if self._goal in NEEDS_PLAN else 0.6):
            channel = self._generator.choice(channels)
            fields["channel"] = channel.name
            if channel.entries and self._goal is not Goal.UPDATED and self._chance(0.3):
                fields["starting_csv"] = self._generator.choice(channel.entries).name
        return Subscription(package, NAMESPACE, package, **fields)

    def _varied_wish(self, wish: Subscription, sources: Sequence[Source]) -> Subscription:
        """Draw another channel and another first bundle for *wish* now and then."""
        if not self._chance(0.3):
            return wish
        other = self._subscription(wish.package, sources)
        return attrs.evolve(wish, channel=other.channel, starting_csv=other.starting_csv)

    def _installed(self, sources: Sequence[Source], wished: Sequence[str], owned: Sequence[str]) -> list[Installed]:
        """Draw installed operators: of packages *wished* and *owned*, mostly by the wish, and of others, which stay."""
        packages = {package.name: package for source in sources for package in source.catalog}
        installed: dict[str, Installed] = {}
        other_share = 0.02 if self._goal in NEEDS_PLAN else 0.1
        for name in (*owned, *sorted(packages.keys() - set(wished))):
            package = packages.get(name)
            share = (0.95 if self._goal is Goal.UPDATED else 0.35) if name in wished else other_share
            if package is None or not package.bundles or not self._chance(share):
                continue
            owner = name if name in wished and self._chance(0.85) else None
            operator = self._operator(package, owner)
            installed[operator.name] = operator
        return list(installed.values())

    def _operator(self, package: Package, owner: str | None) -> Installed:
        """Draw an operator of *package*: any of its bundles, or an old one that no catalog has any more."""
        bundle = self._generator.choice(list(package.bundles.values()))
        if self._goal is Goal.UPDATED:
            replaced = {entry.replaces for channel in package.channels.values() for entry in channel.entries}
            older = sorted(replaced & package.bundles.keys())
            bundle = package.bundles[self._generator.choice(older)] if older else bundle
        elif self._chance(0.1):
            old = tuple(
                attrs.evolve(property_, value={"packageName": package.name, "version": _OLD})
                for property_ in bundle.properties
                if property_.type == "olm.package"
            )
            return Installed(f"{package.name}.v{_OLD}", _OLD, old, owner)
        return Installed(bundle.name, str(self._world.version(bundle) or ""), bundle.properties, owner)

    # -- requests to OLM v1

    def _extension(self, near: v1.ExtensionRequest | None) -> v1.ExtensionRequest:
        name = near.extension.package if near is not None else self._generator.choice(self._world.names)
        pinned = () if near is None or near.installed is None else (near.installed.name,)
        sources = self._sources([name], pinned)
        holding = [source.catalog.packages[name] for source in sources if name in source.catalog.packages]
        bundles = [bundle for package in holding for bundle in package.bundles.values()]
        if near is not None:
            contents = {source.name: source.catalog for source in sources}
            catalogs = [attrs.evolve(catalog, catalog=contents.get(catalog.name)) for catalog in near.catalogs]
            return attrs.evolve(near, catalogs=catalogs, name=self._name())
        channels = [channel for package in holding for channel in package.channels]
        extension = v1.Extension(
            name,
            self._range(bundles),
            [self._generator.choice(channels)] if channels and self._chance(0.4) else (),
            None,
            v1.SELF_CERTIFIED if self._chance(0.2) else "",
        )
        installed = None
        if bundles and self._chance(0.5):
            bundle = self._generator.choice(bundles)
            installed = v1.InstalledBundle(bundle.name, str(_version(bundle) or _OLD))
        catalogs = [
            v1.ClusterCatalog(source.name, source.catalog, {v1.METADATA_NAME: source.name}, source.priority)
            for source in sources
        ]
        return v1.ExtensionRequest(extension, catalogs, installed, name=self._name())

    def _range(self, bundles: Sequence[Bundle]) -> str:
        """Draw a range of Masterminds/semver around the version of one of *bundles*, or none."""
        version = _version(self._generator.choice(bundles)) if bundles and self._chance(0.6) else None
        form = self._generator.choice(["{}", "^{}", "~{}", ">={}", "<{}", "!={}", ">{}"])
        return "" if version is None else form.format(version)

    # -- catalogs

    def _sources(
        self, wished: Sequence[str], pinned: Iterable[str], operators: Iterable[Installed] = ()
    ) -> list[Source]:
        """Draw the sources: the packages that *wished* can need, cut and changed; bundles *pinned* by name stay."""
        properties = [property_ for operator in operators for property_ in operator.properties]
        names = self._world.reach.reached_from(wished, properties)
        sources = [
            attrs.evolve(source, catalog=self._content(source.catalog, wished, names, frozenset(pinned)))
            for source in self._world.sources
        ]
        if self._world.near is None and self._chance(0.2):
            # An older or newer edition of a catalog beside it, as during a change from one to the other.
            source = self._generator.choice(self._world.sources)
            edition = self._content(source.catalog, wished, names, frozenset(pinned))
            taken = {source.name for source in sources}
            if f"{source.name}-other" not in taken:
                other = attrs.evolve(source, name=f"{source.name}-other", catalog=edition)
                sources.append(attrs.evolve(other, priority=source.priority + self._generator.choice([-1, 0, 1])))
        return sources

    def _content(self, catalog: Catalog, wished: Sequence[str], names: set[str], pinned: frozenset[str]) -> Catalog:
        present = [name for name in sorted(names) if name in catalog.packages]
        most = max(2, self._most // max(1, len(present)))
        cut = Catalog(
            {name: self._cut(catalog.packages[name], most, pinned) for name in present}, scheme=catalog.scheme
        )
        if not self._is_changed:
            return cut
        variation: Variation = varied(
            cut, wished, present, self._world.newest, lambda: self._generator.randint(0, MOST)
        )
        self._changes.extend(variation.changes)
        self.has_own_meanings |= variation.has_own_alternatives
        packages = {
            name: self._with_numbers_of_rules(self._with_skip_range(package))
            for name, package in variation.catalog.packages.items()
        }
        return Catalog(packages, origin=variation.catalog.origin, scheme=variation.catalog.scheme)

    def _with_numbers_of_rules(self, package: Package) -> Package:
        """Draw now and then a number of some CEL rule for a property: near it, the rule changes its answer."""
        numbers = self._world.numbers
        bundles: dict[str, Bundle] = {}
        for name, bundle in package.bundles.items():
            stated = [position for position, item in enumerate(bundle.properties) if _is_number(item)]
            if not (numbers and stated and self._chance(0.3)):
                continue
            position = self._generator.choice(stated)
            item = Property(bundle.properties[position].type, self._generator.choice(numbers))
            properties = (*bundle.properties[:position], item, *bundle.properties[position + 1 :])
            bundles[name] = attrs.evolve(bundle, properties=properties)
            self._changes.append(f"{name} states {item.value} as its {item.type}")
        return attrs.evolve(package, bundles={**package.bundles, **bundles}) if bundles else package

    def _with_skip_range(self, package: Package) -> Package:
        """Draw now and then a channel of *package* with an entry that skips all before it, as many catalogs have."""
        channel = self._generator.choice(list(package.channels.values())) if package.channels else None
        if channel is None or not self._chance(0.9 if self._goal is Goal.REMOVED else 0.3):
            return package
        replacing = next((entry for entry in channel.entries if entry.replaces in package.bundles), None)
        bundle = None if replacing is None else package.bundles.get(replacing.name)
        version = None if bundle is None else _version(bundle)
        if replacing is None or version is None:
            return package
        skips = (*replacing.skips, replacing.replaces)
        skipping = attrs.evolve(replacing, replaces="", skips=skips, skip_range=f"<{version}")
        entries = [skipping if entry is replacing else entry for entry in channel.entries]
        self.has_own_meanings = True
        self._changes.append(f"{replacing.name} skips all before it in {channel.name}")
        channels = {**package.channels, channel.name: attrs.evolve(channel, entries=entries)}
        return attrs.evolve(package, channels=channels)

    def _cut(self, package: Package, most: int, pinned: frozenset[str]) -> Package:
        """Return *package* with *most* neighbouring versions, in most cases the newest, and the bundles *pinned*."""
        if len(package.bundles) <= most:
            return package
        ordered = sorted(
            package.bundles.values(), key=lambda bundle: (self._world.version(bundle) or _LOWEST, bundle.name)
        )
        end = len(ordered) if self._chance(0.7) else self._generator.randint(most, len(ordered))
        kept = {bundle.name for bundle in ordered[end - most : end]} | pinned
        dropped = package.bundles.keys() - kept
        channels: dict[str, Any] = {
            name: without_entries(channel, dropped) for name, channel in package.channels.items()
        }
        # A channel may lead to versions that are gone; OLM has such channels too, but nobody wishes for them.
        channels = {name: channel for name, channel in channels.items() if channel.entries}
        bundles = {name: bundle for name, bundle in package.bundles.items() if name in kept}
        return attrs.evolve(package, channels=channels, bundles=bundles)


_LOWEST: Final = Version.parse("0.0.0-0")
