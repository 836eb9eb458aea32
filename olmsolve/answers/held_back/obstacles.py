"""Obstacles between a subscription and a newer bundle: values, each of which is a clause about the bundle as text.

The kinds follow the way of a bundle into a plan: the subscription names a catalog and a channel, the update graph leads
to it or not, the bundle itself may be selected or not, and then it competes with everything else.
"""

from __future__ import annotations

import enum
from typing import ClassVar, Final

from olmsolve._records import Record, documented, field, record
from olmsolve.answers.rerunning import Preference
from olmsolve.answers.wording import enumerated
from olmsolve.classic import (
    Deprecated,
    MustStay,
    NotEligible,
    OnePerAPI,
    OnePerPackage,
    Reason,
    Requires,
    RuleDemands,
    RuleForbids,
    RuleLimits,
    SubscriptionWants,
)
from olmsolve.resolution import Candidate

_REASONS: Final = 3  # in the sentence; the JSON form has all


class ObstacleKind(enum.Enum):
    """The kinds of obstacles, in the order in which they are told; the values are the words of documents."""

    CATALOG = "catalog"
    CHANNEL = "channel"
    PIN = "pin"
    SKIPPED = "skipped"
    EDGE = "edge"
    LATER = "later"
    DEPRECATED = "deprecated"
    REFUSED = "refused"
    BROKEN = "broken"
    IMPOSSIBLE = "impossible"
    SEMANTICS = "semantics"
    OUTRANKED = "outranked"
    FAILURE = "failure"


@record(definition="obstacle", layout=("kind", "text"))
class PlanObstacle(Record):
    """One thing in the way of a bundle; its ``str()`` is a clause about the bundle."""

    kind: ClassVar[ObstacleKind]


@record(kind=ObstacleKind.CATALOG, says="the subscription names catalog {named}")
class InAnotherCatalog(PlanObstacle):
    """The subscription names the catalog *named*, and the bundle is in another one."""

    named: str


@record(kind=ObstacleKind.CHANNEL)
class InAnotherChannel(PlanObstacle):
    """The subscription names the channel *named*, and the bundle is in the channels *holding* it only."""

    holding: tuple[str, ...]
    named: str

    def __str__(self) -> str:
        noun = "channel" if len(self.holding) == 1 else "channels"
        return f"in {noun} {enumerated(self.holding)}, and the subscription names channel {self.named}"


@record(kind=ObstacleKind.PIN, says="the subscription begins with startingCSV {start}")
class PinnedToStart(PlanObstacle):
    """The subscription begins with another bundle, its ``startingCSV`` *start*."""

    start: str


@record(kind=ObstacleKind.SKIPPED, says="another entry of channel {channel} skips it")
class SkippedEntry(PlanObstacle):
    """Another entry of *channel* skips the bundle."""

    channel: str


@record(kind=ObstacleKind.EDGE)
class NoUpdatePath(PlanObstacle):
    """No updates lead from *operator* to the bundle in *channel*; automatic ones end at *end*, "" where none begins."""

    operator: str
    channel: str
    end: str

    def __str__(self) -> str:
        text = f"no update leads to it from {self.operator} in channel {self.channel}"
        return f"{text}; updates end at {self.end}" if self.end else text


@record(kind=ObstacleKind.LATER)
class AfterUpdates(PlanObstacle):
    """Automatic updates get there by themselves: after the bundles *before* it, one after the other."""

    before: tuple[str, ...]

    def __str__(self) -> str:
        return f"updates lead to it in {len(self.before) + 1} steps, the next to {self.before[0]}"


@record
class NeverSelected(PlanObstacle):
    """The *candidate* itself may not be selected, for one *reason*: deprecated, refused or broken."""

    candidate: Candidate
    reason: Reason

    @property
    def kind(self) -> ObstacleKind:  # type: ignore[override]
        if isinstance(self.reason, Deprecated):
            return ObstacleKind.DEPRECATED
        return ObstacleKind.REFUSED if isinstance(self.reason, NotEligible | RuleForbids) else ObstacleKind.BROKEN

    def __str__(self) -> str:
        return self.reason.sentence(self.candidate)


@record(kind=ObstacleKind.IMPOSSIBLE)
class ImpossibleBeside(PlanObstacle):
    """The *candidate* cannot be selected beside everything else that the request asks for: *reasons* of one core."""

    candidate: Candidate
    reasons: tuple[Reason, ...]

    def __str__(self) -> str:
        if self.in_the_way:
            # Their candidates, with the candidates of their requirements, would fill a page; why-not explains them.
            facts = [next(filter(None, map(words, self.reasons)), "") for words in (self._brief, _rule)]
            beside = f"conflicts with {enumerated(self.in_the_way)}"
            return ": ".join(filter(None, (beside, "; ".join(filter(None, facts)))))
        clauses = [reason.sentence(self.candidate) for reason in self.reasons[:_REASONS]]
        if len(self.reasons) > _REASONS:
            more = len(self.reasons) - _REASONS
            clauses.append(f"and {more} more reason{'s' if more > 1 else ''}")
        return "; ".join(clauses)

    @property
    def in_the_way(self) -> tuple[str, ...]:
        """Return phrases that name what the candidate excludes: subscriptions, operators, house rules."""
        wishes = (
            f"subscription {reason.subscription.name}"
            for reason in self.reasons
            if isinstance(reason, SubscriptionWants)
        )
        operators = (f"the installed {reason.operator.name}" for reason in self.reasons if isinstance(reason, MustStay))
        rules = (
            f"house rule {reason.rule.name!r}"
            for reason in self.reasons
            if isinstance(reason, RuleDemands | RuleLimits)
        )
        return (*wishes, *operators, *rules)

    def _brief(self, reason: Reason) -> str:
        """Return a requirement in short; "" for other reasons."""
        if not isinstance(reason, Requires):
            return ""
        subject = "it" if reason.bundle == self.candidate else reason.bundle.name
        return f"{subject} {reason.verb_phrase}"


def _rule(reason: Reason) -> str:
    """Return the rule that at most one of several bundles can be selected; "" for other reasons."""
    if isinstance(reason, OnePerPackage):
        return f"at most one bundle of package {reason.package} can be selected"
    return f"at most one bundle can provide the API {reason.api}" if isinstance(reason, OnePerAPI) else ""


@record(kind=ObstacleKind.SEMANTICS, says="under {semantics} semantics it could be selected")
class OnlyUnderSemantics(PlanObstacle):
    """Under the other *semantics* the bundle could be selected."""

    semantics: str


@record(kind=ObstacleKind.OUTRANKED, says="{preference}")
class OutrankedBy(PlanObstacle):
    """The bundle could be selected, and a *preference* comes first."""

    preference: Preference


@record(
    kind=ObstacleKind.FAILURE, says="nothing in namespace {namespace} is updated while its subscriptions have no plan"
)
class NothingResolved(PlanObstacle):
    """Nothing in *namespace* is installed or updated, because the request has no plan."""

    namespace: str


@record
class _LocatedBundle(Record):
    """A bundle with the channel and the catalog that have it."""

    bundle: str = field("Its name.")
    version: str = field("Its version.")
    channel: str = field("The channel that has it.")
    catalog: str = field("The catalog that has it, namespace/name.")


def _located(candidate: Candidate) -> _LocatedBundle:
    return _LocatedBundle(candidate.name, candidate.version, candidate.channel, candidate.catalog)


@record(
    definition="heldBackBundle",
    about="A newer bundle that a subscription does not get.",
    layout=("candidate", "because", "text", "obstacles"),
    text="The bundle and its obstacles, as a sentence.",
)
class HeldBackBundle(Record):
    """A newer bundle that a subscription does not get, with its *obstacles*; there is at least one."""

    candidate: Candidate = field(path="*", written=_located)
    obstacles: tuple[PlanObstacle, ...] = field(
        "The obstacles that keep it away; at least one.", schema={"minItems": 1}
    )

    @property
    @documented("The kind of the first obstacle.")
    def because(self) -> ObstacleKind:
        """The kind of the first obstacle."""
        return self.obstacles[0].kind

    @property
    def reason(self) -> str:
        """The obstacles as clauses."""
        return "; ".join(map(str, self.obstacles))

    def __str__(self) -> str:
        return f"{self.candidate}: {self.reason}"


@record(definition="heldBackOperator")
class HeldBackOperator(Record):
    """A subscription that gets *candidate*, or keeps it, although there are *newer* bundles: the newest first."""

    subscription: str = field("The subscription.")
    candidate: Candidate = field("The bundle that it gets or keeps.")
    newer: tuple[HeldBackBundle, ...] = field(
        "The newer bundles, the newest first.", path="heldBack", schema={"minItems": 1}
    )

    def __str__(self) -> str:
        return f"subscription {self.subscription} has {self.candidate}; {'; '.join(map(str, self.newer))}"
