"""Advice: warnings and notes about catalogs that ``opm validate`` accepts, never errors.

:func:`advise` says where updates lead and which names and APIs collide, and collects the lints and the requirements
that nothing meets. It merges equal findings on many bundles. ``facts`` holds what bundles publish and require.

The codes of advice are among those of ``validation``: reports need them alone, and the resolvers load with
:func:`advise`, so a mere verdict starts a fifth sooner.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring.checks.advice.advising import advise as advise
    from olmsolve.authoring.checks.advice.facts import unmet_requirements as unmet_requirements
    from olmsolve.authoring.checks.validation import ADVICE as ADVICE
else:
    __getattr__, __dir__ = lazily(__name__)
