"""Advice: warnings and notes about catalogs that ``opm validate`` accepts, never errors.

:func:`advise` collects the advice of the other modules: ``channels`` (where updates lead), ``ownership`` (names and
APIs), ``unmet`` (requirements that nothing meets), and the lints; it merges equal findings on many bundles. ``facts``
holds what bundles publish.
"""

from olmsolve.authoring.checks.advice.advising import advise as advise
from olmsolve.authoring.checks.advice.codes import ADVICE as ADVICE
