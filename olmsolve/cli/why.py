"""``olmsolve why`` and ``olmsolve why-not``."""

from __future__ import annotations

import argparse

import olmsolve
from olmsolve.answers.questions import why, why_not
from olmsolve.classic import Request
from olmsolve.cli.asking import asked
from olmsolve.cli.exits import Exit
from olmsolve.cli.settings import search_settings
from olmsolve.cli.streams import style, write, write_data
from olmsolve.errors import RequestError
from olmsolve.render import failure_text, why_not_text, why_text
from olmsolve.resolution import ResolutionFailure

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Resolve what *options* ask for, answer the question about the plan, and return the exit code of ``resolve``."""
    request = asked(options)
    if not isinstance(request, Request):
        raise RequestError("why and why-not are for subscriptions", hint="olmsolve resolve tells the way of OLM v1")
    layout = style()
    try:
        plan = olmsolve.resolve(request, **search_settings(options))
    except ResolutionFailure as failed:
        if options.output == "text":
            write(failure_text(failed, width=layout.width, colour=layout.colour))
            write("\nSo there is no plan to ask about; olmsolve explain says what would help.")
        else:
            write_data(failed.to_dict(), options.output)
        return Exit.UNSATISFIABLE
    if options.question == "why":
        answer = why(plan, options.bundle)
        told = why_text(answer, width=layout.width, colour=layout.colour)
        data = answer.to_dict()
    else:
        negative = why_not(
            plan, options.package, version=options.version, channel=options.channel, catalog=options.source
        )
        told = why_not_text(negative, width=layout.width, colour=layout.colour)
        data = negative.to_dict()
    if options.output == "text":
        write(told)
    else:
        write_data(data, options.output)
    return Exit.PLAN
