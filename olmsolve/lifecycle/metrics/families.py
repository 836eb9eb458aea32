"""Metrics as plain data: what OLM's documentation lists under "Exposed metrics", computed from values."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs

from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import CatalogSource, ClusterServiceVersion, InstallPlan, SubscriptionObject
from olmsolve.lifecycle.simulation import Simulation


class MetricKind(enum.Enum):
    """The type of a metric in Prometheus."""

    GAUGE = "gauge"
    COUNTER = "counter"
    SUMMARY = "summary"


@attrs.frozen
class Sample:
    """One value under its *labels*; *suffix* is ``_count`` or ``_sum`` in a summary, else ""."""

    value: float
    labels: Mapping[str, str] = attrs.field(factory=dict)
    suffix: str = ""


@attrs.frozen
class MetricFamily:
    """The samples of one metric; *help* says in one sentence what is counted."""

    name: str
    kind: MetricKind
    help: str
    samples: tuple[Sample, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind.value,
            "help": self.help,
            "samples": [
                {"name": f"{self.name}{each.suffix}", "labels": dict(each.labels), "value": each.value}
                for each in self.samples
            ],
        }


def cluster_metrics(state: ClusterState) -> tuple[MetricFamily, ...]:
    """Return the metrics that a *state* alone gives, each family with its samples by namespace and name.

    Copies of operators do not count. A catalog is ready where its connection's last observed state is ``READY``.
    """
    catalogs = state.all(CatalogSource)
    csvs = [csv for csv in state.all(ClusterServiceVersion) if not csv.is_copied]
    return (
        _count("catalog_source_count", "Number of catalog sources.", len(catalogs)),
        MetricFamily(
            "catalogsource_ready",
            MetricKind.GAUGE,
            "1 where a catalog source is READY, else 0.",
            tuple(Sample(float(each.state == "READY"), _place(each)) for each in catalogs),
        ),
        MetricFamily(
            "csv_abnormal",
            MetricKind.GAUGE,
            "Present for each cluster service version that is not Succeeded.",
            tuple(
                Sample(1.0, {**_place(csv), "phase": csv.phase, "reason": csv.reason, "version": csv.version})
                for csv in csvs
                if csv.phase != "Succeeded"
            ),
        ),
        _count("csv_count", "Number of cluster service versions.", len(csvs)),
        MetricFamily(
            "csv_succeeded",
            MetricKind.GAUGE,
            "1 where a cluster service version is Succeeded, else 0.",
            tuple(Sample(float(csv.phase == "Succeeded"), {**_place(csv), "version": csv.version}) for csv in csvs),
        ),
        _count("install_plan_count", "Number of install plans.", len(state.all(InstallPlan))),
        _count("subscription_count", "Number of subscriptions.", len(state.all(SubscriptionObject))),
    )


def simulation_metrics(simulation: Simulation) -> tuple[MetricFamily, ...]:
    """Return the metrics of the state at the end of *simulation*, and what was counted on the way there.

    ``csv_upgrade_count`` counts operators that replaced another, ``subscription_sync_total`` the rounds in which a
    subscription was looked at, under the operator that it had installed after each.
    """
    upgrades = 0
    syncs: Counter[tuple[str, str, str]] = Counter()
    for step in simulation.steps:
        gone = {(change.namespace, change.name) for change in step.operators if change.phases[-1] == "gone"}
        upgrades += len(gone)
        looked_at = {done.namespace for done in step.passes}
        for item in step.state.all(SubscriptionObject):
            if item.namespace in looked_at:
                syncs[item.channel, item.installed_csv, item.name] += 1
    return (
        *cluster_metrics(simulation.state),
        MetricFamily(
            "csv_upgrade_count", MetricKind.COUNTER, "Number of operators that were replaced.", (Sample(upgrades),)
        ),
        MetricFamily(
            "subscription_sync_total",
            MetricKind.COUNTER,
            "Number of times that a subscription was looked at.",
            tuple(
                Sample(count, {"channel": channel, "installed": installed, "name": name})
                for (channel, installed, name), count in sorted(syncs.items())
            ),
        ),
    )


def _count(name: str, words: str, count: int) -> MetricFamily:
    return MetricFamily(name, MetricKind.GAUGE, words, (Sample(float(count)),))


def _place(item: CatalogSource | ClusterServiceVersion) -> dict[str, str]:
    return {"name": item.name, "namespace": item.namespace}
