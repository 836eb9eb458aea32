"""Objections: the reasons why a certificate proves nothing."""

from __future__ import annotations

import enum

from olmsolve.answers.wording import TemplatedFact


class Flaw(enum.Enum):
    """The kinds of objections; the values are templates of clauses."""

    OTHER_REQUEST = (
        "it is about another request: other namespaces, priorities, subscriptions, operators, house rules or system"
        " constraints; certify the answer again"
    )
    OTHER_CATALOGS = "it is about other catalogs: {differing}; certify the answer again"
    OTHER_CONTENT = "it is about another content of {catalogs}; certify the answer again"
    OTHER_SEMANTICS = "it is about {named} semantics, and {wanted} semantics were asked for"
    UNREADABLE = "nothing is resolved while {catalogs} cannot be read"
    NO_ORDER = "{operators} are of one package, and the controller, which has no order between them, resolves nothing"
    TOO_MUCH_WORK = "checking it would take too long"
    NO_CONTRADICTION = "its steps do not lead to a contradiction"
    TOO_FEW_CHOICES = "it ends before choice {choice}"
    TOO_MANY_CHOICES = "it names {count} choices, and only {choices} are to be made"
    UNASKED_PROOF = "it refutes way {way} of choice {choice}, which no choice passes over"
    NO_SUCH_WAY = "choice {choice} has no way {way}"
    NO_PROOF = "choice {choice} passes over {candidate} without a proof"
    WRONG_PROOF = "the proof that choice {choice} passes over {candidate} does not hold"
    OTHER_CHOICES = "its choices do not select what it says"
    NEVER_SELECTED = "{candidate} can never be selected"
    SEVERAL_IN_GROUP = "{count} of the selected bundles have the {group} {name}"
    KEPT_THOUGH_REPLACED = "{candidate} replaces {operator}, which is kept"
    NOT_SERVED = "a subscription or a demand is not served, or an operator that must stay is not kept"
    PART_DOES_NOT_HOLD = "part {part} of a requirement of {candidate} is taken and does not hold"
    REQUIREMENT_NOT_MET = "a requirement of {candidate}, or a house rule about it, is not met"


class Objection(TemplatedFact[Flaw]):
    """A flaw by which a certificate proves nothing: its kind, and the choices (from 1), ways (from 0) and bundles."""
