"""The closed list of constraint kinds, each with the clauses that it stands for.

Identifiers are any hashable values that can be compared with each other (all strings, or all integers). In
the clauses below ``x`` is the variable of identifier *x*: true in a model when *x* is selected. The kind is
the provenance: a core is a tuple of these very objects, so explaining one needs no side table. *origin* is
carried for the caller and never looked at.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Protocol, TypeAlias

import attrs

from olmsolve._frozen import quickly_made

__all__ = [
    "AtMost",
    "Branch",
    "Choice",
    "Constraint",
    "Dependency",
    "Every",
    "Excluded",
    "Exclusion",
    "Exclusive",
    "FirstOf",
    "Formula",
    "GroupName",
    "Identifier",
    "Incompatible",
    "Listed",
    "Mandatory",
    "Prohibited",
    "Tree",
    "candidates_of",
    "choices_of",
]

Identifier: TypeAlias = Hashable

GroupName: TypeAlias = str | tuple[str, ...]
"""The name of an at-most-one group, such as ``("package", "blue")``; the names in one problem can be compared."""


@quickly_made
@attrs.frozen
class Mandatory:
    """*subject* must be selected: ``subject``."""

    subject: Identifier
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} is mandatory"


@quickly_made
@attrs.frozen
class Prohibited:
    """*subject* must not be selected: ``¬subject``."""

    subject: Identifier
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} is prohibited"


@quickly_made
@attrs.frozen
class Dependency:
    """*subject* needs one of *candidates*, most wanted first: ``¬subject ∨ candidate₁ ∨ ... ∨ candidateₙ``.

    Without a subject (None) somebody outside the problem needs one: ``candidate₁ ∨ ... ∨ candidateₙ``. Such
    constraints are roots. With no candidates the subject can never be selected.

    *group* may name an at-most-one group that every candidate belongs to, unless it is prohibited; it says
    nothing new, but lets a search see earlier that two dependencies cannot both be met.
    """

    subject: Identifier | None
    candidates: tuple[Identifier, ...]
    origin: Any = attrs.field(default=None, eq=False)
    group: GroupName | None = attrs.field(default=None, eq=False, repr=False)

    def __str__(self) -> str:
        who = "the request" if self.subject is None else self.subject
        if not self.candidates:
            return f"{who} has a dependency without any candidates to satisfy it"
        return f"{who} requires at least one of {', '.join(map(str, self.candidates))}"


@quickly_made
@attrs.frozen
class Incompatible:
    """*subject* and *other* exclude each other: ``¬subject ∨ ¬other``."""

    subject: Identifier
    other: Identifier
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} conflicts with {self.other}"


@quickly_made
@attrs.frozen
class AtMost:
    """At most *limit* of *identifiers* are selected, whatever else is (a root, or a group named by a core).

    Clauses: a sequential counter ``s(i, k)``, "at least k of the first i are selected":
    ``¬xᵢ ∨ s(i, 1)``; ``¬s(i-1, k) ∨ s(i, k)``; ``¬xᵢ ∨ ¬s(i-1, k-1) ∨ s(i, k)``; ``¬xᵢ ∨ ¬s(i-1, limit)``.
    """

    limit: int
    identifiers: tuple[Identifier, ...]
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"at most {self.limit} of {', '.join(map(str, self.identifiers))}"


@quickly_made
@attrs.frozen
class Exclusive:
    """*subject* belongs to *groups*, of each of which at most one member is selected.

    Membership instead of a list, so that groups can grow while the problem is explored. Clauses, per group
    and for each new member ``x`` of the current chunk (at most four members ``mⱼ``, pairwise), with ``p``
    true when a member of an earlier chunk is: ``¬x ∨ ¬mⱼ``; ``¬x ∨ ¬p``; and when a chunk is full, for a new
    ``p'``: ``¬p ∨ p'``; ``¬mⱼ ∨ p'``.
    """

    subject: Identifier
    groups: tuple[GroupName, ...]

    def __str__(self) -> str:
        return f"{self.subject} is exclusive in {', '.join(map(str, self.groups))}"


class Excluded(Protocol):
    """What an :class:`Exclusion` rules out, known by membership so that it need not be listed."""

    def __contains__(self, identifier: object, /) -> bool:
        """Whether selecting *identifier* would break the exclusion."""
        ...

    def __bool__(self) -> bool:
        """Whether anything at all could break it."""
        ...


@attrs.frozen
class Listed:
    """An :class:`Excluded` that lists its identifiers."""

    identifiers: tuple[Identifier, ...]

    def __contains__(self, identifier: object) -> bool:
        return identifier in self.identifiers

    def __bool__(self) -> bool:
        return bool(self.identifiers)


@attrs.frozen
class Choice:
    """A positive leaf: one of *candidates*, most wanted first: ``¬guard ∨ candidate₁ ∨ ...``."""

    candidates: tuple[Identifier, ...]
    origin: Any = attrs.field(default=None, eq=False)


@attrs.frozen
class Exclusion:
    """A negative leaf: nothing in *excluded* is selected: ``¬guard ∨ ¬x`` for each such ``x`` that is reached."""

    excluded: Excluded = attrs.field(eq=False)
    origin: Any = attrs.field(default=None, eq=False)


@attrs.frozen
class Every:
    """A conjunction: each of *parts* under the same guard."""

    parts: tuple[Tree, ...]


@attrs.frozen(eq=False)
class Branch:
    """One way to meet a disjunction. It is an identifier of its own (by identity): selecting it asserts *tree*."""

    tree: Tree


@attrs.frozen
class FirstOf:
    """A disjunction: the first of *branches* that is consistent: ``¬guard ∨ branch₁ ∨ ...``, each its own guard."""

    branches: tuple[Branch, ...]


Tree: TypeAlias = Choice | Exclusion | Every | FirstOf


def choices_of(tree: Tree) -> Iterator[Choice]:
    """Every choice in *tree*, as written, branches included."""
    if isinstance(tree, Choice):
        yield tree
    elif isinstance(tree, Every):
        for part in tree.parts:
            yield from choices_of(part)
    elif isinstance(tree, FirstOf):
        for branch in tree.branches:
            yield from choices_of(branch.tree)


def candidates_of(tree: Tree) -> Iterator[Identifier]:
    """Every candidate of the choices in *tree*."""
    return (candidate for choice in choices_of(tree) for candidate in choice.candidates)


@attrs.frozen
class Formula:
    """A formula in negation normal form that holds when *subject* is selected; its clauses are those of *tree*."""

    subject: Identifier
    tree: Tree
    origin: Any = attrs.field(default=None, eq=False)

    def __str__(self) -> str:
        return f"{self.subject} requires a formula"


Constraint: TypeAlias = Mandatory | Prohibited | Dependency | Incompatible | AtMost | Exclusive | Formula
