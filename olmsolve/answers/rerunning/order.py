"""The rules of the order of candidates, by the documentation (docs/semantics.md, "Which plan")."""

from __future__ import annotations

import enum

import attrs

from olmsolve.answers.rerunning.rerun import Rerun
from olmsolve.answers.wording import TemplatedFact
from olmsolve.classic import ClassicProblem
from olmsolve.resolution import EXISTING, Candidate, WantedBy
from olmsolve.solver import Solution


class Order(enum.Enum):
    """The kinds of rules; the values are templates of clauses."""

    HOUSE_RULE = "house rule {rule!r} says {preference}"
    UPDATE = "an update comes before staying"
    INSTALLED = "the installed operator comes first"
    OPERATOR_NAMES = "installed operators are taken by name"
    OWN_CATALOG = "catalog {first} is the one that {subject} comes from"
    PRIORITIES = "catalog {first} has priority {first_priority}, {second} has {second_priority}"
    OWN_NAMESPACE = "catalog {first} is in the namespace itself, {second} is not"
    CATALOG_NAMES = "catalog {first} comes before {second} by name"
    DEFAULT_CHANNEL = "{first} is the default channel of package {package}"
    PACKAGE_NAMES = "package {first} comes before {second} by name"
    CHANNEL_NAMES = "channel {first} comes before {second} by name"
    HEAD = "it is nearer to the head of channel {first}"


class OrderRule(TemplatedFact[Order]):
    """The rule that puts one candidate before another, about the names and numbers that it compares."""


def order_rule(problem: ClassicProblem, first: int, second: int, subject: int | None) -> OrderRule:
    """Return the rule that puts *first* before *second* among the candidates of a choice.

    *subject* is the bundle whose requirement makes the choice, None for a subscription.
    """
    one, other = problem.candidate(first), problem.candidate(second)
    preferred = None if problem.ruled is None else problem.ruled.prefers(first, second)
    if preferred is not None:
        return OrderRule.of(Order.HOUSE_RULE, rule=preferred.name, preference=str(preferred))
    if subject is None and other.catalog == EXISTING:
        return OrderRule.of(Order.UPDATE)
    if EXISTING in (one.catalog, other.catalog):
        return OrderRule.of(Order.INSTALLED if one.catalog != other.catalog else Order.OPERATOR_NAMES)
    if one.catalog != other.catalog:
        return _between_catalogs(problem, first, second, subject)
    if one.package == other.package and one.channel == other.channel:
        return OrderRule.of(Order.HEAD, first=one.channel)
    if _is_default(problem, first) and not _is_default(problem, second):
        return OrderRule.of(Order.DEFAULT_CHANNEL, first=one.channel, package=one.package)
    if one.package != other.package:
        return OrderRule.of(Order.PACKAGE_NAMES, first=one.package, second=other.package)
    return OrderRule.of(Order.CHANNEL_NAMES, first=one.channel, second=other.channel)


def _between_catalogs(problem: ClassicProblem, first: int, second: int, subject: int | None) -> OrderRule:
    """Return the rule between two catalogs: the bundle's own one, the priority, the namespace, the name."""
    visible = problem.visible
    one_position, other_position = (visible.locate(number)[0] for number in (first, second))
    one, other = visible.sources[one_position], visible.sources[other_position]
    if subject is not None and not problem.is_installed(subject) and visible.locate(subject)[0] == one_position:
        return OrderRule.of(Order.OWN_CATALOG, first=one.key, subject=problem.candidate(subject).name)
    names = {"first": one.key, "second": other.key}
    if one.priority != other.priority:
        return OrderRule.of(Order.PRIORITIES, **names, first_priority=one.priority, second_priority=other.priority)
    target = problem.request.namespaces[0]
    if target in (one.namespace, other.namespace) and one.namespace != other.namespace:
        return OrderRule.of(Order.OWN_NAMESPACE, **names)
    return OrderRule.of(Order.CATALOG_NAMES, **names)


def _is_default(problem: ClassicProblem, number: int) -> bool:
    """Return whether the candidate is in the default channel of its package."""
    _, index, slot = problem.visible.locate(number)
    return index.in_default_channel(slot)


@attrs.frozen
class Preference:
    """The first choice that would have to be made differently: for *wanted_by*, *chosen* comes before *other*.

    *rule* is the rule of the order that puts it first. *other* is None if the choice is between the alternatives of a
    compound requirement.
    """

    wanted_by: WantedBy | None
    chosen: Candidate
    other: Candidate | None
    rule: OrderRule | None

    def __str__(self) -> str:
        if self.other is None:
            return f"for {self.wanted_by}, the way that {self.chosen} belongs to is written first"
        return f"for {self.wanted_by}, {self.chosen} comes before {self.other}: {self.rule}"


def preference_of(rerun: Rerun, forced: Solution) -> Preference | None:
    """Return the first choice of the plan that the forced plan makes differently; None if it makes all alike."""
    problem = rerun.problem
    forced_selected = set(forced.selected)
    for chosen in rerun.solution.choices:
        if chosen.selected_before or chosen.identifier in forced_selected:
            continue
        # All earlier choices agree, so the forced plan has this wish too, and meets it with another candidate.
        wanted_by = rerun.wanted_by(chosen)
        one = problem.candidate(chosen.identifier)
        other = next((candidate for candidate in rerun.candidates(chosen) if candidate in forced_selected), None)
        if other is None:
            return Preference(wanted_by, one, None, None)
        assert isinstance(chosen.identifier, int)
        subject = chosen.subject if isinstance(chosen.subject, int) else None
        rule = order_rule(problem, chosen.identifier, other, subject)
        return Preference(wanted_by, one, problem.candidate(other), rule)
    return None
