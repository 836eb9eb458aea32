"""The rules that a plan keeps as a whole, which make the state after each of its choices consistent.

A refutation says that some way contradicts what the earlier choices hold. Had they contradicted each other already,
everything could be refuted. So whatever a choice holds, candidates and parts of disjunctions alike, must hold in the
plan: then the plan itself shows that no state on the way to it was contradictory (docs/certificates.md).

The objections are here too: the reasons why a certificate proves nothing.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeAlias, assert_never

import attrs

from olmsolve._limits import checked
from olmsolve.answers.verification.facts import AllParts, AnyCandidate, AnyPart, NoCandidate, Wish, groups_of, wishes_of
from olmsolve.answers.verification.replaying import ChoiceWalk
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.answers.wording import TemplatedFact
from olmsolve.classic import Semantics
from olmsolve.predicates import GVK


class Flaw(enum.Enum):
    """The kinds of objections; the values are templates of clauses."""

    OTHER_REQUEST = (
        "it is for a request with other namespaces, priorities, subscriptions, operators, house rules or system"
        " constraints; certify the answer again"
    )
    OTHER_CATALOGS = "it is for other catalogs: {differing}; certify the answer again"
    OTHER_CONTENT = "it is for other content of {catalogs}; certify the answer again"
    OTHER_SEMANTICS = "it is for {named} semantics, not for {wanted} semantics"
    UNREADABLE = "nothing is resolved while {catalogs} cannot be read"
    NO_ORDER = "{operators} are of one package: the controller has no order between them and resolves nothing"
    TOO_MUCH_WORK = "checking it would take too long"
    NO_CONTRADICTION = "its steps do not lead to a contradiction"
    TOO_FEW_CHOICES = "it ends before choice {choice}"
    TOO_MANY_CHOICES = "it names {count} choices, but the request has only {choices}"
    UNASKED_PROOF = "it refutes way {way} of choice {choice}, which was not passed over"
    NO_SUCH_WAY = "choice {choice} has no way {way}"
    NO_PROOF = "choice {choice} passes over {candidate} without a proof"
    WRONG_PROOF = "the proof that choice {choice} passes over {candidate} does not hold"
    OTHER_CHOICES = "its choices do not select the bundles that it lists"
    NEVER_SELECTED = "{candidate} can never be selected"
    SEVERAL_IN_GROUP = "{count} of the selected bundles have the {group} {name}"
    KEPT_THOUGH_REPLACED = "{candidate} replaces {operator}, which is kept"
    NOT_SERVED = "a subscription or a demand is not served, or an operator that must stay is not kept"
    PART_DOES_NOT_HOLD = "part {part} of a requirement of {candidate} is taken but does not hold"
    REQUIREMENT_NOT_MET = "a requirement of {candidate}, or a house rule about it, is not met"


class Objection(TemplatedFact[Flaw]):
    """A flaw by which a certificate proves nothing: its kind, and the choices (from 1), ways (from 0) and bundles."""


@attrs.frozen
class ClaimedPlan:
    """The plan at the end of a *walk*, and the request that it is to answer."""

    world: World
    semantics: Semantics
    roots: Sequence[AnyCandidate]
    walk: ChoiceWalk
    selected: dict[PlainCandidate, None] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "selected", dict.fromkeys(self.walk.selected))


SolutionRule: TypeAlias = Callable[[ClaimedPlan], Objection | None]
"""A test of a plan that returns what speaks against it, None if nothing does."""


def broken(plan: ClaimedPlan) -> Objection | None:
    """Return what the first of :data:`RULES` objects to *plan*; None for a solution whose walk holds nothing false."""
    for rule in RULES:
        objection = rule(plan)
        if objection is not None:
            return objection
    return None


def only_selectable(plan: ClaimedPlan) -> Objection | None:
    """Object to a candidate that is deprecated, broken, refused or forbidden."""
    for candidate in plan.selected:
        if not candidate.selectable:
            return Objection.stating(Flaw.NEVER_SELECTED, candidate=candidate.name)
    return None


def one_per_group(plan: ClaimedPlan) -> Objection | None:
    """Object to two bundles of one package, or with one API."""
    counts: Counter[str | GVK] = Counter()
    for candidate in checked(plan.selected, every=64):
        counts.update(groups_of(candidate.published))
    for group, count in counts.items():
        if count > 1:
            kind = "API" if isinstance(group, GVK) else "package"
            return Objection.stating(Flaw.SEVERAL_IN_GROUP, count=count, group=kind, name=str(group))
    return None


def replaced_operators_go(plan: ClaimedPlan) -> Objection | None:
    """Object to an update beside the installed operator that it replaces."""
    for candidate, operator in checked(plan.world.excluded_pairs, every=256):
        if candidate in plan.selected and operator in plan.selected:
            return Objection.stating(Flaw.KEPT_THOUGH_REPLACED, candidate=candidate.name, operator=operator.name)
    return None


def roots_met(plan: ClaimedPlan) -> Objection | None:
    """Object to a subscription or a demand that no bundle serves, and to an operator that must stay and does not."""
    for root in checked(plan.roots):
        if not holds(root, plan.selected):
            return Objection(Flaw.NOT_SERVED)
    return None


def requirements_met(plan: ClaimedPlan) -> Objection | None:
    """Object to a requirement of a selected bundle, or a house rule about one, that is not met."""
    for candidate in checked(plan.selected):
        for wish in wishes_of(plan.world, candidate, plan.semantics):
            if not holds(wish, plan.selected):
                return Objection.stating(Flaw.REQUIREMENT_NOT_MET, candidate=candidate.name)
    return None


def taken_parts_hold(plan: ClaimedPlan) -> Objection | None:
    """Object to a part of a disjunction that was taken and does not hold, whether or not another part does."""
    for part in checked(plan.walk.parts):
        if not holds(part.wish, plan.selected):
            assert part.at is not None
            return Objection.stating(
                Flaw.PART_DOES_NOT_HOLD, part=part.at.path[-1] + 1, candidate=part.at.candidate.name
            )
    return None


RULES: Final[tuple[SolutionRule, ...]] = (
    only_selectable,
    one_per_group,
    replaced_operators_go,
    roots_met,
    requirements_met,
    taken_parts_hold,
)
"""All rules, each of which a plan must keep."""


def holds(wish: Wish, selected: Collection[PlainCandidate]) -> bool:
    """Return whether the complete solution *selected* meets *wish*; ``is_met`` asks it of a partial one."""
    match wish:
        case AnyCandidate():
            return any(candidate in selected for candidate in wish.candidates)
        case NoCandidate():
            return not any(candidate in selected for candidate in wish.candidates)
        case AllParts():
            return all(holds(part, selected) for part in wish.parts)
        case AnyPart():
            return any(holds(part, selected) for part in wish.parts)
        case _:
            assert_never(wish)
