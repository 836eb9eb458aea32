"""The preferred minimal core of a problem without a solution.

A core is made of *members*: a root, the dependencies of one block together, a Prohibited, an Incompatible, a
Formula, an at-most-one group. The problem alone orders them: roots as given; then block after block, as a
breadth-first walk from the roots reaches them (in a block dependencies, prohibitions, incompatible pairs, formulas,
each by identifier); then the groups by name. :mod:`olmsolve.solver.units` writes this order as ranks.

Of all minimal cores, the preferred one has the earliest last member, then the earliest last but one, and so on. It is
the core that QuickXplain (U. Junker, 2004) finds for this order, so it is the same on every backend.

A descent on cores finds it. Let F be the members that are needed for certain, and M any core:

1. Let h be the last member of M outside F. If there is none, M is F, the preferred core.
2. Ask whether F and everything before h can hold together.
3. If so, every core that is left contains h: add h to F. If not, the answer is a core without h: let it be M.

The cores of a backend save questions and cannot change the result. Neither can members that model rotation proves to
be needed, which join F without a question (see :mod:`olmsolve.solver.rotation`), nor a glance, a walk of masked needs
that often shows at once that F and everything before h can hold together (see :mod:`olmsolve.solver.glancing`). Where
h is a group, rotation in sets of bits (:mod:`olmsolve.solver.family_rotation`) finds most needed members and units.
Where many independent cores would be walked down one by one, a leap halves the members before h instead
(:class:`Leaps`). The same descent then reduces the dependencies inside the members that were found.

The deciding engine answers the questions about dense problems, two to four times as fast as a SAT solver, because
families say everything there, and those about problems whose refutation looked at a few candidates alone, twice as
fast. A SAT solver answers the others, most of them in half the engine's time, and starts with the core of the engine's
refutation. The results are the same.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve.errors import BackendError
from olmsolve.solver.backends import PORTABLE
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import Constraint, GroupName
from olmsolve.solver.deciding.core_oracle import DecidingOracle, Patience
from olmsolve.solver.deciding.engine import Engine, GivenUpError
from olmsolve.solver.problem import CachedProblem
from olmsolve.solver.units import BLOCK, GROUP, ROOT, Rank, UnitTable, member_of

if TYPE_CHECKING:
    from olmsolve.solver.backends import Backend

# Members from which on a SAT solver is faster. Nearly all dense problems have far shorter cores.
_LONG: Final = 100
# Conflicts that the questions of a descent may take together, beside two for each conflict of the refutation and one
# for every four of its candidates; then a SAT solver is asked. The engine decides in the order of preference, and some
# problems that it refuted with 20 conflicts take thousands without one of their groups, where a SAT solver needs fewer
# than 20. But that reads the whole problem: 90 s for the core of the hard problem of 100,000 bundles (38 conflicts,
# then 97), which the engine finds in 0.7.
_PATIENCE: Final = 200
_CANDIDATES_PER_CONFLICT: Final = 4
# Up to so many members take less time to glance at one by one than the first witness takes to rotate, because all of
# its candidates then get constraints.
_FEW: Final = 16
# After a refutation that looked at no more candidates, the engine finds the core, dense or not: so it does for most
# recorded failures, in 0.70 of the time of a SAT solver, which first has to be given clauses. With 11 and more, the
# cores of recorded failures over real catalogs take the engine 1.4 to 2.2 times as long.
_MOST_LOOKED_AT: Final = 10
# Most cores are found in fewer steps, and then halving would only add questions.
_STEPS: Final = 6

_Probe: TypeAlias = Callable[[Rank, AbstractSet[Rank]], set[Rank] | None]


def preferred_core(problem: CachedProblem, by: Backend | Engine, budget: Budget) -> tuple[Constraint, ...]:
    """Return the preferred core of *problem*, in the order of its members; groups appear as ``AtMost(1, ...)``.

    *by* makes SAT solvers, or is the deciding engine that has refuted the problem.

    Raises:
        SolvableError: the problem has a solution.
        Incomplete: the budget ran out.
    """
    table = UnitTable(problem, problem.families)
    if isinstance(by, Engine):
        decided = None
        if problem.dense or by.candidates <= _MOST_LOOKED_AT:
            decided = _decided(table, problem, by, budget)
        if decided is None and not problem.dense:
            decided = _from_refutation(table, by, Leaps(problem), budget)
        if decided is not None:
            return table.constraints(decided)
        from olmsolve.solver.backends import find

        by = find(PORTABLE)
    # Imported late: the engine's own questions are enough for most cores.
    from olmsolve.solver.core_oracle import SatOracle
    from olmsolve.solver.family_walk import refuted_members
    from olmsolve.solver.session import Session

    refuted = refuted_members(problem, by, budget) if problem.refuted_roots else ()
    members = _descend(SatOracle(table, Session(by, budget), member_of, None, refuted), Leaps(problem))
    units = _descend(SatOracle(table, Session(by, budget), _itself, _member_in(members), refuted))
    return table.constraints(units)


def _from_refutation(table: UnitTable, engine: Engine, leaps: Leaps, budget: Budget) -> set[Rank]:
    """Return the units of the preferred core of a problem that is not dense: a SAT solver starts with *engine*'s core.

    It keeps its clauses from question to question, and walks answer most questions about the whole problem.
    """
    from olmsolve.solver.backends import IN_TURN
    from olmsolve.solver.core_oracle import SatOracle
    from olmsolve.solver.session import Session

    refutation = DecidingOracle(table, budget, member_of, None)
    core = refutation.adopt(engine) or set()
    blamed = refutation.blamed
    whole = SatOracle(table, Session(IN_TURN, budget), member_of, None, core=core, blamed=blamed)
    members = _descend(whole, leaps, core or None)
    parts = SatOracle(table, Session(IN_TURN, budget), _itself, _member_in(members), core=blamed, blamed=blamed)
    return _descend(parts)


class SolvableError(ValueError):
    """A problem that was to have a core has a solution."""


def checked_core(problem: CachedProblem, backend: Backend, budget: Budget) -> tuple[Constraint, ...]:
    """Return the preferred core of *problem* that *backend* finds, once a solver of ours has refuted it.

    Models are compared with the clauses, so that no constraint is in the core without need; with this check, none is
    missing. Cores have few constraints, even of large problems.

    Raises:
        BackendError: the constraints can hold, or the backend has said both of the problem.
        Incomplete: the budget ran out.
    """
    try:
        core = preferred_core(problem, backend, budget)
    except SolvableError as error:
        raise BackendError(
            backend.name, "answered first that a problem has no solution, then that it has one"
        ) from error
    from olmsolve.solver.backends import prover
    from olmsolve.solver.encoding import Encoding
    from olmsolve.solver.session import Session

    session = Session(prover(backend.name), budget)
    try:
        encoding = Encoding(session.add_clause)
        for constraint in budget.checked(core, every=16):
            encoding.add(constraint)
        if session.solve():
            shown = "; ".join(map(str, core[:3])) or "no constraint at all"
            raise BackendError(
                backend.name, f"answered that these constraints cannot hold together, although they can: {shown}"
            )
    finally:
        session.close()
    return core


class CoreOracle(Protocol):
    """An oracle for the descent: it decides whether units can hold together.

    Units go by *keys*: all units with one key (a unit's rank, or its member's) are on or off together.
    """

    @property
    def needed(self) -> AbstractSet[Rank]:
        """Keys in every core of the units that the last question left on; they need no question of their own."""
        ...

    def conflict(self, last: Rank | None, members: AbstractSet[Rank], /) -> set[Rank] | None:
        """Return keys that cannot hold together, or None if all can.

        The question is about the keys before *last* (None: all keys) and the keys in *members*.
        """
        ...

    def probe(self, last: Rank, members: AbstractSet[Rank], /) -> set[Rank] | None:
        """Return what :meth:`conflict` does, without a search for needed keys: *last* may be any rank."""
        ...

    def close(self) -> None:
        """Free the memory that the oracle holds outside Python."""
        ...


def _itself(unit: Rank) -> Rank:
    return unit


def _descend(
    oracle: CoreOracle,
    leaps: Leaps | None = None,
    core: set[Rank] | None = None,
    members: AbstractSet[Rank] = frozenset(),
) -> set[Rank]:
    """Return the preferred core of the units that *oracle* asks about, as keys.

    Start from *core* if one is given; every core contains the keys in *members*.
    """
    members = set(members)
    try:
        if core is None:
            core = oracle.conflict(None, members)
        if core is None:
            raise SolvableError("the problem has a solution, so it has no core")
        while core - members:
            COLLECTOR_PAUSE.make_up()
            last = max(core - members)
            smaller = oracle.conflict(last, members)
            if smaller is None:
                # Keys that rotation proves to be needed join without a question of their own.
                members |= {last, *oracle.needed}
            elif leaps is None:
                core = smaller
            else:
                core = leaps.follow(smaller, members, oracle.probe)
        return members
    finally:
        oracle.close()


def _decided(table: UnitTable, problem: CachedProblem, engine: Engine, budget: Budget) -> set[Rank] | None:
    """Return the units of the preferred core of *problem*, found with the deciding engine; None if it is too hard.

    A question about the whole problem costs much, one about the members of a core little. So each member is first
    tried on the core alone: if even the core without it is contradictory, the whole problem need not be asked. A
    glance at the whole problem comes before both, since it costs least.

    Both kinds of question walk all that is left for every member, which takes quadratic time on long chains of
    requirements. A SAT solver keeps its clauses from question to question, so it takes the long cores.
    """
    try:
        patience = _PATIENCE + 2 * engine.conflicts + engine.candidates // _CANDIDATES_PER_CONFLICT
        return _decided_with(Patience(patience), table, problem, engine, budget)
    except GivenUpError:
        return None


def _decided_with(
    patience: Patience, table: UnitTable, problem: CachedProblem, engine: Engine, budget: Budget
) -> set[Rank] | None:
    """Return what :func:`_decided` does. Raises GivenUpError when *patience* comes to an end."""
    whole = DecidingOracle(table, budget, member_of, None, patience)
    core = whole.adopt(engine) or whole.conflict(None, frozenset())
    assert core is not None, "the engine has refuted the problem"
    if len(core) > _LONG:
        return None
    blamed, leaps = whole.blamed, Leaps(problem)
    needed: set[Rank] = set()
    while core - needed:
        COLLECTOR_PAUSE.make_up()
        last = max(core - needed)
        if not (glanced := whole.glance(last, needed)):
            # Without a group, the core of a dense problem has no families, and takes ten times as long to refute as the
            # whole problem, where all groups but a few are left on.
            if last[0] != GROUP or not problem.dense:
                alone = DecidingOracle(table, budget, member_of, core, patience)
                if (smaller := alone.conflict(last, needed)) is not None:
                    core, blamed = smaller, alone.blamed
                    continue
            if (smaller := whole.probe(last, needed)) is not None:
                core = leaps.follow(smaller, needed, whole.probe)
                blamed = whole.blamed
                continue
        # The witness breaks the last member alone.
        glanced_singly = _FEW if whole.rotate_families(last, core) or glanced else 0
        if len(core - needed - whole.needed - {last}) > glanced_singly:
            whole.rotate(last, needed)
        needed |= {last, *whole.needed}
    units = DecidingOracle(table, budget, _itself, needed, patience)
    units.blamed = blamed
    return _descend(units, core=blamed, members=whole.needed_units(needed, blamed))


def _member_in(members: AbstractSet[Rank]) -> Callable[[Rank], bool]:
    """Return a test for units of *members*."""
    return lambda unit: member_of(unit) in members


class Leaps:
    """The steps of one descent on the cores of *problem*, and the leaps that replace a long row of them.

    A thousand subscriptions that each lack a provider are a thousand cores. A descent that meets the last of them
    first, and then the last but one, asks a question about the whole problem for each. After a few such steps a leap
    looks for the shortest beginning of the problem that is contradictory, by halving::

        core with the last member (BLOCK, 800); no contradiction is known before (BLOCK, 0)
        before (BLOCK, 400)?  contradictory: the last member of its core is (BLOCK, 399)
        before (BLOCK, 199)?  contradictory: ... and so on, ten questions instead of eight hundred

    A leap saves questions and cannot change the result: each core that it returns ends no later than the one before.
    """

    def __init__(self, problem: CachedProblem) -> None:
        self._problem = problem
        self._steps = 0
        self._groups: list[GroupName] | None = None

    def follow(self, core: set[Rank], members: AbstractSet[Rank], probe: _Probe) -> set[Rank]:
        """Return *core*, or, after several steps, one whose last member outside *members* comes first, or a rank later.

        *probe* returns a core of everything before a rank, together with *members*; None if that can hold together.
        """
        self._steps += 1
        if self._steps < _STEPS:
            return core
        self._steps = 0
        low: Rank = (ROOT, 0)
        while core - members:
            middle = self._between(low, max(core - members))
            if middle is None:
                break
            smaller = probe(middle, members)
            if smaller is None:
                low = middle
            else:
                core = smaller
        return core

    def _between(self, low: Rank, high: Rank) -> Rank | None:
        """Return a rank about halfway from *low* to *high*, excluding both; None if there is none.

        Blocks and roots are halved by number, groups by name.
        """
        kind = high[0]
        if kind == GROUP:
            if low[0] < GROUP:
                # Before this rank are all blocks and no groups.
                return (GROUP,)
            groups = self._sorted_groups()
            first = bisect_right(groups, low[1]) if len(low) > 1 else 0
            between = bisect_left(groups, high[1]) - first
            return (GROUP, groups[first + between // 2]) if between > 0 else None
        begin = low[1] if low[0] == kind else 0
        middle = (begin + high[1]) // 2
        return (kind, middle) if middle > begin or (kind == BLOCK and low[0] < BLOCK) else None

    def _sorted_groups(self) -> list[GroupName]:
        if self._groups is None:
            self._groups = sorted(self._problem.met_groups())
        return self._groups
