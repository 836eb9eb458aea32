"""The part of a problem that a search has met, in a SAT solver.

Leaving constraints out can only make more satisfiable. So a "no" of the relaxation is a proof, and a "yes" is
a reason to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import AtMost, Constraint, Exclusive, GroupName, Identifier
from olmsolve.solver.encoding import Encoding
from olmsolve.solver.selection import Excludes, Hopeless, Inconsistent, Needs, SharedGroup, Violation
from olmsolve.solver.session import Session

__all__ = ["Relaxation"]


class Relaxation:
    """Grows by what is selected (:meth:`expand`) and by what was found broken (:meth:`learn`).

    *constraints_of* gives the constraints of an identifier.
    """

    def __init__(
        self,
        roots: Sequence[Constraint],
        constraints_of: Callable[[Identifier], Sequence[Constraint]],
        backend: str,
        budget: Budget,
    ) -> None:
        self._constraints_of = constraints_of
        self._session = Session(backend, budget)
        self._encoding = Encoding(self._session.add_clause)
        self._expanded: set[Identifier] = set()
        # Only groups that were found broken get clauses.
        self._broken: set[GroupName] = set()
        # Candidates that have joined a group as a whole, by group and identity of their tuple.
        self._joined: set[tuple[GroupName, int]] = set()
        for root in roots:
            self._encoding.add(root)

    def close(self) -> None:
        self._session.close()

    def expand(self, identifier: Identifier) -> None:
        """Add the clauses of *identifier*'s constraints; of its groups, only those found broken."""
        if identifier in self._expanded:
            return
        self._expanded.add(identifier)
        for constraint in self._constraints_of(identifier):
            if isinstance(constraint, Exclusive):
                for group in constraint.groups:
                    if group in self._broken:
                        self._encoding.join(group, identifier)
            else:
                self._encoding.add(constraint)

    def learn(self, violation: Violation) -> None:
        """Add the clauses that forbid *violation*."""
        if isinstance(violation, SharedGroup):
            self._join(violation.group, (violation.holder, violation.candidate))
        elif isinstance(violation, Needs):
            self._join(violation.group, violation.members)
            for dependency in violation.dependencies:
                if dependency.subject is not None:
                    self.expand(dependency.subject)
                key = violation.group, id(dependency.candidates)
                if key not in self._joined:
                    self._joined.add(key)
                    self._join(violation.group, dependency.candidates)
        elif isinstance(violation, Hopeless):
            self.expand(violation.candidate)
            for each in violation.violations:
                self.learn(each)
        elif isinstance(violation, Excludes):
            guard = self._encoding.variable(violation.guard)
            self._session.add_clause([-guard, -self._encoding.variable(violation.identifier)])
        elif not isinstance(violation, AtMost | Inconsistent):
            self._encoding.add(violation)

    def conflict(self, selected: Sequence[Identifier]) -> list[int] | None:
        """Positions in *selected* of what cannot be selected together; None if the relaxation sees no conflict."""
        assumptions = [self._encoding.variable(identifier) for identifier in selected]
        if self._session.ask(assumptions):
            return None
        core = set(self._session.core())
        return [position for position, variable in enumerate(assumptions) if variable in core]

    def _join(self, group: GroupName, identifiers: Sequence[Identifier]) -> None:
        self._broken.add(group)
        for identifier in identifiers:
            self._encoding.join(group, identifier)
