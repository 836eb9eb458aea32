"""Explanations for terminals, drawn by rich: a tree with guides. Needs the extra ``cli``.

The sentences come from the same outline as in :mod:`olmsolve.render.explanation`; only the layout differs.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from olmsolve._patterns import pattern
from olmsolve.answers.explain import Conflict, Explanation
from olmsolve.render.explanation import FIXES_HEADING, MORE_FIXES, explanation_text, provider_hint, ways_out
from olmsolve.render.explanation_outline import effect, outline
from olmsolve.render.held_back import held_back_lines
from olmsolve.render.layout import Style, plain

if TYPE_CHECKING:  # each function imports what it draws with, so that the door is whole without rich
    from rich.console import RenderableType
    from rich.text import Text
    from rich.tree import Tree

_REFERENCE: Final = pattern(r"\[\d+\]")
# Guides take four columns a level; lines that are deeper than this stay at this level.
_DEEPEST: Final = 10


def explanation_rich(explanation: Explanation, *, width: int, colour: bool) -> str:
    """Return an explanation as a tree of at most *width* columns, with ANSI colours if *colour*.

    Raises:
        ImportError: rich is not installed.
    """
    from rich.console import Console, Group

    if not explanation.conflicts:
        return explanation_text(explanation, width=width, colour=colour)
    output = io.StringIO()
    console = Console(
        file=output, width=width, force_terminal=colour, color_system="standard" if colour else None, highlight=False
    )
    console.print(Group(*_renderables(explanation, width)))
    return "\n".join(line.rstrip() for line in output.getvalue().rstrip("\n").split("\n"))


def _renderables(explanation: Explanation, width: int) -> list[RenderableType]:
    from rich.text import Text

    several = len(explanation.conflicts) > 1
    parts: list[RenderableType] = []
    if several:
        heading = f"This request cannot be satisfied, for {len(explanation.conflicts)} independent reasons:"
        parts += [Text(heading, style="bold"), Text()]
    for position, conflict in enumerate(explanation.conflicts, start=1):
        start = f"{position}. " if several else "This request cannot be satisfied: "
        parts += [_tree(conflict, start), Text()]
    parts += _ways_out(explanation)
    newer = held_back_lines([operator.to_dict() for operator in explanation.held_back], Style(width))
    if newer:
        parts += [Text(), *map(Text, newer)]
    return parts


def _tree(conflict: Conflict, start: str) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    root = Tree(Text(plain(f"{start}{conflict.statement}"), style="bold"), guide_style="dim")
    branches = [root]
    for line in outline(conflict):
        depth = min(line.depth, len(branches) - 1, _DEEPEST)
        if line.role == "fact":
            del branches[depth + 1 :]
            branches.append(branches[depth].add(_fact(line.text)))
        else:
            # A note belongs to the line before it.
            branches[min(depth + 1, len(branches) - 1)].add(Text(plain(line.text), style="dim"))
    return root


def _fact(statement: str) -> Text:
    from rich.text import Text

    shown = Text(plain(statement))
    shown.highlight_regex(_REFERENCE, style="cyan")
    return shown


def _ways_out(explanation: Explanation) -> list[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    if not explanation.ways_out:
        return [Text(plain(line)) for line in ways_out(explanation)]
    parts: list[RenderableType] = [Text(FIXES_HEADING, style="bold")]
    for position, fix in enumerate(explanation.ways_out, start=1):
        label = f"{position}. "
        grid = Table.grid()
        grid.add_row(f"  {label}", Text(plain(str(fix)), style="green"))
        grid.add_row("", Text(plain(effect(fix)), style="dim"))
        parts.append(grid)
    if explanation.exhausted:
        parts.append(Text(MORE_FIXES))
    if hint := provider_hint(explanation):
        parts += [Text(), Text(plain(hint))]
    return parts
