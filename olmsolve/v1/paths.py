"""Upgrade paths: what an extension becomes step by step, and the fewest steps to where it can get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

import attrs

from olmsolve.errors import RequestError, VersionError
from olmsolve.resolution import SCHEMA_VERSION
from olmsolve.semver import VersionRelease
from olmsolve.update_graph import shortest_ways, way_to
from olmsolve.v1.errors import InstalledVersionError, ResolutionError
from olmsolve.v1.offers import Offer, PackageOffers, installed_version, offers_of
from olmsolve.v1.request import Installed, Request
from olmsolve.v1.resolving import asked_catalogs, resolve, wish_of

__all__ = ["Mode", "Step", "UpgradePath", "path"]

Mode: TypeAlias = Literal["controller", "shortest"]


@attrs.frozen
class Step:
    """An update to *bundle* from *catalog*; *version* is text with the release as build metadata."""

    bundle: str
    version: str
    catalog: str

    def to_dict(self) -> dict[str, str]:
        return {"bundle": self.bundle, "version": self.version, "catalog": self.catalog}


@attrs.frozen
class UpgradePath:
    """The *steps* from what is *installed*, in order; none where it already is where it should get.

    *reached* says whether the path ends at *to*, or, without a wanted one, at the newest bundle that update
    edges can reach at all. *stopped* is the failure that ended a controller's path, None if it ended because
    nothing follows.
    """

    installed: Installed
    to: str
    mode: Mode
    steps: tuple[Step, ...]
    reached: bool
    stopped: ResolutionError | None = None

    @property
    def end(self) -> str:
        """The name of the bundle at the end."""
        return self.steps[-1].bundle if self.steps else self.installed.name

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; what the fields mean is documented in docs/v1.md."""
        return {
            "schema": "olmsolve.v1.path",
            "schemaVersion": SCHEMA_VERSION,
            "mode": self.mode,
            "installed": self.installed.name,
            "to": self.to or None,
            "steps": [step.to_dict() for step in self.steps],
            "reached": self.reached,
            "stopped": str(self.stopped) if self.stopped is not None else None,
        }


def path(request: Request, *, to: str = "", mode: Mode = "controller") -> UpgradePath:
    """The way of *request*'s extension from what is installed: to the newest bundle, or to *to*.

    *to* is the name of a bundle or a version (as the bundle has it, build metadata left out). The version
    range and the channels of the request hold for every step; leave the range empty to plan a whole way.

    ``"controller"`` goes as OLM v1 would if nobody changed the request: each step is what :func:`resolve`
    selects, which may pass by *to* or end in a blind alley. ``"shortest"`` takes any update edge that catalogs
    in the request offer, as somebody can who pins catalog and version before each step; the newest bundle is
    then the one that OLM v1 prefers (not deprecated, then the highest version) among all that can be reached.

    Raises:
        RequestError: nothing is installed, or no catalog of the request has *to*.
        ResolutionError: the request cannot be understood; a path that ends early is no error.
    """
    installed = request.installed
    if installed is None:
        raise RequestError("nothing is installed, so there is no path to look for", field="installed")
    graph = _Graph(request, installed)
    if to and graph.is_at(graph.start, to):
        return UpgradePath(installed, to, mode, (), reached=True)
    if to and not any(graph.is_at(node, to) for node in graph.offers):
        raise RequestError(f"no catalog of the request has {to!r}", field="to")
    if mode == "shortest":
        way = graph.way(to)
        return UpgradePath(installed, to, mode, tuple(map(graph.step, way or ())), reached=way is not None)
    return _as_controller(request, installed, graph, to)


class _Node(NamedTuple):
    """A bundle of a catalog (its place in the request), or what is installed (-1)."""

    catalog: int
    bundle: str


class _Graph:
    """Everything that can be installed, over the catalogs that the request asks."""

    def __init__(self, request: Request, installed: Installed) -> None:
        wish = wish_of(request)
        try:
            version = installed_version(installed)
        except VersionError as error:
            raise InstalledVersionError(installed, error.reason) from None
        self.start = _Node(-1, installed.name)
        self.catalogs: list[tuple[str, PackageOffers]] = []
        self.offers: dict[_Node, Offer] = {}
        self._enforced = request.extension.enforces_edges
        self._channels = wish.channels
        self._versions: dict[_Node, VersionRelease] = {self.start: version}
        package, gate = request.extension.package, request.release_support
        for catalog in asked_catalogs(request):
            found = None
            if catalog.catalog is not None and not catalog.error:
                found = offers_of(catalog.catalog, package, release_support=gate)
            if found is None:
                continue
            for offer in wish.in_range(wish.in_channels(found)):
                if offer.version is not None:
                    node = _Node(len(self.catalogs), offer.name)
                    self.offers[node] = offer
                    self._versions[node] = offer.version
            self.catalogs.append((catalog.name, found))

    def is_at(self, node: _Node, to: str) -> bool:
        """Whether *to* names the node or is its version, with or without the release."""
        version = self._versions[node]
        bare = attrs.evolve(version.version, build=())
        return to in (node.bundle, str(bare), str(version.legacy_version))

    def way(self, to: str = "") -> list[_Node] | None:
        """A shortest way from the start to *to*, or to the newest; None if there is none."""
        if to:
            before = self._search(lambda node: self.is_at(node, to))
            found = next((node for node in reversed(before) if self.is_at(node, to)), None)
            return way_to(found, before) if found is not None else None
        top = max(map(self._height, self.offers), default=self._height(self.start))
        # What is installed counts only where a catalog still has it; of equals it is the newest.
        if self._is_home_at(top):
            return []
        before = self._search(lambda node: self._height(node) == top)
        newest = max(before, key=self._height, default=self.start)
        if newest == self.start or self._is_home_at(self._height(newest)):
            return []
        return way_to(newest, before)

    def _is_home_at(self, height: tuple[Any, ...]) -> bool:
        """Whether a catalog has what is installed, in its very version and at this height."""
        home = [node for node in self.offers if node.bundle == self.start.bundle]
        installed = self._versions[self.start]
        return any(self._versions[node] == installed and self._height(node) == height for node in home)

    def _search(self, until: Callable[[_Node], bool]) -> dict[_Node, _Node]:
        expansions = [offers.graph.expansion(self._channels) for _, offers in self.catalogs]

        def neighbours(node: _Node) -> Iterator[_Node]:
            """Where one can go from *node*: catalog by catalog, the preferred bundle first."""
            if not self._enforced:
                yield from self.offers
                return
            version = self._versions[node]
            for place, (_, offers) in enumerate(self.catalogs):
                names = {edge.entry.name for edge in expansions[place].edges_from(node.bundle, version.version)}
                names.update(offers.of_version.get(version, ()))
                for name in sorted(names & offers.ranks.keys(), key=offers.ranks.__getitem__):
                    neighbour = _Node(place, name)
                    if neighbour in self.offers:
                        yield neighbour

        return shortest_ways(self.start, neighbours, until)

    def _height(self, node: _Node) -> tuple[Any, ...]:
        """A key by which the preferred node is the highest."""
        return (node not in self.offers or not self.offers[node].deprecated, self._versions[node].key)

    def step(self, node: _Node) -> Step:
        return Step(node.bundle, str(self._versions[node].legacy_version), self.catalogs[node.catalog][0])


def _as_controller(request: Request, installed: Installed, graph: _Graph, to: str) -> UpgradePath:
    steps: list[Step] = []
    seen = {installed.name}
    current, stopped, arrived = installed, None, False
    while not arrived:
        try:
            resolution = resolve(attrs.evolve(request, installed=current))
        except ResolutionError as error:
            stopped = error
            break
        # Staying ends the path; so would going round, which preferring the higher version rules out.
        if resolution.bundle in seen:
            break
        seen.add(resolution.bundle)
        version, release = resolution.version, resolution.release
        combined = f"{version}+{release}" if release else version
        steps.append(Step(resolution.bundle, combined, resolution.catalog))
        # As the controller records it: without the feature gate, the release stays in the version.
        if request.release_support:
            current = Installed(resolution.bundle, version, release or None)
        else:
            current = Installed(resolution.bundle, combined)
        arrived = bool(to) and to in (resolution.bundle, version.partition("+")[0], combined)
    if not to:
        newest = graph.way()
        end = newest[-1].bundle if newest else installed.name
        arrived = end == current.name
    return UpgradePath(installed, to, "controller", tuple(steps), arrived, stopped)
