"""Answers beyond a plan: why there is none, why it is this one, proof of it, and audits of whole catalogs.

In reading order: ``resting`` (plans followed until nothing changes), ``answer_context`` and ``rerunning`` (requests
solved once more, for the questions that an answer alone cannot answer), ``held_back`` (the newer bundles that a plan
leaves aside), ``extensions`` (questions about cluster extensions of OLM v1).

Then ``explain`` (why a request fails, and which changes would give it a plan), ``questions`` (why a bundle is in a
plan, why another is not, what a different request would change), ``certifying`` and ``verification`` (answers with a
proof, and its independent check, with ``plain_reading``, a second reader of what bundles say).

Last ``fleet`` (work spread over the workers of an executor), ``auditing`` (what users of a catalog would run into) and
``reducing`` (small requests in place of large ones). ``bundle_filter`` finds the bundles that a question is about;
``wording`` has phrases that the rooms share.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers import auditing as auditing
    from olmsolve.answers import explain as explain
    from olmsolve.answers import extensions as extensions
    from olmsolve.answers import held_back as held_back
    from olmsolve.answers import questions as questions
    from olmsolve.answers import reducing as reducing
    from olmsolve.answers import verification as verification
    from olmsolve.answers.certifying import Refuter as Refuter
    from olmsolve.answers.certifying import certificate as certificate
    from olmsolve.answers.fleet import Chunk as Chunk
    from olmsolve.answers.fleet import ChunkResult as ChunkResult
    from olmsolve.answers.fleet import Fleet as Fleet
    from olmsolve.answers.fleet import Work as Work
    from olmsolve.answers.fleet import at_hand as at_hand
    from olmsolve.answers.fleet import content_key as content_key
    from olmsolve.answers.fleet import light as light
    from olmsolve.answers.fleet import packed as packed
    from olmsolve.answers.fleet import unpacked as unpacked
    from olmsolve.answers.fleet import work_chunk as work_chunk
    from olmsolve.answers.resting import Rest as Rest
    from olmsolve.answers.resting import followed as followed
    from olmsolve.answers.wording import Phrase as Phrase
    from olmsolve.answers.wording import bundles_phrase as bundles_phrase
    from olmsolve.answers.wording import ranges_among as ranges_among
    from olmsolve.answers.wording import version_runs as version_runs
else:
    __getattr__, __dir__ = lazily(__name__)
