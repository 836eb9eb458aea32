"""Metrics for Prometheus: its text format, and a collector for its registries. Needs the extra ``metrics``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from olmsolve.lifecycle.metrics.families import MetricFamily, MetricKind

try:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.core import Metric
except ModuleNotFoundError:
    _REASON: Final = "olmsolve.lifecycle.metrics.exposition needs prometheus-client: pip install 'olmsolve[metrics]'"
    raise ModuleNotFoundError(_REASON, name="prometheus_client") from None

__all__ = ["FamiliesCollector", "exposition"]

_TOTAL: Final = "_total"


class FamiliesCollector:
    """A collector for a registry of prometheus-client; *families* is asked at each scrape."""

    def __init__(self, families: Callable[[], Iterable[MetricFamily]]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        """Yield the families as values of prometheus-client."""
        for family in self._families():
            yield _metric(family)

    def describe(self) -> list[Metric]:
        """Return no descriptions, so that registering does not ask for values."""
        return []


def exposition(families: Iterable[MetricFamily]) -> str:
    """Return *families* in the text format of Prometheus."""
    listed = tuple(families)
    registry = CollectorRegistry()
    registry.register(FamiliesCollector(lambda: listed))
    return generate_latest(registry).decode("utf-8")


def _metric(family: MetricFamily) -> Metric:
    name, kind = family.name, family.kind.value
    if family.kind is MetricKind.COUNTER:
        # The library has counters end in _total. OLM's one that does not is written without a type, under OLM's name.
        name, kind = (name.removesuffix(_TOTAL), kind) if name.endswith(_TOTAL) else (name, "unknown")
    metric = Metric(name, family.help, kind)
    for sample in family.samples:
        metric.add_sample(f"{family.name}{sample.suffix}", dict(sample.labels), sample.value)
    return metric
