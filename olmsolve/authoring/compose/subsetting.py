"""Subsets: the part of a catalog with some packages, channels, versions or heads, and the bundles that these need."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from functools import cache, partial
from typing import Final, TypeAlias, assert_never

import olmsolve._attrs as attrs
from olmsolve._arguments import every, is_flag, is_name, is_text, must_be, wrong_type
from olmsolve._limits import checked
from olmsolve._reader import for_reader
from olmsolve.authoring.compose.entries import chain_of, lasting_deprecations, thinned
from olmsolve.authoring.compose.refusals import channel_of, package_of, refuse
from olmsolve.authoring.upgrades import VersionKey
from olmsolve.catalog import Catalog, Channel, Package
from olmsolve.catalog.fbc import package_named_by
from olmsolve.catalog.index import Slot, index_of
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    Conjunction,
    Disjunction,
    Fact,
    Negative,
    NormalForm,
    Positive,
    Predicate,
    Published,
    normalise,
    published,
    requirements,
)
from olmsolve.semver import Key, read_range, reading_by

_Wanted: TypeAlias = dict[tuple[str, str], dict[str, None]]
"""The names of wanted entries, as an ordered set, by package and channel."""

_EVERYTHING: Final = ""


def _channels(values: Iterable[str]) -> tuple[str, ...]:
    return every(values, str, "channels")


@attrs.frozen
class Keep:
    """The part of *package* to keep: the bundles of *channels* whose versions are in the range *versions*.

    Without *channels*, all channels; *versions* is a range of OLM classic (``>=1.2.0 <2.0.0``, ``1.x``) or of the
    catalog's scheme, "" for all versions. With *heads_only*, only the entry in the range that is nearest to the head of
    its channel.
    """

    package: str = attrs.field(validator=is_name)
    channels: tuple[str, ...] = attrs.field(default=(), converter=_channels)
    versions: str = attrs.field(default=_EVERYTHING, validator=is_text)
    heads_only: bool = attrs.field(default=False, validator=is_flag)


def subset_catalog(
    catalog: Catalog,
    keep: Iterable[Keep | str] | None = None,
    *,
    drop: Iterable[Keep | str] = (),
    dependencies: bool = False,
) -> Catalog:
    """Return the part of *catalog* that *keep* names; a text in *keep* stands for the whole package of that name.

    Without *keep*, everything is kept except what *drop* names, in the same form: a package, channels, versions.

    The result is valid (as :func:`olmsolve.validate` judges) if *catalog* is, and offers no update that *catalog* does
    not offer: :mod:`olmsolve.authoring.compose.entries` says which further entries of a channel are therefore kept or
    removed. Channels without a wanted entry are removed, and so are bundles in no channel, deprecations of removed
    objects, and blobs of other schemas that belong to a removed package. If the default channel is removed, the channel
    whose head has the highest version becomes the default; of equal ones, the first by name.

    With *dependencies*, the bundles that kept bundles require stay as well: for each requirement that no kept bundle
    meets, the bundle that OLM classic prefers, in its channel; then the requirements of that bundle, and so on. A
    requirement that nothing in *catalog* meets stays unmet.

    Raises:
        CatalogError: *keep* or *drop* names a package or channel that does not exist, or no bundle of a package is in
            the range; or what *drop* names has to stay, because updates between entries that stay pass through it.
        RangeError: a range does not parse.

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> part = olmsolve.subset_catalog(orchard, [olmsolve.Keep("storefront", versions=">=2.1.0")])
    >>> [*part.packages["storefront"].bundles]
    ['storefront.v2.1.0']
    """
    must_be(catalog, "Catalog", "catalog")
    kept = None if keep is None else _wishes(keep, "keep")
    with reading_by(catalog.scheme):
        return _subset(catalog, kept, _wishes(drop, "drop"), dependencies=dependencies)


def _wishes(values: Iterable[Keep | str], field: str) -> list[Keep]:
    """Return *values* with a Keep in place of each text. Raises RequestError for anything else."""
    wishes = []
    for position, value in enumerate(every(values, object, field)):
        if not isinstance(value, Keep | str):
            raise wrong_type(value, "a Keep or the name of a package", f"{field}[{position}]")
        wishes.append(Keep(value) if isinstance(value, str) else value)
    return wishes


def _subset(catalog: Catalog, keep: Iterable[Keep] | None, drop: Iterable[Keep], *, dependencies: bool) -> Catalog:
    wanted: _Wanted = {}
    for wish in map(Keep, catalog.packages) if keep is None else keep:
        _want(catalog, wish, wanted, is_whole=keep is None)
    dropped: _Wanted = {}
    for wish in drop:
        _want(catalog, wish, dropped)
    for key, names in dropped.items():
        missing = {name: None for name in wanted.pop(key, ()) if name not in names}
        if missing:
            wanted[key] = missing
    part = _Part(catalog, wanted)
    for key in checked(wanted):
        part.thin(key)
    if dependencies:
        part.add_dependencies()
    for key, names in dropped.items():
        part.refuse_staying(key, names)
    packages = {package.name: kept for package in checked(catalog) if (kept := part.package(package)) is not None}
    others = tuple(
        blob
        for blob in catalog.others
        if package_named_by(blob.value) not in catalog.packages or package_named_by(blob.value) in packages
    )
    return Catalog(packages, others, catalog.origin, scheme=catalog.scheme)


class _Part:
    """The wanted entries of a catalog, and the channels thinned to them; both grow with the dependencies."""

    def __init__(self, catalog: Catalog, wanted: _Wanted) -> None:
        self._catalog = catalog
        self._wanted = wanted
        self._version_keys: dict[str, VersionKey] = {}
        self._channels: dict[tuple[str, str], Channel] = {}

    def thin(self, key: tuple[str, str]) -> Channel | None:
        """Return the channel *key* with the entries wanted so far; None if thinning leaves none of them."""
        package = self._catalog.packages[key[0]]
        channel = package.channels[key[1]]
        entries = thinned(channel.entries, self._wanted[key], self._version_key(package))
        if not entries:
            return None
        self._channels[key] = channel if entries == channel.entries else attrs.evolve(channel, entries=entries)
        return self._channels[key]

    def add_dependencies(self) -> None:
        """Add the bundles that the entries so far require, then the bundles that the added ones require, and so on."""
        requiring = _OpenRequirements(self._catalog)
        requiring.select(
            (name, entry.name) for (name, _), channel in self._channels.items() for entry in channel.entries
        )
        # Each round adds an entry to some channel, so there are no more rounds than entries.
        while (missing := requiring.next_missing()) is not None:
            key, name = (missing.channel.package, missing.channel.name), missing.entry.name
            self._wanted.setdefault(key, {})[name] = None
            channel = self.thin(key)
            if channel is not None:
                requiring.select((key[0], entry.name) for entry in channel.entries)
            requiring.select([(key[0], name)])

    def refuse_staying(self, key: tuple[str, str], dropped: Collection[str]) -> None:
        """Raise CatalogError if one of the *dropped* entries stays in the channel *key*."""
        channel = self._channels.get(key)
        staying = [entry.name for entry in channel.entries if entry.name in dropped] if channel is not None else []
        if staying:
            hint = for_reader(python="remove() with reconnect=True", option="olmsolve catalog remove --reconnect")
            reason = f"cannot be dropped, because kept bundles need it: {', '.join(staying)} ({hint} closes a chain)"
            refuse(reason, package=key[0], channel=key[1], origin=channel.origin if channel is not None else None)

    def package(self, package: Package) -> Package | None:
        """Return *package* with its thinned channels and their bundles; None if no channel stays."""
        channels = {
            name: self._channels[package.name, name]
            for name in package.channels
            if (package.name, name) in self._channels
        }
        if not channels:
            return None
        listed = {entry.name for channel in channels.values() for entry in channel.entries}
        bundles = {name: bundle for name, bundle in package.bundles.items() if name in listed}
        default = package.default_channel
        if default not in channels and default in package.channels:
            default = _highest_channel(channels, self._version_key(package))
        deprecations = lasting_deprecations(package, channels, bundles)
        changed = attrs.evolve(
            package, channels=channels, bundles=bundles, default_channel=default, deprecations=deprecations
        )
        return package if changed == package else changed

    def _version_key(self, package: Package) -> VersionKey:
        if package.name not in self._version_keys:
            self._version_keys[package.name] = VersionKey(cache(partial(bundle_version, package)))
        return self._version_keys[package.name]


def _want(catalog: Catalog, wish: Keep, wanted: _Wanted, *, is_whole: bool = False) -> None:
    """Add the entries that *wish* names to *wanted*; with *is_whole*, a package may have none."""
    package = package_of(catalog, wish.package)
    versions = read_range(wish.versions) if wish.versions else None
    channels = [channel_of(package, name) for name in wish.channels] or list(package.channels.values())
    # A range and the search for a head both ask: the heads of 150 packages take 27 ms, and 31 without this memory.
    version_of = cache(partial(bundle_version, package))
    is_new = False
    for channel in channels:
        names = [entry.name for entry in channel.entries]
        if versions is not None:
            names = [name for name in names if (version := version_of(name)) is not None and version in versions]
        if wish.heads_only and names:
            names = [_nearest(channel, names, VersionKey(version_of))]
        if names:
            is_new = True
            wanted.setdefault((package.name, channel.name), {}).update(dict.fromkeys(names))
    if not is_new and not is_whole:
        what = f"in {wish.versions}" if wish.versions else "to keep"
        refuse(f"no bundle of the package is {what}", package=package.name, origin=package.origin)


def _nearest(channel: Channel, names: list[str], version_key: VersionKey) -> str:
    """Return the first of *names* on the chain from the head down, else the highest version."""
    among = set(names)
    for name in chain_of({entry.name: entry for entry in channel.entries}):
        if name in among:
            return name
    return max(names, key=version_key)


def _highest_channel(channels: Mapping[str, Channel], version_key: VersionKey) -> str:
    def head(name: str) -> tuple[Key, ...]:
        chain = chain_of({entry.name: entry for entry in channels[name].entries})
        return version_key(chain[0])[0] if chain else ()

    # max() takes the first of equals: by name, because they are sorted.
    return max(sorted(channels), key=head)


class _OpenRequirements:
    """The requirements of selected bundles that none of the selected bundles meets.

    :meth:`select` adds bundles; :meth:`next_missing` proposes one more, until nothing is missing::

        select app            it requires the API cache/v1/Cache
        next_missing()        -> the preferred bundle that provides it; the caller selects that
        next_missing()        -> None: every requirement that can be met is met
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._index = index_of(catalog)
        self._selected: dict[tuple[str, str], Published] = {}
        # The selected bundles by their facts: testing each requirement on all took six seconds for 2,400 packages.
        self._publishing: defaultdict[Fact, list[Published]] = defaultdict(list)
        self._waiting: deque[NormalForm] = deque()
        self._seen: set[NormalForm] = set()
        self._met: set[Predicate] = set()

    def select(self, bundles: Iterable[tuple[str, str]]) -> None:
        """Select *bundles* (package and name); ignore names without a bundle."""
        for package, name in checked(bundles, every=16):
            bundle = self._catalog.packages[package].bundles.get(name)
            if bundle is None or (package, name) in self._selected:
                continue
            facts = self._selected[package, name] = published(package, bundle.properties)
            for fact in dict.fromkeys(facts.facts()):
                self._publishing[fact].append(facts)
            try:
                required = requirements(bundle.properties)
            except ConstraintError:
                # A bundle with a broken requirement can never be installed, so it needs nothing.
                continue
            for requirement in required:
                form = normalise(requirement.predicate)
                # Bundles share requirements: each form waits once, however many bundles state it.
                if form not in self._seen:
                    self._seen.add(form)
                    self._waiting.append(form)

    def next_missing(self) -> Slot | None:
        """Return a bundle, seen through a channel, that meets an open requirement; None if nothing is missing.

        The caller has to select the bundle before the next call.
        """
        while self._waiting:
            # A requirement stays in front until it is met: a bundle selected for it may meet only another requirement.
            missing = self._missing(self._waiting[0])
            if missing is not None:
                return missing
            self._waiting.popleft()
        return None

    def _missing(self, form: NormalForm) -> Slot | None:
        """Return the first bundle that *form* still needs; None if *form* is met, or cannot be met."""
        match form:
            case Positive():
                return None if self._is_met(form.predicate) else self._preferred(form.predicate)
            case Negative():
                return None
            case Conjunction():
                return next((gap for part in form.parts if (gap := self._missing(part)) is not None), None)
            case Disjunction():
                # A `not` never counts as met: nobody knows here which bundles will be installed together.
                if any(part.holds(self._is_met, negative=False) for part in form.parts):
                    return None
                possible = (part for part in form.parts if part.holds(self._can_be_met, negative=True))
                return next((gap for part in possible if (gap := self._missing(part))), None)
            case _:
                assert_never(form)

    def _can_be_met(self, predicate: Predicate) -> bool:
        return self._is_met(predicate) or self._preferred(predicate) is not None

    def _is_met(self, predicate: Predicate) -> bool:
        if predicate not in self._met:
            among = self._selected.values() if predicate.fact is None else self._publishing.get(predicate.fact, ())
            if not any(map(predicate.test, among)):
                return False
            self._met.add(predicate)
        return True

    def _preferred(self, predicate: Predicate) -> Slot | None:
        """Return the candidate that OLM classic prefers; channels without an order have no candidates."""
        for number in self._index.candidates(predicate):
            if self._index.fault(number) is None and not self._index.published(number).deprecated:
                return self._index.slots[number]
        return None
