"""The reasons why a bundle is not in a plan: impossible, with the conflict, or less preferred."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

import olmsolve._attrs as attrs
from olmsolve._arguments import must_be
from olmsolve._records import Record, field, record
from olmsolve.answers.bundle_filter import Absence, filter_of, parse_version
from olmsolve.answers.explain import Conflict, NearMisses, QuestionRoot, conflict_tree
from olmsolve.answers.held_back import AfterUpdates, HeldBackBundle, HeldBackOperator, held_back
from olmsolve.answers.questions.enabling import Enabling, enabling, plan_with
from olmsolve.answers.rerunning import Preference, Rerun, preference_of, rerun_of
from olmsolve.answers.resting import followed
from olmsolve.answers.wording import Phrase, bundles_phrase, sorted_candidates
from olmsolve.classic import ClassicProblem, Request
from olmsolve.resolution import HINDRANCES, Candidate, Resolution
from olmsolve.semver import reading_by
from olmsolve.solver import Core, Dependency, RestrictedProblem, Solution, solve

_PLANS: Final = 20
"""The most plans that are followed to see whether updates lead there."""


class WhyNotVerdict(enum.Enum):
    """The answer to a question "why not", in a word."""

    SELECTED = "selected"
    LATER = "later"
    ABSENT = "absent"
    IMPOSSIBLE = "impossible"
    LESS_PREFERRED = "less-preferred"
    NOT_ASKED_FOR = "not-asked-for"


@attrs.frozen
class UpdateObstacle:
    """The reason why a subscription cannot come to a bundle in one step.

    *name* is the installed operator (INSTALLED: it is the bundle itself; NO_EDGE: the bundle does not update it), or
    the channel in which another entry skips the bundle (SKIPPED).
    """

    kind: Literal["installed", "no-edge", "skipped"]
    name: str

    def __str__(self) -> str:
        if self.kind == "installed":
            return "it is installed already"
        if self.kind == "no-edge":
            return f"it does not update the installed {self.name} (it neither replaces nor skips it)"
        return f"another entry of channel {self.name} skips it, so no update leads to it"


def _change_text(change: Enabling | None) -> str | None:
    return None if change is None else str(change)


@record(
    definition="olmsolve.why-not",
    title="Why something is not in a plan",
    about="docs/why.md gives the meaning of the fields.",
    text="The answer in one sentence.",
    layout=("verdict", "text", "candidates", "conflict", "instead", "change", "plans", "newer"),
    added={"hindrances": HINDRANCES},
)
class WhyNot(Record):
    """The reasons why none of *candidates*, which *phrase* names, is in the plan; *reason* says it in one sentence.

    *because* is the selected candidate (SELECTED), the updates before it (LATER: nothing has to change), the name that
    does not exist (ABSENT), what keeps updates from coming to it, if that is all (IMPOSSIBLE), or the choice that
    prefers another (LESS_PREFERRED).

    IMPOSSIBLE has a *conflict*, the tree of the facts that contradict it. LESS_PREFERRED and NOT_ASKED_FOR have
    *instead*, the changes that selecting a candidate would bring: pairs of a bundle in the plan and its successor, None
    for a bundle that is added or left out. *change* is the smallest of the changes tried after which the request,
    resolved again, selects a candidate; None if none of them does. *plans* is the number of the plan that has it, if
    each is carried out before the next. SELECTED has the *newer* bundles of the package that its subscription does not
    get, unless the question names a version.
    """

    verdict: WhyNotVerdict = field("In one word, why it is not in the plan.")
    candidates: tuple[Candidate, ...] = field("The candidates that the question is about.", default=())
    phrase: Phrase | None = None
    because: Candidate | AfterUpdates | UpdateObstacle | Preference | Absence | None = None
    conflict: Conflict | None = field("Why the candidate is impossible.", default=None)
    instead: tuple[tuple[Candidate | None, Candidate | None], ...] = field(
        "Pairs of what a plan has now and would have with the candidate; null for nothing.", default=()
    )
    change: Enabling | None = field(
        "A change of the request after which it would be selected.", default=None, written=_change_text
    )
    newer: tuple[HeldBackBundle, ...] = field(
        "The candidates as bundles that are held back.", path="heldBack", default=()
    )
    unplanned: bool = field(
        "Whether it is selected but OLM writes no install plan for it now; the hindrances say why.",
        default=False,
        empty="absent",
    )
    plans: int = field(
        "The number of the plan that selects the candidate, counted from the next one, where updates or the change"
        " lead there.",
        default=1,
        schema={"minimum": 1},
    )

    @property
    def reason(self) -> str:
        """The answer in one sentence, without a full stop."""
        match self.verdict:
            case WhyNotVerdict.SELECTED:
                if self.unplanned:
                    return f"{self.because} would be selected, but OLM writes no install plan for it now"
                return f"{self.because} is in the plan"
            case WhyNotVerdict.LATER:
                return f"{self.phrase} is not in this plan, but {self.because}"
            case WhyNotVerdict.IMPOSSIBLE:
                return f"{self.conflict}: {self.because}" if self.because else str(self.conflict)
            case WhyNotVerdict.NOT_ASKED_FOR:
                return f"{self.phrase} could be selected, but nothing asks for it"
            case WhyNotVerdict.LESS_PREFERRED:
                return f"{self.phrase} could be selected, but is less preferred: {self.because}"
            case _:
                return str(self.because)

    def __str__(self) -> str:
        return self.reason


def why_not(
    resolution: Resolution,
    package: str,
    *,
    version: str = "",
    channel: str = "",
    catalog: str = "",
    request: Request | None = None,
) -> WhyNot:
    """Say why *resolution* has no bundle of *package* (of this *version*, from this *channel* and *catalog*).

    *package* may be the name of a bundle, and then the question is only about that bundle. *version* is compared as a
    version, build metadata aside; *catalog* is ``namespace/name``; "" stands for any. *request* is only needed if
    *resolution* was pickled and so lost its own.

    Raises:
        RequestError: *version* is not a version, or *resolution* is not the plan of its request.

    Example::

        answer = olmsolve.why_not(plan, "keyring", version="1.0.1")
        print(answer.verdict.value, answer.reason, answer.change)
    """
    must_be(package, "str", "package")
    rerun = rerun_of(resolution, request)
    scheme = rerun.problem.visible.scheme
    bundle_filter = filter_of(rerun.problem, package, parse_version(version, scheme), channel, catalog)
    package = bundle_filter.package
    numbers = tuple(bundle_filter.matches(rerun.problem))
    if not numbers:
        return WhyNot(WhyNotVerdict.ABSENT, because=bundle_filter.absence(rerun.problem))
    with reading_by(scheme):
        candidates = sorted_candidates(map(rerun.problem.candidate, numbers))
        phrase = bundles_phrase(candidates, {candidate.version for candidate in candidates})
    selected = [number for number in numbers if number in rerun.selected]
    if selected:
        because = rerun.problem.candidate(selected[0])
        newer = () if version or bundle_filter.bundle else _newer_than(because, held_back(resolution, request=request))
        return WhyNot(WhyNotVerdict.SELECTED, candidates, phrase, because, newer=newer)
    problem = rerun.problem
    following = followed(problem.request, resolution, semantics=problem.semantics, backend=rerun.backend, most=_PLANS)
    count = plan_with(following, candidates)
    operators = map(problem.candidate, range(problem.visible.size, problem.visible.size + len(problem.installed.names)))
    if count is not None and any(operator.package == package for operator in operators):
        # Automatic updates get there, so changes to the request would do harm for nothing.
        updates = AfterUpdates(tuple(_step(plan, package) for plan in following.plans[: count - 1]))
        return WhyNot(WhyNotVerdict.LATER, candidates, phrase, updates, plans=count)
    # The request with one more wish, for one of the candidates: its plan, or its core, is the answer.
    root = Dependency(None, numbers, QuestionRoot(phrase))
    outcome = solve(RestrictedProblem(rerun.problem, [*rerun.problem.roots, root]), backend=rerun.backend)
    if not isinstance(outcome, Solution):
        return _impossible(rerun, numbers, candidates, phrase, outcome, strict=following.is_sound)
    before, after = rerun.selected, [other for other in outcome.selected if isinstance(other, int)]
    instead = tuple(_instead(rerun.problem, before, after))
    preference = preference_of(rerun, outcome)
    verdict = WhyNotVerdict.NOT_ASKED_FOR if preference is None else WhyNotVerdict.LESS_PREFERRED
    change, plans = enabling(rerun, numbers, strict=following.is_sound) or (None, 1)
    return WhyNot(verdict, candidates, phrase, preference, None, instead, change, plans=plans)


def _step(plan: Resolution, package: str) -> str:
    """Return the first bundle of *package* that *plan* installs; without one, the first that it installs at all."""
    names = {install.package: install.name for install in reversed(plan.installs)}
    return names.get(package, plan.installs[0].name)


def _newer_than(candidate: Candidate, operators: Iterable[HeldBackOperator]) -> tuple[HeldBackBundle, ...]:
    """Return what is held back from the subscription that has *candidate*."""
    return next((operator.newer for operator in operators if operator.candidate == candidate), ())


def _impossible(
    rerun: Rerun,
    numbers: Sequence[int],
    candidates: tuple[Candidate, ...],
    phrase: Phrase,
    core: Core,
    *,
    strict: bool,
) -> WhyNot:
    """Return the answer about candidates that *core* forbids."""
    near_misses = NearMisses(rerun.problem)
    conflict = conflict_tree(rerun.problem, core, 1, lambda: near_misses)
    # An obstacle is worth a word only if it is the same for all candidates.
    obstacles = {_obstacle(rerun.problem, number) for number in numbers}
    obstacle = obstacles.pop() if len(obstacles) == 1 else None
    change, plans = enabling(rerun, numbers, core, strict=strict) or (None, 1)
    return WhyNot(WhyNotVerdict.IMPOSSIBLE, candidates, phrase, obstacle, conflict, change=change, plans=plans)


def _instead(
    problem: ClassicProblem, before: Sequence[int], after: Sequence[int]
) -> Iterator[tuple[Candidate | None, Candidate | None]]:
    """Yield the differences of two plans package by package, in the order of the second one."""
    old = {problem.candidate(number).package: problem.candidate(number) for number in before}
    new = {problem.candidate(number).package: problem.candidate(number) for number in after}
    for package, candidate in new.items():
        if old.get(package) != candidate:
            yield old.get(package), candidate
    for package, candidate in old.items():
        if package not in new:
            yield candidate, None


def _obstacle(problem: ClassicProblem, number: int) -> UpdateObstacle | None:
    """Return what keeps the subscriptions for a package from coming to its bundle *number*; None if nothing does."""
    if problem.is_installed(number):
        return None
    candidate = problem.candidate(number)
    owners = problem.request.owners()
    for root in problem.roots:
        wish = getattr(root.origin, "subscription", None)
        if wish is None or wish.package != candidate.package:
            continue
        if number in root.candidates or wish.channel not in ("", candidate.channel):
            continue
        if wish.source and wish.catalog != candidate.catalog:
            continue
        owned = next((name for name, owner in owners.items() if owner == wish), None)
        if owned is not None:
            return UpdateObstacle("installed" if owned == candidate.name else "no-edge", owned)
    _, index, slot = problem.visible.locate(number)
    slots = index.channel(candidate.package, candidate.channel)
    if slots.fault < 0 and slot not in slots.ordered:
        return UpdateObstacle("skipped", candidate.channel)
    return None
