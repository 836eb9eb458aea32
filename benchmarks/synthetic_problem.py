"""The dense problems that olmsolve and its peers are given, and what an answer is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import attrs

from olmsolve.testing.synthetic import DenseProblem, DenseShape, dense_problem, lines

__all__ = ["SEED", "Answer", "Selected", "generated", "write"]

SEED = 2
"""The seed of all dense problems here, one whose effort is near the median; the table of seeds has the spread."""

Selected: TypeAlias = Mapping[int, int]
"""The chosen version of each installed package."""


@attrs.frozen
class Answer:
    """What a tool found: *selected*, or None where nothing can be; then *explanation* counts what it names as causes.

    What is counted differs between tools and is said in each module; None where a tool gives no cause.
    """

    selected: Selected | None
    explanation: int | None = None


def generated(size: str | DenseShape, *, hard: bool, unsat: bool, seed: int = SEED) -> DenseProblem:
    """Return the dense problem of *size*; *unsat* problems have no solution."""
    return dense_problem(size, "hard" if hard else "easy", satisfiable=not unsat, seed=seed)


def write(problem: DenseProblem, file: Path) -> None:
    """Write the catalog of *problem* as lines of JSON."""
    with file.open("w", encoding="utf-8") as out:
        out.writelines(lines(problem.blobs()))
