"""The forms of an explanation, and writing explanations and plans to files beside an answer."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.streams import style

__all__ = ["FORMS", "form_and_file", "on_terminal", "write_explanation", "write_plan"]

_FILE_WIDTH: Final = 100


def _text(explanation: olmsolve.Explanation) -> str:
    return render.explanation.text(explanation, width=_FILE_WIDTH) + "\n"


def _markdown(explanation: olmsolve.Explanation) -> str:
    return render.explanation.markdown(explanation)


def _json(explanation: olmsolve.Explanation) -> str:
    return json.dumps(explanation.to_dict(), indent=2, ensure_ascii=False) + "\n"


def _mermaid(explanation: olmsolve.Explanation) -> str:
    return render.flowchart(explanation)


def _html(explanation: olmsolve.Explanation) -> str:
    from olmsolve.render import html

    return html.explanation(explanation)


FORMS: Final[dict[str, Callable[[olmsolve.Explanation], str]]] = {
    "text": _text,
    "markdown": _markdown,
    "json": _json,
    "mermaid": _mermaid,
    "html": _html,
}
"""The renderer of each form, whose text ends its last line; text is as wide as in pipes."""


def on_terminal(explanation: olmsolve.Explanation) -> str:
    """Return *explanation* as text for standard output."""
    layout = style()
    if sys.stdout.isatty():
        # On terminals a tree with guides, where rich is installed; pipes and files get plain lines.
        with contextlib.suppress(ImportError):
            from olmsolve.render import explanation_tree

            return explanation_tree.text(explanation, width=layout.width, colour=layout.colour)
    return render.explanation.text(explanation, width=layout.width, colour=layout.colour)


def form_and_file(text: str) -> tuple[str, Path]:
    """Return the two parts of *text*, which is ``FORM=FILE``. Raises RequestError."""
    form, _, file = text.partition("=")
    if form not in FORMS or not file:
        hint = f"forms are {', '.join(FORMS)}"
        raise olmsolve.RequestError("not of the form FORM=FILE", field=f"--explain {text}", hint=hint)
    return form, Path(file)


def write_explanation(
    failure: olmsolve.OlmsolveError, targets: Iterable[tuple[str, Path]], timeout: float | None = None
) -> None:
    """Write the explanation of *failure* to each of *targets*, a form and a file; without any, nothing is worked out.

    *timeout* is in seconds. Raises RequestError for a file that cannot be written.
    """
    targets = list(targets)
    if targets:
        explanation = olmsolve.explanation(failure, timeout=timeout)
        for form, path in targets:
            _write(form, path, FORMS[form](explanation))


def write_plan(plan: olmsolve.Resolution, targets: Iterable[tuple[str, Path]]) -> None:
    """Write *plan* as a page to the html files of *targets*; the other forms apply to failures only.

    Raises RequestError for a file that cannot be written.
    """
    for form, path in targets:
        if form == "html":
            from olmsolve.render import html

            _write(form, path, html.plan(plan))


def _write(form: str, path: Path, content: str) -> None:
    try:
        path.write_text(content, "utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise olmsolve.RequestError(f"cannot be written: {reason}", field=f"--explain {form}={path}") from error
