"""The installed operators of a namespace, as a resolution sees them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import olmsolve._attrs as attrs
from olmsolve.cluster.fail_forward import Chains, FailForwardError, fail_forward_enabled
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup, SubscriptionObject
from olmsolve.cluster.projection import (
    OperatorSnapshot,
    infer_properties,
    package_of,
    published_properties,
    spec_snapshot,
)
from olmsolve.cluster.properties_annotation import ProjectionError


def csv_snapshot(
    csvs: Sequence[ClusterServiceVersion],
    subscriptions: Sequence[SubscriptionObject],
    groups: Sequence[OperatorGroup],
    *,
    live: Iterable[SubscriptionObject] | None = None,
) -> tuple[OperatorSnapshot, ...]:
    """Return the operators of one namespace, given its *csvs*, *subscriptions* and operator *groups*.

    Copies of other namespaces' operators are left out. Where the namespace fails forward, so is every operator that is
    left behind (:mod:`olmsolve.cluster.fail_forward`). The owner of an operator is the subscription that has it as
    ``installedCSV``.

    *live* are the subscriptions read from the cluster once more, where *subscriptions* may lag behind: an operator
    with an owner only in *live* is an error, because a resolution would take it for an operator without an owner.

    Raises:
        ProjectionError: an operator cannot be read, or the rules of fail forward forbid to resolve the namespace.
    """
    owners = _owners(subscriptions)
    live_owners = _owners(live or ())
    snapshots = []
    try:
        chains = Chains(csvs) if fail_forward_enabled(groups) else None
    except FailForwardError as error:
        raise ProjectionError(error.reason) from None
    # As recorded, all rules judge one operator before the next: of several faults, this order decides which is raised.
    for csv in csvs:
        if csv.is_copied:
            continue
        owner = owners.get(csv.name)
        try:
            if owner is None and csv.name in live_owners:
                owner_key = live_owners[csv.name][0].key
                raise ProjectionError(
                    f"lister caches incoherent for CSV {csv.key} - found owning Subscription {owner_key}"
                )
            if chains is None or not chains.leave_behind(csv):
                snapshots.append(_snapshot(csv, owner or ()))
        except FailForwardError as error:
            raise ProjectionError(error.reason, csv.key, str(csv.origin or "")) from None
        except ProjectionError as error:
            raise attrs.evolve(error, object=csv.key, source=str(csv.origin or "")) from None
    return tuple(snapshots)


def _snapshot(csv: ClusterServiceVersion, owners: Sequence[SubscriptionObject]) -> OperatorSnapshot:
    """Return the snapshot of *csv*: properties from its annotation, or else from its spec and from its *owners*."""
    snapshot = spec_snapshot(csv)
    properties = published_properties(csv)
    if properties is None:
        properties = (*snapshot.properties, *infer_properties(csv, owners))
    # As recorded: of several owners, the last counts.
    name = owners[-1].name if owners else None
    return attrs.evolve(snapshot, properties=properties, package=package_of(properties), subscription=name)


def _owners(subscriptions: Iterable[SubscriptionObject]) -> dict[str, list[SubscriptionObject]]:
    """Map the name of each installed operator to the *subscriptions* that own it."""
    owners: dict[str, list[SubscriptionObject]] = {}
    for subscription in subscriptions:
        if subscription.installed_csv:
            owners.setdefault(subscription.installed_csv, []).append(subscription)
    return owners


def distinct_wishes(subscriptions: Sequence[SubscriptionObject]) -> tuple[SubscriptionObject, ...]:
    """Return *subscriptions* without a second that has the operator of another, and wants the same of the same channel.

    As recorded, OLM updates both at once. Of several, the last counts, which :func:`csv_snapshot` takes for the owner.
    """
    last = {_wish(subscription): subscription for subscription in subscriptions}
    return tuple(
        subscription
        for subscription in subscriptions
        if not subscription.installed_csv or last[_wish(subscription)] is subscription
    )


def _wish(subscription: SubscriptionObject) -> tuple[str, ...]:
    catalog = subscription.source, subscription.source_namespace
    return subscription.installed_csv, subscription.package, subscription.channel, *catalog


def shared_operator(
    subscriptions: Sequence[SubscriptionObject],
) -> tuple[SubscriptionObject, SubscriptionObject] | None:
    """Return the first two *subscriptions* that share an installed operator and want different things; else None."""
    owners: dict[str, SubscriptionObject] = {}
    for subscription in distinct_wishes(subscriptions):
        if subscription.installed_csv:
            owner = owners.setdefault(subscription.installed_csv, subscription)
            if owner is not subscription:
                return owner, subscription
    return None
