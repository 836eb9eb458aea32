"""Explanations for terminals, where rich (the extra ``cli``) is installed."""

from __future__ import annotations

from olmsolve.answers.explain import Explanation


def explanation_rich(explanation: Explanation, *, width: int, colour: bool) -> str:
    """Return an explanation as a tree of at most *width* columns, with ANSI colours if *colour*.

    Raises:
        ImportError: rich is not installed.
    """
    # Here and not above, so that everything else of the door is there without rich.
    from olmsolve.render.explanation_tree import explanation_tree

    return explanation_tree(explanation, width=width, colour=colour)
