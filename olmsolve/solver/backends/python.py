"""A SAT solver in plain Python: the reference that the others are compared with, and the fallback.

Conflict-driven clause learning as in MiniSat (N. Eén, N. Sörensson, 2003), reduced to the parts that answers need:
two watched literals, first-UIP learning, non-chronological backtracking, assumptions with a core, a static order
of decisions with phases. It neither restarts nor deletes clauses. :class:`TurningSolver` begins with it, and turns to
python-sat where a problem is larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final


class PythonSolver:
    """The backend named "python".

    Inside, literals are *codes*, which index lists: ``v`` is ``2v`` and ``-v`` is ``2v + 1``. So ``code ^ 1`` is the
    negated literal and ``code >> 1`` the variable: literal -3 is code 7, its negation 6, its variable 3.
    """

    name = "python"

    def __init__(self) -> None:
        self._watches: list[list[list[int]]] = []
        self._values: list[int] = []  # by code: 1 true, -1 false, 0 open
        self._levels: list[int] = []
        self._reasons: list[list[int] | None] = []
        self._phases: list[bool] = []
        self._trail: list[int] = []
        self._marks: list[int] = []  # length of the trail at each decision
        self._head = 0
        self._consistent = True
        self._model: list[int] = []
        self._core: list[int] = []

    def add_clause(self, literals: Sequence[int]) -> None:
        """Require one of *literals*."""
        self._backtrack(0)
        clause: dict[int, None] = {}
        for literal in literals:
            code = self._code(literal)
            if self._values[code] == 1 or code ^ 1 in clause:
                return
            if self._values[code] == 0:
                clause[code] = None
        if not clause:
            self._consistent = False
            return
        self._attach(list(clause))
        self._consistent = self._consistent and self._propagate() is None

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*; None if *conflicts* do not suffice."""
        self._backtrack(0)
        self._core = []
        if not self._consistent:
            return False
        assumed = [self._code(literal) for literal in assumptions]
        seen = 0
        # The variables before this one have values, so the search for an open one goes on here until something is taken
        # back: from 1 on, each decision would look at all variables.
        following = 1
        while True:
            conflict = self._propagate()
            if conflict is not None:
                if not self._marks:
                    self._consistent = False
                    return False
                seen += 1
                learnt, level = self._analyse(conflict)
                self._backtrack(level)
                self._attach(learnt)
                following = 1
                if conflicts is not None and seen >= conflicts:
                    return None
                continue
            if len(self._marks) < len(assumed):
                code = assumed[len(self._marks)]
                if self._values[code] == -1:
                    self._core = self._refuting(code)
                    return False
                self._marks.append(len(self._trail))
                if self._values[code] == 0:
                    self._assign(code, None)
                continue
            count = len(self._levels)
            while following < count and self._values[2 * following] != 0:
                following += 1
            if following >= count:
                self._model = [v if self._values[2 * v] == 1 else -v for v in range(1, count)]
                return True
            self._marks.append(len(self._trail))
            self._assign(2 * following + (not self._phases[following]), None)

    def model(self) -> Sequence[int]:
        """Return the literals of the model after a True, by variable."""
        return self._model

    def core(self) -> Sequence[int]:
        """Return the assumptions of the core after a False."""
        return self._core

    def close(self) -> None:
        """Do nothing: all memory is Python's own."""

    def _code(self, literal: int) -> int:
        """Return the code of *literal*; make room for its variable."""
        variable = abs(literal)
        while len(self._levels) <= variable:
            self._watches += [[], []]
            self._values += [0, 0]
            self._levels.append(0)
            self._reasons.append(None)
            self._phases.append(False)
        return 2 * variable + (literal < 0)

    def _attach(self, clause: list[int]) -> None:
        """Watch *clause*, whose first literal is open; assign that literal if no other can be true."""
        if len(clause) > 1:
            self._watches[clause[0]].append(clause)
            self._watches[clause[1]].append(clause)
        if len(clause) == 1 or self._values[clause[1]] == -1:
            self._assign(clause[0], clause)

    def _assign(self, code: int, reason: list[int] | None) -> None:
        # A literal is twice its variable, plus one if it is negated: variable 5 gives 10 and 11. So `^ 1` negates it,
        # `>> 1` names its variable, and lists serve where signs would need dictionaries.
        self._values[code] = 1
        self._values[code ^ 1] = -1
        self._levels[code >> 1] = len(self._marks)
        self._reasons[code >> 1] = reason
        self._trail.append(code)

    def _propagate(self) -> list[int] | None:
        """Assign every literal that follows from one clause alone; return a clause that has become false, if any.

        With 1 assigned, the clauses (-1 2) and (-2 3) assign 2 and 3, and (-3 -1) is the clause that became false.
        A clause is looked at only when one of its two watched literals becomes false; it then watches another one.
        """
        values = self._values
        while self._head < len(self._trail):
            false = self._trail[self._head] ^ 1
            self._head += 1
            watching = self._watches[false]
            kept: list[list[int]] = []
            for position, clause in enumerate(watching):
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                if values[clause[0]] == 1:
                    kept.append(clause)
                    continue
                for other in range(2, len(clause)):
                    if values[clause[other]] != -1:
                        clause[1], clause[other] = clause[other], false
                        self._watches[clause[1]].append(clause)
                        break
                else:
                    kept.append(clause)
                    if values[clause[0]] == -1:
                        kept.extend(watching[position + 1 :])
                        self._watches[false] = kept
                        return clause
                    self._assign(clause[0], clause)
            self._watches[false] = kept
        return None

    def _analyse(self, conflict: list[int]) -> tuple[list[int], int]:
        """Return the clause learnt from *conflict* at the first unique implication point, and where it asserts.

        Literals of the current level are replaced by the reasons for them, the latest first, until a single one is
        left. The clause then becomes a unit at the second highest level in it.
        """
        current = len(self._marks)
        seen: set[int] = set()
        below: list[int] = []
        open_count = 0
        position = len(self._trail)
        reason: list[int] | None = conflict
        pivot = -1
        while True:
            for code in reason or ():
                variable = code >> 1
                if code != pivot and variable not in seen and self._levels[variable] > 0:
                    seen.add(variable)
                    if self._levels[variable] == current:
                        open_count += 1
                    else:
                        below.append(code)
            while True:
                position -= 1
                pivot = self._trail[position]
                if pivot >> 1 in seen:
                    break
            open_count -= 1
            if open_count == 0:
                break
            reason = self._reasons[pivot >> 1]
        below.sort(key=lambda code: -self._levels[code >> 1])
        return [pivot ^ 1, *below], self._levels[below[0] >> 1] if below else 0

    def _refuting(self, failed: int) -> list[int]:
        """Return the false assumption *failed* and the assumptions that refute it: nothing else is decided yet."""
        core = [failed]
        seen = {failed >> 1}
        for code in reversed(self._trail):
            if code >> 1 in seen:
                reason = self._reasons[code >> 1]
                if reason is None:
                    core.append(code)
                else:
                    seen.update(other >> 1 for other in reason)
        return [-(code >> 1) if code & 1 else code >> 1 for code in core]

    def _backtrack(self, level: int) -> None:
        """Take back the decisions above *level* and all literals that followed from them."""
        if len(self._marks) <= level:
            return
        start = self._marks[level]
        for code in self._trail[start:]:
            self._values[code] = self._values[code ^ 1] = 0
            self._phases[code >> 1] = not code & 1
        del self._trail[start:]
        del self._marks[level:]
        self._head = start


# Up to so many clauses, and conflicts without an answer, plain Python keeps up with MiniSat: cores of real catalogs
# have a few dozen clauses and hardly a conflict. Importing python-sat alone takes 12 ms, ten times as long as such a
# core, and a command that prints one failure pays that each time.
_CLAUSES: Final = 500
_CONFLICTS: Final = 100


class TurningSolver:
    """Our own solver, until there are many clauses or conflicts; then a quicker one takes all clauses over."""

    __slots__ = ("_clauses", "_conflicts_left", "_solver")

    def __init__(self) -> None:
        self._solver: Any = PythonSolver()
        # Kept for the solver that follows; None once it has them.
        self._clauses: list[Sequence[int]] | None = []
        self._conflicts_left = _CONFLICTS

    def add_clause(self, literals: Sequence[int]) -> None:
        """Require one of *literals*."""
        if self._clauses is not None:
            self._clauses.append(literals)
            if len(self._clauses) > _CLAUSES:
                self._turn(self._clauses)
                return
        self._solver.add_clause(literals)

    def solve(self, assumptions: Sequence[int] = (), *, conflicts: int | None = None) -> bool | None:
        """Return True if the clauses can hold with all *assumptions*; None if *conflicts* do not suffice."""
        if self._clauses is not None:
            most = self._conflicts_left if conflicts is None else min(conflicts, self._conflicts_left)
            answer = self._solver.solve(assumptions, conflicts=most)
            if answer is not None:
                return bool(answer)
            self._conflicts_left -= most
            if not self._conflicts_left:
                self._turn(self._clauses)
            if conflicts is not None:
                return None
        answer = self._solver.solve(assumptions, conflicts=conflicts)
        return None if answer is None else bool(answer)

    def model(self) -> Sequence[int]:
        """Return the literals of the model after a True, by variable."""
        model: Sequence[int] = self._solver.model()
        return model

    def core(self) -> Sequence[int]:
        """Return the assumptions of the core after a False."""
        core: Sequence[int] = self._solver.core()
        return core

    def close(self) -> None:
        """Free the memory of the solver."""
        self._solver.close()

    def _turn(self, clauses: Sequence[Sequence[int]]) -> None:
        from olmsolve.solver.backends import PORTABLE, pysat

        self._clauses = None
        self._solver = pysat.PySATSolver(PORTABLE)
        for clause in clauses:
            self._solver.add_clause(clause)
