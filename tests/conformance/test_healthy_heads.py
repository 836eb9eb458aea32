"""Law: an installed bundle that is the head of its channel and lacks nothing stays, whoever is asked.

Over the heads of all channels of the real catalogs. The exception is a channel in which OLM goes back: a lower entry's
``skipRange`` holds the head's version, and the head's own does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs
import pytest

import olmsolve
from olmsolve import CatalogError, Installed, Resolver, Semantics, Source, Subscription, Unsatisfiable
from olmsolve.authoring.checks import validate
from olmsolve.catalog import Catalog
from olmsolve.catalog.update_graph import ClassicChannel, bundle_version
from olmsolve.classic import channel_path
from olmsolve.requests import RecordedCluster
from olmsolve.testing import catalog_source, cluster_service_version, operator_group, subscription_object
from tests.recorded import real_catalog
from tests.scale import LONG

# By catalog: the channels, the heads in ranges of their own, and the channels in which OLM goes back.
CATALOGS: Final[Mapping[str, tuple[int, int, tuple[str, ...]]]] = {
    "community-2021": (206, 2, ()),
    "community-prod": (654, 7, ("debezium-2.7.x",)),
    "upstream-2021": (250, 0, ()),
    "fbc-v4.12": (17, 0, ()),
    "fbc-v4.16": (27, 0, ()),
    "fbc-v4.20": (85, 0, ()),
    "fbc-v4.22": (68, 0, ()),
}
_SHORT = 12


@attrs.frozen
class _Head:
    """The head of a channel as an installed operator, in a namespace of its own."""

    wish: Subscription
    operator: Installed
    is_in_own_range: bool

    def objects(self) -> Iterator[dict[str, Any]]:
        namespace = self.wish.namespace
        yield operator_group("group", namespace, [namespace])
        yield subscription_object(self.wish, namespace)
        yield cluster_service_version(self.operator, namespace)


def _heads(catalog: Catalog) -> Iterator[_Head]:
    number = 0
    for package in catalog:
        for channel in package.channels.values():
            order = ClassicChannel(channel, package.bundles).order
            if order.fault or not order.chain:
                continue
            name, number = order.chain[0], number + 1
            version = bundle_version(package, name)
            wish = Subscription("s", f"ns-{number}", package.name, channel.name, "c", "olm", installed_csv=name)
            operator = Installed(name, str(version or ""), package.bundles[name].properties, "s")
            graph = ClassicChannel(channel, package.bundles)
            yield _Head(wish, operator, name in graph.updates(name, version))


def _stays(resolution: olmsolve.Resolution, head: _Head) -> bool:
    return head.operator.name in [operator.name for operator in resolution.kept] and not resolution.replaced


def _is_healthy(resolver: Resolver, head: _Head) -> bool:
    """Whether nothing keeps the head from being selected, when it is all that is on the cluster."""
    try:
        staying = resolver.resolve([attrs.evolve(head.wish, installed_csv="")], namespaces=[head.wish.namespace, "olm"])
    except (Unsatisfiable, CatalogError):
        return False
    # A head that brings others does not have what it requires yet.
    return [install.name for install in staying.installs] == [head.operator.name]


@pytest.mark.parametrize("name", CATALOGS)
def test_a_healthy_head_stays(name: str) -> None:
    """In ``resolve`` under both semantics and in ``path`` for all heads; in clusters for some.

    The clusters of the short run have all heads in ranges of their own, and twelve others.
    """
    channels, own, circles = CATALOGS[name]
    catalog = real_catalog(f"{name}.jsonl.gz")
    heads = list(_heads(catalog))
    assert len(heads) == channels
    assert sum(head.is_in_own_range for head in heads) == own
    healthy: list[_Head] = []
    going_back = {finding.channel for finding in validate(catalog) if finding.code == "upgrade-circle"}
    assert going_back == set(circles)
    source = Source("c", "olm", 0, catalog)
    for semantics in Semantics:
        resolver = Resolver([source], semantics=semantics)
        healthy = [head for head in heads if head.wish.channel not in circles and _is_healthy(resolver, head)]
        assert len(healthy) > 0.8 * len(heads)
        for head in healthy:
            plan = resolver.resolve([head.wish], namespaces=[head.wish.namespace, "olm"], installed=[head.operator])
            assert plan.installs == (), head
            assert _stays(plan, head), head
            assert bool(plan.up_to_date) == head.is_in_own_range, head
    for head in healthy:
        package = catalog.packages[head.wish.package]
        assert channel_path(package, head.operator.name, channel=head.wish.channel).steps == (), head
    chosen = (
        healthy if LONG else [*(head for head in healthy if head.is_in_own_range), *healthy[:: len(healthy) // _SHORT]]
    )
    _check_clusters(source, chosen)


def _check_clusters(source: Source, heads: list[_Head]) -> None:
    """Check ``plan``, ``simulate`` and ``impact`` on a cluster with *heads*."""
    unique = list({head.wish.namespace: head for head in heads}.values())
    items = [catalog_source(source), *(object_ for head in unique for object_ in head.objects())]
    dump = {"apiVersion": "v1", "kind": "List", "items": items}
    situation = olmsolve.read_situation(dump, catalogs={"olm/c": source.catalog})
    planned = olmsolve.plan(situation)
    assert [plan.namespace for plan in planned.namespaces if plan.plan is not None] == []
    rest = olmsolve.simulate(situation)
    kind = olmsolve.cluster.objects.SubscriptionObject
    expected = {(head.wish.namespace, head.operator.name) for head in unique}
    assert {(subscription.namespace, subscription.installed_csv) for subscription in rest.state.all(kind)} == expected
    report = olmsolve.impact(
        [RecordedCluster("cluster", (dump,))], before={"olm/c": source.catalog}, after={"olm/c": source.catalog}
    )
    assert [(class_.impact.operators, class_.impact.failures) for class_ in report.classes] == [((), ())]
