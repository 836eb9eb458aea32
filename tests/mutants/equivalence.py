"""Mutants that make no difference which a test could see: somebody has read each, and ``equivalent.txt`` says why.

A line there is ``function: change``, as the tool prints the change, below a comment with the reason. The function is
named with its classes (``Search.take``), a constant of a module or class stands for itself, and lines around the
change may be edited. Where the function has the same change several times, ``[2 of 3]`` says which of them; where
another module has the same function with the same change, the module stands in front: ``olmsolve.semver.blang:parse``.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import attrs

from tests.mutants.mutating import Mutant, mutants_of

__all__ = ["EQUIVALENT", "Equivalent", "equivalents_in", "is_equivalent", "places_of"]

_LEDGER: Final = Path(__file__).with_name("equivalent.txt")
_ENTRY: Final = re.compile(r"(?:([a-z_.\d]+):)?([\w.<>]*): (.*?)(?:  \[([\d, ]+) of (\d+)\])?")


@attrs.frozen
class Equivalent:
    """The *change* in *function*, of *module* ("" for any), and the *reason* why nothing shows it.

    The function has the change *count* times, and *positions* (from 1) are the ones meant; empty for all of them.
    """

    function: str
    change: str
    reason: str
    positions: tuple[int, ...] = ()
    count: int = 0
    module: str = ""

    def __str__(self) -> str:
        return f"{self.function}: {self.change}"


def equivalents_in(text: str) -> Iterator[Equivalent]:
    """Yield the entries of a ledger. Raises ValueError for a line that is none."""
    reason = ""
    for line in filter(None, text.splitlines()):
        if line.startswith("# "):
            reason = line[2:]
            continue
        match = _ENTRY.fullmatch(line)
        if match is None or not reason:
            raise ValueError(f"no entry, or one without a reason: {line!r}")
        module, function, change, positions, count = match.groups()
        chosen = tuple(map(int, positions.split(", "))) if positions else ()
        yield Equivalent(function, change, reason, chosen, int(count or 0), module or "")


EQUIVALENT: Final = tuple(equivalents_in(_LEDGER.read_text("utf-8")))
_BY_CHANGE: Final[Mapping[tuple[str, str], tuple[Equivalent, ...]]] = {
    key: tuple(each for each in EQUIVALENT if (each.function, each.change) == key)
    for key in {(each.function, each.change) for each in EQUIVALENT}
}


@cache
def places_of(module: str, source: str) -> Mapping[tuple[str, str], tuple[int, ...]]:
    """Map each function with a change to the numbers of the mutants that have it, in the order of their lines."""
    functions = _functions(source)
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    for mutant in mutants_of(module, source):
        key = functions.get(mutant.line, ""), mutant.change
        found[key] = (*found.get(key, ()), mutant.number)
    return found


def is_equivalent(mutant: Mutant, source: str) -> bool:
    """Return whether *mutant* of a module with this *source* is on the list."""
    key = _functions(source).get(mutant.line, ""), mutant.change
    position = places_of(mutant.module, source)[key].index(mutant.number) + 1
    return any(
        each.module in ("", mutant.module) and (not each.positions or position in each.positions)
        for each in _BY_CHANGE.get(key, ())
    )


@cache
def _functions(source: str) -> Mapping[int, str]:
    """Map each line of a function, or of a constant outside of functions, to its name."""
    found: dict[int, str] = {}
    waiting: deque[tuple[ast.AST, str]] = deque([(ast.parse(source), "")])
    while waiting:
        node, around = waiting.popleft()
        for child in ast.iter_child_nodes(node):
            name = _name(child, is_outside=isinstance(node, (ast.Module, ast.ClassDef)))
            inside = f"{around}.{name}".lstrip(".") if name else around
            if name and isinstance(child, ast.stmt):
                found.update(dict.fromkeys(range(child.lineno, (child.end_lineno or child.lineno) + 1), inside))
            waiting.append((child, inside))
    return found


def _name(node: ast.AST, *, is_outside: bool) -> str:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name
    if is_outside and isinstance(node, (ast.Assign, ast.AnnAssign)):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return target.id if isinstance(target, ast.Name) else ""
    return ""
