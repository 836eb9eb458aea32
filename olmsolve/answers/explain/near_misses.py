"""Near misses, as notes: what nearly met a requirement, or what a subscription may have meant.

Names, versions, channels and catalogs close to the missing one are found by a look into an index, or over the entries
that channels skip; nothing is solved.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Final

import olmsolve._attrs as attrs
from olmsolve._reader import for_reader
from olmsolve._records import Record, field, record
from olmsolve.answers.wording import enumerated, some_of, version_ranges
from olmsolve.catalog import Source, UnreadableSource
from olmsolve.catalog.index import CatalogIndex, index_of
from olmsolve.classic import (
    ClassicProblem,
    Reason,
    Request,
    UnknownCatalog,
    UnknownChannel,
    UnknownPackage,
    UnknownStartingCSV,
)
from olmsolve.predicates import GVK, Fact, Predicate
from olmsolve.semver import BlangRange, Version

_NAMED: Final = 3  # catalogs, channels or versions in one note


class NoteKind(enum.Enum):
    """The kinds of near misses that a note tells of."""

    SIMILAR_NAME = "similar-name"
    OTHER_VERSIONS = "other-versions"
    PRERELEASE = "prerelease"
    OTHER_API_VERSION = "other-api-version"
    SKIPPED = "skipped"
    OTHER_CHANNEL = "other-channel"
    INVISIBLE = "invisible"
    EMPTY_RANGE = "empty-range"


@record(definition="note", layout=("kind", "text", "names"), about="A near miss, such as a similar name.")
class Note(Record):
    """A near miss; ``str()`` is a sentence. *names* are the packages, versions or bundles that it is about."""

    kind: ClassVar[NoteKind]
    names: tuple[str, ...] = field("The names that it is about.", default=())

    @property
    def text(self) -> str:
        """The sentence."""
        return str(self)

    @property
    def enumeration(self) -> str:
        """All names as one enumeration."""
        return enumerated(self.names)

    @property
    def shortened(self) -> str:
        """The first names, and the number of the others."""
        return some_of(self.names, _NAMED)


@record(
    kind=NoteKind.SKIPPED,
    says="{shortened} would meet it, but another entry of the channel skips it, so nothing can require it",
)
class SkippedBundles(Note):
    """Bundles that would meet a requirement, were they not skipped."""


@record(kind=NoteKind.EMPTY_RANGE, says="no version at all is in the range {versions}")
class EmptyRange(Note):
    """A requirement whose range holds no version."""

    versions: BlangRange = attrs.field(kw_only=True)


@record(kind=NoteKind.SIMILAR_NAME)
class NoSuchPackage(Note):
    """A *package* that no visible catalog has; *names* are similar ones."""

    package: str = attrs.field(kw_only=True)

    def __str__(self) -> str:
        text = f"no visible catalog has a package {self.package}"
        return f"{text}; packages of a similar name: {self.enumeration}" if self.names else text


@record(kind=NoteKind.SIMILAR_NAME, says="{things} of a similar name: {enumeration}")
class SimilarNames(Note):
    """Names of *things* ("catalogs", "packages", "channels", "bundles") like the one that a subscription gives."""

    things: str = attrs.field(kw_only=True)


@record(kind=NoteKind.PRERELEASE)
class PrereleasesOnly(Note):
    """Pre-releases of *package*, which come before the release that a range begins with."""

    package: str = attrs.field(kw_only=True)

    def __str__(self) -> str:
        sort = "is a pre-release, which comes" if len(self.names) == 1 else "are pre-releases, which come"
        return f"{self.shortened} of package {self.package} {sort} before the release that the range asks for"


@record(kind=NoteKind.OTHER_VERSIONS)
class OtherVersions(Note):
    """The versions of *package* that exist, none of them in the range."""

    package: str = attrs.field(kw_only=True)

    def __str__(self) -> str:
        noun = "version" if len(self.names) == 1 else "versions"
        return f"package {self.package} exists in {noun} {version_ranges(self.names)}"


@record(kind=NoteKind.OTHER_API_VERSION, says="only another version of this API is provided: {shortened}")
class OtherApiVersions(Note):
    """Other versions of a required API."""


@record(kind=NoteKind.INVISIBLE)
class HiddenCatalog(Note):
    """A *catalog* that is not visible in *namespace*; it has *package*, or the bundles in *names* after its name.

    On a cluster, *global_namespace* is the one whose catalogs all others see, unless an annotation of the operator
    group, *excluded_by*, says otherwise; both are "" in a request document, which says itself what is visible.
    """

    catalog: str = attrs.field(kw_only=True)
    namespace: str = attrs.field(kw_only=True)
    package: str = attrs.field(default="", kw_only=True)
    global_namespace: str = attrs.field(default="", kw_only=True)
    excluded_by: str = attrs.field(default="", kw_only=True)

    def __str__(self) -> str:
        has = f"has package {self.package}" if self.package else "is there"
        if len(self.names) > 1:
            has = f"has {some_of(self.names[1:], _NAMED)}, which would meet it,"
        text = f"catalog {self.catalog} {has} but is not visible in namespace {self.namespace}"
        home, _, _ = self.catalog.partition("/")
        if not self.global_namespace:
            return text
        if self.excluded_by and home == self.global_namespace:
            return f"{text}, whose operator group hides the global catalogs (annotation {self.excluded_by})"
        if self.excluded_by:
            return f"{text}, which sees only its own catalogs"
        says = for_reader(python=f"Policy(global_namespace={home!r})", option=f"--global-namespace {home}")
        and_global = "" if self.namespace == self.global_namespace else f" and the catalogs of {self.global_namespace}"
        text = f"{text}, which sees only its own catalogs{and_global}"
        return f"{text}; if {home} is the global namespace of this cluster, {says} says so"


@record(kind=NoteKind.OTHER_CHANNEL, says="catalog {enumeration} has package {package}")
class OtherCatalog(Note):
    """Another catalog, *names*, that has *package*."""

    package: str = attrs.field(kw_only=True)


@record(kind=NoteKind.OTHER_CHANNEL)
class OtherChannels(Note):
    """Other channels of *catalog* that have *bundle*."""

    bundle: str = attrs.field(kw_only=True)
    catalog: str = attrs.field(kw_only=True)

    def __str__(self) -> str:
        noun = "channel" if len(self.names) == 1 else "channels"
        return f"{self.bundle} is in {noun} {self.shortened} of catalog {self.catalog}"


_NEAREST: Final = {
    "packages": (NoteKind.SIMILAR_NAME, "packages of a similar name"),
    "channels": (NoteKind.OTHER_CHANNEL, "channels that have a bundle in the range"),
    "below": (NoteKind.OTHER_VERSIONS, "closest version below the range"),
    "above": (NoteKind.OTHER_VERSIONS, "closest version above the range"),
    "prereleases": (NoteKind.PRERELEASE, "pre-releases that the range excludes"),
    "edges_from": (NoteKind.OTHER_VERSIONS, "installed bundles from which an edge leads into the range"),
    "route": (NoteKind.OTHER_VERSIONS, "updates that lead into the range, in order"),
    "updates": (NoteKind.OTHER_VERSIONS, "updates of the installed bundle"),
}
NEAREST_FIELDS: Final = tuple(_NEAREST)
"""The fields of :class:`olmsolve.v1.Nearest` that have a note, in the order of their notes."""


@record
class NearestNote(Note):
    """OLM v1: the value of one *field* of :class:`olmsolve.v1.Nearest`."""

    field: str = attrs.field(kw_only=True)

    @property
    def kind(self) -> NoteKind:  # type: ignore[override]
        return _NEAREST[self.field][0]

    def __str__(self) -> str:
        return f"{_NEAREST[self.field][1]}: {self.enumeration}"


# An explanation may have hundreds of facts, and comparing names or testing CEL rules for each would take too long.
_MOST_COMPARED: Final = 20
# A CEL rule takes 4 µs for each bundle, so this is a fifth of a second: seven rules over a catalog of 7,000 bundles.
_MOST_TESTS: Final = 50_000


class NearMisses:
    """The notes about requirements and names missing from the catalogs of one problem; each is made once."""

    def __init__(self, problem: ClassicProblem) -> None:
        self._problem = problem
        self._notes: dict[Predicate, tuple[Note, ...]] = {}
        self._similar: dict[str, tuple[str, ...]] = {}
        self._tests = _MOST_TESTS

    def notes_on(self, predicate: Predicate) -> tuple[Note, ...]:
        """Return notes about bundles that nearly meet *predicate*, which no candidate meets."""
        notes = self._notes.get(predicate)
        if notes is None:
            notes = self._notes[predicate] = tuple(dict.fromkeys(self._found_on(predicate)))
        return notes

    def notes_on_unknown(self, reason: Reason) -> tuple[Note, ...]:
        """Return notes about names that a subscription may have meant by the unknown one of *reason*."""
        return tuple(dict.fromkeys(self._found_on_unknown(reason)))

    @cached_property
    def invisible(self) -> tuple[Source, ...]:
        """The catalogs that the namespace does not see, by name: of the request, and of the cluster."""
        visible = {source.key for source in self._problem.visible.sources}
        sources = (s for s in self._problem.request.sources if s.key not in visible)
        return tuple(sorted((*sources, *hidden_sources(self._problem.request)), key=lambda source: source.key))

    # -- requirements

    def _found_on(self, predicate: Predicate) -> Iterator[Note]:
        """Yield the notes: skipped entries first, then other versions or APIs, then invisible catalogs."""
        if predicate.any_of:
            for part in predicate.any_of:
                yield from self.notes_on(part)
            return
        yield from self._skipped(predicate)
        yield from predicate.near_misses(self)
        yield from self._invisible(predicate)

    def _skipped(self, predicate: Predicate) -> Iterator[Note]:
        """Yield a note for each catalog with skipped entries that meet *predicate*."""
        for index in self._problem.visible.indexes:
            skipped = [n for n in self._among_skipped(index, predicate) if predicate.test(index.published(n))]
            names = tuple(dict.fromkeys(map(index.bundle, skipped)))
            if names:
                yield SkippedBundles(names)

    def _among_skipped(self, index: CatalogIndex, predicate: Predicate) -> Sequence[int]:
        """Return the skipped entries that may meet *predicate*; none after too many tests, to bound the time."""
        skipped = _skipped(index)
        if predicate.fact is not None:
            return skipped.by_fact.get(predicate.fact, ())
        self._tests -= len(skipped.all)
        return skipped.all if self._tests >= 0 else ()

    def _packages_like(self, name: str) -> tuple[str, ...]:
        """Return visible packages that look like *name*; none after too many comparisons, to bound the time."""
        if name not in self._similar:
            from olmsolve._near_names import similar_names  # most names are not misspelt

            indexes = self._problem.visible.indexes if len(self._similar) < _MOST_COMPARED else ()
            names = {package_name for index in indexes for package_name in index.package_names()}
            self._similar[name] = similar_names(name, sorted(names))
        return self._similar[name]

    def of_package(self, package: str, versions: BlangRange) -> Iterator[Note]:
        """Yield notes on the versions that exist, or on packages of similar names if the package does not."""
        if versions.is_empty:
            yield EmptyRange(versions=versions)
            return
        indexes = self._problem.visible.indexes
        there = {version for index in indexes for version in _versions_of(index, package)}
        if not there:
            if all(package not in index for index in indexes):
                yield NoSuchPackage(self._packages_like(package), package=package)
            return
        # 2.0.0-rc.1 comes before 2.0.0, so a range from 2.0.0 on does not hold it, which surprises people.
        early = tuple(str(v) for v in sorted(there) if v.pre and v not in versions and _release(v) in versions)
        if early:
            yield PrereleasesOnly(early, package=package)
        yield OtherVersions(tuple(map(str, sorted(there))), package=package)

    def of_api(self, gvk: GVK) -> Iterator[Note]:
        """Yield a note on other versions of an API."""
        others = {
            str(other)
            for index in self._problem.visible.indexes
            for other in _kinds(index).get((gvk.group, gvk.kind), ())
            if other != gvk
        }
        if others:
            yield OtherApiVersions(tuple(sorted(others)))

    def _invisible(self, predicate: Predicate) -> Iterator[Note]:
        for source in self.invisible:
            index = index_of(source.catalog)
            names = tuple(dict.fromkeys(filter(None, map(index.bundle, index.candidates(predicate)))))
            if names:
                yield self._hidden(source, names)

    def _hidden(self, source: Source | UnreadableSource, bundles: tuple[str, ...] = (), package: str = "") -> Note:
        """Return a note that *source*, which has *bundles* or *package*, is not visible."""
        request = self._problem.request
        return HiddenCatalog(
            (source.key, *bundles),
            catalog=source.key,
            namespace=request.namespaces[0],
            package=package,
            global_namespace=request.hidden.global_namespace,
            excluded_by=request.hidden.excluded_by,
        )

    # -- subscriptions

    def _found_on_unknown(self, reason: Reason) -> Iterator[Note]:
        """Yield notes on similar names, and on other locations of the unknown one."""
        if isinstance(reason, UnknownCatalog):
            wish = reason.subscription
            for offered in (*self._problem.request.sources, *self._problem.request.hidden.all()):
                if offered.key == wish.catalog:
                    yield self._hidden(offered)
                    return
            if reason.near:
                yield SimilarNames(reason.near, things="catalogs")
        elif isinstance(reason, UnknownPackage):
            package = reason.subscription.package
            if reason.near:
                yield SimilarNames(reason.near, things="packages")
            for source in self._problem.visible.sources:
                if package in source.catalog.packages:
                    yield OtherCatalog((source.key,), package=package)
            for source in self.invisible:
                if package in source.catalog.packages:
                    yield self._hidden(source, package=package)
        elif isinstance(reason, UnknownChannel):
            if reason.near:
                yield SimilarNames(reason.near, things="channels")
        elif isinstance(reason, UnknownStartingCSV) and not reason.removed_by:
            if reason.near:
                yield SimilarNames(reason.near, things="bundles")
            yield from self._elsewhere(reason)

    def _elsewhere(self, reason: UnknownStartingCSV) -> Iterator[Note]:
        """Yield a note for each catalog that has the bundle in another channel."""
        wish = reason.subscription
        for source in self._problem.visible.sources:
            package = source.catalog.packages.get(wish.package)
            channels = package.channels.values() if package else ()
            having = tuple(c.name for c in channels if any(e.name == wish.starting_csv for e in c.entries))
            if having:
                yield OtherChannels(having, bundle=wish.starting_csv, catalog=source.key)


def hidden_sources(request: Request) -> tuple[Source, ...]:
    """Return the catalogs of the cluster that *request* does not see, and whose content is known."""
    return tuple(source for source in request.hidden.all() if isinstance(source, Source))


@attrs.frozen
class _Skipped:
    """The slots of a catalog that only a ``startingCSV`` can select: another entry of their channel skips them."""

    all: tuple[int, ...]
    by_fact: Mapping[Fact, Sequence[int]]


def _skipped(index: CatalogIndex) -> _Skipped:
    """Return the skipped slots of a catalog, computed once for all explanations and kept with the catalog."""

    def build() -> _Skipped:
        every: list[int] = []
        by_fact: dict[Fact, list[int]] = {}
        for package in index.package_names():
            for name in index.channel_names(package):
                slots = index.channel(package, name)
                if slots.fault < 0:
                    every.extend(range(slots.ordered.stop, slots.all.stop))
        for number in every:
            for fact in dict.fromkeys(index.published(number).facts()):
                by_fact.setdefault(fact, []).append(number)
        return _Skipped(tuple(every), by_fact)

    return index.catalog.derived((__name__, "skipped"), build)


def _kinds(index: CatalogIndex) -> dict[tuple[str, str], list[GVK]]:
    """Return the APIs that a catalog's bundles provide, by group and kind."""

    def build() -> dict[tuple[str, str], list[GVK]]:
        by_api: dict[tuple[str, str], dict[GVK, None]] = {}
        for number in range(len(index)):
            if index.has_bundle(number):
                for gvk in index.published(number).gvks:
                    by_api.setdefault((gvk.group, gvk.kind), {})[gvk] = None
        return {key: list(gvks) for key, gvks in by_api.items()}

    return index.catalog.derived((__name__, "kinds"), build)


def _versions_of(index: CatalogIndex, package: str) -> Iterator[Version]:
    for name in index.channel_names(package):
        for number in index.channel(package, name).all:
            version = index.version(number)
            if version is not None:
                yield version


def _release(version: Version) -> Version:
    """Return the release that the pre-release *version* leads up to."""
    return Version(version.major, version.minor, version.patch)
