"""Questions about answers: why this, why not that, and what another request or other semantics would change."""

from olmsolve.answers.questions.differing import PlanDiff, compare_semantics, diff
from olmsolve.answers.questions.why_not_selected import WhyNot, WhyNotVerdict, why_not
from olmsolve.answers.questions.why_selected import Link, Why, why

__all__ = [
    "Link",
    "PlanDiff",
    "Why",
    "WhyNot",
    "WhyNotVerdict",
    "compare_semantics",
    "diff",
    "why",
    "why_not",
]
