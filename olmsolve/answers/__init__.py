"""Answers beyond a plan: explanations, questions, certificates and their verification, audits."""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers import auditing as auditing
    from olmsolve.answers import certifying as certifying
    from olmsolve.answers import explain as explain
    from olmsolve.answers import questions as questions
    from olmsolve.answers import verification as verification
else:
    __getattr__, __dir__ = lazily(__name__)
