"""Mutants of clauses, backends and problems that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.solver.backends.completing",
        "no literal is 0",
        (
            "if not any(literal in true or (literal < 0 and -literal not in mentioned) for literal in clause):",
            "literal < 0 -> literal <= 0",
        ),
        (
            "if not any(literal in true or (literal < 0 and -literal not in mentioned) for literal in clause):",
            "0 -> 1",
        ),
    ),
    *alike(
        "olmsolve.solver.backends.pysat",
        "CaDiCaL simplifies then: no answer changes, but with 100,000 candidates it takes seconds that no limit ends",
        ('_WITHOUT_SIMPLIFYING: Final = {"inprocessing": 0, "lucky": 0, "walk": 0}', "0 -> 1"),
        ("if name in _CONFIGURED:", "if name in _CONFIGURED -> if False"),
        ("self._solver.configure(_WITHOUT_SIMPLIFYING)", "self._solver.configure(_WITHOUT_SIMPLIFYING) left out"),
    ),
    *alike(
        "olmsolve.solver.backends.pysat",
        "a call that sets the phases of no variable, or of one that is not there yet and gets its phase when it is",
        ("if count > self._phased:", "count > self._phased -> count >= self._phased"),
        (
            "self._solver.set_phases([-variable for variable in range(self._phased + 1, count + 1)])",
            "1 -> 2",
        ),
    ),
    *alike(
        "olmsolve.solver.backends.python",
        "a clause with a literal and its opposite is kept in vain, since it is always met",
        ("if self._values[code] == 1 or code ^ 1 in clause:", "code ^ 1 -> code & 1"),
    ),
    *alike(
        "olmsolve.solver.backends.python",
        "variable 1 is not decided then: where it stays open, all clauses hold without it, and it is false in the model",
        ("following = 1", "1 -> 2", "solve", "self._attach(learnt)"),
    ),
    *alike(
        "olmsolve.solver.backends.python",
        "the level of an open variable is never read",
        ("self._levels.append(0)", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.backends.python",
        "no literal is 0, and no code is below 0",
        ("return 2 * variable + (literal < 0)", "literal < 0 -> literal <= 0"),
        ("return 2 * variable + (literal < 0)", "0 -> 1"),
        ("pivot = -1", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.backends.python",
        "learned clauses get longer by literals that are false for ever, from which nothing follows",
        (
            "if code != pivot and variable not in seen and self._levels[variable] > 0:",
            "self._levels[variable] > 0 -> self._levels[variable] >= 0",
        ),
    ),
    *alike(
        "olmsolve.solver.clauses.cnf",
        "no literal is 0, and no variable has this number",
        ("values = [False, *[identifier in selected for identifier in self._reached]]", "False -> True"),
        (
            "if not any(values[abs(literal)] == (literal > 0) for literal in clause.literals):",
            "literal > 0 -> literal >= 0",
        ),
    ),
    *alike(
        "olmsolve.solver.clauses.cnf",
        "how often limits are looked at",
        ("if position % 16 == 0:", "position % 16 == 0 -> position % 16 != 0"),
        ("if position % 16 == 0:", "16 -> 17"),
        ("if position % 16 == 0:", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.clauses.formats",
        "no literal is 0",
        (
            """terms = " ".join(f"{'+' if literal > 0 else '-'}1 x{abs(literal)}" for literal in literals)""",
            "literal > 0 -> literal >= 0",
        ),
        (
            'yield f"{terms} >= {1 - sum(literal < 0 for literal in literals)} ;\\n"',
            "literal < 0 -> literal <= 0",
        ),
        ('yield f"{terms} >= {1 - sum(literal < 0 for literal in literals)} ;\\n"', "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.clauses.formats",
        "the first line of a model joins an empty one, or takes its place",
        ("follows = False", "False -> True"),
    ),
    *alike(
        "olmsolve.solver.clauses.weights",
        "what is added is less than the number of candidates, by which the weight is divided without a rest",
        ("weight = self.highest + 1", "1 -> 2"),
    ),
    *alike(
        "olmsolve.solver.parts",
        "from where on one part is solved, which takes more questions and gives the same cores",
        ("_MOST_TESTS: Final = 200_000", "200000 -> 200001"),
    ),
    *alike(
        "olmsolve.solver.problem",
        "a call that finds no member that is new: bit 0 stands for none",
        (
            "if needed & ~masks.get(other, 0):",
            "needed & ~masks.get(other, 0) -> needed | ~masks.get(other, 0)",
        ),
        ("if needed & ~masks.get(other, 0):", "0 -> 1"),
    ),
    *alike(
        "olmsolve.solver.problem",
        "from how many members on all are read at once: at a third, both ways cost about the same",
        (
            "if runs is None and mask.bit_count() * 3 > len(self._members[group]):",
            "mask.bit_count() * 3 > len(self._members[group]) -> mask.bit_count() * 3 >= len(self._members[group])",
        ),
        ("if runs is None and mask.bit_count() * 3 > len(self._members[group]):", "3 -> 4"),
    ),
)
