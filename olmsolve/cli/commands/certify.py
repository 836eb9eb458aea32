"""``olmsolve certify``: the answer to a request with its proof."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve.cli.options import add_backend, add_situation
from olmsolve.cli.resolving import resolved
from olmsolve.cli.situation import only_certifiable_question
from olmsolve.cli.streams import json_text, write_json

DESCRIPTION: Final = """\
Resolve a request and write the certificate of the answer: what "olmsolve verify" needs to confirm that the plan is
the preferred one, or that there is none (docs/certificates.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve certify request.yaml --file plan.certificate.json
  olmsolve certify request.yaml | olmsolve verify /dev/stdin request.yaml

exit codes:
  0  a plan
  1  the request cannot be satisfied
  2  bad input: a catalog, a request or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the search, and the file of the certificate."""
    add_situation(parser)
    add_backend(parser)
    parser.add_argument("--file", metavar="FILE", help="where to write the certificate (default: standard output)")


def run(options: argparse.Namespace) -> int:
    """Resolve the request of *options*, write the certificate of the answer, and return the code of ``resolve``."""
    question, request = only_certifiable_question(options)
    answer = resolved(request, options, question.semantics)
    certificate = olmsolve.certificate(answer.outcome)
    if options.file is None:
        write_json(certificate)
        return answer.code
    try:
        Path(options.file).write_text(f"{json_text(certificate)}\n", "utf-8")
    except OSError as error:
        raise olmsolve.RequestError(f"cannot be written: {error.strerror}", source=options.file) from None
    return answer.code
