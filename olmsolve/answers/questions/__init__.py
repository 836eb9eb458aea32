"""Questions about plans: why this bundle, why not that one, and what another request or other semantics would change.

``why_selected`` and ``why_not_selected`` answer from a plan solved once more: ``enabling`` finds the
smallest change that selects a bundle. ``differing`` compares two answers.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.questions.differing import compare_semantics as compare_semantics
    from olmsolve.answers.questions.differing import diff as diff
    from olmsolve.answers.questions.enabling import AddSubscription as AddSubscription
    from olmsolve.answers.questions.enabling import Enabling as Enabling
    from olmsolve.answers.questions.enabling import Together as Together
    from olmsolve.answers.questions.why_not_selected import WhyNot as WhyNot
    from olmsolve.answers.questions.why_not_selected import WhyNotVerdict as WhyNotVerdict
    from olmsolve.answers.questions.why_not_selected import why_not as why_not
    from olmsolve.answers.questions.why_selected import DoesNotFit as DoesNotFit
    from olmsolve.answers.questions.why_selected import Link as Link
    from olmsolve.answers.questions.why_selected import Why as Why
    from olmsolve.answers.questions.why_selected import bundle_of as bundle_of
    from olmsolve.answers.questions.why_selected import meant_bundles as meant_bundles
    from olmsolve.answers.questions.why_selected import why as why
else:
    __getattr__, __dir__ = lazily(__name__)
