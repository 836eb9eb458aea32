"""The arguments of ``olmsolve why``, ``olmsolve why-not`` and ``olmsolve diff``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.request_options import add_request, add_resolving
from olmsolve.cli.root import add_command, add_output

__all__ = ["add_questions"]

_WHY: Final = """\
Say why a bundle is in the plan of a request: who wants it, and why it and nothing that looks better (docs/why.md)."""

_WHY_EXAMPLES: Final = """\
example:
  olmsolve why request.yaml keyring.v1.0.2

exit codes:
  0  the answer
  1  the request has no plan
  2  bad input; also a bundle that is not in the plan
  3  no answer within --timeout"""

_WHY_NOT: Final = """\
Say why a package, or a version, channel or catalog of it, is not in the plan of a request: because it cannot be, or
because something else comes first; and what would select it (docs/why.md)."""

_WHY_NOT_EXAMPLES: Final = """\
examples:
  olmsolve why-not request.yaml keyring --version 1.0.1
  olmsolve why-not request.yaml storefront --channel 1.x --from orchard/olm

exit codes:
  0  the answer
  1  the request has no plan
  2  bad input
  3  no answer within --timeout"""

_DIFF: Final = """\
Compare what two requests leave on the cluster: what is gained, lost and changed when a catalog, a subscription or a
priority is another. With --compare-semantics, one request as documented and as the controller decides (docs/why.md)."""

_DIFF_EXAMPLES: Final = """\
examples:
  olmsolve diff today.yaml tomorrow.yaml
  olmsolve diff request.yaml --compare-semantics

exit codes:
  0  nothing differs
  1  something does
  2  bad input"""


def add_questions(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands to *commands*."""
    why = add_command(commands, "why", "why a bundle is in a plan", _WHY, _WHY_EXAMPLES)
    why.set_defaults(command="why", question="why", refuse=why.error)
    add_request(why)
    why.add_argument("bundle", metavar="BUNDLE", help="a bundle or installed operator of the plan")
    _common(why)

    why_not = add_command(commands, "why-not", "why something is not in a plan", _WHY_NOT, _WHY_NOT_EXAMPLES)
    why_not.set_defaults(command="why", question="why-not", refuse=why_not.error)
    add_request(why_not)
    why_not.add_argument("package", metavar="PACKAGE", help="the package that is asked about")
    why_not.add_argument("--version", default="", help="this version of it")
    why_not.add_argument("--channel", default="", help="from this channel")
    why_not.add_argument(
        "--from", dest="source", default="", metavar="NAME/NAMESPACE", help="from this catalog (example: community/olm)"
    )
    _common(why_not)

    diff = add_command(commands, "diff", "what changes between the plans of two requests", _DIFF, _DIFF_EXAMPLES)
    diff.set_defaults(command="diff", refuse=diff.error)
    diff.add_argument("document", metavar="REQUEST", help='a request document, "-" for stdin')
    diff.add_argument("other", metavar="OTHER", nargs="?", help="another request document")
    diff.add_argument(
        "--compare-semantics",
        dest="semantics_compared",
        action="store_true",
        help="compare documented and controller semantics of one request",
    )
    diff.add_argument(
        "--semantics",
        choices=("documented", "controller"),
        default="documented",
        help="what all, any and not in constraints are about, for both requests (default: documented)",
    )
    add_output(diff, "-o", "--output")


def _common(command: argparse.ArgumentParser) -> None:
    add_resolving(command)
    add_output(command, "-o", "--output")
