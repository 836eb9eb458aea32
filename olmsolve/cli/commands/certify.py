"""``olmsolve certify``: the answer to a request with its proof."""

from __future__ import annotations

import argparse
from typing import Any, Final

import olmsolve
from olmsolve.cli.options import add_backend, add_output, add_situation, add_target
from olmsolve.cli.output import Exit, complain, json_text, write_data, write_file, write_json
from olmsolve.cli.resolving import resolved
from olmsolve.cli.situation import EXTENSIONS_ONLY, only_classic_question

DESCRIPTION: Final = """\
Resolve a request and write the certificate of the answer: what olmsolve verify needs to confirm that the plan
is the preferred one, or that there is none (docs/certificates.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve certify install.yaml --to certificate.json
  olmsolve certify install.yaml --semantics controller

exit codes:
  0  a plan
  1  the request cannot be satisfied; a failure without a proof is printed as resolve prints it
  2  bad input: a catalog, a request or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the search, and where to write the certificate."""
    add_situation(parser, idle=EXTENSIONS_ONLY)
    add_backend(parser)
    add_output(parser, "json", shown="the form of the certificate")
    add_target(parser)


def run(options: argparse.Namespace) -> int:
    """Resolve the request of *options*, write the certificate of the answer, and return the code of ``resolve``."""
    try:
        question, request = only_classic_question(options, "certificates")
    except olmsolve.errors.NamespaceError as error:
        return _without_certificate({"error": str(error)}, "a failure that the objects of a cluster cause has no proof")
    answer = resolved(request, options, question.semantics)
    try:
        certificate = olmsolve.certificate(answer.outcome)
    except olmsolve.RequestError as error:
        if answer.code is Exit.PLAN:
            raise
        return _without_certificate(answer.data(), error.reason)
    if options.to:
        write_file(options.to, [json_text(certificate), "\n"])
    else:
        write_json(certificate)
    return answer.code


def _without_certificate(failure: dict[str, Any], reason: str) -> Exit:
    """Print *failure* as ``resolve`` does, say for what *reason* it has no certificate, and return its exit code."""
    complain(f"there is no certificate: {reason}")
    write_data(failure, "json")
    return Exit.UNSATISFIABLE
