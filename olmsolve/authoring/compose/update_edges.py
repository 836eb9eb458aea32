"""Update edges: every update that a catalog offers, as data."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve._limits import checked
from olmsolve._records import Record, field, record
from olmsolve.authoring.compose.refusals import package_of
from olmsolve.authoring.upgrades import PackageUpgrades, UpdateSource, update_sources
from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.update_graph import EdgeKind, UpdateGraph


@record(
    definition="updateEdge",
    title="An update, one JSON object a line",
    about="docs/compose.md gives the meaning of the fields.",
)
class UpdateEdge(Record):
    """An update that a channel offers."""

    package: str = field("The package.")
    channel: str = field("The channel.")
    installed: str = field("The bundle that is installed.")
    target: str = field("The bundle that it can be updated to.")
    kinds: tuple[EdgeKind, ...] = field("What makes the edge: replaces, skips, skipRange.")
    is_classic: bool = field("Whether classic OLM takes it, of all that the channel offers.", path="classic")
    is_v1: bool = field("Whether OLM v1 takes it, of all that the channel offers.", path="v1")


def catalog_edges(catalog: Catalog, package: str = "", *, taken_only: bool = False) -> Iterator[UpdateEdge]:
    """Yield the update edges of *catalog*, or only of *package*, by package, channel and installed version.

    Lower installed versions come first. Edges start at every bundle of the package, and at every name that an entry
    replaces or skips without such a bundle in the catalog (it has no version, so no ``skipRange`` includes it). With
    *taken_only*, edges that neither OLM classic nor OLM v1 takes are left out; wide ranges have many of them.

    Raises:
        CatalogError: *package* does not exist.
    """
    names = [package] if package else sorted(catalog.packages)
    for name in names:
        yield from _package_edges(package_of(catalog, name), taken_only)


def _package_edges(package: Package, taken_only: bool) -> Iterator[UpdateEdge]:
    upgrades = PackageUpgrades(package)
    bundles = update_sources(package)
    for name, channel in sorted(package.channels.items()):
        graph = UpdateGraph([channel])
        named = {other for entry in channel.entries for other in (entry.replaces, *entry.skips) if other}
        absent = [UpdateSource(other, None, None) for other in sorted(named - package.bundles.keys())]
        for installed in checked((*absent, *bundles)):
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
