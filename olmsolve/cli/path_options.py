"""The arguments of ``olmsolve path``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.root import add_command, add_output

__all__ = ["add_path"]

_PATH: Final = """\
Tell the updates that lead from an installed bundle to the newest, or to a wanted one.

Either of a package in a catalog, for OLM v1 or classic, or of a request to OLM v1 (a document,
described in docs/v1.md) with all that it allows."""

_EXAMPLES: Final = """\
examples:
  olmsolve path catalogs/community storefront --from storefront.v1.0.0
  olmsolve path catalogs/community storefront --from storefront.v1.0.0 --olm classic --channel stable
  olmsolve path request.yaml --to 2.1.0 --shortest

exit codes:
  0  the path gets there
  1  it does not
  2  bad input: a catalog, a request or an argument"""


def add_path(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands, "path", "the updates from an installed bundle to the newest or a wanted one", _PATH, _EXAMPLES
    )
    command.set_defaults(command="path", refuse=command.error)
    command.add_argument("source", metavar="CATALOG|REQUEST", help="a catalog, or a request to OLM v1")
    command.add_argument("package", metavar="PACKAGE", nargs="?", help="the package, where a catalog is given")
    command.add_argument(
        "--from",
        dest="installed",
        metavar="BUNDLE[=VERSION]",
        help="the installed bundle, with its version where the catalog does not have it any more"
        " (example: storefront.v1.0.0)",
    )
    command.add_argument(
        "--to", default="", metavar="BUNDLE|VERSION", help="where to get (default: as far as possible)"
    )
    command.add_argument(
        "--channel",
        dest="channels",
        action="append",
        default=[],
        metavar="NAME",
        help="an allowed channel; OLM v1 takes any number of them, by default all, classic one, by default that"
        " of the package (example: stable)",
    )
    command.add_argument("--olm", choices=("v1", "classic"), default="v1", help="whose rules count (default: v1)")
    command.add_argument(
        "--shortest",
        dest="mode",
        action="store_const",
        const="shortest",
        default="controller",
        help="take the fewest steps instead of those that the controller would take by itself",
    )
    add_output(command, "--output")
