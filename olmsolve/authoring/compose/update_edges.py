"""Every update that a catalog offers, as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from olmsolve.authoring.compose.refusals import package_of
from olmsolve.authoring.upgrades import PackageUpgrades, UpdateSource, update_source
from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.update_graph import EdgeKind, UpdateGraph, bundle_version

__all__ = ["UpdateEdge", "edges"]


@attrs.frozen
class UpdateEdge:
    """In *channel*, the bundle *installed* may be updated to *target*, because of the fields *kinds* of its entry.

    *is_classic* and *is_v1* say whether it is what OLM classic and OLM v1 take of all that *channel* offers.
    """

    package: str
    channel: str
    installed: str
    target: str
    kinds: tuple[EdgeKind, ...]
    is_classic: bool
    is_v1: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            "package": self.package,
            "channel": self.channel,
            "installed": self.installed,
            "target": self.target,
            "kinds": list(self.kinds),
            "classic": self.is_classic,
            "v1": self.is_v1,
        }


def edges(catalog: Catalog, package: str = "", *, taken_only: bool = False) -> Iterator[UpdateEdge]:
    """The update edges of *catalog*, or of *package* alone: by package, channel and installed version, lowest first.

    Installed can be every bundle of the package, and every name that an entry replaces or skips without there being
    such a bundle (its version is not known, so no ``skipRange`` has it). With *taken_only*, edges that neither OLM
    classic nor OLM v1 takes are left out: dense ranges make the others many.

    Raises :class:`~olmsolve.errors.CatalogError` where there is no such package.
    """
    packages = [package_of(catalog, package)] if package else [each for _, each in sorted(catalog.packages.items())]
    for each in packages:
        yield from _of_package(each, taken_only)


def _of_package(package: Package, taken_only: bool) -> Iterator[UpdateEdge]:
    upgrades = PackageUpgrades(package)
    bundles = [update_source(bundle, bundle_version(package, name)) for name, bundle in package.bundles.items()]
    bundles.sort(key=lambda each: (() if each.classic is None else (each.classic.key,), each.name))
    for name, channel in sorted(package.channels.items()):
        graph = UpdateGraph([channel])
        named = {other for entry in channel.entries for other in (entry.replaces, *entry.skips) if other}
        absent = [UpdateSource(other, None, None) for other in sorted(named - package.bundles.keys())]
        for installed in (*absent, *bundles):
            kinds: dict[str, list[EdgeKind]] = {}
            for edge in graph.edges_from(installed.name, installed.classic):
                if edge.entry.name != installed.name:
                    kinds.setdefault(edge.entry.name, []).append(edge.kind)
            if not kinds:
                continue
            classic = upgrades.following("classic", name, installed)
            v1 = upgrades.following("v1", name, installed)
            for target, why in sorted(kinds.items()):
                if taken_only and target not in (classic, v1):
                    continue
                yield UpdateEdge(
                    package.name, name, installed.name, target, tuple(why), target == classic, target == v1
                )
