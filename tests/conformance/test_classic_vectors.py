"""Classic resolution agrees with every recorded answer of the shipped controller.

Each test gathers all disagreements, so that one failure shows the whole rule that is wrong.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from olmsolve import Request, Semantics
from olmsolve.classic import ClassicProblem, reason_for
from olmsolve.solver import (
    AtMost,
    Constraint,
    Core,
    Dependency,
    Incompatible,
    Mandatory,
    Prohibited,
    Solution,
    Variables,
    solve,
)
from olmsolve.solver.backends import DECIDING, names
from olmsolve.testing import broken_constraints
from tests.recorded import VENDORED, Record, our_answer, recorded_answers, records, request_of, shared
from tests.scale import LONG, sampled


def _wrong(vectors: Sequence[Record]) -> list[str]:
    return [r["name"] for r in vectors if our_answer(request_of(r)) not in recorded_answers(r)]


def test_random_requests(random_part: Sequence[tuple[Record, Request]]) -> None:
    """Generated requests with every rule in them, answered by the default engine; half by another too.

    In the long run all solvers answer each request.
    """
    others = [name for name in names() if name != DECIDING]
    wrong = []
    for number, (record, request) in enumerate(random_part):
        recorded = recorded_answers(record)
        backends = [DECIDING, *(others if LONG else others[number // 2 % len(others) :][: number % 2])]
        wrong += [(record["name"], name) for name in backends if our_answer(request, backend=name) not in recorded]
    assert wrong == []


def test_real_requests() -> None:
    """Requests over the community's own catalogs: what people would ask."""
    vectors = records(shared() / "conformance" / "classic" / "real.jsonl.gz")
    assert len(vectors) == 100
    assert _wrong(vectors) == []


def test_upstream_scenarios() -> None:
    """The controller's own unit tests, as requests."""
    vectors = records(shared() / "conformance" / "upstream" / "classic.jsonl.gz")
    assert len(vectors) == 78
    assert _wrong(vectors) == []


def test_controller_faults() -> None:
    """Where the controller's own plan is wrong, ours is valid, and the preferred one where that is known."""
    vectors = records(VENDORED / "classic_controller_faults.jsonl.gz")
    assert len(vectors) == 9
    known = [record for record in vectors if "preferred" in record]
    assert len(known) == 2
    assert _wrong(known) == []
    for record in vectors:
        request = request_of(record)
        problem = _problem(request)
        solution = solve(problem)
        assert isinstance(solution, Solution)
        selected = map(problem.candidate, solution.selected)
        assert broken_constraints(request, selected, Semantics.CONTROLLER) == []


def test_upstream_solver() -> None:
    """The solver's own unit tests, through the solver room alone."""
    vectors = records(shared() / "conformance" / "upstream" / "solver.jsonl")
    assert len(vectors) == 19
    for record in vectors:
        answer = solve(_variables(record["variables"]))
        if "error" in record:
            assert isinstance(answer, Core), record["name"]
            expected = {text.replace("a permits at most", "at most") for text in record["conflicts"]}
            assert {str(constraint) for constraint in answer.constraints} == expected
        else:
            assert isinstance(answer, Solution), record["name"]
            assert sorted(map(str, answer.selected)) == sorted(record["installed"])


def _variables(recorded: Sequence[Mapping[str, Any]]) -> Variables:
    def constraints(name: str, item: Mapping[str, Any]) -> list[Constraint]:
        kind = item["kind"]
        if kind == "mandatory":
            return [Mandatory(name)]
        if kind == "prohibited":
            return [Prohibited(name)]
        if kind == "dependency":
            return [Dependency(name, tuple(item["ids"]))]
        if kind == "conflict":
            return [Incompatible(name, other) for other in item["ids"]]
        assert kind == "at_most"
        return [AtMost(item["n"], tuple(item["ids"]))]

    return Variables(
        {
            variable["id"]: [c for item in variable["constraints"] for c in constraints(variable["id"], item)]
            for variable in recorded
        }
    )


def test_order_of_what_has_no_order() -> None:
    """Catalogs, blobs and installed operators come in any order from a cluster; the answer may not follow it.

    The short run shuffles one request in 27.
    """
    shuffled = random.Random(20)
    for record in sampled(records(VENDORED / "classic_random.jsonl.gz"), 27):
        copy = dict(record)
        copy["catalogs"] = [{**c, "blobs": _shuffled(c["blobs"], shuffled)} for c in record["catalogs"]]
        shuffled.shuffle(copy["catalogs"])
        copy["installed"] = _shuffled(record["installed"], shuffled)
        request, turned = request_of(record), request_of(copy)
        for semantics in Semantics:
            assert _answer_in_words(_problem(request, semantics)) == _answer_in_words(_problem(turned, semantics)), (
                record["name"]
            )


def _shuffled(items: Sequence[Any], source: random.Random) -> list[Any]:
    copy = list(items)
    source.shuffle(copy)
    return copy


def _problem(request: Request, semantics: Semantics = Semantics.CONTROLLER) -> ClassicProblem:
    return ClassicProblem.of_request(request, semantics)


def _answer_in_words(problem: ClassicProblem) -> str:
    """The answer in words that do not depend on how identifiers are numbered."""
    answer = solve(problem)
    if isinstance(answer, Solution):
        return "; ".join(str(problem.candidate(identifier)) for identifier in answer.selected)
    return "; ".join(str(reason_for(problem, constraint)) for constraint in answer.constraints)
