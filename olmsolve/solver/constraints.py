"""The kinds of constraints, each with the clauses that it stands for.

The list is closed, with two ways in. A kind of your own is a subclass of :class:`Formula` that states its tree, or, if
no formula states it, of :class:`Limit`, which says what leaves no room for what. Every engine, encoding and core then
serves it (``tests/solver/test_own_kind.py`` has "at least 2 of" and "from 2 publishers at most"). A kind answers for
itself: :mod:`.stated_constraint` has the questions.

Identifiers are any hashable values that can be compared with each other (all strings, or all integers). In
the clauses below ``x`` is the variable of identifier *x*: true in a model when *x* is selected.

A core is a tuple of the very objects that the problem gave, so an explanation reads the kind and the *origin* of
each and needs no side table. The solver carries *origin* for the caller and never looks at it.

>>> from olmsolve.solver import Dependency, Mandatory, Prohibited, Variables, solve
>>> problem = Variables({"a": [Mandatory("a"), Dependency("a", ("b", "c"))], "b": [Prohibited("b")], "c": []})
>>> solve(problem).selected
('a', 'c')
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._arguments import wrong_type
from olmsolve.solver.formulas import Branch as Branch
from olmsolve.solver.formulas import Choice as Choice
from olmsolve.solver.formulas import Every as Every
from olmsolve.solver.formulas import Excluded as Excluded
from olmsolve.solver.formulas import Exclusion as Exclusion
from olmsolve.solver.formulas import FirstOf as FirstOf
from olmsolve.solver.formulas import GroupName as GroupName
from olmsolve.solver.formulas import Identifier as Identifier
from olmsolve.solver.formulas import Listed as Listed
from olmsolve.solver.formulas import Tree as Tree
from olmsolve.solver.formulas import candidates_of as candidates_of
from olmsolve.solver.formulas import choices_of as choices_of
from olmsolve.solver.formulas import exclusions_of as exclusions_of
from olmsolve.solver.formulas import holds as holds
from olmsolve.solver.formulas import ruled_out as ruled_out
from olmsolve.solver.stated_constraint import Renaming as Renaming
from olmsolve.solver.stated_constraint import StatedConstraint as StatedConstraint

if TYPE_CHECKING:
    from olmsolve.solver.counters import ClauseWriter


@attrs.frozen
class Mandatory(StatedConstraint):
    """A root: *subject* must be selected. Clause: ``subject``."""

    is_root: ClassVar[bool] = True

    subject: Identifier
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} is mandatory"

    @property
    def candidates(self) -> tuple[Identifier, ...]:
        return (self.subject,)

    def choices(self) -> Iterable[Sequence[Identifier]]:
        return (self.candidates,)

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return self.subject not in selected

    def speaks_against(self) -> Iterable[Identifier]:
        return ()

    def renamed(self, names: Renaming) -> Mandatory:
        return Mandatory(names.identifier(self.subject), self.origin)

    def add_clauses(self, writer: ClauseWriter, unless: tuple[int, ...]) -> None:
        writer.add_clause([*unless, writer.variable(self.subject)])


@attrs.frozen
class Prohibited(StatedConstraint):
    """A ban: *subject* must stay out. Clause: ``¬subject``."""

    place: ClassVar[int] = 1

    subject: Identifier
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} is prohibited"

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return self.subject in selected

    def renamed(self, names: Renaming) -> Prohibited:
        return Prohibited(names.identifier(self.subject), self.origin)

    def add_clauses(self, writer: ClauseWriter, unless: tuple[int, ...]) -> None:
        writer.add_clause([*unless, -writer.variable(self.subject)])


@attrs.frozen
class Dependency(StatedConstraint):
    """A choice that *subject* brings: one of *candidates*, the most wanted first.

    Clause: ``¬subject ∨ candidate₁ ∨ ... ∨ candidateₙ``. A dependency whose subject is None is a root, wanted by
    somebody outside the problem; its clause has no ``¬subject``. Without candidates the subject can never be selected.

    *group* may name an at-most-one group to which every candidate belongs, prohibited candidates excepted. It adds
    no meaning: it lets a search see earlier that two dependencies cannot both be met.
    """

    place: ClassVar[int] = 0

    subject: Identifier | None
    candidates: tuple[Identifier, ...]
    origin: Any = attrs.field(default=None, eq=False)
    group: GroupName | None = attrs.field(default=None, eq=False, repr=False)

    def __str__(self) -> str:
        who = "the request" if self.subject is None else self.subject
        if not self.candidates:
            return f"{who} has a dependency without any candidates to satisfy it"
        return f"{who} requires at least one of {', '.join(map(str, self.candidates))}"

    @property
    def is_root(self) -> bool:
        return self.subject is None

    def choices(self) -> Iterable[Sequence[Identifier]]:
        return (self.candidates,)

    def leads_to(self) -> Sequence[Identifier]:
        return self.candidates

    def mentions(self) -> Iterator[Identifier]:
        if self.subject is not None:
            yield self.subject
        yield from self.candidates

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        wanted = self.subject is None or self.subject in selected
        return wanted and selected.isdisjoint(self.candidates)

    def without_group(self) -> Self:
        # Named for speed: each question about a core copies several, and `attrs.evolve` takes ten times as long.
        return type(self)(self.subject, self.candidates, self.origin)

    def renamed(self, names: Renaming) -> Dependency:
        subject = None if self.subject is None else names.identifier(self.subject)
        group = None if self.group is None else names.group(self.group)
        return Dependency(subject, tuple(map(names.identifier, self.candidates)), self.origin, group)

    def add_clauses(self, writer: ClauseWriter, unless: tuple[int, ...]) -> None:
        clause = list(unless)
        if self.subject is not None:
            clause.append(-writer.variable(self.subject))
        clause.extend(map(writer.variable, self.candidates))
        writer.add_clause(clause)


@attrs.frozen
class Incompatible(StatedConstraint):
    """A pair that excludes each other: *subject* and *other*. Clause: ``¬subject ∨ ¬other``."""

    place: ClassVar[int] = 2

    subject: Identifier
    other: Identifier
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} conflicts with {self.other}"

    def mentions(self) -> Iterator[Identifier]:
        yield self.subject
        yield self.other

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return self.subject in selected and self.other in selected

    def relieved_by(self, selected: AbstractSet[Identifier]) -> list[Identifier]:
        return [self.subject, self.other]

    def speaks_against(self) -> Iterable[Identifier]:
        return (self.subject, self.other)

    def renamed(self, names: Renaming) -> Incompatible:
        return Incompatible(names.identifier(self.subject), names.identifier(self.other), self.origin)

    def add_clauses(self, writer: ClauseWriter, unless: tuple[int, ...]) -> None:
        writer.add_clause([*unless, -writer.variable(self.subject), -writer.variable(self.other)])


class Limit(StatedConstraint):
    """A root that forbids too much of *identifiers* together: what may be selected stays allowed if less of it is.

    The base of :class:`AtMost` and of kinds of your own, which state what leaves no room (:meth:`crowd`), their
    clauses (:meth:`add_clauses`) and their copy in a problem with other names (:meth:`renamed`). *origin* is a field.
    """

    __slots__ = ()

    is_root: ClassVar[bool] = True

    @property
    def identifiers(self) -> tuple[Identifier, ...]:
        """The identifiers that count; all others are free."""
        raise NotImplementedError

    def crowd(self, identifier: Identifier, selected: Collection[Identifier], /) -> list[Identifier] | None:
        """Return *selected* identifiers, few, that leave no room for *identifier*; None if there is room."""
        raise NotImplementedError

    def mentions(self) -> Iterator[Identifier]:
        yield from self.identifiers

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return any(i in selected and self.crowd(i, selected - {i}) is not None for i in self.identifiers)

    def relieved_by(self, selected: AbstractSet[Identifier]) -> list[Identifier]:
        return [i for i in self.identifiers if i in selected and not self.broken_by(selected - {i})]

    def speaks_against(self) -> Iterable[Identifier]:
        return self.identifiers

    def renamed(self, names: Renaming) -> Limit:
        raise NotImplementedError


@attrs.frozen
class AtMost(Limit):
    """A limit on *identifiers*: at most *limit* of them are selected. It is a root, or a group that a core names.

    With *weights*, one for each identifier and none below 0, the weights of the selected ones make *limit* at most (a
    pseudo-Boolean constraint). A core then lists the identifiers that its other constraints mention.

    Clauses: a sequential counter (C. Sinz, 2005) with helpers ``s(i, k)``, "at least k of the first i are selected":
    ``¬xᵢ ∨ s(i, 1)``; ``¬s(i-1, k) ∨ s(i, k)``; ``¬xᵢ ∨ ¬s(i-1, k-1) ∨ s(i, k)``; ``¬xᵢ ∨ ¬s(i-1, limit)``. With
    weights, helpers ``r(i, k)``, "the first i leave room for k": ``r(0, limit)``; ``¬r(i-1, k) ∨ r(i, k)``;
    ``¬r(i-1, k) ∨ ¬xᵢ ∨ r(i, k-wᵢ)``, without a helper where k is enough for all that follow, or too little.

    Raises:
        ValueError: there is not one weight for each identifier, or one is below 0; a RequestError if *limit* is no
            whole number.

    >>> from olmsolve.solver import Dependency, Mandatory, Variables, solve
    >>> limit = AtMost(5, ("a", "b", "c"), weights=(3, 4, 2))
    >>> solve(Variables({"a": [Mandatory("a"), limit, Dependency("a", ("b", "c"))], "b": [], "c": []})).selected
    ('a', 'c')
    """

    limit: int
    identifiers: tuple[Identifier, ...]
    origin: Any = attrs.field(default=None, eq=False)
    weights: tuple[int, ...] = ()
    weight_of: Mapping[Identifier, int] = attrs.field(init=False, eq=False, repr=False)
    """The weight of each identifier; 1 where no weights are given."""

    def __attrs_post_init__(self) -> None:
        if type(self.limit) is not int:
            raise wrong_type(self.limit, "a whole number", "limit")
        weights = self.weights or (1,) * len(self.identifiers)
        if len(weights) != len(self.identifiers) or min(weights, default=0) < 0:
            raise ValueError("weights must be one for each identifier, and not below 0")
        weight_of: dict[Identifier, int] = {}
        for identifier, weight in zip(self.identifiers, weights, strict=True):
            weight_of[identifier] = weight_of.get(identifier, 0) + weight
        object.__setattr__(self, "weight_of", weight_of)

    def __str__(self) -> str:
        if self.weights:
            terms = " + ".join(
                f"{weight} {identifier}" for identifier, weight in zip(self.identifiers, self.weights, strict=True)
            )
            return f"{terms} is at most {self.limit}"
        return f"at most {self.limit} of {', '.join(map(str, self.identifiers))}"

    def mentions_in_core(self) -> Iterator[Identifier]:
        return iter(() if self.weights else self.identifiers)

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return self.excess(selected) > 0

    def relieved_by(self, selected: AbstractSet[Identifier]) -> list[Identifier]:
        excess = self.excess(selected)
        return [i for i in self.identifiers if i in selected and self.weight_of[i] >= excess]

    def add_clauses(self, writer: ClauseWriter, unless: tuple[int, ...]) -> None:
        from olmsolve.solver.counters import add_counter, add_sum

        if self.weights:
            add_sum(writer, self, self.weight_of, self.limit, unless)
        else:
            add_counter(writer, self, self.identifiers, self.limit, unless)

    def excess(self, selected: AbstractSet[Identifier]) -> int:
        """Return by how much *selected* identifiers pass the limit; 0 or less where they keep it."""
        return sum(weight for identifier, weight in self.weight_of.items() if identifier in selected) - self.limit

    def crowd(self, identifier: Identifier, selected: Collection[Identifier]) -> list[Identifier] | None:
        """Return *selected* identifiers, few and heavy, that leave no room for *identifier*; None if there is room.

        The weights 4, 3 and 1 are selected, and 2 more pass the limit of 8: the first two are enough to say so.
        """
        weight_of = self.weight_of
        weight = weight_of.get(identifier)
        if weight is None:
            return None
        others = [other for other in selected if other in weight_of and other != identifier]
        room = self.limit - weight
        if sum(map(weight_of.__getitem__, others)) <= room:
            return None
        crowding: list[Identifier] = []
        for other in sorted(others, key=weight_of.__getitem__, reverse=True):
            if room < 0:
                break
            crowding.append(other)
            room -= weight_of[other]
        return crowding

    def narrowed(self, mentioned: Collection[Identifier]) -> AtMost:
        """Return the limit on the identifiers among *mentioned*, where it has weights; else itself."""
        if not self.weights:
            return self
        pairs = [pair for pair in zip(self.identifiers, self.weights, strict=True) if pair[0] in mentioned]
        return AtMost(self.limit, tuple(i for i, _ in pairs), self.origin, tuple(weight for _, weight in pairs))

    def renamed(self, names: Renaming) -> AtMost:
        return AtMost(self.limit, tuple(map(names.identifier, self.identifiers)), self.origin, self.weights)


@attrs.frozen
class Exclusive(StatedConstraint):
    """A membership: *subject* belongs to each of *groups*, and at most one member of a group is selected.

    Each member states its own membership, so that groups can grow while the problem is explored. Clauses, for each
    new member ``x`` of a group: ``¬x ∨ ¬m`` for the members ``m`` of the current chunk (four members at most), and
    ``¬x ∨ ¬p``, where ``p`` is true when a member of an earlier chunk is selected. A full chunk makes a new ``p'``:
    ``¬p ∨ p'``, and ``¬m ∨ p'`` for each ``m`` in it.
    """

    subject: Identifier
    groups: tuple[GroupName, ...]

    def __str__(self) -> str:
        return f"{self.subject} is exclusive in {', '.join(map(str, self.groups))}"

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        """Return False: one membership alone excludes nothing."""
        return False

    def renamed(self, names: Renaming) -> Exclusive:
        return Exclusive(names.identifier(self.subject), tuple(map(names.group, self.groups)))

    def add_clauses(self, writer: ClauseWriter, unless: tuple[int, ...]) -> None:
        for group in self.groups:
            writer.join(group, self.subject, unless)


@attrs.frozen
class Formula(StatedConstraint):
    """A compound requirement of *subject*: *tree* is a formula in negation normal form. Guard: ``¬subject``."""

    place: ClassVar[int] = 3

    subject: Identifier
    tree: Tree
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} requires a formula"

    def choices(self) -> Iterable[Sequence[Identifier]]:
        return (choice.candidates for choice in choices_of(self.tree))

    def exclusions(self) -> Iterable[Exclusion]:
        return exclusions_of(self.tree)

    def leads_to(self) -> Sequence[Identifier]:
        return tuple(candidates_of(self.tree))

    def mentions(self) -> Iterator[Identifier]:
        yield self.subject
        yield from candidates_of(self.tree)

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return self.subject in selected and not holds(self.tree, selected)

    def speaks_against(self) -> Iterable[Identifier]:
        return (self.subject, *ruled_out(self.tree))

    def narrowed(self, mentioned: Collection[Identifier]) -> Formula:
        """Return the formula with exclusions that list the identifiers they rule out among *mentioned*."""

        def listed(leaf: Choice | Exclusion) -> Choice | Exclusion:
            if isinstance(leaf, Choice):
                return leaf
            return Exclusion(
                Listed(tuple(identifier for identifier in mentioned if identifier in leaf.excluded)), leaf.origin
            )

        return attrs.evolve(self, tree=self.tree.with_leaves(listed))

    def renamed(self, names: Renaming) -> Formula:
        def renamed_leaf(leaf: Choice | Exclusion) -> Choice | Exclusion:
            if isinstance(leaf, Choice):
                return Choice(tuple(map(names.identifier, leaf.candidates)), leaf.origin)
            return Exclusion(names.excluded(leaf.excluded), leaf.origin)

        return Formula(names.identifier(self.subject), self.tree.with_leaves(renamed_leaf), self.origin)

    def add_clauses(self, writer: ClauseWriter, unless: tuple[int, ...]) -> None:
        writer.add_tree(self.tree, [*unless, -writer.variable(self.subject)])


Constraint: TypeAlias = Mandatory | Prohibited | Dependency | Incompatible | Limit | Exclusive | Formula
"""Any constraint of a problem."""
