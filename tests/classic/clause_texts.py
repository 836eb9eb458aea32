"""Readers of the texts that hold a request's clauses, written after the formats' own descriptions."""

from __future__ import annotations

from collections.abc import Iterable

from olmsolve import Candidate, Request


def clauses_of(lines: Iterable[str]) -> list[list[int]]:
    """The clauses of a DIMACS text, whose heading must tell the numbers of variables and clauses."""
    clauses: list[list[int]] = []
    heading: list[str] = []
    for line in lines:
        assert line.endswith("\n")
        if line.startswith("p"):
            heading = line.split()
        elif not line.startswith("c"):
            *literals, end = map(int, line.split())
            assert end == 0
            clauses.append(literals)
    assert heading[:2] == ["p", "cnf"]
    assert len(clauses) == int(heading[3])
    assert max((abs(literal) for clause in clauses for literal in clause), default=0) <= int(heading[2])
    return clauses


def read_wcnf(lines: Iterable[str]) -> tuple[int, list[list[int]], dict[int, int]]:
    """The number of variables, the hard clauses, and the weight of each variable that costs if it is true."""
    hard: list[list[int]] = []
    costs: dict[int, int] = {}
    variables = count = top = 0
    for line in lines:
        words = line.split()
        if words[0] == "p":
            assert words[1] == "wcnf"
            variables, count, top = map(int, words[2:])
        elif words[0] != "c":
            weight, *literals, end = map(int, words)
            assert end == 0
            if weight == top:
                hard.append(literals)
            else:
                assert len(literals) == 1
                costs[-literals[0]] = weight
    assert len(hard) + len(costs) == count
    assert sum(costs.values()) < top < 2**63
    return variables, hard, costs


def read_opb(lines: Iterable[str]) -> tuple[int, list[list[int]], dict[int, int]]:
    """The same as :func:`read_wcnf` of an OPB text."""
    hard: list[list[int]] = []
    costs: dict[int, int] = {}
    variables = count = 0
    for number, line in enumerate(lines):
        words = line.split()
        if number == 0:
            assert (words[0], words[1], words[3]) == ("*", "#variable=", "#constraint=")
            variables, count = int(words[2]), int(words[4])
        elif words[0] == "min:":
            assert words[-1] == ";"
            costs = {int(name[1:]): int(weight) for weight, name in zip(words[1:-1:2], words[2:-1:2], strict=True)}
        elif words[0] != "*":
            *terms, relation, bound, end = words
            assert (relation, end) == (">=", ";")
            literals = [
                int(sign[0] + name[1:]) for sign, name in zip(terms[::2], terms[1::2], strict=True) if sign != "+0"
            ]
            assert int(bound) == 1 - sum(literal < 0 for literal in literals)
            hard.append(literals)
    assert len(hard) == count
    return variables, hard, costs


def served(request: Request, selected: Iterable[Candidate]) -> dict[str, set[Candidate]]:
    """What each subscription gets of *selected*: bundles of its package, or the operator that it owns."""
    owners = request.owners()
    chosen = list(selected)
    return {
        subscription.name: {
            candidate
            for candidate in chosen
            if (
                owners.get(candidate.name) is subscription
                if candidate.channel == ""
                else candidate.package == subscription.package
            )
        }
        for subscription in request.subscriptions
    }
