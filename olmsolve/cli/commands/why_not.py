"""``olmsolve why-not``: why something is not in a plan."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import Answer
from olmsolve.cli.commands.why import answer_about_plan
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output, add_search, add_situation

DESCRIPTION: Final = """\
Say why a package, or a version, channel or catalog of it, is not in the plan of a request: because it cannot be, or
because something else comes first; and what would select it (docs/why.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve why-not request.yaml keyring --version 1.0.1
  olmsolve why-not request.yaml storefront --channel 1.x --from olm/orchard

exit codes:
  0  the answer
  1  the request has no plan
  2  bad input
  3  no answer within --timeout"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the package and which part of it, and the search."""
    add_situation(parser)
    parser.add_argument("package", metavar="PACKAGE", help="the package that is asked about")
    parser.add_argument("--version", default="", help="this version of it")
    parser.add_argument("--channel", default="", help="from this channel")
    parser.add_argument(
        "--from", dest="source", default="", metavar="NAMESPACE/NAME", help="from this catalog (example: olm/community)"
    )
    add_search(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Resolve the questions of *options*, say why the package is not in their plans, and return the exit code."""
    return answer_about_plan(options, _reasons)


def _reasons(plan: olmsolve.Resolution, options: argparse.Namespace) -> Answer:
    reasons = olmsolve.why_not(
        plan, options.package, version=options.version, channel=options.channel, catalog=options.source
    )
    return Answer(Exit.PLAN, partial(render.why_not_text, reasons), reasons.to_dict)
