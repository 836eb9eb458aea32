"""An independent check of answers: it confirms a certificate without any of the code that found the answer.

Read ``world`` (the candidates of a request, read plainly off the catalogs, with ``ruling`` and ``numbers_by_fact``) and
``facts`` (what selecting a candidate asks for, and what a proof may start from, as clauses); then ``replaying`` (the
steps of proofs, and the queue of choices), ``solution_rules`` (what a plan keeps as a whole, and the objections to a
certificate), ``document`` (a certificate as JSON, with digests of what it is about) and the verb in ``verifying``.

The room takes requests and catalog models from others, and nothing from the indexes, the encoding or the search; a
test holds it to that. It reads the properties of bundles with :mod:`olmsolve.answers.plain_reading`, not as the
resolver does. Its values are plain ones of its own (:class:`PlainCandidate` and others).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.verification.document import FailureCertificate as FailureCertificate
    from olmsolve.answers.verification.document import Heading as Heading
    from olmsolve.answers.verification.document import PlanCertificate as PlanCertificate
    from olmsolve.answers.verification.document import ProvedRejection as ProvedRejection
    from olmsolve.answers.verification.document import catalog_digests as catalog_digests
    from olmsolve.answers.verification.document import request_digest as request_digest
    from olmsolve.answers.verification.document import written_candidate as written_candidate
    from olmsolve.answers.verification.facts import AllParts as AllParts
    from olmsolve.answers.verification.facts import AnyCandidate as AnyCandidate
    from olmsolve.answers.verification.facts import AnyPart as AnyPart
    from olmsolve.answers.verification.facts import Clauses as Clauses
    from olmsolve.answers.verification.facts import Fact as Fact
    from olmsolve.answers.verification.facts import IsUnselectable as IsUnselectable
    from olmsolve.answers.verification.facts import NoCandidate as NoCandidate
    from olmsolve.answers.verification.facts import OnePer as OnePer
    from olmsolve.answers.verification.facts import Proposition as Proposition
    from olmsolve.answers.verification.facts import Replaces as Replaces
    from olmsolve.answers.verification.facts import RootHolds as RootHolds
    from olmsolve.answers.verification.facts import Wish as Wish
    from olmsolve.answers.verification.facts import WishHolds as WishHolds
    from olmsolve.answers.verification.facts import flat as flat
    from olmsolve.answers.verification.facts import groups_of as groups_of
    from olmsolve.answers.verification.facts import is_met as is_met
    from olmsolve.answers.verification.facts import wishes_of as wishes_of
    from olmsolve.answers.verification.replaying import WORK as WORK
    from olmsolve.answers.verification.replaying import QueuedWish as QueuedWish
    from olmsolve.answers.verification.replaying import Refutation as Refutation
    from olmsolve.answers.verification.replaying import Rejected as Rejected
    from olmsolve.answers.verification.replaying import Work as Work
    from olmsolve.answers.verification.replaying import assumed_literals as assumed_literals
    from olmsolve.answers.verification.replaying import refutes as refutes
    from olmsolve.answers.verification.replaying import replay as replay
    from olmsolve.answers.verification.solution_rules import Flaw as Flaw
    from olmsolve.answers.verification.solution_rules import Objection as Objection
    from olmsolve.answers.verification.solution_rules import holds as holds
    from olmsolve.answers.verification.verifying import Verdict as Verdict
    from olmsolve.answers.verification.verifying import roots_of as roots_of
    from olmsolve.answers.verification.verifying import verify as verify
    from olmsolve.answers.verification.world import PlainCandidate as PlainCandidate
    from olmsolve.answers.verification.world import World as World
    from olmsolve.resolution import EXISTING as EXISTING
else:
    __getattr__, __dir__ = lazily(__name__)
