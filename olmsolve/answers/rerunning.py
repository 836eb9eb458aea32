"""A plan's request solved once more, with the choices that a plan does not record, and the rules of their order.

It names the rule between two candidates, and the first choice in which two solutions differ. The rules are the
documentation's (docs/semantics.md, "Which plan")."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import olmsolve._attrs as attrs
from olmsolve._records import record
from olmsolve.answers.answer_context import context_of
from olmsolve.answers.wording import TemplatedFact
from olmsolve.classic import AtLeastOne, ClassicProblem, Reason, Request, reason_for
from olmsolve.errors import RequestError
from olmsolve.resolution import EXISTING, Candidate, Resolution, WantedBy
from olmsolve.solver import (
    Chosen,
    Core,
    Identifier,
    Mandatory,
    RestrictedProblem,
    Root,
    Solution,
    solve,
)
from olmsolve.solver.backends import BackendLike


@record(says="{candidate} is selected before it")
class SelectedBefore(Reason):
    """*candidate* was selected before the candidate in question, and stays selected."""

    candidate: Candidate


@attrs.frozen
class Rerun:
    """*problem* with its *solution*, found once more on *backend*."""

    problem: ClassicProblem
    solution: Solution
    backend: BackendLike

    @property
    def selected(self) -> tuple[int, ...]:
        """The selected candidates in order, without the parts of compound requirements."""
        return tuple(identifier for identifier in self.solution.selected if isinstance(identifier, int))

    def choice_of(self, identifier: Identifier) -> Chosen | None:
        """Return the choice that selected *identifier*."""
        for chosen in self.solution.choices:
            if chosen.identifier == identifier and not chosen.selected_before:
                return chosen
        return None

    def candidates(self, chosen: Chosen) -> Sequence[int]:
        """Return the candidates of a choice, most wanted first."""
        lists: list[Sequence[Identifier]]
        if chosen.subject is None:
            # By identity: two subscriptions may wish for the same.
            lists = [root.candidates for root in self.problem.roots if root.origin is chosen.origin]
        else:
            lists = [
                candidates
                for constraint in self.problem.constraints(chosen.subject)
                # Problems are lazy and make constraints anew for each call, so origins are compared by value.
                if constraint.origin == chosen.origin
                for candidates in constraint.choices()
            ]
        listed = next((listing for listing in lists if chosen.identifier in listing), (chosen.identifier,))
        return [identifier for identifier in listed if isinstance(identifier, int)]

    def wanted_by(self, chosen: Chosen) -> WantedBy | None:
        """Return whose choice it was; None for an operator that must stay."""
        origin: Any = chosen.origin
        if chosen.subject is not None:
            bundle = self.problem.candidate(chosen.subject).name
            # A part of a compound requirement is a choice of its own, by the predicate of the part.
            return WantedBy(bundle=bundle, requirement=getattr(origin, "predicate", origin))
        if isinstance(origin, AtLeastOne):
            return WantedBy(house_rule=origin.name)
        wish = getattr(origin, "subscription", None)
        return None if wish is None else WantedBy(subscription=wish.name)

    def reasons_against(self, candidate: int, selected: Sequence[int]) -> tuple[Reason, ...]:
        """Return why *candidate* cannot be selected beside *selected*, a reason for each constraint; none if it can."""
        alone = Mandatory(candidate)
        # Its own requirements are few. Wishes that it could serve may have thousands of candidates, so they come last.
        for roots in ([alone], [*map(Mandatory, selected), alone, *self._unserved({*selected, candidate})]):
            outcome = solve(RestrictedProblem(self.problem, roots), backend=self.backend)
            if isinstance(outcome, Core):
                return tuple(self._reasons(outcome, candidate))
        return ()

    def _unserved(self, selected: Collection[Identifier]) -> Iterable[Root]:
        """Return the wishes of the request that none of *selected* serves."""
        return (
            root for root in self.problem.roots if not any(identifier in selected for identifier in root.candidates)
        )

    def _reasons(self, core: Core, candidate: int) -> Iterable[Reason]:
        """Yield the reasons of *core*; that *candidate* is to be selected goes without saying."""
        unowned = {root.subject for root in self.problem.roots}
        for constraint in core.constraints:
            if isinstance(constraint, Mandatory) and constraint.subject not in unowned:
                if constraint.subject != candidate:
                    yield SelectedBefore(self.problem.candidate(constraint.subject))
            else:
                yield reason_for(self.problem, constraint)


def rerun_of(resolution: Resolution, request: Request | None) -> Rerun:
    """Solve the request of *resolution* once more.

    Raises:
        RequestError: *resolution* is not the answer to its request.
        Incomplete: a limit was met.
    """
    request, context = context_of(resolution, request)
    problem = ClassicProblem.of_request(request, context.semantics, context.visible)
    solution = solve(problem, backend=context.backend)
    if not isinstance(solution, Solution):
        raise RequestError("the plan is not one of this request", field="request")
    rerun = Rerun(problem, solution, context.backend)
    if set(map(problem.candidate, rerun.selected)) != set(resolution.selected):
        raise RequestError("the plan is not one of this request", field="request")
    return rerun


class Order(enum.Enum):
    """The kinds of rules; the values are templates of clauses."""

    HOUSE_RULE = "house rule {rule!r} says {preference}"
    UPDATE = "an update comes before the installed operator"
    INSTALLED = "the installed operator comes first"
    OPERATOR_NAMES = "installed operators are taken by name"
    OWN_CATALOG = "{subject} comes from catalog {first}"
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
    # In the order in which candidates are sorted: the first rule in which the two differ decides.
    preferred = None if problem.ruled is None else problem.ruled.prefers(first, second)
    if preferred is not None:
        return OrderRule.stating(Order.HOUSE_RULE, rule=preferred.name, preference=str(preferred))
    if subject is None and other.catalog == EXISTING:
        return OrderRule.stating(Order.UPDATE)
    if EXISTING in (one.catalog, other.catalog):
        return OrderRule.stating(Order.INSTALLED if one.catalog != other.catalog else Order.OPERATOR_NAMES)
    if one.catalog != other.catalog:
        return _between_catalogs(problem, first, second, subject)
    if one.package == other.package and one.channel == other.channel:
        return OrderRule.stating(Order.HEAD, first=one.channel)
    if _is_default(problem, first) and not _is_default(problem, second):
        return OrderRule.stating(Order.DEFAULT_CHANNEL, first=one.channel, package=one.package)
    if one.package != other.package:
        return OrderRule.stating(Order.PACKAGE_NAMES, first=one.package, second=other.package)
    return OrderRule.stating(Order.CHANNEL_NAMES, first=one.channel, second=other.channel)


def _between_catalogs(problem: ClassicProblem, first: int, second: int, subject: int | None) -> OrderRule:
    """Return the rule between two catalogs: the bundle's own one, the priority, the namespace, the name."""
    visible = problem.visible
    one_position, other_position = (visible.locate(number)[0] for number in (first, second))
    one, other = visible.sources[one_position], visible.sources[other_position]
    if subject is not None and not problem.is_installed(subject) and visible.locate(subject)[0] == one_position:
        return OrderRule.stating(Order.OWN_CATALOG, first=one.key, subject=problem.candidate(subject).name)
    names = {"first": one.key, "second": other.key}
    if one.priority != other.priority:
        return OrderRule.stating(Order.PRIORITIES, **names, first_priority=one.priority, second_priority=other.priority)
    target = problem.request.namespaces[0]
    if target in (one.namespace, other.namespace) and one.namespace != other.namespace:
        return OrderRule.stating(Order.OWN_NAMESPACE, **names)
    return OrderRule.stating(Order.CATALOG_NAMES, **names)


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
            return f"for {self.wanted_by}, the alternative that {self.chosen} meets is written first"
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
