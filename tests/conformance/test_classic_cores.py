"""The cores of the recorded unsatisfiable requests: short, true, minimal, and the same on every backend."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from olmsolve import Request, Semantics
from olmsolve.classic import ClassicProblem
from olmsolve.solver import Core, solve
from olmsolve.testing.laws import core_faults
from tests.recorded import VENDORED, Record, records, request_of, shared
from tests.scale import LONG

BACKENDS = ["minisat22", "cadical153", "glucose4"]


def _unsatisfiable(record: Record) -> bool:
    return any(outcome.get("unsatisfiable") for outcome in record["outcomes"])


def test_cores_of_random_requests(random_part: Sequence[tuple[Record, Request]]) -> None:
    """A core that is not one, that is longer than needed, or that changes with the solver, misleads.

    The default engine answers every request under the recorded semantics, and every sixth under the documented ones;
    the others answer one question in four, in their turn. In the long run all answer each under both.
    """
    all_records = records(VENDORED / "classic_random.jsonl.gz")
    assert sum(map(_unsatisfiable, all_records)) == 802
    turns = count()
    for number, (record, request) in enumerate(random_part):
        cores = {}
        for semantics in (Semantics.CONTROLLER, Semantics.DOCUMENTED)[: 2 if LONG or number % 6 == 0 else 1]:
            # Another backend answers one question in four; each of the three has its turn under both semantics.
            turn = next(turns)
            others = BACKENDS if LONG else BACKENDS[turn // 4 % len(BACKENDS) :][: turn % 4 == 0]
            cores[semantics] = _checked_core(ClassicProblem.of_request(request, semantics), record["name"], others)
        assert (cores[Semantics.CONTROLLER] is not None) == _unsatisfiable(record), record["name"]


def test_cores_of_real_requests() -> None:
    """The same on the community's own catalogs, and on the scenarios of the controller's unit tests."""
    checked = 0
    for path in ("classic/real.jsonl.gz", "upstream/classic.jsonl.gz"):
        for record in filter(_unsatisfiable, records(shared() / "conformance" / path)):
            problem = ClassicProblem.of_request(request_of(record), Semantics.CONTROLLER)
            assert _checked_core(problem, record["name"])
            checked += 1
    assert checked == 35


def _checked_core(problem: ClassicProblem, name: str, others: Sequence[str] = BACKENDS) -> Core | None:
    answers = [solve(problem), *(solve(problem, backend=backend) for backend in others)]
    assert len(set(map(repr, answers))) == 1, name
    answer = answers[0]
    if not isinstance(answer, Core):
        return None
    assert core_faults(answer.constraints) == [], name
    return answer
