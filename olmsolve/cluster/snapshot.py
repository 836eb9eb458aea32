"""The installed operators of a namespace, as they are offered to a resolution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from olmsolve.cluster.fail_forward import Chains, FailForwardError, fail_forward_enabled
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup, SubscriptionObject
from olmsolve.cluster.projection import OperatorSnapshot, csv_entry, infer_properties, package_of, published_properties
from olmsolve.cluster.properties_annotation import ProjectionError
from olmsolve.errors import ManifestError

__all__ = ["csv_snapshot", "refuse_shared_operators"]


def csv_snapshot(
    csvs: Sequence[ClusterServiceVersion],
    subscriptions: Sequence[SubscriptionObject],
    groups: Sequence[OperatorGroup],
    *,
    live: Iterable[SubscriptionObject] | None = None,
) -> tuple[OperatorSnapshot, ...]:
    """The operators of one namespace, whose *csvs*, *subscriptions* and operator *groups* these are.

    Copies of other namespaces' operators are left out, and where the namespace fails forward, so is what gives way to
    something that failed. An operator belongs to the subscription that has it as ``installedCSV``.

    *live* are the subscriptions as asked from the cluster anew, where those given may lag behind: an operator that
    only one of these owns cannot be told yet from one that nobody owns.

    Raises:
        ProjectionError: what an operator says of itself cannot be read, or one of the rules of fail forward
            forbids to resolve the namespace.
    """
    owners = _owners(subscriptions)
    late = _owners(live or ())
    entries = []
    try:
        chains = Chains(csvs) if fail_forward_enabled(groups) else None
    except FailForwardError as error:
        raise ProjectionError(error.reason) from None
    # As recorded, each operator is judged by all rules before the next one: of several faults, the first is told.
    for csv in csvs:
        if csv.is_copied:
            continue
        owner = owners.get(csv.name)
        try:
            if owner is None and csv.name in late:
                raise ProjectionError(
                    f"lister caches incoherent for CSV {csv.key} - found owning Subscription {late[csv.name][0].key}"
                )
            if chains is None or not chains.leave_behind(csv):
                entries.append(_entry(csv, owner or ()))
        except FailForwardError as error:
            raise ProjectionError(error.reason, csv.key, str(csv.origin or "")) from None
        except ProjectionError as error:
            raise attrs.evolve(error, object=csv.key, source=str(csv.origin or "")) from None
    return tuple(entries)


def _entry(csv: ClusterServiceVersion, owners: Sequence[SubscriptionObject]) -> OperatorSnapshot:
    entry = csv_entry(csv)
    properties = published_properties(csv)
    if properties is None:
        properties = (*entry.properties, *infer_properties(csv, owners))
    # As recorded: of several subscriptions that name the operator, the last is its owner.
    name = owners[-1].name if owners else None
    return attrs.evolve(entry, properties=properties, package=package_of(properties), subscription=name)


def _owners(subscriptions: Iterable[SubscriptionObject]) -> dict[str, list[SubscriptionObject]]:
    owners: dict[str, list[SubscriptionObject]] = {}
    for subscription in subscriptions:
        if subscription.installed_csv:
            owners.setdefault(subscription.installed_csv, []).append(subscription)
    return owners


def refuse_shared_operators(subscriptions: Iterable[SubscriptionObject]) -> None:
    """Raise a ManifestError where two of a namespace's *subscriptions* have the same operator installed."""
    owners: dict[str, SubscriptionObject] = {}
    for subscription in subscriptions:
        if not subscription.installed_csv:
            continue
        owner = owners.setdefault(subscription.installed_csv, subscription)
        if owner is not subscription:
            raise ManifestError(
                f"{subscription.installed_csv!r} belongs to subscription {owner.name!r} already",
                field="status.installedCSV",
                source=str(subscription.origin or ""),
                kind=subscription.KIND,
                object=subscription.key,
                hint="which of them OLM takes for the owner depends on the order in which it lists them",
            )
