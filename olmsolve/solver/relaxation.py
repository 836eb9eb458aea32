"""A relaxation: the part of a problem that a search has met, as clauses in a SAT solver.

A problem with fewer constraints has more solutions. So a "no" of the relaxation is a proof, and a "yes" means: go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from olmsolve.solver.backends import Backend
from olmsolve.solver.budget import Budget
from olmsolve.solver.constraints import AtMost, Constraint, Exclusive, GroupName, Identifier
from olmsolve.solver.encoding import Encoding
from olmsolve.solver.selection import Excludes, Hopeless, Inconsistent, Needs, SharedGroup, Violation
from olmsolve.solver.session import Session


class Relaxation:
    """A growing set of clauses: the *roots*, the constraints of selections, and the violations found at dead ends.

    *constraints_of* gives the constraints of an identifier, *backend* makes the SAT solver.
    """

    def __init__(
        self,
        roots: Sequence[Constraint],
        constraints_of: Callable[[Identifier], Sequence[Constraint]],
        backend: Backend,
        budget: Budget,
    ) -> None:
        self._constraints_of = constraints_of
        self._session = Session(backend, budget)
        self._encoding = Encoding(self._session.add_clause)
        self._expanded: set[Identifier] = set()
        # Groups that some dead end has broken. Only these get clauses, since a bundle is in many groups.
        self._broken: set[GroupName] = set()
        # Tuples of candidates that have joined a group, by group and identity; hundreds of dependencies share one.
        self._joined: set[tuple[GroupName, int]] = set()
        for root in roots:
            self._encoding.add(root)

    def close(self) -> None:
        """Free the memory of the SAT solver."""
        self._session.close()

    def expand(self, identifier: Identifier) -> None:
        """Add the clauses of *identifier*: its constraints, and its membership in groups that were broken."""
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
        """Add the clauses that rule out *violation*."""
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
            for reason in violation.violations:
                self.learn(reason)
        elif isinstance(violation, Excludes):
            guard = self._encoding.variable(violation.guard)
            self._session.add_clause([-guard, -self._encoding.variable(violation.identifier)])
        elif not isinstance(violation, AtMost | Inconsistent):
            self._encoding.add(violation)

    def conflict(self, selected: Sequence[Identifier]) -> list[int] | None:
        """Return positions in *selected* that cannot be selected together; None if the relaxation allows all."""
        assumptions = [self._encoding.variable(identifier) for identifier in selected]
        if self._session.solve(assumptions):
            return None
        core = set(self._session.core())
        return [position for position, variable in enumerate(assumptions) if variable in core]

    def _join(self, group: GroupName, identifiers: Sequence[Identifier]) -> None:
        self._broken.add(group)
        for identifier in identifiers:
            self._encoding.join(group, identifier)
