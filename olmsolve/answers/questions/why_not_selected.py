"""Why something is not in a plan: impossible, with the conflict, or less preferred, with what would select it."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs

from olmsolve.answers.explain import Conflict, NearMisses, NodeKind, RestrictedProblem, conflict, in_order, phrase
from olmsolve.answers.questions.bundle_filter import BundleFilter, parsed
from olmsolve.answers.questions.enabling import Enabling, enabling
from olmsolve.answers.questions.order import order_rule
from olmsolve.answers.questions.rerun import Rerun, rerun_of
from olmsolve.classic import ClassicProblem, Request, Subscription, Wish
from olmsolve.resolution import SCHEMA_VERSION, Candidate, Resolution
from olmsolve.solver import Core, Dependency, Solution, solve

__all__ = ["WhyNot", "WhyNotVerdict", "why_not"]

_ASKED: Final = "(what is asked about)"
"""The name of a wish that no cluster has: names of objects hold no spaces."""


class WhyNotVerdict(enum.Enum):
    """What became of a question "why not"."""

    SELECTED = "selected"
    ABSENT = "absent"
    IMPOSSIBLE = "impossible"
    LESS_PREFERRED = "less-preferred"
    NOT_ASKED_FOR = "not-asked-for"


@attrs.frozen
class WhyNot:
    """Why none of *candidates* is in the plan.

    *reason* is one sentence. IMPOSSIBLE has a *conflict*, the tree of what contradicts it. LESS_PREFERRED and
    NOT_ASKED_FOR have *instead*, what selecting one of them would change: pairs of what is in the plan, if
    anything, and what would be. *change* is the smallest of those tried after which the request, resolved again,
    selects one; None if none of them does.
    """

    verdict: WhyNotVerdict
    reason: str
    candidates: tuple[Candidate, ...] = ()
    conflict: Conflict | None = None
    instead: tuple[tuple[Candidate | None, Candidate | None], ...] = ()
    change: Enabling | None = None

    def __str__(self) -> str:
        return self.reason

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; what the fields mean is documented in docs/why.md."""
        return {
            "schema": "olmsolve.why-not",
            "schemaVersion": SCHEMA_VERSION,
            "verdict": self.verdict.value,
            "text": self.reason,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "conflict": self.conflict and self.conflict.to_dict(),
            "instead": [[each and each.to_dict() for each in pair] for pair in self.instead],
            "change": None if self.change is None else str(self.change),
        }


def why_not(
    resolution: Resolution,
    package: str,
    *,
    version: str = "",
    channel: str = "",
    catalog: str = "",
    request: Request | None = None,
) -> WhyNot:
    """Why no bundle of *package* (of this *version*, from this *channel* and *catalog*) is in the plan *resolution*.

    *version* is compared as a version, build metadata aside; *catalog* is ``name/namespace``. What is left empty may
    be any. *request* is only needed where *resolution* has lost its own by pickling.

    Raises:
        RequestError: *version* is no version, or *resolution* is not the plan of its request.
    """
    rerun = rerun_of(resolution, request)
    wanted = BundleFilter(package, parsed(version), channel, catalog)
    numbers = tuple(wanted.found(rerun.problem))
    if not numbers:
        return WhyNot(WhyNotVerdict.ABSENT, wanted.absent(rerun.problem))
    candidates = in_order(map(rerun.problem.candidate, numbers))
    noun = phrase(candidates, {candidate.version for candidate in candidates})
    selected = [number for number in numbers if number in rerun.selected]
    if selected:
        name = rerun.problem.candidate(selected[0])
        return WhyNot(WhyNotVerdict.SELECTED, f"{name} is in the plan", candidates)
    forced = _Forced(rerun, numbers, package)
    outcome = forced.solve()
    if not isinstance(outcome, Solution):
        told = forced.told(outcome, noun)
        hindrance = _no_step(rerun.problem, numbers)
        reason = f"{told.statement}: {hindrance}" if hindrance else told.statement
        return WhyNot(WhyNotVerdict.IMPOSSIBLE, reason, candidates, told, (), enabling(rerun, numbers, outcome))
    before, after = rerun.selected, [each for each in outcome.selected if isinstance(each, int)]
    instead = tuple(_instead(rerun.problem, before, after))
    change = enabling(rerun, numbers)
    less = _less_preferred(rerun, outcome)
    if less is None:
        reason = f"{noun} could be selected, but nothing asks for it"
        return WhyNot(WhyNotVerdict.NOT_ASKED_FOR, reason, candidates, None, instead, change)
    reason = f"{noun} could be selected, but is less preferred: {less}"
    return WhyNot(WhyNotVerdict.LESS_PREFERRED, reason, candidates, None, instead, change)


class _Forced:
    """The request with one more wish at its end: for one of the candidates that are asked about."""

    def __init__(self, rerun: Rerun, numbers: Sequence[int], package: str) -> None:
        request = rerun.problem.request
        wish = Subscription(_ASKED, request.namespaces[0], package)
        wished = attrs.evolve(request, subscriptions=[*request.subscriptions, wish])
        self._backend = rerun.backend
        self._one_of = "one of " if len({rerun.problem.candidate(number).name for number in numbers}) > 1 else ""
        self._problem = ClassicProblem(wished, rerun.problem.visible, rerun.problem.semantics)
        root = Dependency(None, tuple(numbers), Wish(wish, None))
        self._rest = RestrictedProblem(self._problem, [*self._problem.roots[:-1], root])

    def solve(self) -> Solution | Core:
        """The answer to it."""
        return solve(self._rest, backend=self._backend)

    def told(self, core: Core, noun: str) -> Conflict:
        """The tree of *core*, in which the wish is what was asked about."""
        told = conflict(self._problem, core, 1, NearMisses(self._problem))
        nodes = tuple(
            attrs.evolve(node, kind=NodeKind.QUESTION, statement=f"{self._one_of}{noun} is to be selected", places=())
            if node.number in told.roots and _ASKED in node.statement
            else node
            for node in told.nodes
        )
        others = [node.statement for node in nodes if node.number in told.roots and node.places]
        statement = f"{noun} cannot be selected" + (" beside what else is asked for" if others else "")
        return attrs.evolve(told, statement=statement, nodes=nodes)


def _instead(
    problem: ClassicProblem, before: Sequence[int], after: Sequence[int]
) -> Iterator[tuple[Candidate | None, Candidate | None]]:
    """What differs, package by package, in the order of the second plan."""
    old = {problem.candidate(number).package: problem.candidate(number) for number in before}
    new = {problem.candidate(number).package: problem.candidate(number) for number in after}
    for package, candidate in new.items():
        if old.get(package) != candidate:
            yield old.get(package), candidate
    for package, candidate in old.items():
        if package not in new:
            yield candidate, None


def _less_preferred(rerun: Rerun, forced: Solution) -> str | None:
    """The first choice whose bundle the forced plan leaves out, and the rule behind it; None if it leaves out none."""
    problem = rerun.problem
    theirs = set(forced.selected)
    for mine in rerun.solution.choices:
        if mine.selected_before or mine.identifier in theirs:
            continue
        # All that was chosen earlier is in both plans, so the wish is as well, and is met there by something else.
        who = rerun.wanted_by(mine)
        one = problem.candidate(mine.identifier)
        other = next((each for each in rerun.candidates(mine) if each in theirs), None)
        if other is None:
            return f"for {who}, the way that {one} belongs to is written first"
        assert isinstance(mine.identifier, int)
        subject = mine.subject if isinstance(mine.subject, int) else None
        rule = order_rule(problem, mine.identifier, other, subject)
        return f"for {who}, {one} comes before {problem.candidate(other)}: {rule}"
    return None


def _no_step(problem: ClassicProblem, numbers: Sequence[int]) -> str:
    """Why subscriptions for the package cannot come to *numbers* in one step, "" if that is not what hinders them."""
    reasons = {_hindrance(problem, number) for number in numbers}
    return reasons.pop() if len(reasons) == 1 else ""


def _hindrance(problem: ClassicProblem, number: int) -> str:
    if problem.is_installed(number):
        return ""
    candidate = problem.candidate(number)
    owners = problem.request.owners()
    for root in problem.roots:
        wish = getattr(root.origin, "subscription", None)
        if not isinstance(root, Dependency) or wish is None or wish.package != candidate.package:
            continue
        if number in root.candidates or wish.channel not in ("", candidate.channel):
            continue
        if wish.source and f"{wish.source}/{wish.source_namespace}" != candidate.catalog:
            continue
        owned = next((name for name, owner in owners.items() if owner == wish), None)
        if owned == candidate.name:
            return "it is what is installed already"
        if owned is not None:
            return f"it does not update the installed {owned} (it neither replaces nor skips it)"
    _, index, local = problem.visible.locate(number)
    slots = index.channel(candidate.package, candidate.channel)
    if slots.fault < 0 and local not in slots.ordered:
        return f"another entry of channel {candidate.channel} skips it, so only a startingCSV can select it"
    return ""
