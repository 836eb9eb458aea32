"""Metrics for Prometheus: an observer that counts questions and their work."""

from __future__ import annotations

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram

import olmsolve
from olmsolve.events import CatalogIndexed, CatalogLoaded, QuestionAnswered


class PrometheusObserver(olmsolve.Observer):
    def __init__(self, registry: CollectorRegistry = REGISTRY) -> None:
        self.questions = Counter("olmsolve_questions", "Questions by outcome.", ["outcome"], registry=registry)
        self.seconds = Histogram("olmsolve_seconds", "Seconds by phase.", ["phase"], registry=registry)
        self.conflicts = Counter("olmsolve_conflicts", "Conflicts that searches learned.", registry=registry)
        self.calls = Counter("olmsolve_sat_calls", "Calls of SAT solvers.", registry=registry)

    def loaded(self, event: CatalogLoaded) -> None:
        self.seconds.labels("loading").observe(event.seconds)

    def indexed(self, event: CatalogIndexed) -> None:
        self.seconds.labels("building an index").observe(event.seconds)

    def answered(self, event: QuestionAnswered) -> None:
        self.questions.labels(event.outcome).inc()
        for phase, seconds in event.statistics.seconds._asdict().items():
            self.seconds.labels(phase).observe(seconds)
        self.conflicts.inc(event.statistics.conflicts)
        self.calls.inc(event.statistics.calls)
