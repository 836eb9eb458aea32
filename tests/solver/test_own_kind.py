"""A kind of constraint from outside the solver: "at least k of", stated as a formula.

Everything that the solver must know of a kind is here: its tree, its words, and nothing in any engine.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import pytest

from olmsolve.solver import (
    Choice,
    Constraint,
    Core,
    Every,
    Exclusive,
    Formula,
    Identifier,
    Incompatible,
    Mandatory,
    Prohibited,
    Solution,
    Variables,
    solve,
)
from olmsolve.solver.clauses import CNF


class AtLeast(Formula):
    """Selecting *subject* takes *least* of *identifiers*, the most wanted first.

    Of any 3 out of 4, one is selected: that says "at least 2 of 4", and each of these choices takes the most wanted
    candidate that can be. So the tree needs no branches, and n over k choices.
    """

    @classmethod
    def of(cls, subject: Identifier, least: int, identifiers: Sequence[Identifier], origin: Any = None) -> AtLeast:
        """Return the constraint for *subject*."""
        choices = itertools.combinations(identifiers, len(identifiers) - least + 1)
        return cls(subject, Every(tuple(Choice(each, origin) for each in choices)), (least, tuple(identifiers)))

    def __str__(self) -> str:
        least, identifiers = self.origin
        return f"{self.subject} requires at least {least} of {', '.join(map(str, identifiers))}"


def _problem(chance: random.Random) -> Variables:
    """Return a problem with two subjects that each want several of six candidates, which exclude some others."""
    names = "cdefgh"
    variables: dict[Identifier, list[Constraint]] = {}
    for subject in "ab":
        wanted = chance.sample(names, chance.randint(2, 5))
        least = AtLeast.of(subject, chance.randint(1, len(wanted)), wanted)
        variables[subject] = [Mandatory(subject), least]
    for name in names:
        variables[name] = []
        match chance.randrange(4):
            case 0:
                variables[name].append(Prohibited(name))
            case 1:
                variables[name].append(Exclusive(name, ("group",)))
            case 2:
                variables[name].append(Incompatible(name, chance.choice(names.replace(name, ""))))
            case _:
                pass
    return Variables(variables)


def _allows(constraints: Sequence[Constraint], selected: frozenset[Identifier]) -> bool:
    holders = [c.subject for c in constraints if isinstance(c, Exclusive) and c.subject in selected]
    for constraint in constraints:
        if isinstance(constraint, AtLeast):
            least, identifiers = constraint.origin
            if constraint.subject in selected and len(selected.intersection(identifiers)) < least:
                return False
        elif constraint.broken_by(selected):
            return False
    return len(holders) < 2


@pytest.mark.parametrize("backend", ["deciding", "minisat22", "python"])
def test_every_engine_serves_a_kind_that_it_does_not_know(backend: str) -> None:
    """There is a solution exactly where brute force has one, and a core names the kind itself and nothing spare."""
    outcomes = {Solution: 0, Core: 0}
    for seed in range(150):
        problem = _problem(random.Random(seed))
        every = list(itertools.chain.from_iterable(problem.variables.values()))
        selections = [frozenset(c) for n in range(9) for c in itertools.combinations(problem.variables, n)]
        answer = solve(problem, backend=backend)
        outcomes[type(answer)] += 1
        if isinstance(answer, Solution):
            assert _allows(every, frozenset(answer.selected))
            assert CNF(problem).first_broken(set(answer.selected)) is None
        else:
            assert not any(_allows(every, selected) for selected in selections)
            core = answer.constraints
            assert any(isinstance(each, AtLeast) for each in core)
            for left_out in core:
                others = [each for each in core if each is not left_out]
                assert any(_allows(others, selected) for selected in selections if _one_of_each(others, selected))
    assert min(outcomes.values()) > 20


def _one_of_each(core: Sequence[Constraint], selected: frozenset[Identifier]) -> bool:
    """Return True unless a group of *core*, an "at most", is broken."""
    return not any(each.broken_by(selected) for each in core)


def test_the_most_wanted_that_can_be_are_selected_and_a_core_says_the_kinds_own_words() -> None:
    """Two of c, d, e: d cannot be, so it is c and e; without e as well, the core reads as the kind prints itself."""
    least = AtLeast.of("a", 2, ("c", "d", "e"))
    variables: dict[Identifier, list[Constraint]] = {"a": [Mandatory("a"), least], "c": [], "d": [Prohibited("d")]}
    solution = solve(Variables({**variables, "e": []}))
    assert isinstance(solution, Solution)
    assert solution.selected == ("a", "c", "e")
    core = solve(Variables({**variables, "e": [Prohibited("e")]}))
    assert isinstance(core, Core)
    assert [str(each) for each in core.constraints] == [
        "a is mandatory",
        "a requires at least 2 of c, d, e",
        "d is prohibited",
        "e is prohibited",
    ]
