"""The forms of an explanation, and writing explanations and plans to files beside an answer."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.streams import json_text, style

_FILE_WIDTH: Final = 100


def _text(explanation: olmsolve.Explanation) -> str:
    return render.explanation_text(explanation, width=_FILE_WIDTH) + "\n"


def _json(explanation: olmsolve.Explanation) -> str:
    return json_text(explanation.to_dict(), indent=2) + "\n"


FORMS: Final[dict[str, Callable[[olmsolve.Explanation], str]]] = {
    "text": _text,
    "markdown": lambda explanation: render.explanation_markdown(explanation),
    "json": _json,
    "mermaid": lambda explanation: render.explanation_mermaid(explanation),
    "html": lambda explanation: render.explanation_html(explanation),
}
"""The renderer of each form, whose result ends with a line end; text is as wide as in pipes.

The functions look their renderer up when they are called: no form but the wanted one is imported.
"""


def on_terminal(explanation: olmsolve.Explanation) -> str:
    """Return *explanation* as text for standard output."""
    layout = style()
    if sys.stdout.isatty():
        # On terminals a tree with guides, where rich is installed; pipes and files get plain lines.
        with contextlib.suppress(ImportError):
            return render.explanation_rich(explanation, width=layout.width, colour=layout.colour)
    return render.explanation_text(explanation, width=layout.width, colour=layout.colour)


def form_and_file(text: str) -> tuple[str, Path]:
    """Return the two parts of *text*, which is ``FORM=FILE``. Raises RequestError."""
    form, _, file = text.partition("=")
    if form not in FORMS or not file:
        hint = f"forms are {', '.join(FORMS)}"
        raise olmsolve.RequestError("not of the form FORM=FILE", field=f"--explain {text}", hint=hint)
    return form, Path(file)


def write_explanation(failure: olmsolve.OlmsolveError, targets: Iterable[tuple[str, Path]]) -> None:
    """Write the explanation of *failure* to each of *targets*, a form and a file; without any, nothing is worked out.

    Raises RequestError for a file that cannot be written.
    """
    targets = list(targets)
    if targets:
        explanation = olmsolve.explanation(failure)
        for form, path in targets:
            _write(form, path, FORMS[form](explanation))


def write_page(page: Callable[[], str], targets: Iterable[tuple[str, Path]]) -> None:
    """Write the *page* of a plan to the html files of *targets*; the other forms apply to failures only.

    Raises RequestError for a file that cannot be written.
    """
    for form, path in targets:
        if form == "html":
            _write(form, path, page())


def _write(form: str, path: Path, content: str) -> None:
    from olmsolve._whole_files import write_whole  # most explanations are printed alone

    try:
        write_whole(path, [content.encode()])
    except OSError as error:
        reason = error.strerror or str(error)
        raise olmsolve.RequestError(f"cannot be written: {reason}", field=f"--explain {form}={path}") from error
