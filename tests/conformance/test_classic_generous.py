"""Answers do not depend on what a SAT solver does with variables that no clause decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from olmsolve import Semantics
from olmsolve.solver.backends import PythonSolver
from tests.conformance.test_classic_steady import answer_of
from tests.recorded import VENDORED, records
from tests.scale import sampled


class GenerousSolver(PythonSolver):
    """A solver whose models select all that its clauses allow: some real ones try "true" first."""

    def __init__(self) -> None:
        super().__init__()
        self._clauses_with: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)

    def add_clause(self, literals: Sequence[int]) -> None:
        for literal in set(literals):
            self._clauses_with[literal].append(tuple(literals))
        super().add_clause(literals)

    def model(self) -> Sequence[int]:
        chosen = set(super().model())
        for literal in sorted((-number for number in chosen if number < 0), reverse=True):
            # The literal is false so far, and only the clauses that have its negation can break.
            chosen ^= {literal, -literal}
            if any(chosen.isdisjoint(clause) for clause in self._clauses_with[-literal]):
                chosen ^= {literal, -literal}
        return sorted(chosen, key=abs)


def test_models_that_select_more_than_is_needed() -> None:
    """Members of a group get variables although no root reaches them; a model may select them all the same."""
    wild_records = records(VENDORED / "classic_wild.jsonl.gz")
    known = ("wild-990001-990001-7248", "wild-990002-990002-7018")
    reached = [record for record in wild_records if record["name"] in known]
    for record in [*reached, *sampled(wild_records, 30)]:
        for semantics in Semantics:
            expected = answer_of(record, semantics)
            assert answer_of(record, semantics, backend=GenerousSolver) == expected, record["name"]
