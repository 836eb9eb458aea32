"""``olmsolve catalog``: catalogs listed, compared, made of others and edited; each action has its own options.

``catalog_showing`` has the actions that look at catalogs, ``catalog_making`` those that make and begin others, and
``catalog_editing`` those that change the files of one.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Final

from olmsolve.cli.catalog_editing import EDITING
from olmsolve.cli.catalog_making import MAKING, STARTING
from olmsolve.cli.catalog_showing import SHOWING
from olmsolve.cli.options import add_timeout
from olmsolve.cli.parsers import Action, CommandParser, epilog

DESCRIPTION: Final = """\
List, compare, make and edit catalogs (docs/compose.md, docs/authoring.md). An edit that would make a valid
catalog invalid is refused. Edits (add, promote, edge, remove, set-default, deprecate) show a diff of the
catalog's files, and change them with --write; with --output, --to or --split they make a new catalog, as the
other actions do."""

EXAMPLES: Final = """\
examples:
  olmsolve catalog list channels catalogs/orchard --package storefront
  olmsolve catalog merge catalogs/orchard catalogs/commons --split all
  olmsolve catalog remove catalogs/orchard --package parcels
  olmsolve catalog add --help

exit codes:
  0  done
  1  diff: the catalogs differ (--exit-code), or a published bundle has changed or is gone
     (--immutable); v1: OLM v1 refuses something
  2  bad input: a catalog cannot be read or would become invalid, or an argument is wrong"""

_ACTIONS: Final[Mapping[str, Action]] = {**SHOWING, **MAKING, **EDITING, **STARTING}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions, each with its options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    parser.set_defaults(actions=tuple(_ACTIONS))
    for name, action in _ACTIONS.items():
        description = f"{action.help[0].upper()}{action.help[1:]}."
        command = actions.add_parser(name, help=action.help, description=description, epilog=epilog(action.examples))
        command.set_defaults(action=action, refuse=command.error)
        if isinstance(command, CommandParser):
            command.set_defaults(typed_as=command.typed_as)
        action.arguments(command)
        add_timeout(command, default=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Run the action of *options* and return the exit code."""
    action: Action = options.action
    return action.run(options)
