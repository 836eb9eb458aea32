"""The forms of an explanation, and writing one to files beside an answer."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from olmsolve.answers.explain import Explanation
from olmsolve.cli.streams import style
from olmsolve.errors import RequestError
from olmsolve.render import explanation_html, explanation_markdown, explanation_mermaid, explanation_text

__all__ = ["FORMS", "form_and_file", "on_terminal", "write_file", "write_files"]

_FILE_WIDTH: Final = 100


def _json(explanation: Explanation) -> str:
    return json.dumps(explanation.to_dict(), indent=2, ensure_ascii=False) + "\n"


def _text(explanation: Explanation) -> str:
    return explanation_text(explanation, width=_FILE_WIDTH) + "\n"


FORMS: Final[dict[str, Callable[[Explanation], str]]] = {
    "text": _text,
    "markdown": explanation_markdown,
    "json": _json,
    "mermaid": explanation_mermaid,
    "html": explanation_html,
}
"""What writes an explanation in a form, with a line end; text is as wide as in pipes."""


def on_terminal(explanation: Explanation) -> str:
    """*explanation* as text for standard output."""
    layout = style()
    if sys.stdout.isatty():
        # On terminals a tree with guides, where rich is installed; pipes and files get plain lines.
        with contextlib.suppress(ImportError):
            from olmsolve.render import explanation_rich

            return explanation_rich(explanation, width=layout.width, colour=layout.colour)
    return explanation_text(explanation, width=layout.width, colour=layout.colour)


def form_and_file(text: str) -> tuple[str, Path]:
    """The two parts of ``FORM=FILE``. Raises RequestError."""
    form, _, file = text.partition("=")
    if form not in FORMS or not file:
        raise RequestError("not of the form FORM=FILE", field=f"--explain {text}", hint=f"forms are {', '.join(FORMS)}")
    return form, Path(file)


def write_files(explanation: Explanation, targets: Iterable[tuple[str, Path]]) -> None:
    """Write *explanation* to each of *targets*, in its form."""
    for form, path in targets:
        write_file(form, path, FORMS[form](explanation))


def write_file(form: str, path: Path, content: str) -> None:
    """Write *content*, of *form*, to *path*. Raises RequestError."""
    try:
        path.write_text(content, "utf-8")
    except OSError as error:
        raise RequestError(f"cannot be written: {error.strerror or error}", field=f"--explain {form}={path}") from error
