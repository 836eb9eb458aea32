"""``olmsolve certify``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import olmsolve
from olmsolve.answers.certifying import certificate
from olmsolve.classic import Request, Unsatisfiable
from olmsolve.cli.asking import asked
from olmsolve.cli.exits import Exit
from olmsolve.cli.settings import search_settings
from olmsolve.cli.streams import write
from olmsolve.errors import RequestError
from olmsolve.resolution import Resolution

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Resolve what *options* ask for, write the certificate of the answer, and return the exit code of ``resolve``."""
    request = asked(options)
    if not isinstance(request, Request):
        raise RequestError("certificates are for subscriptions: OLM v1 resolves without a search")
    outcome: Resolution | Unsatisfiable
    try:
        outcome, code = olmsolve.resolve(request, **search_settings(options)), Exit.PLAN
    except Unsatisfiable as failed:
        outcome, code = failed, Exit.UNSATISFIABLE
    text = json.dumps(certificate(outcome), ensure_ascii=False)
    if options.file is None:
        write(text)
        return code
    try:
        Path(options.file).write_text(f"{text}\n", "utf-8")
    except OSError as error:
        raise RequestError(f"cannot be written: {error.strerror}", source=options.file) from None
    return code
