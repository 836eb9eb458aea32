"""OLM's metrics, under OLM's names, of what olmsolve knows: states of clusters, resolutions, simulations."""

from olmsolve.lifecycle.metrics.families import (
    MetricFamily,
    MetricKind,
    Metrics,
    Sample,
    cluster_metrics,
    simulation_metrics,
)
from olmsolve.lifecycle.metrics.times import ResolutionTimes

__all__ = [
    "MetricFamily",
    "MetricKind",
    "Metrics",
    "ResolutionTimes",
    "Sample",
    "cluster_metrics",
    "simulation_metrics",
]
