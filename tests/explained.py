"""Explanations taken at their word: what they say is solved again, from the words' data alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

from pysat.solvers import Solver

import olmsolve
from olmsolve import CatalogError, Explanation, Request, Semantics, Unsatisfiable
from olmsolve.answers.explain import Conflict, Node, NodeKind
from olmsolve.render import explanation_text

__all__ = ["check", "check_text", "explained"]


def explained(
    request: Request, semantics: Semantics = Semantics.CONTROLLER, *, backend: str = "minisat22", **how: Any
) -> Explanation | None:
    """Return the explanation of *request*; None if it has a plan, or fails on a catalog before any search."""
    try:
        olmsolve.resolve(request, semantics=semantics, backend=backend)
    except Unsatisfiable as failure:
        return olmsolve.explanation(failure, **how)
    except CatalogError as failure:
        return olmsolve.explanation(failure, **how) if isinstance(failure.__cause__, Unsatisfiable) else None
    return None


class _ConflictClauses:
    """A conflict as clauses, read from its nodes alone as docs/explain.md says what they mean."""

    def __init__(self, conflict: Conflict) -> None:
        self._nodes = conflict.by_number()
        self._numbers: dict[object, int] = {}
        self.clauses: dict[int, list[list[int]]] = {node.number: [] for node in conflict.nodes}
        for number in conflict.roots:
            self.clauses[number].append(self._any(self._nodes[number].leads_to))
        for node in conflict.nodes:
            if node.kind is NodeKind.BUNDLES:
                for fact in node.leads_to:
                    self._add(self._nodes[fact], self._of([node.number]))

    def satisfiable(self, without: int = 0) -> bool:
        clauses = [clause for number, own in self.clauses.items() if number != without for clause in own]
        if [] in clauses:
            return False
        with Solver(name="glucose3", bootstrap_with=clauses) as solver:
            return bool(solver.solve())

    def _variable(self, candidate: object) -> int:
        return self._numbers.setdefault(candidate, len(self._numbers) + 1)

    def _of(self, numbers: Iterable[int]) -> list[int]:
        return [self._variable(candidate) for number in numbers for candidate in self._nodes[number].candidates]

    def _any(self, numbers: Iterable[int]) -> list[int]:
        return self._of(numbers)

    def _add(self, fact: Node, members: list[int]) -> None:
        clauses = self.clauses[fact.number]
        if fact.kind is NodeKind.REQUIREMENT:
            clauses.extend([-member, *self._any(fact.leads_to)] for member in members)
        elif fact.kind is NodeKind.ONLY_ONE:
            competing = sorted(set(self._of(fact.against)))
            clauses.extend([-one, -other] for one, other in itertools.combinations(competing, 2))
        elif fact.kind is NodeKind.REPLACES:
            clauses.extend([-member, -other] for member in members for other in self._of(fact.against))
        else:
            assert fact.kind in {NodeKind.DEPRECATED, NodeKind.BROKEN}, fact
            clauses.extend([-member] for member in members)


def check(name: str, explanation: Explanation) -> None:
    """Check that the facts of each conflict contradict each other, and no longer do without any one of them.

    Only for CONTROLLER semantics, which have no formulas.
    """
    roots = [root for conflict in explanation.conflicts for root in conflict.roots]
    assert len(roots) == len(set(roots))
    numbers = [node.number for conflict in explanation.conflicts for node in conflict.nodes]
    assert numbers == list(range(1, len(numbers) + 1))
    for conflict in explanation.conflicts:
        by_definition = _ConflictClauses(conflict)
        assert not by_definition.satisfiable(), (name, conflict.statement)
        for node in conflict.nodes:
            if node.kind not in {NodeKind.BUNDLES, NodeKind.REPLACES}:
                assert by_definition.satisfiable(without=node.number), (name, node.statement)
    check_text(name, explanation)


def check_text(name: str, explanation: Explanation) -> None:
    """Check that every number referred to stands at exactly one line, so that no cut removes a line another needs."""
    shown = explanation_text(explanation, width=10_000)
    lines = re.findall(r"^ *- \[(\d+)\] ", shown, re.MULTILINE)
    assert len(lines) == len(set(lines)), name
    assert set(re.findall(r"(?<!\w)\[(\d+)\]", re.sub(r"its author says: .*", "", shown))) <= set(lines), name
