"""OLM's metrics, under OLM's names, of what olmsolve knows: states of clusters, resolutions, simulations."""

from olmsolve.lifecycle.metrics.families import MetricFamily, MetricKind, Sample, cluster_metrics, simulation_metrics
from olmsolve.lifecycle.metrics.times import ResolutionTimes

__all__ = ["MetricFamily", "MetricKind", "ResolutionTimes", "Sample", "cluster_metrics", "simulation_metrics"]
