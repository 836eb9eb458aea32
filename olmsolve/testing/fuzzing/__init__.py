"""Fuzzing: random requests over somebody's own catalogs, all laws on each of them, and the questions of an author.

Read ``findings`` first (they and the report), then ``drawing`` (random requests, and ``covering``: what they have),
``questions`` (what a catalog's author asks), ``working`` (the items of the work, on any worker), ``shrinking`` (broken
laws become small requests), and ``running``, the verb. ``reports`` makes a request document of each finding, and the
report's text and XML.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.testing.fuzzing.findings import KINDS as KINDS
    from olmsolve.testing.fuzzing.findings import BrokenLaw as BrokenLaw
    from olmsolve.testing.fuzzing.findings import DifferentOpinion as DifferentOpinion
    from olmsolve.testing.fuzzing.findings import FuzzFinding as FuzzFinding
    from olmsolve.testing.fuzzing.findings import FuzzReport as FuzzReport
    from olmsolve.testing.fuzzing.findings import NeverDecisive as NeverDecisive
    from olmsolve.testing.fuzzing.findings import NeverInstallable as NeverInstallable
    from olmsolve.testing.fuzzing.findings import NeverTogether as NeverTogether
    from olmsolve.testing.fuzzing.findings import TwoMeanings as TwoMeanings
    from olmsolve.testing.fuzzing.findings import UpdateDeadEnd as UpdateDeadEnd
    from olmsolve.testing.fuzzing.findings import WonByName as WonByName
    from olmsolve.testing.fuzzing.reports import fuzz_json as fuzz_json
    from olmsolve.testing.fuzzing.reports import fuzz_junit as fuzz_junit
    from olmsolve.testing.fuzzing.reports import fuzz_text as fuzz_text
    from olmsolve.testing.fuzzing.running import DEFAULT_CASES as DEFAULT_CASES
    from olmsolve.testing.fuzzing.running import FuzzProgress as FuzzProgress
    from olmsolve.testing.fuzzing.running import fuzz as fuzz
    from olmsolve.testing.fuzzing.running import replay as replay
else:
    __getattr__, __dir__ = lazily(__name__)
