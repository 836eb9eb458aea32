"""Packages that stand on other lines than in the version of the catalog that they were read from.

A package that did not change is taken over as it is, but lines above it may have come or gone, and its blobs must tell
where they are now. A package is copied when it is first asked for: a service asks for few packages of a catalog of
100,000 bundles, and to copy them all takes 75 ms, half of what the whole update takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from olmsolve.catalog import Blob, Bundle, Channel, Package
from olmsolve.catalog.model import (
    blob_of,
    bundle_of,
    channel_of,
    held_image,
    held_properties,
    package_of,
)
from olmsolve.catalog.origins import LineRun, held_origin

_Moved: TypeAlias = tuple[int, int]
_DOCUMENT: Final = 32  # bits of a position that hold the line; the document's number is above


class MovedPackages(Mapping[str, Package]):
    """Packages by name, each with the documents and lines by which it has moved; copied at the first look."""

    def __init__(self, packages: dict[str, Package], moved: dict[str, _Moved]) -> None:
        self._packages = packages
        self._moved = moved
        self._copies: dict[str, Package] = {}

    def __getitem__(self, name: str) -> Package:
        by = self._moved.get(name)
        if by is None:
            return self._packages[name]
        copy = self._copies.get(name)
        if copy is None:
            # Two threads that copy the same package both return the copy that came first.
            copy = self._copies.setdefault(name, _moved_package(self._packages[name], *by))
        return copy

    def __contains__(self, name: object) -> bool:
        return name in self._packages

    def __iter__(self) -> Iterator[str]:
        return iter(self._packages)

    def __len__(self) -> int:
        return len(self._packages)

    def __repr__(self) -> str:
        return f"<{len(self)} packages, {len(self._moved)} of them on other lines than before>"

    def __reduce__(self) -> tuple[Callable[[Mapping[str, Package]], dict[str, Package]], tuple[dict[str, Package]]]:
        return dict, ({name: self[name] for name in self},)

    def kept(self, name: str) -> tuple[Package, _Moved]:
        """Return a package as it was read, and by how much it has moved since."""
        return self._packages[name], self._moved.get(name, (0, 0))


def kept_package(packages: Mapping[str, Package], name: str) -> tuple[Package, _Moved]:
    """Return a package of *packages* without a copy, and by how much it has moved since it was read."""
    return packages.kept(name) if isinstance(packages, MovedPackages) else (packages[name], (0, 0))


def position_of(documents: int, lines: int) -> int:
    """Return both as the one number of :attr:`olmsolve.catalog.Origin.position`, so that one addition moves both."""
    return (documents << _DOCUMENT) + lines


def _moved_package(package: Package, documents: int, lines: int) -> Package:
    """Return a copy of *package* whose blobs stand *documents* and *lines* further down."""
    by = position_of(documents, lines)
    runs: dict[int, LineRun] = {}

    def moved(blob: Package | Channel | Bundle | Blob) -> tuple[Any, int]:
        origin, position = held_origin(blob)
        if isinstance(origin, LineRun):
            run = runs.get(id(origin))
            if run is None:
                run = runs[id(origin)] = LineRun(origin.file, origin.first + by)
            return run, position
        return origin, position + by if origin is not None else position

    def bundle(original: Bundle) -> Bundle:
        listed, version = held_properties(original)
        image, digest = held_image(original)
        origin, position = moved(original)
        fields = listed, image, original.extra, origin, position, original.written, version, digest
        return bundle_of(Bundle, original.package, original.name, *fields)

    def channel(original: Channel) -> Channel:
        origin, position = moved(original)
        fields = original.entries, original.properties, original.extra, origin, position, original.written
        return channel_of(Channel, original.package, original.name, *fields)

    blob = package.deprecations_blob
    made: Package = package_of(
        Package,
        package.name,
        package.default_channel,
        {name: channel(listed_channel) for name, listed_channel in package.channels.items()},
        {name: bundle(listed_bundle) for name, listed_bundle in package.bundles.items()},
        package.deprecations,
        package.description,
        package.extra,
        *moved(package),
        package.written,
        None if blob is None else blob_of(Blob, blob.schema, blob.value, *moved(blob)),
    )
    return made
