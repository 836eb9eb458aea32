"""Answers beyond a plan: why there is none, why it is this one, proof of it, and audits of whole catalogs.

Rooms, in reading order: ``resting`` (plans followed until nothing changes), ``rerunning`` (requests solved once more),
``held_back`` (the newer bundles that a plan leaves aside), ``extensions`` (questions about cluster extensions of OLM
v1), ``explain`` (why a request fails, and which changes would give it a plan), ``questions`` (why a bundle is in a
plan, why another is not, what a different request would change), ``certifying`` and ``verification`` (answers with a
proof, and its independent check), ``fleet`` (work spread over the workers of an executor), ``auditing`` (what users of
a catalog would run into), ``reducing`` (small requests in place of large ones). ``bundle_filter`` finds the bundles
that a question is about; ``wording`` has phrases that the rooms share.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers import auditing as auditing
    from olmsolve.answers import certifying as certifying
    from olmsolve.answers import explain as explain
    from olmsolve.answers import extensions as extensions
    from olmsolve.answers import fleet as fleet
    from olmsolve.answers import held_back as held_back
    from olmsolve.answers import questions as questions
    from olmsolve.answers import reducing as reducing
    from olmsolve.answers import rerunning as rerunning
    from olmsolve.answers import resting as resting
    from olmsolve.answers import verification as verification
    from olmsolve.answers.wording import ranges_among as ranges_among
else:
    __getattr__, __dir__ = lazily(__name__)
