"""The upgrade path of each subscription of a request, in the catalog and the channel that serve it."""

from __future__ import annotations

import olmsolve._attrs as attrs
from olmsolve._near_names import did_you_mean, similar_keys, similar_names
from olmsolve._records import Record, evolve, field, record
from olmsolve.catalog import Source
from olmsolve.classic.request import Request, Subscription
from olmsolve.classic.upgrade_path import Mode, UpgradePath, channel_path, check_end
from olmsolve.errors import CatalogError, RequestError, VersionError
from olmsolve.semver import Version


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
        near = did_you_mean(similar_keys(wish.catalog, [listed_source.key for listed_source in request.sources]))
        return f"there is no visible catalog {wish.catalog}{f'; {near}' if near else ''}"
    names = {name for source in sources for name in source.catalog.packages}
    near = did_you_mean(similar_names(wish.package, sorted(names)))
    return f"no catalog that it sees has package {wish.package}{f'; {near}' if near else ''}"


def _version(text: str) -> Version | None:
    try:
        return Version.parse(text) if text else None
    except VersionError:
        return None
