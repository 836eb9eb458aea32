"""Facts of a request that a proof may start from, the wishes that they name, and the clauses that each stands for.

A wish is a condition that a root or a selected candidate puts on the set of selected candidates, as a small tree. A
requirement "an API or, without package x, package y" becomes::

    AnyPart((AnyCandidate(providers), AllParts((NoCandidate(bundles of x), AnyCandidate(bundles of y)))))

A certificate only names facts. Their clauses are worked out here, from the request itself, so no certificate can
start from a false claim. An example, where ``a`` requires the package of ``b`` and ``c``::

    WishHolds(a, 0)                    ->  -a b c      if a is selected, so is b or c
    OnePer("p", (b, c))                ->  at most one of b, c
    IsUnselectable(c)                  ->  -c
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import ClassVar, Literal, TypeAlias, assert_never

import attrs

from olmsolve._records import Record, documented, field, record
from olmsolve.answers.plain_reading import BundleTest, PartsTest, PlainFacts
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Semantics
from olmsolve.predicates import GVK


@attrs.frozen(eq=False)
class AnyCandidate:
    """One of *candidates* must be selected: the first that can be."""

    candidates: tuple[PlainCandidate, ...]


@attrs.frozen(eq=False)
class NoCandidate:
    """None of *listed*, all that could match, may be selected; *exempt* is the candidate whose wish it is.

    A house rule lists the same bundles for each candidate that it speaks of, and keeps none from itself. So all share
    one list: 10,000 candidates with 10,000 others each would else take a gigabyte.
    """

    listed: tuple[PlainCandidate, ...]
    exempt: PlainCandidate | None = None

    @property
    def candidates(self) -> Iterable[PlainCandidate]:
        """The candidates that may not be selected."""
        if self.exempt is None:
            return self.listed
        return (candidate for candidate in self.listed if candidate is not self.exempt)


@attrs.frozen(eq=False)
class AllParts:
    """Every one of *parts* must hold."""

    parts: tuple[Wish, ...]


@attrs.frozen(eq=False)
class AnyPart:
    """At least one of *parts* must hold: the first that can."""

    parts: tuple[Wish, ...]


Wish: TypeAlias = AnyCandidate | NoCandidate | AllParts | AnyPart


def wishes_of(world: World, candidate: PlainCandidate, semantics: Semantics) -> tuple[Wish, ...]:
    """Return a wish for each requirement of *candidate*, in the order of its properties, then one for each house rule.

    The rules that want something else not beside it ask for the same under both semantics.
    """
    # A NoCandidate lists selectable candidates. They only grow in number, so a smaller number means an outdated list.
    key = candidate, semantics, len(world.selectable)
    wishes: tuple[Wish, ...] | None = world.remembered.get(key)
    if wishes is None:
        apart = (NoCandidate(others, candidate) for others in world.kept_from(candidate))
        wishes = world.remembered[key] = (*_wishes_of(world, candidate, semantics), *apart)
    return wishes


def _wishes_of(world: World, candidate: PlainCandidate, semantics: Semantics) -> tuple[Wish, ...]:
    predicates = [requirement.predicate for requirement in candidate.requirements]
    # The shipped controller asks a single bundle to meet a compound requirement; documented semantics take it apart.
    if semantics is Semantics.CONTROLLER:
        return tuple(AnyCandidate(world.meeting([predicate], candidate.catalog)) for predicate in predicates)
    return tuple(_documented(world, candidate.catalog, _unfolded(predicate)) for predicate in predicates)


@attrs.frozen
class _Form:
    """A requirement with negations at its leaves: *some* or *no* bundle meets a *leaf*, *all* or *any* parts hold."""

    kind: Literal["some", "no", "all", "any"]
    leaf: BundleTest | None = None
    parts: tuple[_Form, ...] = ()


def _unfolded(test: BundleTest, *, negated: bool = False) -> _Form:
    """Return the form of *test*: "not" asks for the negation of all its parts, and negated, "all" becomes "any".

    A part with the kind of the whole gives its parts, and a whole with one part is this part.
    """
    if not isinstance(test, PartsTest):
        return _Form("no" if negated else "some", test)
    # "is not" of two truth values is exclusive or: a "not" inside of a "not" asks for its parts as they are.
    parts = [_unfolded(part, negated=negated is not (test.kind == "not")) for part in test.parts]
    kind: Literal["all", "any"] = "any" if (test.kind == "any") is not negated else "all"
    flat_parts = [inner for part in parts for inner in (part.parts if part.kind == kind else (part,))]
    return flat_parts[0] if len(flat_parts) == 1 else _Form(kind, parts=tuple(flat_parts))


def _documented(world: World, catalog: str, form: _Form) -> Wish:
    """Return the wish that a requirement is under documented semantics: each part met by some bundle."""
    if form.leaf is not None:
        return (
            AnyCandidate(world.meeting([form.leaf], catalog))
            if form.kind == "some"
            else NoCandidate(world.excluded_by(form.leaf))
        )
    # Alternatives that are plain tests are one choice, in the order of candidates and not of writing.
    if form.kind == "any" and all(part.kind == "some" for part in form.parts):
        return AnyCandidate(world.meeting([part.leaf for part in form.parts if part.leaf is not None], catalog))
    wishes = tuple(_documented(world, catalog, part) for part in form.parts)
    return AllParts(wishes) if form.kind == "all" else AnyPart(wishes)


def is_met(wish: Wish, selected: Collection[PlainCandidate]) -> bool:
    """Return whether the candidates *selected* so far meet *wish*, so that the queue passes over it."""
    match wish:
        case AnyCandidate():
            return any(candidate in selected for candidate in wish.candidates)
        case NoCandidate():
            return not any(True for _ in wish.candidates)
        case AllParts():
            return all(is_met(part, selected) for part in wish.parts)
        case AnyPart():
            return any(is_met(part, selected) for part in wish.parts)
        case _:
            assert_never(wish)


def flat(wishes: Iterable[Wish]) -> Iterator[Wish]:
    """Yield *wishes* as they join the queue: a conjunction joins part by part."""
    for wish in wishes:
        if isinstance(wish, AllParts):
            yield from flat(wish.parts)
        else:
            yield wish


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
        """Add clauses that say: if *guard* is true, *wish* holds. *at* is the position of the wish.

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
