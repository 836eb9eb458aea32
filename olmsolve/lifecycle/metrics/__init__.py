"""OLM's metrics, under OLM's names, of what olmsolve knows: states of clusters, resolutions, simulations."""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle.metrics.families import MetricFamily as MetricFamily
    from olmsolve.lifecycle.metrics.families import MetricKind as MetricKind
    from olmsolve.lifecycle.metrics.families import Metrics as Metrics
    from olmsolve.lifecycle.metrics.families import ResolutionTimes as ResolutionTimes
    from olmsolve.lifecycle.metrics.families import Sample as Sample
    from olmsolve.lifecycle.metrics.families import cluster_metrics as cluster_metrics
    from olmsolve.lifecycle.metrics.families import simulation_metrics as simulation_metrics
else:
    __getattr__, __dir__ = lazily(__name__)
