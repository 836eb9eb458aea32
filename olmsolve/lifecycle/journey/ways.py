"""Ways out of a conflict: changes of the cluster's objects, each made, and followed by a whole search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from olmsolve._records import evolve
from olmsolve.catalog import Catalog
from olmsolve.catalog.update_graph import channel_order
from olmsolve.cluster import ClusterState, not_upgradeable, owned_apis
from olmsolve.cluster.objects import (
    ClusterExtension,
    ClusterServiceVersion,
    Condition,
    Metadata,
    OperatorCondition,
    SubscriptionObject,
)
from olmsolve.lifecycle.journey.model import (
    CatalogReplacement,
    ExtensionRemoval,
    JourneyWayOut,
    ManualApproval,
    OperatorAdoption,
    OperatorRemoval,
    PackageReplacement,
    RangeRemoval,
    UpgradeableOverride,
)
from olmsolve.lifecycle.journey.objects import original_csvs, subjects_of
from olmsolve.lifecycle.journey.stages import VersionStage
from olmsolve.predicates import published
from olmsolve.requests import Contents

# Each one costs a search, and nobody reads more.
_MOST_TRIED = 30


def candidates(state: ClusterState, subjects: Iterable[str], stages: Sequence[VersionStage]) -> Iterator[JourneyWayOut]:
    """Yield changes of *state* that may free *subjects* (operators, namespaces) from a conflict, the mildest first."""
    owners = subjects_of(state)
    wanted = set(subjects)
    csvs = original_csvs(state)
    chosen = [csv for csv in csvs if owners[csv.key] in wanted or csv.namespace in wanted]
    # Operators that are named themselves come before the neighbours in a namespace that is.
    chosen.sort(key=lambda csv: (owners[csv.key] not in wanted, csv.namespace, csv.name))
    for csv in chosen:
        condition = state.get(OperatorCondition, csv.namespace, csv.name)
        if not_upgradeable(condition):
            yield UpgradeableOverride(csv.namespace, csv.name)
    for csv in chosen:
        if owners[csv.key] == csv.key and not _is_subscription(state, csv.key):
            yield from _adoptions(csv, state, stages[0].contents)
    subscriptions = [
        subscription
        for subscription in state.all(SubscriptionObject)
        if subscription.key in wanted or subscription.namespace in wanted
    ]
    subscriptions.sort(key=lambda subscription: (subscription.key not in wanted, subscription.key))
    for subscription in subscriptions[:_MOST_TRIED]:
        if subscription.approval != "Manual" and subscription.installed_csv:
            yield ManualApproval(subscription.namespace, subscription.name)
    for subscription in subscriptions[:_MOST_TRIED]:
        yield from _catalogs(subscription, stages)
    for csv in chosen[:_MOST_TRIED]:
        yield from _replacements(csv, _owner(state, owners[csv.key]), state, stages)
    for csv in chosen[:_MOST_TRIED]:
        yield OperatorRemoval(csv.namespace, csv.name, _owner(state, owners[csv.key]))
    for subscription in subscriptions:
        if subscription.key not in owners.values():
            yield OperatorRemoval(subscription.namespace, "", subscription.name)


def _owner(state: ClusterState, subject: str) -> str:
    """Return the name of the subscription that *subject* is, "" where it is an operator without one."""
    return subject.partition("/")[2] if _is_subscription(state, subject) else ""


def _catalogs(subscription: SubscriptionObject, stages: Sequence[VersionStage]) -> Iterator[CatalogReplacement]:
    """Yield the other catalogs that have the package of *subscription* at the first stage and at the last."""
    present = f"{subscription.source_namespace}/{subscription.source}"
    first, last = stages[0].contents, stages[-1].contents
    for key in sorted(first):
        now, then = first[key], last.get(key)
        # A ClusterCatalog has no namespace, and a catalog of one namespace serves no other but for the global ones.
        if key == present or "/" not in key or not isinstance(now, Catalog) or not isinstance(then, Catalog):
            continue
        package, later = now.packages.get(subscription.package), then.packages.get(subscription.package)
        if package is None or later is None:
            continue
        # The channel of the subscription first, since it changes the least.
        for channel in sorted(package.channels, key=lambda name: (name != subscription.channel, name)):
            if channel in later.channels:
                yield CatalogReplacement(subscription.namespace, subscription.name, channel, key)


def _replacements(
    csv: ClusterServiceVersion, owner: str, state: ClusterState, stages: Sequence[VersionStage]
) -> Iterator[PackageReplacement]:
    """Yield packages that provide all APIs of *csv* at the first stage, and are there at the last."""
    # Without versions: another package may serve a later version of the same API.
    needed = {(api.group, api.kind) for api in owned_apis(csv)}
    subscribed = {subscription.package for subscription in state.all(SubscriptionObject, csv.namespace)}
    first, last = stages[0].contents, stages[-1].contents
    for key in sorted(first) if needed else ():
        now, then = first[key], last.get(key)
        for package in now if isinstance(now, Catalog) else ():
            if package.name in subscribed or not isinstance(then, Catalog) or package.name not in then.packages:
                continue
            if package.default_channel not in package.channels:
                continue
            order = channel_order(package.channels[package.default_channel].entries)
            head = package.bundles.get(order.chain[0]) if order.chain else None
            facts = published(package.name, head.properties) if head is not None else None
            if facts is not None and needed <= {(api.group, api.kind) for api in facts.gvks}:
                yield PackageReplacement(csv.namespace, csv.name, owner, package.name, package.default_channel, key)


def extension_candidates(extension: ClusterExtension) -> Iterator[JourneyWayOut]:
    """Yield changes that may free *extension* from a conflict."""
    if extension.version:
        yield RangeRemoval(extension.name, extension.version)
    yield ExtensionRemoval(extension.name)


def with_way(state: ClusterState, way: JourneyWayOut) -> ClusterState:
    """Return *state* once the change *way* is made, before anything comes of it."""
    if isinstance(way, OperatorRemoval):
        csv = state.get(ClusterServiceVersion, way.namespace, way.operator)
        subscription = state.get(SubscriptionObject, way.namespace, way.subscription) if way.subscription else None
        return state.without(*(object_ for object_ in (csv, subscription) if object_ is not None))
    if isinstance(way, ManualApproval):
        subscription = state.get(SubscriptionObject, way.namespace, way.subscription)
        assert subscription is not None
        return state.having(evolve(subscription, approval="Manual"))
    if isinstance(way, CatalogReplacement):
        subscription = state.get(SubscriptionObject, way.namespace, way.subscription)
        assert subscription is not None
        namespace, _, name = way.catalog.partition("/")
        return state.having(evolve(subscription, channel=way.channel, source=name, source_namespace=namespace))
    if isinstance(way, PackageReplacement):
        removal = OperatorRemoval(way.namespace, way.operator, way.subscription)
        return _subscribed(with_way(state, removal), way.namespace, way.package, way.channel, way.catalog)
    if isinstance(way, OperatorAdoption):
        removed = with_way(state, OperatorRemoval(way.namespace, way.operator))
        return _subscribed(removed, way.namespace, way.package, way.channel, way.catalog, way.operator)
    if isinstance(way, UpgradeableOverride):
        condition = state.get(OperatorCondition, way.namespace, way.operator)
        assert condition is not None
        override = Condition("Upgradeable", "True", "UpgradeIsSafe")
        return state.having(evolve(condition, overrides=(override,)))
    if isinstance(way, RangeRemoval):
        extension = state.get(ClusterExtension, "", way.extension)
        assert extension is not None
        return state.having(_without_range(extension))
    assert isinstance(way, ExtensionRemoval)
    extension = state.get(ClusterExtension, "", way.extension)
    assert extension is not None
    return state.without(extension)


def _subscribed(
    state: ClusterState, namespace: str, package: str, channel: str, catalog: str, starting: str = ""
) -> ClusterState:
    """Return *state* with a subscription that is called like its *package*."""
    source_namespace, _, source = catalog.partition("/")
    return state.having(
        SubscriptionObject(
            metadata=Metadata(package, namespace),
            package=package,
            channel=channel,
            source=source,
            source_namespace=source_namespace,
            starting_csv=starting,
        )
    )


def _without_range(extension: ClusterExtension) -> ClusterExtension:
    raw = dict(extension.raw)
    spec = raw["spec"] = dict(raw["spec"])
    source = spec["source"] = dict(spec["source"])
    catalog = source["catalog"] = dict(source["catalog"])
    catalog.pop("version", None)
    return evolve(extension, raw=raw, version="")


def _is_subscription(state: ClusterState, key: str) -> bool:
    namespace, _, name = key.partition("/")
    return state.get(SubscriptionObject, namespace, name) is not None


def _adoptions(csv: ClusterServiceVersion, state: ClusterState, contents: Contents) -> Iterator[OperatorAdoption]:
    """Yield subscriptions that could own *csv*: for each catalog and channel that has a bundle of its name."""
    for key in sorted(contents):
        content = contents[key]
        for package in content if isinstance(content, Catalog) else ():
            if csv.name not in package.bundles:
                continue
            if state.get(SubscriptionObject, csv.namespace, package.name) is not None:
                continue
            channels = [
                name for name, channel in package.channels.items() if csv.name in {e.name for e in channel.entries}
            ]
            for name in sorted(channels, key=lambda name: (name != package.default_channel, name)):
                yield OperatorAdoption(csv.namespace, csv.name, package.name, name, key)
