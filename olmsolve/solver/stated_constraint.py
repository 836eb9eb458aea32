"""The questions that searches, cores and encodings ask of a constraint, with the answers that most kinds share.

Whoever reads constraints asks these questions and tests no kind: a kind that is added answers them in its own class.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, ClassVar, Self

from olmsolve._named_tuples import NamedTuple
from olmsolve.solver.formulas import Excluded, Exclusion, GroupName, Identifier

if TYPE_CHECKING:
    from olmsolve.solver.counters import ClauseWriter


class Renaming(NamedTuple):
    """Other names in a problem: functions of an identifier, of a group, and of what an exclusion rules out."""

    identifier: Callable[[Identifier], Identifier]
    group: Callable[[GroupName], GroupName]
    excluded: Callable[[Excluded], Excluded]


class StatedConstraint:
    """The base of all kinds, with the answers of a kind that brings no choice, rules out nothing and is no root."""

    __slots__ = ()

    place: ClassVar[int] = -1
    """The place of the kind among the constraints of a block, which orders the members of cores; -1: no member."""
    subject: Identifier | None = None
    """The identifier whose constraint it is: it holds where that is selected. None: a root without one."""
    origin: Any = None
    """Whatever the caller wants to find in a core; the solver never looks at it."""
    group: GroupName | None = None
    """The at-most-one group to which every candidate belongs, prohibited ones excepted; None if that is unknown."""
    groups: tuple[GroupName, ...] = ()
    """The at-most-one groups that the subject joins."""

    @property
    def is_root(self) -> bool:
        """Whether the constraint holds whatever is selected."""
        return False

    @property
    def candidates(self) -> tuple[Identifier, ...]:
        """The candidates of the constraint if it is a single choice, the most wanted first; else ()."""
        return ()

    def choices(self) -> Iterable[Sequence[Identifier]]:
        """Return the candidates of each choice that the constraint may bring, as written."""
        return ()

    def exclusions(self) -> Iterable[Exclusion]:
        """Return the exclusions that the constraint may bring, as written."""
        return ()

    def leads_to(self) -> Sequence[Identifier]:
        """Return the candidates that selecting the subject may bring, which a walk through the problem follows."""
        return ()

    def mentions(self) -> Iterator[Identifier]:
        """Yield the identifiers that the constraint names, its subject first; exclusions name none."""
        if self.subject is not None:
            yield self.subject

    def mentions_in_core(self) -> Iterator[Identifier]:
        """Yield the identifiers that a core shows for the sake of the constraint, beside those that others mention."""
        return self.mentions()

    def narrowed(self, mentioned: Collection[Identifier], /) -> Self:
        """Return what a core shows of the constraint, where its constraints show *mentioned* identifiers: all of it."""
        return self

    def broken_by(self, selected: AbstractSet[Identifier]) -> bool:
        """Return True if the constraint does not hold where *selected* are selected and nothing else."""
        raise NotImplementedError

    def relieved_by(self, selected: AbstractSet[Identifier]) -> list[Identifier]:
        """Return which of *selected*, which break the constraint, let it hold by going alone."""
        return [self.subject] if self.subject in selected else []

    def speaks_against(self) -> Iterable[Identifier]:
        """Return the identifiers that the constraint, one of a core, can keep out: its clauses negate them."""
        return () if self.subject is None else (self.subject,)

    def without_group(self) -> Self:
        """Return the constraint without its :attr:`group`."""
        return self

    def renamed(self, names: Renaming) -> Self:
        """Return the constraint as a problem with other *names* states it, with the same origin."""
        raise NotImplementedError

    def add_clauses(self, writer: ClauseWriter, unless: tuple[int, ...], /) -> None:
        """Add the clauses of the constraint to *writer*, each with the literals *unless* in front."""
        raise NotImplementedError
