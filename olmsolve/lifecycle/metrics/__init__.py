"""OLM's metrics, under OLM's names, of what olmsolve knows: states of clusters, resolutions, simulations."""

from olmsolve.lifecycle.metrics.families import Family, Kind, Sample, cluster_metrics, simulation_metrics
from olmsolve.lifecycle.metrics.times import ResolutionTimes

__all__ = ["Family", "Kind", "ResolutionTimes", "Sample", "cluster_metrics", "simulation_metrics"]
