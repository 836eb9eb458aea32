"""Mutants that make no difference which a test could see: somebody has read each, and ``equivalent.txt`` says why.

A line there is ``function: changes``, below a comment with the reason; ``; `` stands between changes. The function is
named with its classes (``Search.take``), a constant of a module or class stands for itself. A change is its kind alone
(``< -> <=``, ``if False``, ``clear() left out``) where the function has one change of this kind; so its expressions may
be edited, and its values renamed. Otherwise it is the whole change, as the tool prints it; and where the function has
it several times, ``[2 of 3]`` says which of them. Where another module has the same function with the same change, the
module stands in front: ``olmsolve.semver.blang:parse``.
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
_ENTRY: Final = re.compile(r"(?:([a-z_.\d]+):)?([\w.<>]*): (.*)")
_CHANGE: Final = re.compile(r"(.*?)(?: \[([\d, ]+) of (\d+)\])?")


@attrs.frozen
class Equivalent:
    """The *change* in *function*, of *module* ("" for any), and the *reason* why nothing shows it.

    The function has the change *count* times, and *positions* (from 1) are the ones meant.
    """

    function: str
    change: str
    reason: str
    positions: tuple[int, ...] = (1,)
    count: int = 1
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
        module, function, changes = match.groups()
        for item in changes.split("; "):
            change, positions, count = _CHANGE.fullmatch(item).groups()  # type: ignore[union-attr]
            chosen = tuple(map(int, positions.split(", "))) if positions else (1,)
            yield Equivalent(function, change, reason, chosen, int(count or 1), module or "")


EQUIVALENT: Final = tuple(equivalents_in(_LEDGER.read_text("utf-8")))
_BY_CHANGE: Final[Mapping[tuple[str, str], tuple[Equivalent, ...]]] = {
    key: tuple(equivalent for equivalent in EQUIVALENT if (equivalent.function, equivalent.change) == key)
    for key in {(equivalent.function, equivalent.change) for equivalent in EQUIVALENT}
}


@cache
def places_of(module: str, source: str) -> Mapping[tuple[str, str], tuple[int, ...]]:
    """Map each function with a change, whole and by its kind, to the numbers of its mutants, in the order of lines."""
    functions = _functions(source)
    places: dict[tuple[str, str], tuple[int, ...]] = {}
    for mutant in mutants_of(module, source):
        function = functions.get(mutant.line, "")
        for change in {mutant.change, mutant.kind}:
            places[function, change] = (*places.get((function, change), ()), mutant.number)
    return places


def is_equivalent(mutant: Mutant, source: str) -> bool:
    """Return whether *mutant* of a module with this *source* is on the list."""
    function = _functions(source).get(mutant.line, "")
    places = places_of(mutant.module, source)
    return any(
        equivalent.module in ("", mutant.module)
        and places[function, change].index(mutant.number) + 1 in equivalent.positions
        for change in (mutant.change, mutant.kind)
        for equivalent in _BY_CHANGE.get((function, change), ())
    )


@cache
def _functions(source: str) -> Mapping[int, str]:
    """Map each line of a function, or of a constant outside of functions, to its name."""
    functions: dict[int, str] = {}
    waiting: deque[tuple[ast.AST, str]] = deque([(ast.parse(source), "")])
    while waiting:
        node, around = waiting.popleft()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                continue  # an expression: it holds no function and no constant
            name = _name(child, is_outside=isinstance(node, (ast.Module, ast.ClassDef)))
            inside = f"{around}.{name}".lstrip(".") if name else around
            if name and isinstance(child, ast.stmt):
                functions.update(dict.fromkeys(range(child.lineno, (child.end_lineno or child.lineno) + 1), inside))
            waiting.append((child, inside))
    return functions


def _name(node: ast.AST, *, is_outside: bool) -> str:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name
    if is_outside and isinstance(node, (ast.Assign, ast.AnnAssign)):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return target.id if isinstance(target, ast.Name) else ""
    return ""
