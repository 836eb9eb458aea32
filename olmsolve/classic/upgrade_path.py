"""Upgrade paths of OLM classic: one update at a time to the head of the channel, or the fewest steps.

Paths follow the update graph alone, as in OLM's documentation ("Upgrading an operator", "Skipping updates"). On a
cluster, a requirement can still prevent a step; resolving the request shows that. The operator of a subscription has
its path in the catalog and the channel that serve the subscription.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias, get_args

import olmsolve._attrs as attrs
from olmsolve._arguments import must_be, wrong_type
from olmsolve._near_names import did_you_mean, near_names, similar_keys, similar_names
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.catalog import Package, Source
from olmsolve.catalog.update_graph import ClassicChannel, bundle_version, shortest_ways, walk, way_to
from olmsolve.classic.request import Request
from olmsolve.classic.request_parts import Subscription
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


@record(definition="subscriptionPath", layout=("subscription", "package", "catalog", "path", "reason"))
class SubscriptionPath(Record):
    """The path of the operator that a subscription owns, or why there is none.

    *installed* is the operator, "" where nothing is installed, and *fault* the error of a channel that is broken.
    """

    subscription: str = field("The subscription.")
    package: str = field("Its package.")
    catalog: str = field("The catalog of its path, namespace/name.", empty="null", default="")
    path: UpgradePath | None = field("The path of its operator; null without one.", default=None)
    reason: str = field("Why there is no path.", empty="null", default="")
    fault: CatalogError | None = None
    installed: str = ""

    @property
    def reached(self) -> bool:
        """Whether the path gets to where it shall end."""
        return self.path is not None and self.path.reached


def subscription_paths(request: Request, *, to: str = "", mode: Mode = "controller") -> tuple[SubscriptionPath, ...]:
    """Return the path of each subscription of *request*, in their order, as :func:`channel_path` finds it.

    A path follows the subscription's channel in its catalog; a subscription that names no catalog follows the first
    visible one that has its package. A subscription without an operator, without a catalog or whose channel is broken
    has a reason in place of a path.
    """
    check_end(to, mode)
    installed = {operator.name: operator for operator in request.installed}
    owned = {wish.name: installed[name] for name, wish in request.owners().items()}
    paths = []
    for wish in request.subscriptions:
        source = _source_of(request, wish)
        operator = owned.get(wish.name)
        result = SubscriptionPath(
            wish.name,
            wish.package,
            source.key if source is not None else "",
            installed=operator.name if operator is not None else "",
        )
        if source is None:
            result = evolve(result, reason=_absence(request, wish))
        elif operator is None:
            result = evolve(result, reason="nothing is installed, so there is no path to look for")
        else:
            package = source.catalog.packages[wish.package]
            scheme = source.catalog.scheme
            version = _version(operator.version) if scheme is None else scheme.read(operator.version)
            try:
                way = channel_path(
                    package, operator.name, version=version, channel=wish.channel, to=to, mode=mode, scheme=scheme
                )
                result = evolve(result, path=way)
            except RequestError as error:
                hint = f" ({error.hint})" if error.hint else ""
                result = evolve(result, reason=f"{error.reason}{hint}")
            except CatalogError as error:
                fault = attrs.evolve(error, catalog=source.key)
                result = evolve(result, reason=str(fault), fault=fault)
        paths.append(result)
    return tuple(paths)


def _sources_of(request: Request, wish: Subscription) -> list[Source]:
    """Return the visible catalogs that *wish* may take, by preference."""
    visible = [source for source in request.sources if source.namespace in request.namespaces]
    ranked = sorted(visible, key=lambda source: source.rank(request.namespaces[0]))
    return [source for source in ranked if not wish.source or source.key == wish.catalog]


def _source_of(request: Request, wish: Subscription) -> Source | None:
    """Return the first catalog, by preference, that *wish* may take and that has its package."""
    return next((source for source in _sources_of(request, wish) if wish.package in source.catalog.packages), None)


def _absence(request: Request, wish: Subscription) -> str:
    """Return the sentence that no catalog has the package of *wish*, with the names that may have been meant."""
    sources = _sources_of(request, wish)
    if wish.source and not sources:
        near = did_you_mean(similar_keys(wish.catalog, [other.key for other in request.sources]))
        return f"there is no visible catalog {wish.catalog}{f'; {near}' if near else ''}"
    names = {name for source in sources for name in source.catalog.packages}
    near = did_you_mean(similar_names(wish.package, sorted(names)))
    return f"no catalog that it sees has package {wish.package}{f'; {near}' if near else ''}"


def _version(text: str) -> Version | None:
    try:
        return Version.parse(text) if text else None
    except VersionError:
        return None
