"""Forged certificates: claims that are false, with the best proof that somebody who knows the checker could give them.

A forger walks the queue of choices as the checker does and takes ways that the definition does not take: parts that
cannot hold, candidates that exclude each other, operators that may not stay. Then it asks the prover itself to refute
what it passes over. In a state that contradicts itself this succeeds for everything. Where it fails, the forger
invents: false facts, facts of another request, steps that do not follow, proofs of another way, nothing at all.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

import attrs

import olmsolve
from olmsolve import CatalogError, Request, RequestError, Resolution, Semantics, Unsatisfiable, certificate
from olmsolve.answers import Refuter
from olmsolve.answers.verification import (
    AnyCandidate,
    AnyPart,
    FailureCertificate,
    Heading,
    PlainCandidate,
    Proposition,
    ProvedRejection,
    QueuedWish,
    Refutation,
    Rejected,
    World,
    catalog_digests,
    holds,
    replay,
    request_digest,
    roots_of,
    written_candidate,
)
from olmsolve.testing import classic_request
from tests.certificates.brute_force import Named
from tests.certificates.trapped_requests import Document, Question, changed

__all__ = ["WAYS", "Forger", "edited", "honest_certificate", "relabelled"]


def relabelled(written: Mapping[str, Any], request: Request, semantics: Semantics) -> Document:
    """Return a certificate with the digests of *request*, as everybody can work them out."""
    world = World(request, semantics)
    heading = Heading("plan", semantics, request_digest(request, world), catalog_digests(world.sources))
    labels = heading.to_dict()
    return {**written, **{field: labels[field] for field in ("semantics", "request", "catalogs")}}


class Forger:
    """The forger of certificates about one *question*; *chance* decides how.

    *document* is the request's, of which the forger makes other requests.
    """

    def __init__(self, document: Document, question: Question, chance: random.Random) -> None:
        self.document, self.question, self.chance = document, question, chance
        self.request, self.semantics = request, semantics = question.request, question.semantics
        self.world = World(request, semantics)
        roots = roots_of(request, self.world)
        self.roots = [root if root is not None else AnyCandidate(()) for root in roots]
        self.prover = Refuter(self.world, semantics, self.roots)
        heading = Heading("plan", semantics, request_digest(request, self.world), catalog_digests(self.world.sources))
        empty = FailureCertificate(heading, Refutation((), ())).to_dict()
        self.heading = {name: value for name, value in empty.items() if name not in ("facts", "steps")}
        self.honest = honest_certificate(request, semantics)
        self._proofs: dict[frozenset[Proposition], Refutation | None] = {}
        self._collected: list[Refutation] = []

    # -- plans

    def worse(self) -> Document | None:
        """Return the walk to a solution that is not preferred, as if what would come first were impossible."""
        return self.towards(self.target(), misleading=0.1)

    def contradictory(self) -> Document | None:
        """Return a walk that takes parts of disjunctions at random, held or not, on the way to some selection."""
        return self.towards(self.target(), misleading=0.9)

    def broken(self) -> Document | None:
        """Return a walk to a selection at random, which breaks some rule in most cases."""
        return self.towards(frozenset(), misleading=0.5)

    def careful(self) -> Document | None:
        """Return a walk that goes wrong once, and from there on takes the first way that cannot be refuted."""
        return self.towards(frozenset(), misleading=0.5, wrong=self.chance.randrange(5))

    def lying(self) -> Document | None:
        """Return the walk to a worse solution, with a false fact in each proof."""
        written = self.worse()
        if written is None:
            return None
        rejected = [
            {**rejection, "facts": [*rejection["facts"], self.false_fact()]} for rejection in written["rejected"]
        ]
        return {**written, "rejected": rejected}

    def target(self) -> frozenset[Named]:
        """Return a solution that is not the preferred one, in some cases with a bundle more or less."""
        preferred = frozenset(self.question.truth.preferred or ())
        others = [solution for solution in self.question.truth.solutions if solution != preferred]
        target = self.chance.choice(others) if others else frozenset[Named]()
        if self.chance.random() < 0.3 and self.world.selectable:
            target ^= {named(self.chance.choice([*self.world.selectable, *self.world.existing]))}
        return target

    def towards(self, target: Collection[Named], *, misleading: float, wrong: int | None = None) -> Document | None:
        """Return the certificate of a walk that takes candidates of *target* where it can.

        Parts of disjunctions are taken at random in a share of *misleading*, else the first part that *target* meets.
        With *wrong*, every choice but this one takes the first way that cannot be refuted. A walk that comes to a
        choice without ways misleads nobody: few of them become certificates.
        """
        for _ in range(8):
            choices, stuck = self.walked(target, misleading, wrong)
            if not stuck:
                return self.written(choices)
        return self.written(choices) if self.chance.random() < 0.05 else None

    def walked(self, target: Collection[Named], misleading: float, wrong: int | None) -> tuple[list[int], bool]:
        """Return the choices of a walk, and whether it came to a choice without ways."""
        choices: list[int] = []
        propositions: list[Proposition] = []
        stuck = False

        def take(number: int, queued: QueuedWish) -> int | None:
            nonlocal stuck
            ways = ways_of(queued)
            if not ways:
                stuck = True
                return None
            way = self.way(queued, ways, target, misleading)
            if wrong is not None and number != wrong:
                way = next((n for n, way_out in enumerate(ways) if self.proof([*propositions, way_out]) is None), way)
            choices.append(way)
            propositions.append(ways[way])
            return way

        replay(self.world, self.semantics, self.roots, take, lambda *_: None)
        return choices, stuck

    def way(self, queued: QueuedWish, ways: Sequence[Proposition], target: Collection[Named], misleading: float) -> int:
        """Return the way to take of a choice."""
        anywhere = self.chance.randrange(len(ways))
        if isinstance(queued.wish, AnyPart):
            if self.chance.random() < misleading:
                return anywhere
            selected = [
                candidate for candidate in [*self.world.selectable, *self.world.existing] if named(candidate) in target
            ]
            return next((n for n, part in enumerate(queued.wish.parts) if holds(part, selected)), anywhere)
        assert isinstance(queued.wish, AnyCandidate)
        targets = (n for n, candidate in enumerate(queued.wish.candidates) if named(candidate) in target)
        return next(targets, 0 if self.chance.random() < 0.5 else anywhere)

    def written(self, choices: Sequence[int]) -> Document:
        """Return the certificate of the walk along *choices*, with a proof of everything that it passes over."""
        rejections: list[Document] = []

        def rejected(way: Rejected, propositions: Collection[Proposition], _: Proposition) -> None:
            proof = self.proof(propositions) or self.invented(propositions)
            if proof is not None:
                rejections.append(ProvedRejection(way, proof).to_dict())

        remaining = iter(choices)
        walk = replay(self.world, self.semantics, self.roots, lambda *_: next(remaining, None), rejected)
        claim = list(map(written_candidate, walk.selected))
        return {**self.heading, "kind": "plan", "selected": claim, "taken": list(choices), "rejected": rejections}

    def other_claim(self, claim: list[list[str]]) -> list[list[str]]:
        """Return another list of candidates than the one that the walk selected."""
        changed = list(claim)
        everything = list(self.world.selectable)
        change = self.chance.randrange(3)
        if changed and change == 0:
            del changed[self.chance.randrange(len(changed))]
        elif changed and change == 1 and everything:
            changed[self.chance.randrange(len(changed))] = written_candidate(self.chance.choice(everything))
        elif everything:
            changed.append(written_candidate(self.chance.choice(everything)))
        return changed

    def miswritten_plan(self) -> Document | None:
        """Return the honest certificate with another claim, or with choices that lead elsewhere."""
        if self.honest is None or self.honest["kind"] != "plan":
            return None
        written = copy.deepcopy(self.honest)
        change = self.chance.randrange(3)
        if change == 0 or not written["taken"]:
            written["selected"] = self.other_claim(written["selected"])
        elif change == 1:
            # A list of choices that ends early, with the claim that it leads to.
            length = self.chance.randrange(len(written["taken"]))
            written["taken"] = written["taken"][:length]
            written["selected"] = written["selected"][:length]
        else:
            position = self.chance.randrange(len(written["taken"]))
            written["taken"][position] = max(0, written["taken"][position] + self.chance.choice((-1, 1)))
            self.walk_again(written)
        return written

    def walk_again(self, written: Document) -> None:
        """Let *written* claim what its choices select, with the proofs that it has."""
        ways_taken = iter(written["taken"])
        walk = replay(
            self.world,
            self.semantics,
            self.roots,
            lambda *_: next(ways_taken, 0),
            lambda way, propositions, refused: None,
        )
        written["selected"] = list(map(written_candidate, walk.selected))
        written["taken"] = [*written["taken"], *[0] * walk.choices][: walk.choices]

    # -- failures

    def false_failure(self) -> Document:
        """Return a refutation of the whole request: the proof of a way that cannot be taken, as if it spoke of all."""
        assumed: dict[Proposition, None] = {}
        for root in self.roots[: self.chance.randrange(len(self.roots) + 1)]:
            if root.candidates:
                assumed[self.chance.choice(root.candidates)] = None
        if self.world.selectable and self.chance.random() < 0.7:
            assumed[self.chance.choice(list(self.world.selectable))] = None
        proof = self.proof(assumed) or self.invented(assumed) or Refutation((), ())
        written = proof.to_dict()
        change = self.chance.randrange(4)
        variables = 2 * len(proof.facts) + 1
        if change == 0:
            # The assumption as steps, which do not follow.
            written["steps"] = [[self.chance.randint(1, variables)] for _ in range(3)] + written["steps"]
        elif change == 1:
            written["steps"] += [self.some_step(variables) for _ in range(self.chance.randrange(4))] + [[]]
        elif change == 2:
            written["facts"] += [self.false_fact() for _ in range(self.chance.randrange(1, 3))]
        return {**self.heading, "kind": "unsatisfiable", **written}

    # -- claims of others

    def of_another_request(self) -> Document | None:
        """Return the honest certificate of a request that is a little different, under the digests of this one."""
        other = copy.deepcopy(self.document)
        for _ in range(self.chance.randrange(1, 3)):
            changed(other, self.chance)
        try:
            written = honest_certificate(classic_request(other), self.semantics)
        except (RequestError, CatalogError):
            return None
        return None if written is None else {**written, **self.labels()}

    def of_other_semantics(self) -> Document | None:
        """Return what is true under the other semantics, as if it were true under these."""
        other = next(semantics for semantics in Semantics if semantics is not self.semantics)
        written = honest_certificate(self.request, other)
        return None if written is None else {**written, **self.labels()}

    def labels(self) -> Document:
        return {field: self.heading[field] for field in ("semantics", "request", "catalogs")}

    def scribbled(self) -> Document | None:
        """Return an honest or forged certificate with changes anywhere in its text, but in its digests."""
        written = self.honest if self.honest is not None and self.chance.random() < 0.6 else self.careful()
        if written is None:
            return None
        scribbled = copy.deepcopy(written)
        for _ in range(self.chance.randrange(1, 4)):
            edited(scribbled, self.chance)
        return {**scribbled, **{field: value for field, value in self.labels().items() if field != "semantics"}}

    # -- proofs

    def proof(self, propositions: Collection[Proposition]) -> Refutation | None:
        """Return a proof that not all *propositions* hold, by the prover of honest certificates; None if they can."""
        key = frozenset(propositions)
        if key not in self._proofs:
            self._proofs[key] = refutation = self.prover.refute(propositions)
            if refutation is not None:
                self._collected.append(refutation)
        return self._proofs[key]

    def invented(self, propositions: Collection[Proposition]) -> Refutation | None:
        """Return a proof that is none, made of what is at hand; None for no proof."""
        change = self.chance.randrange(6)
        if change == 0:
            return None
        if change == 1 and self._collected:
            return self.chance.choice(self._collected)
        facts = tuple(self.chance.sample(self.prover.facts, min(len(self.prover.facts), self.chance.randrange(1, 9))))
        variables = 3 * len(facts)
        if change == 2:
            return Refutation(facts, ())
        if change == 3:
            # The way is impossible because it is said to be: its own negation, then the contradiction.
            return Refutation(facts, (*((-n,) for n in range(1, variables + 1)), ()))
        steps = tuple(tuple(self.some_step(variables)) for _ in range(self.chance.randrange(1, 5)))
        if change == 4:
            return Refutation(facts, (*steps, ()))
        # The proof of more than what is held.
        more = (
            [*propositions, self.chance.choice(list(self.world.selectable))]
            if self.world.selectable
            else list(propositions)
        )
        return self.proof(more)

    def some_step(self, variables: int) -> list[int]:
        size = self.chance.randrange(3)
        return [self.chance.choice((-1, 1)) * self.chance.randint(1, max(1, variables)) for _ in range(size)]

    def false_fact(self) -> Document:
        """Return a fact about candidates that exist, which need not hold."""
        everyone = [*self.world.selectable, *self.world.existing]
        if not everyone:
            return {"wanted": len(self.roots)}
        one, other = (written_candidate(self.chance.choice(everyone)) for _ in range(2))
        apis: list[Any] = [list(api) for candidate in everyone for api in candidate.published.gvks] or [["g", "v", "K"]]
        return self.chance.choice(
            (
                {"never": one},
                {"replaces": one, "operator": other},
                {"onePer": "package", "name": one[1] or one[3], "members": [one, other]},
                {"onePer": "api", "name": self.chance.choice(apis), "members": [one, other]},
                {"onePer": "package", "name": one[1], "members": [one, one]},
                {"requires": one, "wish": self.chance.randrange(3)},
                {"wanted": self.chance.randrange(len(self.roots) + 1)},
            )
        )


WAYS: Final[Mapping[str, tuple[int, Callable[[Forger], Document | None]]]] = {
    "a worse solution": (4, Forger.worse),
    "parts that do not hold": (4, Forger.contradictory),
    "a selection that breaks a rule": (3, Forger.broken),
    "one wrong turn": (3, Forger.careful),
    "false facts": (2, Forger.lying),
    "choices and claim that disagree": (1, Forger.miswritten_plan),
    "a failure that is none": (3, Forger.false_failure),
    "the answer to another request": (3, Forger.of_another_request),
    "the answer under other semantics": (2, Forger.of_other_semantics),
    "changes anywhere": (1, Forger.scribbled),
}
"""The ways to forge, each with how often it is taken."""


def ways_of(queued: QueuedWish) -> Sequence[Proposition]:
    """Return the ways to meet a choice, in their order."""
    if isinstance(queued.wish, AnyCandidate):
        return queued.wish.candidates
    assert isinstance(queued.wish, AnyPart)
    assert queued.at is not None
    at = queued.at
    return [attrs.evolve(at, path=(*at.path, number)) for number in range(len(queued.wish.parts))]


def named(candidate: PlainCandidate) -> Named:
    """Return the names of *candidate*, as a certificate has them."""
    return candidate.catalog, candidate.package, candidate.channel, candidate.name


def honest_certificate(request: Request, semantics: Semantics) -> Document | None:
    """Return the certificate of the answer to *request*, None where it has none."""
    outcome: Resolution | Unsatisfiable
    try:
        outcome = olmsolve.resolve(request, semantics=semantics)
    except Unsatisfiable as failure:
        outcome = failure
    except CatalogError:
        return None
    try:
        return certificate(outcome)
    except RequestError:
        return None


def edited(value: Any, chance: random.Random) -> None:
    """Change something somewhere inside *value*: leave out, repeat, or put something else."""
    while isinstance(value, dict | list) and value:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = chance.choice(list(keys))
        inner = value[key]
        if not isinstance(inner, dict | list) or not inner or chance.random() < 0.3:
            change = chance.randrange(4)
            if change == 0:
                del value[key]
            elif change == 1 and isinstance(value, list):
                value.insert(key, copy.deepcopy(inner))
            elif type(inner) is int:
                value[key] = inner + chance.choice((-1, 1))
            else:
                value[key] = chance.choice((None, [], {}, "x", 0, "documented", "controller", "plan", "unsatisfiable"))
            return
        value = inner
