"""Findings on a whole catalog: what is broken in it, and what means something else than it seems to say.

:func:`validate` gives the verdict of ``opm validate``; :func:`lint` judges what bundles and channels *say*: version
ranges, requirements, CEL rules, property types. Neither needs a request or a cluster.
"""

from olmsolve.authoring.checks.advice import ADVICE
from olmsolve.authoring.checks.finding import Finding, Severity
from olmsolve.authoring.checks.lints import CODES, lint
from olmsolve.authoring.checks.validation import validate

__all__ = ["ADVICE", "CODES", "Finding", "Severity", "lint", "validate"]
