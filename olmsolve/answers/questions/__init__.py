"""Questions about plans: why this bundle, why not that one, and what another request or other semantics would change.

``rerun`` solves the request of a plan once more, since a plan records its bundles and not the choices behind them.
``why_selected`` and ``why_not_selected`` answer from it: ``order`` names the rule between two candidates,
``bundle_filter`` finds the bundles that a question is about, and ``enabling`` the smallest change that selects one.
``differing`` compares two answers.
"""

from olmsolve.answers.questions.bundle_filter import Absence, BundleFilter, Missing, parse_version
from olmsolve.answers.questions.differing import PlanDiff, compare_semantics, diff
from olmsolve.answers.questions.why_not_selected import WhyNot, WhyNotVerdict, why_not
from olmsolve.answers.questions.why_selected import Link, Why, why

__all__ = [
    "Absence",
    "BundleFilter",
    "Link",
    "Missing",
    "PlanDiff",
    "Why",
    "WhyNot",
    "WhyNotVerdict",
    "compare_semantics",
    "diff",
    "parse_version",
    "why",
    "why_not",
]
