"""Propagation of the deciding engine, driven by decisions of our own."""

from __future__ import annotations

import random

from olmsolve.solver import (
    Budget,
    Dependency,
    Identifier,
    Limit,
    Mandatory,
    Variables,
)
from olmsolve.solver.deciding.analysis import Blamed, analyse, blame
from olmsolve.solver.deciding.compiling import Need
from olmsolve.solver.deciding.domains import Domains
from olmsolve.solver.deciding.nogoods import Nogood
from olmsolve.solver.deciding.propagation import Propagation
from olmsolve.solver.problem import CachedProblem
from tests.solver.test_families import Packages


class Run:
    """Propagation over *problem* with decisions of our own; *ahead* is how many steps it looks ahead."""

    def __init__(self, problem: Variables, *, ahead: int = 0) -> None:
        self.problem = CachedProblem(problem)
        self.families = problem.families if isinstance(problem, Packages) else None
        limits = [root for root in problem.roots if isinstance(root, Limit)]
        self.domains = Domains()
        self.propagation = Propagation(self.domains, self.problem.constraints, limits, self.families, Budget())
        self.propagation.steps_ahead = ahead
        self.roots = self.problem.roots
        self.decisions: list[Identifier] = []
        self.learned = 0
        for root in self.roots:
            if isinstance(root, Mandatory):
                self.propagation.require((root.subject,), None, root)
            elif not isinstance(root, Limit):
                self.propagation.require(root.candidates, root.group, root)

    def learn(self, conflict: int) -> tuple[Nogood, int]:
        """Learn from a conflict and take back the last decision in it, if there is one."""
        nogood, level = analyse(self.domains, conflict)
        self.learned += 1
        if level:
            self.propagation.backtrack(level - 1)
            del self.decisions[level - 1 :]
            self.propagation.nogoods.add(nogood)
        return nogood, level

    def decide(self, generator: random.Random) -> bool:
        """Decide for a candidate that is left; return False if nothing is left to decide."""
        domains = self.domains.domains
        undecided = [
            (variable, 1 << number)
            for variable, members in enumerate(self.domains.members)
            for number, member in enumerate(members)
            if member is not None and domains[variable] >> number & 1 and domains[variable] != 1 << number
        ]
        if not undecided:
            return False
        variable, bit = generator.choice(undecided)
        identifier = self.domains.members[variable][bit.bit_length() - 1]
        if self.propagation.possible(identifier, variable, bit) and not self.domains.pending:
            self.propagation.decide(variable, bit)
            self.decisions.append(identifier)
        return True

    def is_left(self, identifier: Identifier) -> bool:
        """Return whether *identifier* can still be selected."""
        variable, bit = self.propagation.variables.variable_of(identifier)
        return bool(self.domains.domains[variable] & bit)

    def must(self) -> dict[Identifier, int]:
        """Return the candidates that must be selected, each with its variable."""
        values, members = self.domains.domains, self.domains.members
        single = [variable for variable, value in enumerate(values) if value > 1 and not value & (value - 1)]
        return {members[variable][values[variable].bit_length() - 1]: variable for variable in single}

    def blamed(self, refutation: Nogood) -> Blamed:
        return blame(self.domains, refutation, self.propagation.variables.existing, self._source)

    def _source(self, need: Need) -> object:
        if not isinstance(need.source, int):
            return need.source
        own = self.problem.constraints(need.subject)
        return [constraint for constraint in own if isinstance(constraint, Dependency)][need.source]
