"""``olmsolve verify``: whether a certificate proves an answer."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.options import add_output, add_situation
from olmsolve.cli.output import Exit, show
from olmsolve.cli.situation import EXTENSIONS_ONLY, only_classic_question

DESCRIPTION: Final = """\
Check the certificate of an answer with code that shares nothing with the search: every choice is replayed as defined,
and every candidate that was passed over must come with a proof that it is impossible (docs/certificates.md). A
certificate about another request, another content of a catalog, or other semantics than --semantics names is not valid;
for a cluster's objects, the default is the controller's."""

EXAMPLES: Final = """\
examples:
  olmsolve certify install.yaml --to certificate.json
  olmsolve verify certificate.json install.yaml
  olmsolve verify certificate.json install.yaml --semantics documented

exit codes:
  0  the certificate proves what it says
  1  it does not
  2  bad input: a certificate, a catalog, a request or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the certificate, and the request that it is about."""
    parser.add_argument("certificate", metavar="CERTIFICATE", help="a certificate, as olmsolve certify writes it")
    add_situation(parser, idle=EXTENSIONS_ONLY)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Check the certificate of *options*, say what it proves, and return 0 where it is valid, else 1."""
    from olmsolve.requests import opened

    document, _, _ = opened(Path(options.certificate))
    try:
        question, request = only_classic_question(options, "certificates")
    except olmsolve.errors.NamespaceError as error:
        # A namespace that is not resolved has no answer, so nothing can be proved: say why, as the other commands do.
        fault = str(error)
        show(
            options.output,
            text=lambda *, width, colour: "\n".join(render.paragraph(fault, width)),
            data=lambda: {"error": fault},
        )
        return Exit.UNSATISFIABLE
    # An answer under the documented semantics may be wrong on a cluster, so its answers are the controller's unless
    # someone says so.
    demanded = question.semantics if options.semantics or not question.is_document else None
    try:
        verdict = olmsolve.verify(document, request, semantics=demanded)
    except olmsolve.RequestError as error:
        raise olmsolve.RequestError(error.reason, error.field, error.hint, options.certificate) from None
    show(options.output, text=partial(_text, verdict), data=verdict.to_dict)
    return Exit.PLAN if verdict else Exit.UNSATISFIABLE


def _text(verdict: olmsolve.Verdict, *, width: int, colour: bool) -> str:
    lines = render.paragraph(str(verdict), width, hanging="  ")
    for candidate in verdict.selected:
        lines += render.paragraph(str(candidate), width, indent="  ", hanging="    ")
    return "\n".join(lines)
