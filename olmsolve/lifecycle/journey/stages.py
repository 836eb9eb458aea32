"""The versions of OpenShift on the way, each with its Kubernetes and with the content of each catalog there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.catalog import Bundle, Catalog, Package
from olmsolve.cluster import ClusterState, minor_text, next_minor, normalised
from olmsolve.errors import CatalogError, RequestError, VersionError
from olmsolve.requests import CatalogFiles, Contents, keys_named
from olmsolve.semver import Version

GivenContents: TypeAlias = Mapping[str, Mapping[str, str | PathLike[str] | Catalog | CatalogError]]
"""The contents of catalogs from a version on: by version (``4.20``), then by the name of the catalog."""

# OpenShift 4.3 has Kubernetes 1.16, and since then each minor version has the next one, as its release notes say.
_KUBERNETES_OF_4_0: Final = 13
_FIRST_OF_FIVE: Final = 23  # 4.23 is called 5.0, and 5.1 follows it
_OLDEST: Final = Version(4, 3, 0)
# Nobody keeps catalogs of so many versions; a mistyped target must not walk for ever.
_MOST_STAGES: Final = 30


@attrs.frozen(eq=False)
class VersionStage:
    """A minor *version* of OpenShift on the way, with its *kubernetes* and the *contents* of the catalogs there.

    *given* names the catalogs whose content was given for this version; all others keep theirs. A cluster does not stop
    at a version that *is_passed*, between two versions with extended support.
    """

    version: Version
    kubernetes: Version
    contents: Contents = attrs.field(repr=False)
    given: tuple[str, ...] = ()
    is_passed: bool = False

    @property
    def text(self) -> str:
        """The version as people write it: ``4.20``."""
        return minor_text(self.version)


class LayeredContents(Contents):
    """The contents of *newer* catalogs over *older* ones; names are known without loading."""

    def __init__(self, newer: Contents, older: Contents) -> None:
        self._newer, self._older = newer, older

    def __getitem__(self, key: str) -> Catalog | CatalogError:
        return self._newer[key] if key in self._newer else self._older[key]

    def __contains__(self, key: object) -> bool:
        return key in self._newer or key in self._older

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._older, *self._newer)))

    def __len__(self) -> int:
        return len(dict.fromkeys((*self._older, *self._newer)))


class BundlePool:
    """The bundles of all catalogs of a journey: what several versions have in common is held once.

    Most packages of a catalog are in the catalog of the next version as they were::

        4.20  ledger: v1, v2        one Package with two Bundles
        4.21  ledger: v1, v2        the same Package
        4.22  ledger: v1, v2, v3    another Package, with the same two Bundles and a new one
    """

    def __init__(self) -> None:
        self._packages: dict[str, list[Package]] = {}

    def pooled(self, catalog: Catalog) -> Catalog:
        """Return *catalog* made of the pool's packages and bundles where they are equal; the others join the pool."""
        if not isinstance(catalog.packages, dict):
            # With an index, packages are read only where they are needed.
            return catalog
        return attrs.evolve(catalog, packages={package.name: self._package(package) for package in checked(catalog)})

    def _package(self, package: Package) -> Package:
        variants = self._packages.setdefault(package.name, [])
        present = next((equal for equal in variants if equal == package), None)
        if present is None:
            bundles = {name: _in_any(variants, bundle) for name, bundle in package.bundles.items()}
            is_new = all(bundles[name] is bundle for name, bundle in package.bundles.items())
            present = package if is_new else attrs.evolve(package, bundles=bundles)
            variants.append(present)
        return present


def _in_any(packages: Iterable[Package], bundle: Bundle) -> Bundle:
    """Return the bundle of *packages* that is equal to *bundle*; without one, *bundle* itself.

    The name finds it, but what a catalog says of it may have changed.
    """
    others = (package.bundles.get(bundle.name) for package in packages)
    return next((other for other in others if other == bundle), None) or bundle


@attrs.frozen(eq=False)
class _Sharing:
    """A loader of the *files* of one version, which shares bundles with the catalogs of the version *before*."""

    pool: BundlePool
    load: Callable[[Path], Catalog]
    files: Mapping[str, Path | Catalog | CatalogError]
    before: Contents

    def __call__(self, path: Path) -> Catalog:
        for key in (key for key, file in self.files.items() if file == path and key in self.before):
            older = self.before[key]
            if isinstance(older, Catalog):
                self.pool.pooled(older)
        return self.pool.pooled(self.load(path))


def stages_between(
    start: str, to: str, contents: Contents, given: GivenContents, load: Callable[[Path], Catalog], *, eus: bool
) -> tuple[VersionStage, ...]:
    """Return the stages from *start* to *to*, each minor version once; *given* contents hold from their version on.

    With *eus*, the cluster passes each odd minor version between without a stop.

    Raises:
        RequestError: a version cannot be read, *to* is not above *start*, or a content is given for a version that is
            not on the way.
    """
    first, last = minor_of(start, "openshift"), minor_of(to, "to")
    versions = _versions(first, last)
    by_version = {minor_of(text, "catalogs"): catalogs for text, catalogs in given.items()}
    for version in by_version:
        if version not in map(normalised, versions):
            way = ", ".join(map(minor_text, versions))
            raise RequestError(
                "this version is not on the way", field=f"catalogs {minor_text(version)}", hint=f"the way is {way}"
            )
    stages: list[VersionStage] = []
    pool = BundlePool()
    for version in versions:
        known_contents = by_version.get(normalised(version), {})
        files: dict[str, Path | Catalog | CatalogError] = {}
        if known_contents:
            files = {
                key: Path(content) if isinstance(content, (str, PathLike)) else content
                for name, content in sorted(known_contents.items(), key=lambda item: "/" in item[0])
                for key in keys_named(contents, name) or [name]
            }
            contents = LayeredContents(CatalogFiles(files, _Sharing(pool, load, files, contents)), contents)
        is_between = version not in (versions[0], versions[-1])
        # Even minor versions of OpenShift 4 have Extended Update Support.
        is_passed = eus and is_between and version.minor % 2 == 1
        stages.append(VersionStage(version, kubernetes_of(version), contents, tuple(files), is_passed))
    return tuple(stages)


def minor_of(text: str, field: str) -> Version:
    """Return the minor version in *text*, 4.23 as 5.0. Raises RequestError; *field* says what *text* stands for."""
    try:
        version = normalised(Version.parse_tolerant(text))
    except VersionError:
        raise RequestError("not a version of OpenShift", field=f"{field} {text}", hint="for example 4.20") from None
    if version < _OLDEST:
        raise RequestError("older than OpenShift 4.3", field=f"{field} {text}", hint="a journey starts at 4.3 or later")
    if version.major == 4 and version.minor > _FIRST_OF_FIVE:
        raise RequestError("there is no such version", field=f"{field} {text}", hint="4.23 is 5.0, and 5.1 follows it")
    return version


def _versions(first: Version, last: Version) -> Sequence[Version]:
    if last <= first:
        below = f"{minor_text(last)} is not above {minor_text(first)}"
        raise RequestError(below, field="to", hint="a cluster is never taken back to an older version")
    versions = [first]
    while normalised(versions[-1]) < last:
        versions.append(next_minor(versions[-1]))
        if len(versions) > _MOST_STAGES:
            far = f"{minor_text(last)} is more than {_MOST_STAGES} minor versions above {minor_text(first)}"
            raise RequestError(far, field="to", hint="name a version that is nearer")
    return versions


def kubernetes_of(openshift: Version) -> Version:
    """Return the Kubernetes of a minor version of OpenShift: 1.33 for 4.20."""
    # 5.0 is 4.23, so 5.1 counts as 4.24: each minor version of OpenShift has the next one of Kubernetes.
    four = openshift.minor if openshift.major == 4 else _FIRST_OF_FIVE + openshift.minor
    return Version(1, _KUBERNETES_OF_4_0 + four, 0)


def version_of_cluster(state: ClusterState) -> str:
    """Return the version of OpenShift that the ClusterVersion of *state* has reached; "" where the objects lack it.

    As documented for ClusterVersion, ``status.history`` begins with the newest update, which counts once Completed.
    """
    for other in state.others:
        if other.kind != "ClusterVersion":
            continue
        status = other.raw.get("status")
        history = status.get("history") if isinstance(status, Mapping) else None
        for entry in history if isinstance(history, list) else ():
            if isinstance(entry, Mapping) and entry.get("state") == "Completed":
                return str(entry.get("version") or "")
    return ""
