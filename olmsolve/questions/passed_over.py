"""Why something is not in a plan: impossible, with the conflict, or less preferred, with what would select it."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs

from olmsolve.classic import Request, Subscription
from olmsolve.classic.problem import ClassicProblem, Wish
from olmsolve.classic.resolving import plan
from olmsolve.errors import CatalogError, RequestError, VersionError
from olmsolve.explain import Change, Conflict
from olmsolve.explain.changes import ChangeCatalog, ChangeChannel, ChangeStart
from olmsolve.explain.conflicts import Rest
from olmsolve.explain.near_misses import NearMisses, names_like
from olmsolve.explain.tree import conflict
from olmsolve.explain.wording import enumerated, in_order, phrase
from olmsolve.index import Visible
from olmsolve.questions.answered import Answered, answered
from olmsolve.questions.order import order_rule
from olmsolve.resolution import EXISTING, SCHEMA_VERSION, Candidate, Resolution
from olmsolve.semver import Version
from olmsolve.solver import Core, Dependency, Solution, solve
from olmsolve.solver.search import Chosen

__all__ = ["AddSubscription", "Verdict", "WhyNot", "why_not"]

_ASKED: Final = "(what is asked about)"
"""The name of a wish that no cluster has: names of objects hold no spaces."""

_TRIED: Final = 12


class Verdict(enum.Enum):
    """What became of a question "why not"."""

    SELECTED = "selected"
    ABSENT = "absent"
    IMPOSSIBLE = "impossible"
    LESS_PREFERRED = "less-preferred"
    NOT_ASKED_FOR = "not-asked-for"


@attrs.frozen
class AddSubscription:
    """A subscription that the request does not have."""

    subscription: Subscription

    def apply(self, request: Request) -> Request:
        return attrs.evolve(request, subscriptions=[*request.subscriptions, self.subscription])

    def __str__(self) -> str:
        wish = self.subscription
        text = f"create a subscription for package {wish.package}, channel {wish.channel}"
        text += f", catalog {wish.source}/{wish.source_namespace}"
        return f"{text}, with startingCSV {wish.starting_csv}" if wish.starting_csv else text


@attrs.frozen
class WhyNot:
    """Why none of *candidates* is in the plan.

    *reason* is one sentence. IMPOSSIBLE has a *conflict*, the tree of what contradicts it. LESS_PREFERRED and
    NOT_ASKED_FOR have *instead*, what selecting one of them would change: pairs of what is in the plan, if
    anything, and what would be. *change* is the cheapest change that was found after which the request, resolved
    again, selects one; None if none of those tried does.
    """

    verdict: Verdict
    reason: str
    candidates: tuple[Candidate, ...] = ()
    conflict: Conflict | None = None
    instead: tuple[tuple[Candidate | None, Candidate | None], ...] = ()
    change: Change | AddSubscription | None = None

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
    again = answered(resolution, request)
    wanted = _Wanted(package, _parsed(version), channel, catalog)
    numbers = tuple(wanted.found(again.problem))
    if not numbers:
        return WhyNot(Verdict.ABSENT, wanted.absent(again.problem))
    candidates = in_order(map(again.problem.candidate, numbers))
    noun = phrase(candidates, {candidate.version for candidate in candidates})
    selected = [number for number in numbers if number in again.selected]
    if selected:
        name = again.problem.candidate(selected[0])
        return WhyNot(Verdict.SELECTED, f"{name} is in the plan", candidates)
    forced = _Forced(again, numbers, package)
    outcome = forced.solve()
    if not isinstance(outcome, Solution):
        told = forced.told(outcome, noun)
        reason = f"{noun} cannot be selected beside what the request asks for"
        return WhyNot(Verdict.IMPOSSIBLE, reason, candidates, told, (), _cheapest(again, numbers))
    before, after = again.selected, [each for each in outcome.selected if isinstance(each, int)]
    instead = tuple(_instead(again.problem, before, after))
    change = _cheapest(again, numbers)
    less = _less_preferred(again, outcome)
    if less is None:
        reason = f"{noun} could be selected, but nothing asks for it"
        return WhyNot(Verdict.NOT_ASKED_FOR, reason, candidates, None, instead, change)
    reason = f"{noun} could be selected, but is less preferred: {less}"
    return WhyNot(Verdict.LESS_PREFERRED, reason, candidates, None, instead, change)


def _parsed(version: str) -> Version | None:
    if not version:
        return None
    try:
        return Version.parse_tolerant(version)
    except VersionError as error:
        raise RequestError(f"{version!r} is no version: {error.reason}", field="version") from None


@attrs.frozen
class _Wanted:
    package: str
    version: Version | None
    channel: str
    catalog: str

    def found(self, problem: ClassicProblem) -> Iterator[int]:
        """The candidates that are asked about, installed operators included, in order of preference."""
        if not self.channel and self.catalog in ("", EXISTING):
            for place in range(len(problem.installed.names)):
                number = problem.visible.size + place
                if problem.candidate(number).package == self.package and self._fits(problem.candidate(number)):
                    yield number
        for position, source in enumerate(problem.visible.sources):
            if self.catalog not in ("", source.key):
                continue
            index = problem.visible.indexes[position]
            for name in index.channel_names(self.package):
                if self.channel in ("", name):
                    for slot in index.channel(self.package, name).all:
                        number = problem.visible.offsets[position] + slot
                        if self._fits(problem.candidate(number)):
                            yield number

    def _fits(self, candidate: Candidate) -> bool:
        if self.version is None:
            return True
        try:
            return Version.parse_tolerant(candidate.version) == self.version
        except VersionError:
            return False

    def absent(self, problem: ClassicProblem) -> str:
        """What of the question there is not, with what is like it."""
        keys = [source.key for source in problem.visible.sources]
        if self.catalog and self.catalog not in keys:
            return f"there is no visible catalog {self.catalog} (there is {enumerated(keys) or 'none'})"
        sources = [source for source in problem.visible.sources if self.catalog in ("", source.key)]
        where = f"catalog {self.catalog}" if self.catalog else "any visible catalog"
        packages = [
            source.catalog.packages[self.package] for source in sources if self.package in source.catalog.packages
        ]
        if not packages:
            near = names_like(self.package, {name for source in sources for name in source.catalog.packages})
            hint = f" (did you mean {enumerated(near, 'or')}?)" if near else ""
            return f"package {self.package} is not in {where}{hint}"
        channels = sorted({name for package in packages for name in package.channels})
        if self.channel and self.channel not in channels:
            return f"package {self.package} has no channel {self.channel} in {where} (it has {enumerated(channels)})"
        of = f" in channel {self.channel}" if self.channel else ""
        return f"package {self.package} has no version {self.version}{of} of {where}"


class _Forced:
    """The request with one more wish at its end: for one of the candidates that are asked about."""

    def __init__(self, again: Answered, numbers: Sequence[int], package: str) -> None:
        request = again.problem.request
        wish = Subscription(_ASKED, request.namespaces[0], package)
        wished = attrs.evolve(request, subscriptions=[*request.subscriptions, wish])
        self._backend = again.backend
        self._problem = ClassicProblem(wished, again.problem.visible, again.problem.semantics)
        root = Dependency(None, tuple(numbers), Wish(wish, None))
        self._rest = Rest(self._problem, [*self._problem.roots[:-1], root])

    def solve(self) -> Solution | Core:
        """The answer to it."""
        return solve(self._rest, backend=self._backend)

    def told(self, core: Core, noun: str) -> Conflict:
        """The tree of *core*, in which the wish is what was asked about."""
        told = conflict(self._problem, core, 1, NearMisses(self._problem))
        nodes = tuple(
            attrs.evolve(node, statement=f"{noun} is to be selected", places=())
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


def _less_preferred(again: Answered, forced: Solution) -> str | None:
    """The first choice that the two plans make differently, and the rule behind it; None if all are the same."""
    problem = again.problem
    # The forced plan makes one choice more, so choices are told by whose they are and not by their place.
    theirs: dict[object, list[Chosen]] = {}
    for chosen in forced.choices:
        theirs.setdefault(chosen.subject, []).append(chosen)
    for mine in again.solution.choices:
        waiting = theirs.get(mine.subject, ())
        other = next((each for each in waiting if each.origin == mine.origin), None)
        if other is None or mine.selected_before or mine.identifier == other.identifier:
            continue
        if not isinstance(mine.identifier, int) or not isinstance(other.identifier, int):
            return "a compound constraint is met in the way that is written first"
        who = again.wanted_by(mine)
        subject = mine.subject if isinstance(mine.subject, int) else None
        rule = order_rule(problem, mine.identifier, other.identifier, subject)
        one, two = problem.candidate(mine.identifier), problem.candidate(other.identifier)
        return f"for {who}, {one} comes before {two}: {rule}"
    return None


def _cheapest(again: Answered, numbers: Sequence[int]) -> Change | AddSubscription | None:
    """The first change, from the smallest kind on, after which the request selects one of *numbers*."""
    request = again.problem.request
    tried = 0
    for change in sorted(set(_changes(again, numbers)), key=lambda each: (_rank(each), str(each))):
        tried += 1
        if tried > _TRIED:
            break
        wanted = {(each.catalog, each.name) for each in map(again.problem.candidate, numbers)}
        try:
            changed = change.apply(request)
            problem = ClassicProblem(changed, Visible(changed.sources, changed.namespaces), again.problem.semantics)
        except (RequestError, CatalogError):
            continue
        outcome = solve(problem, backend=again.backend)
        if isinstance(outcome, Solution):
            made = plan(problem, outcome)
            if any((each.catalog, each.name) in wanted for each in (*(i.candidate for i in made.installs), *made.kept)):
                return change
    return None


def _rank(change: Change | AddSubscription) -> int:
    return 11 if isinstance(change, AddSubscription) else change.rank


def _changes(again: Answered, numbers: Sequence[int]) -> Iterator[Change | AddSubscription]:
    request = again.problem.request
    for number in numbers[:_TRIED]:
        candidate = again.problem.candidate(number)
        if candidate.catalog == EXISTING:
            continue
        name, _, namespace = candidate.catalog.partition("/")
        wishes = [wish for wish in request.subscriptions if wish.package == candidate.package]
        for wish in wishes:
            yield ChangeStart(wish.name, candidate.name)
            if wish.channel:
                yield ChangeChannel(wish.name, candidate.channel)
            if wish.source:
                yield ChangeCatalog(wish.name, name, namespace)
        if not wishes:
            target = request.namespaces[0]
            new = Subscription(
                _fresh(request, candidate.package), target, candidate.package, candidate.channel, name, namespace
            )
            yield AddSubscription(new)
            yield AddSubscription(attrs.evolve(new, starting_csv=candidate.name))


def _fresh(request: Request, name: str) -> str:
    taken = {wish.name for wish in request.subscriptions}
    while name in taken:
        name += "-2"
    return name
