"""Laws of answers, as functions that anyone can run over requests of their own.

Each takes a request, resolves it, and judges the answer by code that shares nothing with the resolver: the definition
(:mod:`olmsolve.testing.reference`), plain clauses, the checker of certificates. A broken law is an AssertionError that
shows the request. A request that does not concern a law, such as one without a plan for a law of plans, passes.

Read ``plans`` (a plan meets every constraint, is the preferred one, and depends on no order), ``failures`` (a core is
minimal, each fix works), ``certificates``, ``opinions`` (of other libraries), and
``clauses``, the plain solver behind ``failures``.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.testing.laws.certificates import check_certificate as check_certificate
    from olmsolve.testing.laws.everything import LAWS as LAWS
    from olmsolve.testing.laws.everything import check_laws as check_laws
    from olmsolve.testing.laws.failures import check_core as check_core
    from olmsolve.testing.laws.failures import check_fixes as check_fixes
    from olmsolve.testing.laws.failures import core_faults as core_faults
    from olmsolve.testing.laws.opinions import check_range as check_range
    from olmsolve.testing.laws.opinions import check_rule as check_rule
    from olmsolve.testing.laws.outcomes import Outcome as Outcome
    from olmsolve.testing.laws.outcomes import outcome_of as outcome_of
    from olmsolve.testing.laws.plans import broken_constraints as broken_constraints
    from olmsolve.testing.laws.plans import check_constraints as check_constraints
    from olmsolve.testing.laws.plans import check_order as check_order
    from olmsolve.testing.laws.plans import check_preferred as check_preferred
else:
    __getattr__, __dir__ = lazily(__name__)
