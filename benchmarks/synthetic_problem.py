"""The synthetic problem that olmsolve and its peers are given, and the check of an answer.

The generator is read in place, from the shared folder, and is no part of this repository.
"""

from __future__ import annotations

import functools
import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import attrs

__all__ = ["Answer", "Problem", "Selected", "faults", "generated", "write"]

_GENERATOR = Path("bench", "synthetic.py")
# As the generator defines --hard: the share of requirements with an upper bound.
_WINDOW = {False: 0.3, True: 0.8}

Selected: TypeAlias = Mapping[int, int]
"""The chosen version of each installed package."""


@attrs.frozen
class Problem:
    """*requires* [package][version] lists (package, lowest, highest); *roots* are packages to be installed."""

    requires: Sequence[Sequence[Sequence[tuple[int, int, int]]]]
    roots: Sequence[int]

    def reached(self) -> list[int]:
        """The packages that some requirement on a way from the roots names, ascending.

        No tool has to look at others. The walk is part of the work of each peer that is given a whole problem.
        """
        known = set(self.roots)
        waiting = list(known)
        while waiting:
            rows = self.requires[waiting.pop()]
            new = {target for row in rows for target, _, _ in row} - known
            known |= new
            waiting.extend(new)
        return sorted(known)


@attrs.frozen
class Answer:
    """What a tool found: *selected*, or None where nothing can be; then *explanation* counts what it names as causes.

    What is counted differs between tools and is said in each module; None where a tool gives no cause.
    """

    selected: Selected | None
    explanation: int | None = None


def generated(shared: Path, size: str, *, hard: bool, unsat: bool) -> Problem:
    """The problem of the generator's *size* (S, M, L, XL or PACKAGES,VERSIONS,DEPENDENCIES,ROOTS), seed 1."""
    generator = _generator(shared)
    shape = generator.SIZES.get(size) or tuple(map(int, size.split(",")))
    return Problem(*generator.generate(*shape, window=_WINDOW[hard], unsat=unsat))


def write(problem: Problem, shared: Path, file: Path) -> None:
    """Write *problem* as a file-based catalog, the way the generator does."""
    with file.open("w", encoding="utf-8") as out:
        for blob in _generator(shared).blobs(problem.requires):
            out.write(json.dumps(blob, separators=(",", ":")) + "\n")


def faults(problem: Problem, selected: Selected) -> list[str]:
    """Why *selected* is no solution: roots that are missing and requirements that are not met."""
    found = [f"root {root} is missing" for root in problem.roots if root not in selected]
    for package, version in selected.items():
        for target, low, high in problem.requires[package][version]:
            if not low <= selected.get(target, -1) <= high:
                found.append(f"{package} {version} needs {target} in {low}..{high}, not {selected.get(target)}")
    return found


@functools.cache
def _generator(shared: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("synthetic_generator", shared / _GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
