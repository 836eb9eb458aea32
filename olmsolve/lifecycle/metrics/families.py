"""Metrics as plain data: what OLM's documentation lists under "Exposed metrics", computed from values."""

from __future__ import annotations

import enum
import time
from collections import Counter
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Final, ParamSpec, TypeVar

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import CatalogSource, ClusterServiceVersion, InstallPlan, SubscriptionObject
from olmsolve.lifecycle.simulation import Simulation


class MetricKind(enum.Enum):
    """The type of a metric in Prometheus."""

    GAUGE = "gauge"
    COUNTER = "counter"
    SUMMARY = "summary"


@record
class Sample(Record):
    """One value under its *labels*; *suffix* is ``_count`` or ``_sum`` in a summary, else ""."""

    value: float
    labels: Mapping[str, str] = attrs.field(factory=dict)
    suffix: str = ""


@record
class NamedSample(Record):
    """A value of a metric, as documents have it."""

    name: str = field("The name of the sample.")
    labels: Mapping[str, str] = field("The labels of the value.")
    value: float = field("The value.")


@record(about="One metric.", layout=("name", "kind", "help", "named_samples"))
class MetricFamily(Record):
    """The samples of one metric; *help* says in one sentence what is counted."""

    name: str = field("The metric.")
    kind: MetricKind = field("The kind of metric.")
    help: str = field("What it says.")
    samples: tuple[Sample, ...]

    @property
    @documented("Its values.", path="samples")
    def named_samples(self) -> tuple[NamedSample, ...]:
        return tuple(NamedSample(f"{self.name}{sample.suffix}", sample.labels, sample.value) for sample in self.samples)


@record(
    definition="olmsolve.metrics",
    title="The metrics that OLM would export",
    about="docs/metrics.md gives the meaning of the fields.",
)
class Metrics(Record):
    """The document of some families."""

    families: tuple[MetricFamily, ...] = field("The metrics, by name.")


def cluster_metrics(state: ClusterState) -> tuple[MetricFamily, ...]:
    """Return the metrics of a *state*, each family with its samples by namespace and name.

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
            tuple(Sample(float(catalog.state == "READY"), _object_labels(catalog)) for catalog in catalogs),
        ),
        MetricFamily(
            "csv_abnormal",
            MetricKind.GAUGE,
            "Present for each cluster service version that is not Succeeded.",
            tuple(
                Sample(1.0, {**_object_labels(csv), "phase": csv.phase, "reason": csv.reason, "version": csv.version})
                for csv in csvs
                if csv.phase != "Succeeded"
            ),
        ),
        _count("csv_count", "Number of cluster service versions.", len(csvs)),
        MetricFamily(
            "csv_succeeded",
            MetricKind.GAUGE,
            "1 where a cluster service version is Succeeded, else 0.",
            tuple(
                Sample(float(csv.phase == "Succeeded"), {**_object_labels(csv), "version": csv.version}) for csv in csvs
            ),
        ),
        _count("install_plan_count", "Number of install plans.", len(state.all(InstallPlan))),
        _count("subscription_count", "Number of subscriptions.", len(state.all(SubscriptionObject))),
    )


def simulation_metrics(simulation: Simulation) -> tuple[MetricFamily, ...]:
    """Return the metrics of the state at the end of *simulation*, and the counts of its steps.

    ``csv_upgrade_count`` counts operators that replaced another, ``subscription_sync_total`` the rounds in which a
    subscription was looked at, under the operator that it had installed after each.
    """
    upgrades = 0
    syncs: Counter[tuple[str, str, str]] = Counter()
    for step in simulation.steps:
        gone = {(change.namespace, change.name) for change in step.operators if change.phases[-1] == "gone"}
        upgrades += len(gone)
        looked_at = {pass_.namespace for pass_ in step.passes}
        for subscription in step.state.all(SubscriptionObject):
            if subscription.namespace in looked_at:
                syncs[subscription.channel, subscription.installed_csv, subscription.name] += 1
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


def _object_labels(object_: CatalogSource | ClusterServiceVersion) -> dict[str, str]:
    return {"name": object_.name, "namespace": object_.namespace}


P = ParamSpec("P")
T = TypeVar("T")

_SUCCEEDED: Final = "succeeded"
_FAILED: Final = "failed"


class ResolutionTimes:
    """A clock around calls, for ``olm_resolution_duration_seconds`` by outcome. Safe to share between threads.

    *clock* gives seconds; only differences count.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._lock = Lock()
        self._counts = {_FAILED: 0, _SUCCEEDED: 0}
        self._seconds = {_FAILED: 0.0, _SUCCEEDED: 0.0}

    def __repr__(self) -> str:
        return f"<ResolutionTimes: {self._counts[_SUCCEEDED]} succeeded, {self._counts[_FAILED]} failed>"

    def measured(self, resolve: Callable[P, T]) -> Callable[P, T]:
        """Return *resolve* with a clock around each call; a call that raises counts as failed."""

        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            outcome, begun = _FAILED, self._clock()
            try:
                answer = resolve(*args, **kwargs)
                outcome = _SUCCEEDED
                return answer
            finally:
                self._note(outcome, self._clock() - begun)

        return run

    def families(self) -> tuple[MetricFamily, ...]:
        """Return the metric with the counts and the seconds so far."""
        with self._lock:
            samples = [
                Sample(value, {"outcome": outcome}, suffix)
                for outcome in (_FAILED, _SUCCEEDED)
                for value, suffix in ((float(self._counts[outcome]), "_count"), (self._seconds[outcome], "_sum"))
            ]
        purpose = "How long attempts at dependency resolution took."
        return (MetricFamily("olm_resolution_duration_seconds", MetricKind.SUMMARY, purpose, tuple(samples)),)

    def _note(self, outcome: str, seconds: float) -> None:
        with self._lock:
            self._counts[outcome] += 1
            self._seconds[outcome] += seconds
