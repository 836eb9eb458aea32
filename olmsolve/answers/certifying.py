"""The verb that certifies a plan or a failure, and the proofs that a certificate holds.

A SAT solver holds all facts at once, each switched on by a variable of its own. An assumption is refuted by solving it
together with all switches; the switches in the solver's core name the facts that a proof needs, which are made fewer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, Literal

from olmsolve import events
from olmsolve._arguments import type_with_article
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve.answers.verification import (
    WORK,
    AllParts,
    AnyCandidate,
    AnyPart,
    Clauses,
    Fact,
    FailureCertificate,
    Heading,
    IsUnselectable,
    OnePer,
    PlainCandidate,
    PlanCertificate,
    Proposition,
    ProvedRejection,
    QueuedWish,
    Refutation,
    Rejected,
    Replaces,
    RootHolds,
    Wish,
    WishHolds,
    Work,
    World,
    assumed_literals,
    catalog_digests,
    groups_of,
    holds,
    refutes,
    replay,
    request_digest,
    roots_of,
    wishes_of,
)
from olmsolve.classic import CatalogsUnreadable, Request, Semantics, Unsatisfiable
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import GVK
from olmsolve.resolution import EXISTING, Resolution
from olmsolve.solver import Budget, Session
from olmsolve.solver.backends import PORTABLE, find

# Dropping facts one by one takes a solver call each: worth it up to this many, beyond it the proof stays as it is.
_SMALL: Final = 80


class Refuter:
    """All facts about the candidates that *roots* reach, each switched on by a variable of its own.

    A clause ``-a b`` of the fact with switch 7 becomes ``-7 -a b``: it binds only while 7 is assumed.
    """

    def __init__(self, world: World, semantics: Semantics, roots: Sequence[AnyCandidate]) -> None:
        self._world = world
        self._semantics = semantics
        self._roots = roots
        self._budget = Budget()
        self._solver = Session(find(PORTABLE), self._budget)
        self._clauses = Clauses(world, semantics, roots)
        reached = self._reached()
        self.facts: list[Fact] = list(self._all_facts(reached))
        """All facts about the candidates that are reached."""
        ends: list[tuple[int, int]] = []
        for fact in checked(self.facts, every=16):
            self._clauses.add(fact)
            ends.append((len(self._clauses.clauses), len(self._clauses.at_most_one)))
        self._first = len(self._clauses.numbers) + 1
        self._last = self._first + len(self.facts) - 1
        # Variables: first the propositions, then a switch for each fact, then helpers of at-most-one constraints.
        self._above = self._last
        clause = group = 0
        for switch, (clauses, groups) in checked(enumerate(ends, start=self._first), every=16):
            for position in range(clause, clauses):
                self._solver.add_clause((-switch, *self._clauses.clauses[position]))
            for position in range(group, groups):
                self._at_most_one(switch, self._clauses.at_most_one[position])
            clause, group = clauses, groups

    def refute(self, assumed: Collection[Proposition]) -> Refutation | None:
        """Return a proof that the *assumed* propositions cannot all hold; None if they can."""
        # A proposition that no fact mentions contradicts nothing.
        numbers = self._clauses.numbers
        literals = [numbers[proposition] for proposition in assumed if proposition in numbers]
        # A solver's core is rarely minimal, but solving again under the core alone often finds a smaller one.
        core = self._core(literals, range(self._first, self._last + 1))
        if core is None:
            return None
        smaller = self._core(literals, core)
        while smaller is not None and len(smaller) < len(core):
            core, smaller = smaller, self._core(literals, smaller)
        if len(core) <= _SMALL:
            for switch in core:
                without = self._core(literals, [constraint for constraint in core if constraint != switch])
                core = core if without is None else without
        return self._proved(assumed, [self.facts[switch - self._first] for switch in core])

    def _core(self, literals: Sequence[int], switches: Iterable[int]) -> list[int] | None:
        """Return some of *switches* that contradict *literals*, ascending; None if all of them do not."""
        if self._solver.solve([*literals, *switches]):
            return None
        return sorted(literal for literal in self._solver.core() if self._first <= literal <= self._last)

    def _proved(self, assumed: Collection[Proposition], facts: Iterable[Fact]) -> Refutation:
        """Return the refutation from *facts*, which contradict *assumed*."""
        facts = self._trimmed(assumed, list(facts))
        clauses = Clauses(self._world, self._semantics, self._roots)
        for fact in checked(facts, every=16):
            clauses.add(fact)
        literals = assumed_literals(clauses, assumed)
        # Mostly plain propagation finds the contradiction, and the proof needs no steps at all.
        if refutes(clauses.clauses, clauses.at_most_one, literals, (), work=Work(WORK)):
            return Refutation(facts, ())
        # The proof's solver takes clauses alone: at most one of three is (-1, -2), (-1, -3), (-2, -3).
        pairs = ((-one, -other) for members in checked(clauses.at_most_one) for one, other in _pairs(members))
        from olmsolve.solver.backends.pysat import learned

        steps = learned([*clauses.clauses, *pairs, *((literal,) for literal in literals)], self._budget)
        assert steps is not None
        return Refutation(facts, tuple(steps))

    def _trimmed(self, assumed: Collection[Proposition], facts: Sequence[Fact]) -> tuple[Fact, ...]:
        """Return *facts* with each :class:`OnePer` narrowed to the candidates that other facts mention.

        A package may have thousands of candidates; a proof is about the few that the other facts could select.
        """
        others = Clauses(self._world, self._semantics, self._roots)
        for proposition in assumed:
            others.number(proposition)
        for fact in facts:
            if not isinstance(fact, OnePer):
                others.add(fact)
        return tuple(
            OnePer(fact.group, tuple(member for member in fact.members if member in others.numbers))
            if isinstance(fact, OnePer)
            else fact
            for fact in facts
        )

    def _at_most_one(self, switch: int, members: Sequence[int]) -> None:
        """Add "at most one of *members*" under *switch*, in clauses that grow with the members, not with their pairs.

        A helper variable for each member says "this one or one before it is selected". For members a, b, c with
        helpers p, q, r the clauses are ``-a p``, ``-b q``, ``-p q``, ``-p -b``, ``-c r``, ``-q r``, ``-q -c``.
        """
        add = self._solver.add_clause
        before = 0
        for member in members:
            self._above += 1
            add((-switch, -member, self._above))
            if before:
                add((-switch, -before, self._above))
                add((-switch, -before, -member))
            before = self._above

    def _reached(self) -> list[PlainCandidate]:
        """Return every candidate that a solution could hold, breadth first."""
        reached: dict[PlainCandidate, None] = {}
        waiting = [candidate for root in self._roots for candidate in root.candidates]
        # The list grows while it is walked, so it is the queue of a breadth-first search.
        for candidate in checked(waiting, every=64):
            if candidate not in reached:
                reached[candidate] = None
                for wish in wishes_of(self._world, candidate, self._semantics):
                    waiting.extend(_chosen_from(wish))
        return list(reached)

    def _all_facts(self, reached: Sequence[PlainCandidate]) -> Iterator[Fact]:
        """Yield every fact about the reached candidates; a group of one member says nothing, and is left out."""
        for number in range(len(self._roots)):
            yield RootHolds(number)
        for candidate in checked(reached, every=64):
            if not candidate.selectable:
                yield IsUnselectable(candidate)
            for position in range(len(wishes_of(self._world, candidate, self._semantics))):
                yield WishHolds(candidate, position)
        members: dict[str | GVK, dict[PlainCandidate, None]] = {}
        for candidate in checked(reached, every=64):
            for group in groups_of(candidate.published):
                members.setdefault(group, {})[candidate] = None
        # By name, so that a certificate does not depend on which candidate was reached first.
        for group, candidates in sorted(members.items(), key=_group_key):
            if len(candidates) > 1:
                yield OnePer(group, tuple(candidates))
        reachable = set(reached)
        for candidate, operator in self._world.excluded_pairs:
            if candidate in reachable and operator in reachable:
                yield Replaces(candidate, operator)


def _group_key(group_and_members: tuple[str | GVK, object]) -> tuple[str, ...]:
    """Return the key that sorts APIs, by their parts, before packages."""
    group = group_and_members[0]
    return ("api", *group) if isinstance(group, GVK) else ("package", group)


def _chosen_from(wish: Wish) -> Iterator[PlainCandidate]:
    match wish:
        case AnyCandidate():
            yield from wish.candidates
        case AllParts() | AnyPart():
            for part in wish.parts:
                yield from _chosen_from(part)


def _pairs(members: Sequence[int]) -> Iterator[tuple[int, int]]:
    for position, one in enumerate(members):
        for other in members[:position]:
            yield one, other


_HINT: Final = "a pickled plan or failure has lost its request: give the request again"


def certificate(
    outcome: Resolution | Unsatisfiable,
    request: Request | None = None,
    *,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> dict[str, Any]:
    """Return the certificate with which :func:`olmsolve.verify` confirms *outcome*: plain JSON data.

    For a plan it says which way each choice took, and refutes every candidate that would have come first. For a failure
    it refutes the request. docs/certificates.md describes the format. *request* is only needed if *outcome* was pickled
    and so lost its own. *timeout*, *conflicts*, *cancel* and *observer* are as in :func:`olmsolve.resolve`.

    Raises:
        RequestError: there is no request, or *outcome* is not its answer, or the failure has no proof: a catalog
            is broken or cannot be read.
        Incomplete: a limit was met, or the caller cancelled.

    Example::

        plan = olmsolve.resolve(request)
        assert olmsolve.verify(olmsolve.certificate(plan), request)
    """
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return _certificate(outcome, request)


def _certificate(outcome: object, request: Request | None) -> dict[str, Any]:
    if isinstance(outcome, CatalogError):
        raise RequestError("a failure that a broken catalog causes has no proof", hint="repair the catalog")
    if not isinstance(outcome, Resolution | Unsatisfiable):
        raise RequestError(
            f"{type_with_article(outcome)} is not an answer to a classic request",
            hint="only answers to classic requests have proofs",
        )
    if isinstance(outcome, Unsatisfiable) and any(isinstance(reason, CatalogsUnreadable) for reason in outcome.core):
        raise RequestError("a failure that unreadable catalogs cause has no proof", field="unreadable")
    context = outcome.context
    if request is None and context is not None:
        request = context.request
    if request is None or context is None:
        raise RequestError("the outcome does not know its request", field="request", hint=_HINT)
    semantics: Semantics = context.semantics
    world = World(request, semantics)
    wanted = roots_of(request, world)
    kind: Literal["plan", "unsatisfiable"] = "unsatisfiable" if isinstance(outcome, Unsatisfiable) else "plan"
    heading = Heading(kind, semantics, request_digest(request, world), catalog_digests(world.sources))
    if None in wanted:
        if kind == "plan":
            raise RequestError("the plan is not one of this request", field="request")
        refutation = Refutation((RootHolds(wanted.index(None)),), ())
        return FailureCertificate(heading, refutation).to_dict()
    roots = [root for root in wanted if root is not None]
    refuter = Refuter(world, semantics, roots)
    if isinstance(outcome, Unsatisfiable):
        proof = refuter.refute(())
        if proof is None:
            raise RequestError("the request can be satisfied", field="request")
        return FailureCertificate(heading, proof).to_dict()
    return _plan(outcome, heading, world, roots, refuter).to_dict()


def _plan(
    outcome: Resolution, heading: Heading, world: World, roots: Sequence[AnyCandidate], refuter: Refuter
) -> PlanCertificate:
    """Return the certificate of a plan: replay the queue, and refute whatever it passes over."""
    chosen = _chosen(outcome, world)
    ways: list[int] = []
    rejections: list[ProvedRejection] = []

    def take(_: int, queued: QueuedWish) -> int | None:
        # Every choice of the preferred plan takes the first way that the plan as a whole meets.
        if isinstance(queued.wish, AnyPart):
            met = (position for position, part in enumerate(queued.wish.parts) if holds(part, chosen))
        else:
            assert isinstance(queued.wish, AnyCandidate)
            met = (position for position, candidate in enumerate(queued.wish.candidates) if candidate in chosen)
        way = next(met, None)
        if way is not None:
            ways.append(way)
        return way

    def rejected(way: Rejected, propositions: Collection[Proposition], _: Proposition) -> None:
        refutation = refuter.refute(propositions)
        if refutation is None:
            raise RequestError("the plan is not the preferred one of this request", field="request")
        rejections.append(ProvedRejection(way, refutation))

    selected = replay(world, heading.semantics, roots, take, rejected).selected
    if set(selected) != chosen:
        raise RequestError("the plan is not one of this request", field="request")
    return PlanCertificate(heading, selected, tuple(ways), tuple(rejections))


def _chosen(outcome: Resolution, world: World) -> set[PlainCandidate]:
    """Return the candidates of the plan, what stays installed included."""
    chosen = {
        world.find(
            candidate.catalog,
            "" if candidate.catalog == EXISTING else candidate.package,
            candidate.channel,
            candidate.name,
        )
        for candidate in outcome.selected
    }
    if None in chosen:
        raise RequestError("the plan is not one of this request", field="request")
    return {candidate for candidate in chosen if candidate is not None}
