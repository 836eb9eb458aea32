"""The arguments of ``olmsolve crd-check``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.root import add_command

__all__ = ["add_crd_check"]

_CRD_CHECK: Final = """\
Say whether new CustomResourceDefinitions may replace old ones, with the rules and the words of classic OLM and of
OLM v1 (docs/crd-upgrades.md). Definitions are compared by name; a file may hold several, as documents or as a List.

Classic OLM looks at the objects that exist: give them as RESOURCES, in any number of files. OLM v1 looks at the
definitions alone."""

_EXAMPLES: Final = """\
examples:
  olmsolve crd-check old.yaml new.yaml
  olmsolve crd-check old.yaml new.yaml things.yaml --olm classic
  kubectl get things -A -o yaml | olmsolve crd-check old.yaml new.yaml - --output json

exit codes:
  0  the new definitions may replace the old ones
  1  one of them may not
  2  bad input: a file, an object or an argument"""


def add_crd_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "crd-check", "whether new CustomResourceDefinitions may replace old ones", _CRD_CHECK, _EXAMPLES
    )
    command.set_defaults(command="crd_check")
    command.add_argument("old", metavar="OLD", help='the definitions as they are, "-" for stdin')
    command.add_argument("new", metavar="NEW", help="the definitions as they shall be")
    command.add_argument("resources", metavar="RESOURCES", nargs="*", help="objects that exist")
    command.add_argument(
        "--olm", choices=("classic", "v1", "both"), default="both", help="whose verdict decides (default: both)"
    )
    command.add_argument(
        "--output", choices=("text", "json"), default="text", help="the form of the answer (default: text)"
    )
