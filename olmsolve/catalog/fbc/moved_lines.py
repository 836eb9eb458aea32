"""Packages of a catalog that are on other lines than in the version before: their blobs need new origins.

A package is copied when it is first asked for: a service asks for few packages of a catalog of 100,000 bundles, and to
copy them all takes 75 ms, a third of the time of the whole update.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

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


class MovedPackages(Mapping[str, Package]):
    """Packages by name, with how far each has moved; copied when first read.

    A package moves by documents and lines in one number, as in :attr:`olmsolve.catalog.Origin.position`.
    """

    def __init__(self, packages: dict[str, Package], moved: dict[str, int]) -> None:
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
            copy = self._copies.setdefault(name, _moved_package(self._packages[name], by))
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

    def kept(self) -> tuple[Mapping[str, Package], Mapping[str, int]]:
        """Return the packages as they were read, and how far each package has moved since, if it has."""
        return self._packages, self._moved


def kept_packages(packages: Mapping[str, Package]) -> tuple[Mapping[str, Package], Mapping[str, int]]:
    """Return *packages* without copying any, and how far each package has moved from where it was read, if it has."""
    return packages.kept() if type(packages) is MovedPackages else (packages, {})


def _moved_package(package: Package, by: int) -> Package:
    """Return a copy of *package* whose blobs have moved *by* so many documents and lines, in one number."""
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
