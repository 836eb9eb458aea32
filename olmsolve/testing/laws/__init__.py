"""Laws of answers, as functions that anyone can run over requests of their own.

Each takes a request, resolves it, and judges the answer by code that shares nothing with the resolver: the definition
(:mod:`olmsolve.testing.reference`), plain clauses, the checker of certificates. A broken law is an AssertionError that
shows the request. A request that does not concern a law, such as one without a plan for a law of plans, passes.

Read ``answers`` (a plan meets every constraint, is the preferred one, and depends on no order; a core is minimal, each
fix works), ``agreement`` (other engines, libraries and ways in, and the checker of certificates), ``changes`` (what
cannot matter) and ``extensions`` (OLM v1). ``outcomes`` has what they share; ``everything`` lists the laws.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.testing.laws.agreement import OTHER_BACKENDS as OTHER_BACKENDS
    from olmsolve.testing.laws.agreement import check_backends as check_backends
    from olmsolve.testing.laws.agreement import check_certificate as check_certificate
    from olmsolve.testing.laws.agreement import check_document as check_document
    from olmsolve.testing.laws.agreement import check_range as check_range
    from olmsolve.testing.laws.agreement import check_ranges as check_ranges
    from olmsolve.testing.laws.agreement import check_reading as check_reading
    from olmsolve.testing.laws.agreement import check_rule as check_rule
    from olmsolve.testing.laws.agreement import check_semantics as check_semantics
    from olmsolve.testing.laws.agreement import check_warm as check_warm
    from olmsolve.testing.laws.agreement import has_two_meanings as has_two_meanings
    from olmsolve.testing.laws.answers import broken_constraints as broken_constraints
    from olmsolve.testing.laws.answers import can_hold as can_hold
    from olmsolve.testing.laws.answers import check_constraints as check_constraints
    from olmsolve.testing.laws.answers import check_core as check_core
    from olmsolve.testing.laws.answers import check_fixes as check_fixes
    from olmsolve.testing.laws.answers import check_order as check_order
    from olmsolve.testing.laws.answers import check_preferred as check_preferred
    from olmsolve.testing.laws.answers import clauses_of as clauses_of
    from olmsolve.testing.laws.answers import core_faults as core_faults
    from olmsolve.testing.laws.changes import check_priority as check_priority
    from olmsolve.testing.laws.changes import check_renamed as check_renamed
    from olmsolve.testing.laws.changes import check_repeated as check_repeated
    from olmsolve.testing.laws.changes import check_rest as check_rest
    from olmsolve.testing.laws.changes import check_unrelated as check_unrelated
    from olmsolve.testing.laws.changes import check_unselected as check_unselected
    from olmsolve.testing.laws.everything import LAWS as LAWS
    from olmsolve.testing.laws.everything import check_laws as check_laws
    from olmsolve.testing.laws.extensions import EXTENSION_LAWS as EXTENSION_LAWS
    from olmsolve.testing.laws.extensions import check_extension_document as check_extension_document
    from olmsolve.testing.laws.extensions import check_extension_order as check_extension_order
    from olmsolve.testing.laws.extensions import check_extension_repeated as check_extension_repeated
    from olmsolve.testing.laws.extensions import check_extension_rest as check_extension_rest
    from olmsolve.testing.laws.extensions import check_extension_unrelated as check_extension_unrelated
    from olmsolve.testing.laws.extensions import check_extension_unselected as check_extension_unselected
    from olmsolve.testing.laws.outcomes import Outcome as Outcome
    from olmsolve.testing.laws.outcomes import outcome_of as outcome_of
else:
    __getattr__, __dir__ = lazily(__name__)
