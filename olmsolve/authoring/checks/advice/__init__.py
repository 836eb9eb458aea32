"""What ``opm validate`` accepts and people should know: no verdict, and never of severity error.

:func:`olmsolve.authoring.checks.advice.advising.advise` looks for it; importing this room alone loads no resolver.
"""

from olmsolve.authoring.checks.advice.advising import advise
from olmsolve.authoring.checks.advice.codes import ADVICE

__all__ = ["ADVICE", "advise"]
