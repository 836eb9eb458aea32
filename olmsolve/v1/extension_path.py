"""Upgrade paths of OLM v1: the updates that its controller would make, or the fewest steps to a bundle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias, get_args

import olmsolve._attrs as attrs
from olmsolve._arguments import must_be
from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.catalog.update_graph import shortest_ways, way_to
from olmsolve.errors import RequestError
from olmsolve.semver import VersionRelease
from olmsolve.v1.controller import Walk, walk
from olmsolve.v1.errors import ResolutionError
from olmsolve.v1.obstacle_view import ObstacleView, held_back
from olmsolve.v1.obstacles import HeldBack
from olmsolve.v1.offers import Offer, PackageOffers, readable_version, recorded_bundle, update_remark, version_names
from olmsolve.v1.request import Extension, ExtensionRequest, ExtensionResolution, InstalledBundle
from olmsolve.v1.resolving import offered, wish_of

Mode: TypeAlias = Literal["controller", "shortest"]

_MODES: Final = get_args(Mode)


@record
class PathStep(Record):
    """An update to *bundle* from *catalog*; *version* is text with the release as build metadata.

    *remark* says that it is a new major version or a downgrade, "" for neither.
    """

    bundle: str = field("The bundle.")
    version: str = field("Its version.")
    catalog: str = field("Its catalog.")
    remark: str = field("That it is a new major version, or a downgrade.", default="", empty="absent")


def _bundle_name(installed: InstalledBundle) -> str:
    return installed.name


def _message(stopped: ResolutionError | None) -> str | None:
    return None if stopped is None else str(stopped)


@record(
    definition="olmsolve.v1.path",
    title="The updates of OLM v1 from a bundle",
    about="docs/v1.md gives the meaning of the fields.",
    layout=("mode", "installed", "to", "version", "channels", ...),
)
class ExtensionPath(Record):
    """The *steps* from the *installed* bundle, in order; no steps where it already is at the end.

    *reached* says whether the path ends at *to* or, where that is "", at the newest bundle that update edges can
    reach at all within the range and the channels of *extension*. It is False where no catalog offers the installed
    bundle or an update of it, even if it is the newest: OLM v1 fails there. *stopped* is the failure that ended a
    controller's path, None if it ended without one.

    *held_back* are the bundles beyond the end, with what keeps them away: all newer ones where *to* is "", and the ones
    that *to* names where the path does not reach it.
    """

    installed: InstalledBundle = field("The bundle to begin with.", written=_bundle_name)
    to: str = field("The bundle or version to reach, null for the newest.", empty="null")
    mode: Mode = field("The steps that the controller takes by itself, or the fewest.")
    steps: tuple[PathStep, ...] = field("The updates, in order.")
    reached: bool = field("Whether the path gets there.")
    stopped: ResolutionError | None = field("Why it ends before.", default=None, written=_message)
    extension: Extension | None = None
    held_back: tuple[HeldBack, ...] = field("The newer bundles beyond its end.", default=())

    @property
    @documented("The range of the extension.", empty="null")
    def version(self) -> str:
        return self.extension.version if self.extension else ""

    @property
    @documented("Its channels.")
    def channels(self) -> tuple[str, ...]:
        return tuple(self.extension.channels) if self.extension else ()

    @property
    def end(self) -> str:
        """The name of the bundle at the end."""
        return self.steps[-1].bundle if self.steps else self.installed.name


def path(request: ExtensionRequest, *, to: str = "", mode: Mode = "controller") -> ExtensionPath:
    """Return the path of *request*'s extension from its installed bundle to the newest one, or to *to*.

    *to* is the name of a bundle, or a version (as the bundle has it, build metadata left out). The version
    range and the channels of the request hold for every step; leave the range empty to plan a whole path.

    ``"controller"`` updates as OLM v1 would if nobody changed the request: each step is what :func:`resolve`
    selects, which may miss *to* or end in a blind alley. ``"shortest"`` takes any update edge that the request's
    catalogs offer, as an administrator can who pins catalog and version before each step; the newest bundle is
    then the one that OLM v1 prefers (not deprecated, then the highest version) among all that can be reached.

    A bundle *to* that exists but that the request excludes is not reached; the path says why.

    Raises:
        RequestError: nothing is installed, no catalog of the request has *to*, or there is no such *mode*.
        InvalidWishError: the selector or the version range cannot be read.
        ResolutionError: a catalog that the request asks, or (where edges are enforced) the installed version
            cannot be read, as :func:`resolve` says; a path that ends early is not an error.
    """
    must_be(request, "ExtensionRequest", "request")
    must_be(to, "str", "to")
    if mode not in _MODES:
        raise RequestError(f"there is no mode {mode!r}", field="mode", hint=" or ".join(_MODES))
    wish_of(request)  # A wish that cannot be read is refused first, as everywhere.
    installed = request.installed
    if installed is None:
        raise RequestError("nothing is installed, so there is no path to look for", field="installed")
    graph = _Graph(request, installed)
    if to and graph.is_at(graph.start, to):
        return ExtensionPath(installed, to, mode, (), reached=True, extension=request.extension)
    if to and not any(graph.is_at(node, to) for node in graph.offers) and not any(_bundles_named(request, to)):
        raise RequestError(f"no catalog of the request has {to!r}", field="to")
    if mode == "shortest":
        way = graph.way(to)
        steps = tuple(graph.steps(way or (), installed))
        result = ExtensionPath(installed, to, mode, steps, reached=way is not None)
    else:
        result = _as_controller(request, installed, graph, to)
    end = graph.recorded(result.steps[-1]) if result.steps and result.steps[-1].catalog else installed
    beyond = () if to and result.reached else _beyond(attrs.evolve(request, installed=end), to)
    return evolve(result, extension=request.extension, held_back=beyond)


def _bundles_named(request: ExtensionRequest, to: str) -> Iterator[HeldBack]:
    """Yield the bundles with the name or the version *to*, from all catalogs, except the selected one."""
    view = ObstacleView(request)
    for catalog, offers in view.offered():
        for offer in offers.offers:
            version = () if offer.version is None else version_names(offer.version)
            if to in (offer.name, *version) and not view.is_selected(catalog, offer):
                yield view.held_back(catalog, offer)


def _beyond(request: ExtensionRequest, to: str) -> tuple[HeldBack, ...]:
    return tuple(_bundles_named(request, to)) if to else held_back(request)


class _OfferedBundle(NamedTuple):
    """A bundle of a catalog, by the catalog's position in the graph; -1 stands for the installed bundle."""

    catalog: int
    bundle: str


class _Graph:
    """The update graph over all catalogs that the request asks: bundles in its channels and range are nodes."""

    def __init__(self, request: ExtensionRequest, installed: InstalledBundle) -> None:
        wish = wish_of(request)
        self.start = _OfferedBundle(-1, installed.name)
        self.catalogs: list[tuple[str, PackageOffers]] = []
        self.offers: dict[_OfferedBundle, Offer] = {}
        self._release_support = request.release_support
        self._enforced = request.extension.enforces_edges
        self._channels = wish.channels
        self._versions: dict[_OfferedBundle, VersionRelease] = {}
        version = readable_version(installed)
        if version is not None:
            self._versions[self.start] = version
        for catalog, offers in offered(request, wish):
            if offers is None:
                continue
            for offer in checked(wish.in_range(wish.in_channels(offers)), every=64):
                if offer.version is not None:
                    node = _OfferedBundle(len(self.catalogs), offer.name)
                    self.offers[node] = offer
                    self._versions[node] = offer.version
            self.catalogs.append((catalog.name, offers))

    def is_at(self, node: _OfferedBundle, to: str) -> bool:
        """Return True if *to* names the node or is its version, with or without the release."""
        if to == node.bundle:
            return True
        version = self._versions.get(node)
        return version is not None and to in version_names(version)

    def way(self, to: str = "") -> list[_OfferedBundle] | None:
        """Return a shortest way from the start to *to*, or to the newest bundle; None if no way leads there."""
        if to:
            before = self._search(lambda node: self.is_at(node, to))
            # The search stops at the first node that fits, which is the last one that it has entered.
            end = next((node for node in reversed(before) if self.is_at(node, to)), None)
            return way_to(end, before) if end is not None else None
        if not self.offers:
            return None
        top = max(map(self.height, self.offers))
        # Among bundles of equal height the installed one is the newest, where a catalog still has it.
        if self._is_installed_at(top):
            return []
        before = self._search(lambda node: self.height(node) == top)
        newest = max(before, key=self.height, default=None)
        if newest is None:
            return None
        # If the top cannot be reached, the highest bundle that was reached may be the installed one, in another
        # catalog.
        return [] if self._is_installed_at(self.height(newest)) else way_to(newest, before)

    def node(self, catalog: str, bundle: str) -> _OfferedBundle:
        names = [name for name, _ in self.catalogs]
        return _OfferedBundle(names.index(catalog), bundle)

    def _is_installed_at(self, height: tuple[Any, ...]) -> bool:
        """Return True if a catalog has the installed bundle, at this height and in the same version, if it has one."""
        nodes = [_OfferedBundle(position, self.start.bundle) for position in range(len(self.catalogs))]
        installed = self._versions.get(self.start)
        return any(
            installed in (None, self._versions[node]) and self.height(node) == height
            for node in nodes
            if node in self.offers
        )

    def _search(self, until: Callable[[_OfferedBundle], bool]) -> dict[_OfferedBundle, _OfferedBundle]:
        # One for each catalog: the search asks it for the edges of every bundle that it reaches.
        expansions = [offers.graph.expansion(self._channels) for _, offers in self.catalogs]

        def neighbours(node: _OfferedBundle) -> Iterator[_OfferedBundle]:
            """Yield the updates of *node*, catalog by catalog, the preferred bundle first."""
            # The policy SelfCertified lets any bundle follow any other.
            if not self._enforced:
                yield from self.offers
                return
            version = self._versions[node]
            for position, (_, offers) in enumerate(self.catalogs):
                names = {edge.entry.name for edge in expansions[position].edges_from(node.bundle, version.version)}
                names.update(offers.of_version.get(version, ()))
                for name in sorted(names & offers.ranks.keys(), key=offers.ranks.__getitem__):
                    neighbour = _OfferedBundle(position, name)
                    if neighbour in self.offers:
                        yield neighbour

        return shortest_ways(self.start, neighbours, until)

    def height(self, node: _OfferedBundle) -> tuple[Any, ...]:
        """Return a key that orders nodes by preference, the preferred one highest."""
        return (not self.offers[node].deprecated, self._versions[node].key)

    def steps(self, way: Iterable[_OfferedBundle], before: InstalledBundle) -> Iterator[PathStep]:
        """Yield the updates along *way*, which begins after the installed bundle *before*."""
        for node in way:
            after = self._recorded(node)
            version, catalog = str(self._versions[node].legacy_version), self.catalogs[node.catalog][0]
            yield PathStep(node.bundle, version, catalog, update_remark(before, after))
            before = after

    def recorded(self, step: PathStep) -> InstalledBundle:
        """Return the bundle of *step* as the controller records it once it is installed."""
        return self._recorded(self.node(step.catalog, step.bundle))

    def _recorded(self, node: _OfferedBundle) -> InstalledBundle:
        return recorded_bundle(node.bundle, self._versions[node], release_support=self._release_support)


def steps_of(following: Walk) -> tuple[PathStep, ...]:
    """Return the updates of *following* as the steps of a path."""
    return tuple(
        PathStep(update.bundle, update.full_version, update.catalog, remark)
        for update, remark in zip(following.updates, following.remarks, strict=True)
    )


def _as_controller(request: ExtensionRequest, installed: InstalledBundle, graph: _Graph, to: str) -> ExtensionPath:
    def arrived(resolution: ExtensionResolution) -> bool:
        return bool(to) and to in (resolution.bundle, resolution.version.partition("+")[0], resolution.full_version)

    following = walk(request, arrived)
    steps = steps_of(following)
    reached = bool(following.updates) and arrived(following.updates[-1])
    if following.stays is not None and not to and not following.stays.kept:
        node, way = graph.node(following.stays.catalog, following.stays.bundle), graph.way()
        newest = way[-1] if way else node
        reached = way is not None and graph.height(node) >= graph.height(newest)
    return ExtensionPath(installed, to, "controller", steps, reached, following.stopped)
