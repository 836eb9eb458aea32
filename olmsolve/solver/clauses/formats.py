"""The text formats of clauses that other solvers read, as lines: DIMACS CNF, WCNF and OPB.

- DIMACS CNF: ``-3 7 0`` is the clause ``¬x3 ∨ x7``.
- WCNF, with the heading ``p wcnf`` that MaxSAT solvers of all years read: each line begins with a weight, and a clause
  that must hold has the highest one.
- OPB (pseudo-Boolean): ``-1 x3 +1 x7 >= 0 ;`` is the same clause, as a sum of variables that are 0 or 1.

Comments come before the lines that they are about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from olmsolve._named_tuples import NamedTuple

Lines: TypeAlias = Iterator[str]
"""Lines of a text with their line ends, made one by one: ``file.writelines(lines)`` writes a text of any size."""


class TextClause(NamedTuple):
    """A clause with the comment above it; "" for none."""

    literals: Sequence[int]
    comment: str


class Soft(NamedTuple):
    """A literal that optimisers pay *weight* for if it is false."""

    literal: int
    weight: int


def dimacs(heading: Iterable[str], variables: int, count: int, clauses: Iterable[TextClause]) -> Lines:
    """Yield *clauses*, *count* in number, as DIMACS CNF with *heading* as comments."""
    yield from _comments("c", heading)
    yield f"p cnf {variables} {count}\n"
    for literals, comment in clauses:
        if comment:
            yield _comment("c", comment)
        yield f"{' '.join(map(str, (*literals, 0)))}\n"


def wcnf(
    heading: Iterable[str],
    variables: int,
    count: int,
    clauses: Iterable[TextClause],
    soft: Sequence[Soft],
    highest: int,
) -> Lines:
    """Yield *clauses*, which must hold, and *soft* literals as WCNF; *highest* is what all of them together cost."""
    yield from _comments("c", heading)
    top = highest + 1
    yield f"p wcnf {variables} {count + len(soft)} {top}\n"
    for literals, comment in clauses:
        if comment:
            yield _comment("c", comment)
        yield f"{top} {' '.join(map(str, (*literals, 0)))}\n"
    for literal, weight in soft:
        yield f"{weight} {literal} 0\n"


def opb(
    heading: Iterable[str], variables: int, count: int, clauses: Iterable[TextClause], costs: Sequence[Soft]
) -> Lines:
    """Yield *clauses* as OPB, and as its objective the least sum of *costs*, each the weight of a true variable."""
    # The format wants these numbers in the first line, and no solver takes a problem without any variable.
    yield f"* #variable= {max(variables, 1)} #constraint= {count}\n"
    yield from _comments("*", heading)
    if costs:
        yield f"min: {' '.join(f'+{weight} x{literal}' for literal, weight in costs)} ;\n"
    for literals, comment in clauses:
        if comment:
            yield _comment("*", comment)
        if literals:
            terms = " ".join(f"{'+' if literal > 0 else '-'}1 x{abs(literal)}" for literal in literals)
            yield f"{terms} >= {1 - sum(literal < 0 for literal in literals)} ;\n"
        else:
            yield "+0 x1 >= 1 ;\n"


def read_literals(text: str) -> Iterator[int]:
    """Yield the literals of the last model that a solver has printed, on lines that begin with "v".

    Where no line does, the whole text is the model. Zeros end lists and are left out; ``-x3``, as solvers of OPB print
    it, is -3.

    Raises:
        ValueError: a word is no literal.

    >>> list(read_literals("c found\\ns SATISFIABLE\\nv 1 -2\\nv 3 0"))
    [1, -2, 3]
    """
    # Optimisers may print a better model later; comments and other lines may come between the two.
    model: list[str] = []
    follows = False
    lines = text.splitlines()
    for line in lines:
        if line.startswith("v"):
            model = [*model, line[1:]] if follows else [line[1:]]
        follows = line.startswith("v")
    for line in model or lines:
        for word in line.split():
            literal = int(word.replace("x", "", 1))
            if literal:
                yield literal


def _comments(mark: str, lines: Iterable[str]) -> Lines:
    return (_comment(mark, line) for line in lines)


def _comment(mark: str, text: str) -> str:
    """Return *text* as one line; what would end the line, or what a terminal obeys, becomes an escape."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return f"{mark} {text}\n"
