"""Tests of what kind a constraint or predicate is: a kind answers for itself, so few modules need to look at it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest

from tests.architecture.imports import NAMES, parsed

_CONSTRAINTS: Final = {
    # The one match of a room that has words, facts or clauses of its own for each kind.
    "olmsolve.answers.explain.facts": 9,
    "olmsolve.answers.held_back.obstacle_finder": 4,
    "olmsolve.classic.failure": 9,
    "olmsolve.testing.laws.answers": 6,
    "olmsolve.v1.planning": 4,
    # The loops of a search, where the answer is about the state of the search, which no kind knows.
    "olmsolve.solver.deciding.compiling": 6,
    "olmsolve.solver.deciding.engine": 3,
    "olmsolve.solver.portable": 1,
    "olmsolve.solver.queue": 5,
    "olmsolve.solver.rotation": 4,
    "olmsolve.solver.selection": 10,
    # The branches of a formula, which are identifiers of their own.
    "olmsolve.classic.unreadable": 1,
    "olmsolve.solver.clauses.cnf": 2,
    "olmsolve.solver.deciding.core_oracle": 1,
    "olmsolve.solver.views": 1,
    # One question about one kind.
    "olmsolve.answers.explain.conflicts": 1,
    "olmsolve.answers.explain.suggestions": 1,
    "olmsolve.answers.rerunning": 1,
    "olmsolve.classic.sharing": 3,
    "olmsolve.solver.family_domains": 1,
    "olmsolve.solver.glancing": 1,
    "olmsolve.solver.problem_parts": 2,
    "olmsolve.solver.units": 1,
}
_PREDICATES: Final = {
    # Whether a value is a predicate at all.
    "olmsolve.predicates.constraint": 1,
    "olmsolve.requests.building": 3,
    # Each requirement that a catalog is asked for takes this test: 0.05 µs, and 0.2 to ask for package and versions.
    "olmsolve.catalog.index.candidates": 1,
}


def _kinds(base: str) -> dict[str, str]:
    """Return the classes below *base*, each with its module."""
    homes = {base: ""}
    count = -1
    while count != len(homes):
        count = len(homes)
        for name, module in NAMES.items():
            for node in parsed(module).body:
                if isinstance(node, ast.ClassDef) and (
                    node.name == base
                    or any(isinstance(parent, ast.Name) and parent.id in homes for parent in node.bases)
                ):
                    homes[node.name] = name
    return homes


def _tested(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the classes that *node* tests a value for: a call of isinstance, a comparison of a type, or a pattern."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]):
            yield classes
        case ast.MatchClass(cls=cls):
            yield cls
        case ast.Compare(left=ast.Call(func=ast.Name(id="type")), comparators=[cls, *_]):
            yield cls
        case _:
            pass


@cache
def _tests_of(name: str) -> tuple[frozenset[str], ...]:
    """Return the names in the classes of each test of the module *name*: walked once for all kinds, in 1 s."""
    return tuple(
        frozenset(part.id for part in ast.walk(classes) if isinstance(part, ast.Name))
        for node in ast.walk(parsed(NAMES[name]))
        for classes in _tested(node)
    )


def _tests_outside(base: str) -> Counter[str]:
    """Return how many tests of the kinds below *base* each module has that defines none of them."""
    homes = _kinds(base)
    tests: Counter[str] = Counter()
    for name in NAMES:
        if name in homes.values():
            continue
        tests[name] += sum(not names.isdisjoint(homes) for names in _tests_of(name))
    return tests


@pytest.mark.parametrize(
    ("base", "allowed"),
    [("StatedConstraint", _CONSTRAINTS), ("Predicate", _PREDICATES)],
    ids=["constraints", "predicates"],
)
def test_kinds_answer_for_themselves(base: str, allowed: dict[str, int]) -> None:
    """A question about a kind is a method of the kind, which its next reader finds; these numbers only shrink."""
    assert _tests_outside(base) - Counter(allowed) == Counter()
