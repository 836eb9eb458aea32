"""The arguments of ``olmsolve certify`` and ``olmsolve verify``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.request_options import add_request, add_resolving
from olmsolve.cli.root import add_command

__all__ = ["add_certify", "add_verify"]

_CERTIFY: Final = """\
Resolve a request and write the certificate of the answer: what "olmsolve verify" needs to confirm that the plan is
the preferred one, or that there is none (docs/certificates.md)."""

_CERTIFY_EXAMPLES: Final = """\
examples:
  olmsolve certify request.yaml --file plan.certificate.json
  olmsolve certify request.yaml | olmsolve verify /dev/stdin request.yaml

exit codes: those of "olmsolve resolve"."""

_VERIFY: Final = """\
Check the certificate of an answer with code that shares nothing with the search: every choice is replayed as
defined, and every candidate that was passed over must come with a proof that it is impossible.
docs/certificates.md says more."""

_VERIFY_EXAMPLES: Final = """\
example:
  olmsolve verify plan.certificate.json request.yaml

exit codes:
  0  the certificate proves what it says
  1  it does not
  2  bad input: a certificate, a catalog, a request or an argument"""


def add_certify(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "certify", "the answer to a request with what proves it", _CERTIFY, _CERTIFY_EXAMPLES
    )
    command.set_defaults(command="certify", refuse=command.error)
    add_request(command)
    add_resolving(command)
    command.add_argument("--file", metavar="FILE", help="where to write the certificate (default: standard output)")


def add_verify(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(commands, "verify", "whether a certificate proves an answer", _VERIFY, _VERIFY_EXAMPLES)
    command.set_defaults(command="verify", refuse=command.error)
    command.add_argument("certificate", metavar="CERTIFICATE", help="the file that olmsolve certify wrote")
    add_request(command)
