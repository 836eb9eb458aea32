"""Findings on a whole catalog: what is broken in it, and what means something else than it seems to say.

:func:`validate` gives the verdict of ``opm validate``, and advice on what ``opm`` accepts. :func:`lint` judges the
meaning of version ranges, requirements, CEL rules and property types. Neither needs a request or a cluster.

Read ``finding`` first. ``lints`` calls ``requirements`` (which calls ``rules``, on CEL) and ``property_types``;
``opinions`` asks other libraries. The rooms ``validation`` and ``advice`` are the two halves of
:func:`validate`.
"""

from olmsolve.authoring.checks.advice import ADVICE
from olmsolve.authoring.checks.finding import Finding, Severity
from olmsolve.authoring.checks.lints import CODES, lint
from olmsolve.authoring.checks.opinions import SecondOpinions, second_opinions
from olmsolve.authoring.checks.rules import why_never
from olmsolve.authoring.checks.validation import validate

__all__ = [
    "ADVICE",
    "CODES",
    "Finding",
    "SecondOpinions",
    "Severity",
    "lint",
    "second_opinions",
    "validate",
    "why_never",
]
