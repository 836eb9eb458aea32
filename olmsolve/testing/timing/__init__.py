"""Benchmarks over somebody's own catalogs: each phase of resolution apart, in fresh processes, beside a baseline.

Read ``report`` first (the figures as values and as text, and what changed since other ones), then ``timed_phases``
(the requests that a catalog suggests, and what is timed, as calls that other tools can time too), ``measuring`` (one
process), and ``running`` (several, and the verb). ``page`` shows a report as HTML.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.testing.timing.page import bench_html as bench_html
    from olmsolve.testing.timing.report import BackendCounts as BackendCounts
    from olmsolve.testing.timing.report import BenchReport as BenchReport
    from olmsolve.testing.timing.report import PhaseChange as PhaseChange
    from olmsolve.testing.timing.report import PhaseTimes as PhaseTimes
    from olmsolve.testing.timing.report import RequestTimes as RequestTimes
    from olmsolve.testing.timing.report import bench_json as bench_json
    from olmsolve.testing.timing.report import bench_text as bench_text
    from olmsolve.testing.timing.report import changes as changes
    from olmsolve.testing.timing.report import read_bench as read_bench
    from olmsolve.testing.timing.running import bench as bench
    from olmsolve.testing.timing.timed_phases import RequestSubject as RequestSubject
    from olmsolve.testing.timing.timed_phases import TimedPhase as TimedPhase
    from olmsolve.testing.timing.timed_phases import phases as phases
    from olmsolve.testing.timing.timed_phases import requests_over as requests_over
else:
    __getattr__, __dir__ = lazily(__name__)
