"""Findings on a whole catalog: what is broken in it, and what means something else than it seems to say.

:func:`lint` judges what bundles and channels *say*: version ranges, requirements, CEL rules, property types.
It needs no request and no cluster.
"""

from olmsolve.checks.finding import Finding, Severity
from olmsolve.checks.lints import CODES, lint

__all__ = ["CODES", "Finding", "Severity", "lint"]
