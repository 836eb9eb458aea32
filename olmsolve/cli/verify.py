"""``olmsolve verify``."""

from __future__ import annotations

import argparse
from pathlib import Path

from olmsolve.answers.verification import Verdict, verify
from olmsolve.classic import Request
from olmsolve.cli.asking import asked
from olmsolve.cli.exits import Exit
from olmsolve.cli.streams import style, write
from olmsolve.errors import RequestError
from olmsolve.render import paragraph
from olmsolve.requests import opened

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Check the certificate that *options* name, say what it proves, and return 0 where it is valid, else 1."""
    document, _, _ = opened(Path(options.certificate))
    request = asked(options)
    if not isinstance(request, Request):
        raise RequestError("certificates are for subscriptions: OLM v1 resolves without a search")
    try:
        verdict = verify(document, request)
    except RequestError as error:
        raise RequestError(error.reason, error.field, error.hint, options.certificate) from None
    write("\n".join(_told(verdict)))
    return Exit.PLAN if verdict else Exit.UNSATISFIABLE


def _told(verdict: Verdict) -> list[str]:
    width = style().width
    lines = paragraph(str(verdict), width, hanging="  ")
    for candidate in verdict.selected:
        lines += paragraph(str(candidate), width, indent="  ", hanging="    ")
    return lines
