"""Questions about answers: why this, why not that, and what another request or other semantics would change."""

from olmsolve.answers.questions.chosen import Link, Why, why
from olmsolve.answers.questions.differing import PlanDiff, compare_semantics, diff
from olmsolve.answers.questions.passed_over import Verdict, WhyNot, why_not

__all__ = [
    "Link",
    "PlanDiff",
    "Verdict",
    "Why",
    "WhyNot",
    "compare_semantics",
    "diff",
    "why",
    "why_not",
]
