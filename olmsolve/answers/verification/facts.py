"""Facts of a request that a proof may start from, and the clauses that each of them stands for.

A certificate only names facts. Their clauses are worked out here, from the request itself, so no certificate can
start from a false claim. An example, where ``a`` requires the package of ``b`` and ``c``::

    WishHolds(a, 0)                    ->  -a b c      if a is selected, so is b or c
    OnePer("p", (b, c))                ->  at most one of b, c
    IsUnselectable(c)                  ->  -c
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal, TypeAlias, assert_never

import attrs

from olmsolve._records import Record, documented, field, record
from olmsolve.answers.plain_reading import PlainFacts
from olmsolve.answers.verification.wishes import AllParts, AnyCandidate, AnyPart, NoCandidate, Wish, wishes_of
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Semantics
from olmsolve.predicates import GVK


@attrs.frozen
class WishPart:
    """One way to meet a disjunction inside wish *wish* of *candidate*.

    *path* leads to it from the root of the wish, as positions among the parts: ``(1, 0)`` is the first part of the
    second part.
    """

    candidate: PlainCandidate
    wish: int
    path: tuple[int, ...]


Proposition: TypeAlias = PlainCandidate | WishPart
"""The meaning of a variable: the candidate is selected, or the part holds."""


def _path(candidate: PlainCandidate) -> tuple[str, str, str, str]:
    return candidate.path


def _paths(candidates: tuple[PlainCandidate, ...]) -> tuple[tuple[str, str, str, str], ...]:
    return tuple(candidate.path for candidate in candidates)


@record(definition="certificateFact", about="A rule of the request that a refutation may start from.")
class CertifiedFact(Record):
    """A fact of a request; its *kind* is the field of the document that no other fact has.

    Candidates are lists of catalog, package, channel and name, part by part: two candidates could have the same text.
    """

    kind: ClassVar[str]


@record(kind="wanted", about="One candidate of a root of the request is selected.")
class RootHolds(CertifiedFact):
    """One candidate of root *number* of the request is selected."""

    number: int = field("The number of a root.", path="wanted")


@record(kind="requires", about="A requirement of a candidate holds if the candidate is selected.")
class WishHolds(CertifiedFact):
    """Wish *wish* of *candidate*, counted in the order of its properties, holds if the candidate is selected."""

    candidate: PlainCandidate = field("The candidate with the requirement.", path="requires", written=_path)
    wish: int = field("The number of its requirement.")


@record(
    kind="onePer",
    about="At most one bundle of a package, or that provides an API, is selected.",
    layout=("group_kind", "group_name", "members"),
)
class OnePer(CertifiedFact):
    """At most one of *members* is selected: all belong to a package, or provide an API.

    *group* is the name of the package, or the API: a value of three parts, since the text of one can fit another.
    """

    group: str | GVK
    members: tuple[PlainCandidate, ...] = field("The candidates of which at most one is selected.", written=_paths)

    @property
    @documented("Whether the rule is about a package or an API.", path="onePer")
    def group_kind(self) -> Literal["package", "api"]:
        return "api" if isinstance(self.group, GVK) else "package"

    @property
    @documented("The package, or group, version and kind of the API.", path="name")
    def group_name(self) -> str | tuple[str, str, str]:
        group = self.group
        return (group.group, group.version, group.kind) if isinstance(group, GVK) else group


@record(kind="replaces", about="A candidate updates an installed operator, so at most one of the two is selected.")
class Replaces(CertifiedFact):
    """*candidate* updates the installed *operator*, so at most one of the two is selected."""

    candidate: PlainCandidate = field("The update.", path="replaces", written=_path)
    operator: PlainCandidate = field("The installed operator.", written=_path)


@record(kind="never", about="A candidate is never selected.")
class IsUnselectable(CertifiedFact):
    """*candidate* is never selected: it is deprecated, broken, refused by the cluster, or forbidden by a house rule."""

    candidate: PlainCandidate = field("The candidate.", path="never", written=_path)


Fact: TypeAlias = RootHolds | WishHolds | OnePer | Replaces | IsUnselectable


def falsehood(fact: Fact, world: World, semantics: Semantics, roots: int) -> str:
    """Return what is false about *fact* in *world*, where the request has this number of *roots*; "" if it holds."""
    match fact:
        case RootHolds():
            return "" if fact.number < roots else f"the request has no wish number {fact.number}"
        case WishHolds():
            count = len(wishes_of(world, fact.candidate, semantics))
            return "" if fact.wish < count else f"{fact.candidate.name} has no requirement number {fact.wish}"
        case OnePer():
            kind = "API" if isinstance(fact.group, GVK) else "package"
            alike = all(_belongs(member.published, fact.group) for member in fact.members)
            return "" if alike else f"one of the bundles does not have the {kind} {fact.group}"
        case Replaces():
            is_update = world.is_update(fact.candidate, fact.operator)
            return "" if is_update else f"{fact.candidate.name} does not replace {fact.operator.name}"
        case IsUnselectable():
            return f"{fact.candidate.name} can be selected" if fact.candidate.selectable else ""
        case _:
            assert_never(fact)


def _belongs(published: PlainFacts, group: str | GVK) -> bool:
    if isinstance(group, GVK):
        return group in published.gvks
    return any(name == group for name, _ in published.packages)


def groups_of(published: PlainFacts) -> tuple[str | GVK, ...]:
    """Return the packages, by name, and the APIs of which a selection has one bundle at most, each once."""
    return tuple(dict.fromkeys([*(name for name, _ in published.packages), *published.gvks]))


class Clauses:
    """The clauses of the facts added so far.

    ``numbers`` maps each proposition to its variable: 1, 2, ... in the order of first mention, so that a checker that
    adds the same facts in the same order gives the steps of a proof the same meaning. ``clauses`` are disjunctions of
    literals; ``at_most_one`` are sets of variables, kept whole because their pairs would take the square of the space.
    """

    def __init__(self, world: World, semantics: Semantics, roots: Sequence[AnyCandidate]) -> None:
        self._world = world
        self._semantics = semantics
        self._roots = roots
        self.numbers: dict[Proposition, int] = {}
        self.clauses: list[tuple[int, ...]] = []
        self.at_most_one: list[tuple[int, ...]] = []

    def number(self, proposition: Proposition) -> int:
        """Return the variable of *proposition*, a new one at its first mention."""
        return self.numbers.setdefault(proposition, len(self.numbers) + 1)

    def add(self, fact: Fact) -> None:
        """Add the clauses of *fact*, which must hold in the request."""
        match fact:
            case RootHolds():
                self.clauses.append(self._variables(self._roots[fact.number].candidates))
            case WishHolds():
                wish = wishes_of(self._world, fact.candidate, self._semantics)[fact.wish]
                self._add_wish(self.number(fact.candidate), wish, WishPart(fact.candidate, fact.wish, ()))
            case OnePer():
                self.at_most_one.append(self._variables(fact.members))
            case Replaces():
                self.clauses.append((-self.number(fact.candidate), -self.number(fact.operator)))
            case IsUnselectable():
                self.clauses.append((-self.number(fact.candidate),))
            case _:
                assert_never(fact)

    def _variables(self, candidates: Iterable[PlainCandidate]) -> tuple[int, ...]:
        return tuple(map(self.number, candidates))

    def _add_wish(self, guard: int, wish: Wish, at: WishPart) -> None:
        """Add clauses that say: if *guard* is true, *wish* holds. *at* tells where the wish stands.

        Each part of a disjunction gets a variable of its own, which guards the clauses of the part::

            g -> (b or (c and d))    becomes    -g b p    -p c    -p d
        """
        match wish:
            case AnyCandidate():
                self.clauses.append((-guard, *self._variables(wish.candidates)))
            case NoCandidate():
                self.clauses.extend((-guard, -self.number(candidate)) for candidate in wish.candidates)
            case AllParts():
                for position, part in enumerate(wish.parts):
                    self._add_wish(guard, part, attrs.evolve(at, path=(*at.path, position)))
            case AnyPart():
                ways = [attrs.evolve(at, path=(*at.path, position)) for position in range(len(wish.parts))]
                guards = list(map(self.number, ways))
                self.clauses.append((-guard, *guards))
                for inner_guard, part, way in zip(guards, wish.parts, ways, strict=True):
                    self._add_wish(inner_guard, part, way)
            case _:
                assert_never(wish)
