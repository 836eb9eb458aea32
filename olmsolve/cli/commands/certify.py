"""``olmsolve certify``: the answer to a request with its proof."""

from __future__ import annotations

import argparse
from typing import Any, Final

import olmsolve
from olmsolve._whole_files import write_whole
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_backend, add_situation
from olmsolve.cli.resolving import resolved
from olmsolve.cli.situation import only_classic_question
from olmsolve.cli.streams import complain, json_text, write_data, write_json

DESCRIPTION: Final = """\
Resolve a request and write the certificate of the answer: what "olmsolve verify" needs to confirm that the plan is
the preferred one, or that there is none (docs/certificates.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve certify request.yaml --file plan.certificate.json
  olmsolve certify request.yaml | olmsolve verify /dev/stdin request.yaml

exit codes:
  0  a plan
  1  the request cannot be satisfied; a failure without a proof is printed as resolve prints it
  2  bad input: a catalog, a request or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the search, and the file of the certificate."""
    add_situation(parser)
    add_backend(parser)
    parser.add_argument("--file", metavar="FILE", help="the file to write (default: standard output)")


def run(options: argparse.Namespace) -> int:
    """Resolve the request of *options*, write the certificate of the answer, and return the code of ``resolve``."""
    try:
        question, request = only_classic_question(options, "certificates")
    except olmsolve.errors.NamespaceError as error:
        return _without_certificate({"error": str(error)}, "what fails for the objects of a cluster has no proof")
    answer = resolved(request, options, question.semantics)
    try:
        certificate = olmsolve.certificate(answer.outcome)
    except olmsolve.RequestError as error:
        if answer.code is Exit.PLAN:
            raise
        return _without_certificate(answer.data(), error.reason)
    if options.file is None:
        write_json(certificate)
        return answer.code
    try:
        write_whole(options.file, [f"{json_text(certificate)}\n".encode()])
    except OSError as error:
        raise olmsolve.RequestError(f"cannot be written: {error.strerror}", source=options.file) from None
    return answer.code


def _without_certificate(failure: dict[str, Any], reason: str) -> Exit:
    """Print *failure* as ``resolve`` does, say for what *reason* it has no certificate, and return its exit code."""
    complain(f"there is no certificate: {reason}")
    write_data(failure, "json")
    return Exit.UNSATISFIABLE
