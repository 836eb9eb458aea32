"""``olmsolve resolve --explain FORM=FILE``: the answer told in files beside it: why a request fails, or its plan."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from olmsolve.errors import OlmsolveError
from olmsolve.resolution import Resolution

__all__ = ["explain", "show", "targets_of"]


def targets_of(options: argparse.Namespace) -> list[tuple[str, Path]]:
    """The forms and files that *options* ask for. Raises RequestError for what is no form and file."""
    if not options.explain:
        return []
    # Only whoever wants an explanation waits for what renders it.
    from olmsolve.cli.explanations import form_and_file

    return [form_and_file(text) for text in options.explain]


def explain(failure: OlmsolveError, targets: Sequence[tuple[str, Path]], timeout: float | None = None) -> None:
    """Write the explanation of *failure*, made within *timeout* seconds, to *targets*; without any, nothing is made."""
    if targets:
        from olmsolve.answers.explain import explanation
        from olmsolve.cli.explanations import write_files

        write_files(explanation(failure, timeout=timeout), targets)


def show(plan: Resolution, targets: Sequence[tuple[str, Path]]) -> None:
    """Write *plan* to those of *targets* that are pages: the other forms are for what needs explaining."""
    pages = [path for form, path in targets if form == "html"]
    if pages:
        from olmsolve.cli.explanations import write_file
        from olmsolve.render import plan_html

        for path in pages:
            write_file("html", path, plan_html(plan))
