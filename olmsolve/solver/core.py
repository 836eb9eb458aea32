"""The preferred minimal core of a problem without a solution.

A core is made of *members*: a root, the dependencies of one block together, a Prohibited, a Incompatible, a
Formula, an at-most-one group. Members are ordered by the problem alone: roots as given; then block after
block in the order in which a breadth-first walk from the roots reaches them (the dependencies first, then
what is prohibited, conflicts, formulas, by identifier); then the at-most-one groups by name. Of all minimal
cores the one is taken whose last member comes earliest, then its last but one, and so on: the core that
QuickXplain (U. Junker, 2004) finds for this order. So it is the same on every backend.

It is found by descending on cores. With F the members known to be in it and M any core: let h be the last
member of M outside F. If F and everything before h can be met, every core within reach needs h, and it joins
F; otherwise the solver's answer is a core without h, and becomes M. When M is F, it is the one. A backend's
cores save solves and cannot change the result; nor can members that are known to be needed without being asked
about, which join F at once (see :mod:`olmsolve.solver.deciding.rotation`). The same descent then
reduces the dependencies inside the members that were found.

Whether members can hold together is asked of the deciding engine, or of a SAT solver by name; the answers are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final, Protocol

from olmsolve.solver.backends import PORTABLE
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Constraint
from olmsolve.solver.deciding.engine import Engine
from olmsolve.solver.deciding.finding import DecidingFinder
from olmsolve.solver.finding import Finder
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.session import Session
from olmsolve.solver.units import Rank, UnitTable, member

__all__ = ["preferred_core"]

# Members from which on a SAT solver is faster: by far more than dense problems have, whose cores are short.
_LONG: Final = 100


def preferred_core(problem: CachedProblem, by: str | Engine, budget: Budget) -> tuple[Constraint, ...]:
    """The core described above, in the order of its members; groups appear as ``AtMost(1, ...)``.

    The problem must be unsatisfiable. It is found with the SAT solver named *by*, or by the deciding engine that
    has refuted the problem. Raises Incomplete when the budget runs out.
    """
    reader = UnitTable(problem, problem.families)
    if isinstance(by, Engine):
        decided = _decided(reader, by, budget)
        if decided is not None:
            return reader.constraints(decided)
        by = PORTABLE
    members = _descend(Finder(reader, Session(by, budget), member, lambda _: True))
    units = _descend(Finder(reader, Session(by, budget), _same, lambda unit: member(unit) in members))
    return reader.constraints(units)


class _Finds(Protocol):
    """Tells whether units can hold together."""

    @property
    def needed(self) -> AbstractSet[Rank]:
        """Keys of which it is known that every core has them that the last question left."""
        ...

    def conflict(self, last: Rank | None, found: AbstractSet[Rank], /) -> set[Rank] | None:
        """Keys among those before *last* (None: all) and *found* that cannot hold together; None if all of them can."""
        ...

    def close(self) -> None: ...


def _same(unit: Rank) -> Rank:
    return unit


def _descend(finder: _Finds, core: set[Rank] | None = None) -> set[Rank]:
    """The preferred core, as keys, of the units that *finder* knows; *core* is one, if one is known."""
    found: set[Rank] = set()
    try:
        if core is None:
            core = finder.conflict(None, found)
        if core is None:
            raise ValueError("the problem has a solution, so it has no core")
        while core - found:
            last = max(core - found)
            smaller = finder.conflict(last, found)
            if smaller is None:
                found |= {last, *finder.needed}
            else:
                core = smaller
        return found
    finally:
        finder.close()


def _decided(reader: UnitTable, engine: Engine, budget: Budget) -> set[Rank] | None:
    """The units of the preferred core, with the help of the deciding engine; None for a core that is too long for it.

    A question about the whole problem costs much, one about a core little. So before the whole problem is asked
    whether it needs a member, the core is. Either walks everything that is left once a member, which long chains of
    requirements make quadratic; a SAT solver keeps what it has been told.
    """
    whole = DecidingFinder(reader, budget, member, None)
    core = whole.adopt(engine)
    if core is not None and len(core) > _LONG:
        return None
    blamed = whole.blamed
    found: set[Rank] = set()
    while core is not None and core - found:
        last = max(core - found)
        for finder in (DecidingFinder(reader, budget, member, _belonging(core)), whole):
            smaller = finder.conflict(last, found)
            if smaller is not None:
                core, blamed = smaller, finder.blamed
                break
        else:
            found |= {last, *whole.needed}
    units = DecidingFinder(reader, budget, _same, _belonging(found))
    units.blamed = blamed
    return _descend(units, blamed)


def _belonging(members: AbstractSet[Rank]) -> Callable[[Rank], bool]:
    return lambda unit: member(unit) in members
