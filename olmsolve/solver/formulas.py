"""Formulas: the trees of choices and exclusions that a :class:`~olmsolve.solver.constraints.Formula` states.

A tree is in negation normal form. Also here: the names of what can be selected, and of at-most-one groups.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Protocol, TypeAlias

import olmsolve._attrs as attrs

Identifier: TypeAlias = Hashable
"""The name of something that can be selected: any hashable value, such as a text or a number."""

GroupName: TypeAlias = str | tuple[str, ...]
"""The name of an at-most-one group, such as ``("package", "blue")``; the names in one problem can be compared."""


class Excluded(Protocol):
    """The identifiers that an :class:`Exclusion` rules out: a test on each, because listing them can be costly."""

    def __contains__(self, identifier: object, /) -> bool:
        """Return True if selecting *identifier* would break the exclusion."""
        ...

    def __bool__(self) -> bool:
        """Return False if no identifier of the problem can break the exclusion (it is *idle*)."""
        ...


@attrs.frozen
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
class Branch:
    """One way to meet a disjunction; an identifier of its own, compared by identity. Selecting it asserts *tree*."""

    tree: Tree


@attrs.frozen
class FirstOf(_Formulas):
    """A disjunction: the first of *branches* that is consistent with everything holds.

    Clause: ``¬guard ∨ branch₁ ∨ ...``; each branch guards the clauses of its tree.
    """

    branches: tuple[Branch, ...]

    @property
    def candidates(self) -> tuple[Branch, ...]:
        """The branches: a disjunction is a choice among them."""
        return self.branches

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


def ruled_out(tree: Tree) -> Iterator[Identifier]:
    """Yield the identifiers that *tree*, in a formula of a core, rules out; the exclusions of a core list them."""
    for exclusion in exclusions_of(tree):
        # Outside of a core, an exclusion may know its identifiers only one by one.
        if isinstance(exclusion.excluded, Listed):
            yield from exclusion.excluded.identifiers


def holds(tree: Tree, selected: AbstractSet[Identifier]) -> bool:
    """Return True if *tree* holds where *selected* are selected and nothing else."""
    return tree.judged(lambda leaf: leaf.holds(selected))
