"""The filter of a question: the candidates that match it, and what is wrong with it if there are none."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

import olmsolve._attrs as attrs
from olmsolve._near_names import did_you_mean, similar_keys, similar_names
from olmsolve.answers.wording import enumerated
from olmsolve.catalog import Catalog
from olmsolve.classic import ClassicProblem, visible_unreadable
from olmsolve.errors import RequestError, VersionError
from olmsolve.resolution import EXISTING, Candidate
from olmsolve.semver import SchemeVersion, Version, VersionScheme, read_version


def parse_version(version: str, scheme: VersionScheme | None = None) -> Version | None:
    """Parse *version* of a *scheme* (None: a semantic version); return None for "". Raises RequestError."""
    if not version:
        return None
    if scheme is not None:
        read = scheme.read(version)
        if read is None:
            raise RequestError(f"{version!r} is not a {scheme.name} version", field="version")
        return read
    try:
        return Version.parse_tolerant(version)
    except VersionError as error:
        raise RequestError(f"{version!r} is not a version: {error.reason}", field="version") from None


def owning_packages(catalog: Catalog, bundle: str) -> Iterator[str]:
    """Yield the packages of *catalog* that have a bundle of this name."""
    for package in catalog:
        if bundle in package.bundles:
            yield package.name


def filter_of(problem: ClassicProblem, name: str, version: Version | None, channel: str, catalog: str) -> BundleFilter:
    """Return the filter for the package *name*, or for the bundle of this name where nothing has such a package."""
    catalogs = [source.catalog for source in problem.visible.sources]
    operators = [problem.candidate(problem.visible.size + position) for position in range(len(problem.installed.names))]
    as_given = BundleFilter(name, version, channel, catalog)
    if any(name in known_catalog.packages for known_catalog in catalogs) or any(
        present.package == name for present in operators
    ):
        return as_given
    owners = {package for known_catalog in catalogs for package in owning_packages(known_catalog, name)}
    owners.update(operator.package for operator in operators if operator.name == name)
    return attrs.evolve(as_given, package=owners.pop(), bundle=name) if len(owners) == 1 else as_given


@attrs.frozen
class BundleFilter:
    """Bundles of *package* with this *version*, from this *channel* and *catalog*; None and "" stand for any.

    *bundle* is the name of the bundle in question, "" for all of the package.
    """

    package: str
    version: Version | None
    channel: str
    catalog: str
    bundle: str = ""

    def matches(self, problem: ClassicProblem) -> Iterator[int]:
        """Yield the candidates that match: installed operators, then the catalogs in order of preference."""
        if not self.channel and self.catalog in ("", EXISTING):
            for position in range(len(problem.installed.names)):
                number = problem.visible.size + position
                if problem.candidate(number).package == self.package and self._is_meant(problem.candidate(number)):
                    yield number
        for position, source in enumerate(problem.visible.sources):
            if self.catalog not in ("", source.key):
                continue
            index = problem.visible.indexes[position]
            for name in index.channel_names(self.package):
                if self.channel in ("", name):
                    for slot in index.channel(self.package, name).all:
                        number = problem.visible.offsets[position] + slot
                        if self._is_meant(problem.candidate(number)):
                            yield number

    def _is_meant(self, candidate: Candidate) -> bool:
        if self.bundle not in ("", candidate.name):
            return False
        if self.version is None:
            return True
        scheme = self.version.scheme if isinstance(self.version, SchemeVersion) else None
        return read_version(candidate.version, scheme) == self.version

    def absence(self, problem: ClassicProblem) -> Absence:
        """Return the first name, from the catalog down to the version, that the readable catalogs do not have."""
        if self.catalog == EXISTING:
            return Absence(self, Missing.OPERATOR)
        unreadable = tuple(
            unseen.key for unseen in visible_unreadable(problem.request) if self.catalog in ("", unseen.key)
        )
        if self.catalog in unreadable:
            return Absence(self, Missing.CONTENT)
        missing, names = self._missing(problem)
        return Absence(self, missing, tuple(names), unreadable, problem.request.namespaces[0])

    def _missing(self, problem: ClassicProblem) -> tuple[Missing, Iterable[str]]:
        """Return what is missing, and the names that there are instead."""
        everything, visible = problem.request.sources, problem.visible.sources
        keys = [source.key for source in visible]
        if self.catalog and self.catalog not in keys:
            hidden = any(source.key == self.catalog for source in everything)
            return (Missing.VISIBLE_CATALOG, ()) if hidden else (Missing.CATALOG, keys)
        sources = [source for source in visible if self.catalog in ("", source.key)]
        packages = [
            source.catalog.packages[self.package] for source in sources if self.package in source.catalog.packages
        ]
        if not packages:
            having = sorted(source.key for source in everything if self.package in source.catalog.packages)
            if having and not self.catalog:
                return Missing.VISIBLE_PACKAGE, having
            owners = [name for source in sources for name in owning_packages(source.catalog, self.package)]
            if owners:
                return Missing.ONE_PACKAGE, tuple(dict.fromkeys(owners))
            near = similar_names(self.package, sorted({name for source in sources for name in source.catalog.packages}))
            return Missing.PACKAGE, near
        channels = sorted({name for package in packages for name in package.channels})
        return (Missing.CHANNEL, channels) if self.channel and self.channel not in channels else (Missing.BUNDLE, ())

    @property
    def narrower(self) -> str:
        """The bundle's name, the version and the channel in words, "" for any."""
        version = f" {self.bundle}" if self.bundle else ""
        version += "" if self.version is None else f" of version {self.version}"
        return f"{version} in channel {self.channel}" if self.channel else version


class Missing(enum.Enum):
    """A name in a filter that does not exist, or is not visible."""

    OPERATOR = enum.auto()
    CONTENT = enum.auto()
    CATALOG = enum.auto()
    VISIBLE_CATALOG = enum.auto()
    PACKAGE = enum.auto()
    ONE_PACKAGE = enum.auto()
    VISIBLE_PACKAGE = enum.auto()
    CHANNEL = enum.auto()
    BUNDLE = enum.auto()


@attrs.frozen
class Absence:
    """The answer that no bundle fits the filter *wanted*; *missing* says which part of it nothing fits.

    *names* lists what fits in place of the missing part, or the places that have it: near package names, the other
    channels, the catalogs with the package. *unreadable* are catalogs that may have it, *namespace* is the target
    namespace.
    """

    wanted: BundleFilter
    missing: Missing
    names: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    namespace: str = ""

    def __str__(self) -> str:
        hidden = f"; the content of {enumerated(self.unreadable)} cannot be read" if self.unreadable else ""
        return f"{self._sentence()}{hidden}"

    def _sentence(self) -> str:
        wanted, names = self.wanted, enumerated(self.names)
        package = f"package {wanted.package}"
        where = f"catalog {wanted.catalog}" if wanted.catalog else "any visible catalog"
        match self.missing:
            case Missing.OPERATOR:
                return f"no operator of {package}{wanted.narrower} is installed"
            case Missing.CONTENT:
                return f"catalog {wanted.catalog} cannot be read"
            case Missing.CATALOG:
                meant = _meant(similar_keys(wanted.catalog, self.names))
                return f"there is no visible catalog {wanted.catalog} ({meant}there is {names or 'none'})"
            case Missing.VISIBLE_CATALOG:
                return f"catalog {wanted.catalog} is not visible in namespace {self.namespace}"
            case Missing.PACKAGE:
                hint = f" ({did_you_mean(self.names)})" if self.names else ""
                return f"{package} is not in {where}{hint}"
            case Missing.ONE_PACKAGE:
                return f"{wanted.package} is a bundle of the packages {names}: ask about one of them, and its version"
            case Missing.VISIBLE_PACKAGE:
                return f"{package} is only in {names}, not visible in namespace {self.namespace}"
            case Missing.CHANNEL:
                meant = _meant(similar_names(wanted.channel, self.names))
                return f"{package} has no channel {wanted.channel} in {where} ({meant}it has {names})"
            case Missing.BUNDLE:
                return f"{package} has no bundle{wanted.narrower} in {where}"
            case _:
                assert_never(self.missing)


def _meant(names: Sequence[str]) -> str:
    """Return a question such as "did you mean etcd?", followed by a space; "" without *names*."""
    return f"{did_you_mean(names)} " if names else ""
