"""The kinds of constraints, each with the clauses that it stands for.

The list is closed, with one way in: a kind of your own is a subclass of :class:`Formula` that states its tree, and
every engine, encoding and core then serves it (``tests/solver/test_own_kind.py`` has "at least 2 of"). A kind answers
for itself: which identifiers it *mentions*, what it *leads to*, whether selections break it (*broken_by*), what it is
in a problem with other names (*renamed*), and what of it a core shows (*narrowed*).

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

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import attrs

from olmsolve._frozen import quickly_made, shared_methods, shared_repr

Identifier: TypeAlias = Hashable
"""The name of something that can be selected: any hashable value, such as a text or a number."""

GroupName: TypeAlias = str | tuple[str, ...]
"""The name of an at-most-one group, such as ``("package", "blue")``; the names in one problem can be compared."""


class Renaming(NamedTuple):
    """Other names in a problem: functions of an identifier, of a group, and of what an exclusion rules out."""

    identifier: Callable[[Identifier], Identifier]
    group: Callable[[GroupName], GroupName]
    excluded: Callable[[Excluded], Excluded]


class StatedConstraint:
    """The base of all kinds, with the answers of a kind that leads nowhere and is no member of cores."""

    __slots__ = ()

    place: ClassVar[int] = -1
    """The place of the kind among the constraints of a block, which orders the members of cores; -1: no member."""

    def leads_to(self) -> Sequence[Identifier]:
        """Return the candidates that selecting the subject may bring, which a walk through the problem follows."""
        return ()

    def mentions(self) -> Iterator[Identifier]:
        """Yield the identifiers that the constraint names, its subject first; exclusions name none."""
        raise NotImplementedError

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        """Return True if the constraint does not hold where *selected* are selected and nothing else."""
        raise NotImplementedError

    def renamed(self, names: Renaming) -> Constraint:
        """Return the constraint as a problem with other *names* states it, with the same origin."""
        raise NotImplementedError


@quickly_made
@attrs.frozen
@shared_methods
class Mandatory(StatedConstraint):
    """A root: *subject* must be selected. Clause: ``subject``."""

    subject: Identifier
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} is mandatory"

    def mentions(self) -> Iterator[Identifier]:
        yield self.subject

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return self.subject not in selected

    def renamed(self, names: Renaming) -> Mandatory:
        return Mandatory(names.identifier(self.subject), self.origin)


@quickly_made
@attrs.frozen
@shared_methods
class Prohibited(StatedConstraint):
    """A ban: *subject* must stay out. Clause: ``¬subject``."""

    place: ClassVar[int] = 1

    subject: Identifier
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} is prohibited"

    def mentions(self) -> Iterator[Identifier]:
        yield self.subject

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return self.subject in selected

    def renamed(self, names: Renaming) -> Prohibited:
        return Prohibited(names.identifier(self.subject), self.origin)


@quickly_made
@attrs.frozen
@shared_methods
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

    def leads_to(self) -> Sequence[Identifier]:
        return self.candidates

    def mentions(self) -> Iterator[Identifier]:
        if self.subject is not None:
            yield self.subject
        yield from self.candidates

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        wanted = self.subject is None or self.subject in selected
        return wanted and selected.isdisjoint(self.candidates)

    def renamed(self, names: Renaming) -> Dependency:
        subject = None if self.subject is None else names.identifier(self.subject)
        group = None if self.group is None else names.group(self.group)
        return Dependency(subject, tuple(map(names.identifier, self.candidates)), self.origin, group)


@quickly_made
@attrs.frozen
@shared_methods
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

    def renamed(self, names: Renaming) -> Incompatible:
        return Incompatible(names.identifier(self.subject), names.identifier(self.other), self.origin)


@quickly_made
@attrs.frozen
@shared_methods
class AtMost(StatedConstraint):
    """A limit on *identifiers*: at most *limit* of them are selected. It is a root, or a group that a core names.

    Clauses: a sequential counter (C. Sinz, 2005) with helpers ``s(i, k)``, "at least k of the first i are selected":
    ``¬xᵢ ∨ s(i, 1)``; ``¬s(i-1, k) ∨ s(i, k)``; ``¬xᵢ ∨ ¬s(i-1, k-1) ∨ s(i, k)``; ``¬xᵢ ∨ ¬s(i-1, limit)``.
    """

    limit: int
    identifiers: tuple[Identifier, ...]
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"at most {self.limit} of {', '.join(map(str, self.identifiers))}"

    def mentions(self) -> Iterator[Identifier]:
        yield from self.identifiers

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return sum(identifier in selected for identifier in self.identifiers) > self.limit

    def renamed(self, names: Renaming) -> AtMost:
        return AtMost(self.limit, tuple(map(names.identifier, self.identifiers)), self.origin)


@quickly_made
@attrs.frozen
@shared_methods
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

    def mentions(self) -> Iterator[Identifier]:
        yield self.subject

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        """Return False: one membership alone excludes nothing."""
        return False

    def renamed(self, names: Renaming) -> Exclusive:
        return Exclusive(names.identifier(self.subject), tuple(map(names.group, self.groups)))


class Excluded(Protocol):
    """The identifiers that an :class:`Exclusion` rules out: a test on each, because listing them can be costly."""

    def __contains__(self, identifier: object, /) -> bool:
        """Return True if selecting *identifier* would break the exclusion."""
        ...

    def __bool__(self) -> bool:
        """Return False if no identifier of the problem can break the exclusion (it is *idle*)."""
        ...


@attrs.frozen
@shared_methods
class Listed:
    """An :class:`Excluded` that lists its identifiers; cores hold these."""

    identifiers: tuple[Identifier, ...]

    def __contains__(self, identifier: object) -> bool:
        return identifier in self.identifiers

    def __bool__(self) -> bool:
        return bool(self.identifiers)


class _Formulas:
    """The base of conjunctions and disjunctions, which ask the formulas below them."""

    __slots__ = ()

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The formulas directly below."""
        raise NotImplementedError

    def leaves(self) -> Iterator[Choice | Exclusion]:
        """Yield the choices and exclusions as written, branches included."""
        for tree in self.trees:
            yield from tree.leaves()


@attrs.frozen
@shared_methods
class Choice:
    """A positive leaf: one of *candidates*, the most wanted first. Clause: ``¬guard ∨ candidate₁ ∨ ...``."""

    candidates: tuple[Identifier, ...]
    origin: Any = attrs.field(default=None, eq=False)

    def leaves(self) -> Iterator[Choice | Exclusion]:
        yield self

    def judged(self, judge: LeafTest) -> bool:
        return judge(self)

    def with_leaves(self, change: LeafChange) -> Tree:
        return change(self)

    def holds(self, selected: AbstractSet[Identifier]) -> bool:
        """Return True if one of the candidates is *selected*."""
        return not selected.isdisjoint(self.candidates)


@attrs.frozen
@shared_methods
class Exclusion:
    """A negative leaf: nothing in *excluded* is selected. Clause, for each ``x`` in it: ``¬guard ∨ ¬x``."""

    excluded: Excluded = attrs.field(eq=False)
    origin: Any = attrs.field(default=None, eq=False)

    def leaves(self) -> Iterator[Choice | Exclusion]:
        yield self

    def judged(self, judge: LeafTest) -> bool:
        return judge(self)

    def with_leaves(self, change: LeafChange) -> Tree:
        return change(self)

    def holds(self, selected: AbstractSet[Identifier]) -> bool:
        """Return True if nothing that is excluded is *selected*."""
        return not any(identifier in self.excluded for identifier in selected)


@attrs.frozen
@shared_methods
class Every(_Formulas):
    """A conjunction: all *parts* hold, each under the guard of the whole."""

    parts: tuple[Tree, ...]

    @property
    def trees(self) -> tuple[Tree, ...]:
        return self.parts

    def judged(self, judge: LeafTest) -> bool:
        return all(part.judged(judge) for part in self.parts)

    def with_leaves(self, change: LeafChange) -> Tree:
        return Every(tuple(part.with_leaves(change) for part in self.parts))


@attrs.frozen(eq=False)
@shared_repr
class Branch:
    """One way to meet a disjunction; an identifier of its own, compared by identity. Selecting it asserts *tree*."""

    tree: Tree


@attrs.frozen
@shared_methods
class FirstOf(_Formulas):
    """A disjunction: the first of *branches* that is consistent with everything holds.

    Clause: ``¬guard ∨ branch₁ ∨ ...``; each branch guards the clauses of its tree.
    """

    branches: tuple[Branch, ...]

    @property
    def trees(self) -> tuple[Tree, ...]:
        return tuple(branch.tree for branch in self.branches)

    def judged(self, judge: LeafTest) -> bool:
        return any(branch.tree.judged(judge) for branch in self.branches)

    def with_leaves(self, change: LeafChange) -> Tree:
        return FirstOf(tuple(Branch(branch.tree.with_leaves(change)) for branch in self.branches))


Tree: TypeAlias = Choice | Exclusion | Every | FirstOf
"""A formula in negation normal form: choices and exclusions are its leaves.

``tree.leaves()`` are these, ``tree.judged(test)`` says whether it holds where *test* judges its leaves, and
``tree.with_leaves(change)`` is a copy with other leaves, whose branches are new ones.
"""
LeafTest: TypeAlias = Callable[[Choice | Exclusion], bool]
LeafChange: TypeAlias = Callable[[Choice | Exclusion], Choice | Exclusion]


def choices_of(tree: Tree) -> Iterator[Choice]:
    """Yield every choice in *tree* as written, branches included."""
    return (leaf for leaf in tree.leaves() if isinstance(leaf, Choice))


def exclusions_of(tree: Tree) -> Iterator[Exclusion]:
    """Yield every exclusion in *tree* as written, branches included."""
    return (leaf for leaf in tree.leaves() if isinstance(leaf, Exclusion))


def candidates_of(tree: Tree) -> Iterator[Identifier]:
    """Yield every candidate of the choices in *tree*."""
    return (candidate for choice in choices_of(tree) for candidate in choice.candidates)


def holds(tree: Tree, selected: AbstractSet[Identifier]) -> bool:
    """Return True if *tree* holds where *selected* are selected and nothing else."""
    return tree.judged(lambda leaf: leaf.holds(selected))


@attrs.frozen
@shared_methods
class Formula(StatedConstraint):
    """A compound requirement of *subject*: *tree* is a formula in negation normal form. Guard: ``¬subject``."""

    place: ClassVar[int] = 3

    subject: Identifier
    tree: Tree
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} requires a formula"

    def leads_to(self) -> Sequence[Identifier]:
        return tuple(candidates_of(self.tree))

    def mentions(self) -> Iterator[Identifier]:
        yield self.subject
        yield from candidates_of(self.tree)

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        return self.subject in selected and not holds(self.tree, selected)

    def narrowed(self, mentioned: Collection[Identifier]) -> Formula:
        """Return the formula with exclusions that list the identifiers they rule out among *mentioned*."""

        def listed(leaf: Choice | Exclusion) -> Choice | Exclusion:
            if isinstance(leaf, Choice):
                return leaf
            return Exclusion(Listed(tuple(each for each in mentioned if each in leaf.excluded)), leaf.origin)

        return attrs.evolve(self, tree=self.tree.with_leaves(listed))

    def renamed(self, names: Renaming) -> Formula:
        def renamed_leaf(leaf: Choice | Exclusion) -> Choice | Exclusion:
            if isinstance(leaf, Choice):
                return Choice(tuple(map(names.identifier, leaf.candidates)), leaf.origin)
            return Exclusion(names.excluded(leaf.excluded), leaf.origin)

        return Formula(names.identifier(self.subject), self.tree.with_leaves(renamed_leaf), self.origin)


Constraint: TypeAlias = Mandatory | Prohibited | Dependency | Incompatible | AtMost | Exclusive | Formula
"""Any constraint of a problem."""
