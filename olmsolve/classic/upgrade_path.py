"""Upgrade paths of OLM classic: one update at a time to the head of the channel, or the fewest steps.

Paths follow the update graph alone, as in OLM's documentation ("Upgrading an operator", "Skipping updates"). A
requirement can still prevent a step on a cluster; resolving it tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias, get_args

from olmsolve._arguments import must_be, wrong_type
from olmsolve._near_names import did_you_mean, near_names, similar_names
from olmsolve._records import Record, documented, field, record
from olmsolve.catalog import Package
from olmsolve.catalog.update_graph import ClassicChannel, bundle_version, shortest_ways, walk, way_to
from olmsolve.errors import CatalogError, RequestError, VersionError
from olmsolve.semver import Version, VersionScheme

Mode: TypeAlias = Literal["controller", "shortest"]
_MODES: Final = get_args(Mode)


@record(
    definition="olmsolve.path",
    title="The updates of classic OLM from a bundle",
    about="docs/cluster.md gives the meaning of the fields.",
    layout=("mode", "package", "channel", "installed", "to", "steps", "head", "reached", "circular"),
)
class UpgradePath(Record):
    """The bundles that follow *installed*, by name in order; no *steps* where it already is at the end.

    *reached* says whether the path ends at *to*, or where *to* is "", at the channel's *head*. A ``skipRange`` that
    contains later versions can lead back: the path then ends where it began to repeat itself, and is *circular*.
    """

    package: str = field("The package.")
    channel: str = field("The channel.")
    installed: str = field("The bundle to begin with.")
    to: str = field("The bundle to reach, null for the head.", empty="null")
    mode: Mode = field("The steps that the controller takes by itself, or the fewest.")
    steps: tuple[str, ...] = field("The updates, in order.")
    head: str = field("The head of the channel.")
    reached: bool = field("Whether the path gets there.")

    @property
    @documented("Whether the path ends at a bundle that it has come from.")
    def circular(self) -> bool:
        return self.end in (self.installed, *self.steps[:-1]) if self.steps else False

    @property
    def end(self) -> str:
        """The name of the bundle at the end."""
        return self.steps[-1] if self.steps else self.installed


def channel_path(
    package: Package,
    installed: str,
    *,
    version: Version | None = None,
    channel: str = "",
    to: str = "",
    mode: Mode = "controller",
    scheme: VersionScheme | None = None,
) -> UpgradePath:
    """Return the path from the bundle *installed* to the head of *channel* ("": the default one), or to *to*.

    *version* is the installed bundle's, needed only for one that has left the package: a ``skipRange`` is about it.
    *to* is the name of a bundle, or a version (build metadata left out). *scheme* is the one of the package's catalog
    (:attr:`olmsolve.Catalog.scheme`), if its versions are no semantic ones.

    ``"controller"`` updates as OLM classic does: each step is the update nearest to the head of the channel, which
    may miss *to*. ``"shortest"`` takes the fewest updates of the channel.

    Raises:
        RequestError: the package has no such channel, the channel no bundle of this name or version, or there is no
            such *mode*.
        CatalogError: the channel has no order (no head, several, or a cycle).

    >>> import olmsolve
    >>> orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> olmsolve.channel_path(orchard.packages["storefront"], "storefront.v2.0.0", channel="2.x").steps
    ('storefront.v2.1.0',)
    """
    must_be(installed, "str", "installed")
    must_be(package, "Package", "package")
    must_be(channel, "str", "channel")
    if version is not None:
        must_be(version, "Version", "version")
    if scheme is not None and not isinstance(scheme, VersionScheme):
        raise wrong_type(scheme, "a VersionScheme", "scheme", "Catalog.scheme is a catalog's")
    check_end(to, mode)
    name = channel or package.default_channel
    graph = _channel_graph(package, name)
    head = graph.order.chain[0] if graph.order.chain else ""
    to = _bundle_of_version(package, to, (installed, *graph.order.chain), scheme)
    if to and to not in graph.order.chain and to != installed:
        hint = did_you_mean(near_names(to, graph.order.chain))
        raise RequestError(f"channel {name} has no bundle {to!r} to update to", field="to", hint=hint)
    goal = to or head

    def version_of(bundle: str) -> Version | None:
        given = version if bundle == installed else None
        return bundle_version(package, bundle, scheme) if given is None else given

    if mode == "shortest":
        updates = graph.search()
        before = shortest_ways(
            installed, lambda bundle: updates(bundle, version_of(bundle)), lambda bundle: bundle == goal
        )
        steps = way_to(goal, before) if goal in before and goal != installed else []
    else:
        steps = automatic_updates(graph, installed, version_of, to=to)
    end = steps[-1] if steps else installed
    return UpgradePath(package.name, name, installed, to, mode, tuple(steps), head, reached=end == goal)


def check_end(to: str, mode: Mode) -> None:
    """Raise RequestError unless *to* is text, and *mode* a way of updating."""
    must_be(to, "str", "to")
    if mode not in _MODES:
        raise RequestError(f"there is no mode {mode!r}", field="mode", hint=" or ".join(_MODES))


def automatic_updates(
    channel: ClassicChannel, installed: str, version_of: Callable[[str], Version | None], *, to: str = ""
) -> list[str]:
    """Return the bundles that OLM classic updates *installed* to, one after the other; no further than *to*.

    *version_of* gives the version of a bundle, and of the installed one. The last bundle is one that came before where
    the updates are circular.
    """
    if to == installed:
        return []
    steps = walk(installed, lambda bundle: channel.update(bundle, version_of(bundle)))
    return steps[: steps.index(to) + 1] if to in steps else steps


def _bundle_of_version(package: Package, text: str, names: Sequence[str], scheme: VersionScheme | None) -> str:
    """Return the first of the bundles *names* that has the version *text*; *text* where none has, or it is a name."""
    if text in names:
        return text
    try:
        wanted = Version.parse(text) if scheme is None else scheme.read(text)
    except VersionError:
        return text
    if wanted is None:
        return text
    return next((name for name in names if bundle_version(package, name, scheme) == wanted), text)


def _channel_graph(package: Package, name: str) -> ClassicChannel:
    channel = package.channels.get(name)
    if channel is None:
        which = f"channel {name!r}" if name else "default channel"
        near = did_you_mean(similar_names(name, package.channels))
        hint = near or (f"its channels: {', '.join(package.channels)}" if package.channels else "")
        raise RequestError(f"package {package.name} has no {which}", field="channel", hint=hint)
    graph = ClassicChannel(channel, package.bundles)
    if graph.order.fault:
        origin = str(channel.origin or "")
        raise CatalogError(graph.order.fault, origin=origin, package=package.name, channel=name)
    return graph
