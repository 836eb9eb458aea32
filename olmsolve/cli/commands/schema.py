"""``olmsolve schema``: the JSON Schemas of what commands write and read."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve import render
from olmsolve.cli.output import Exit, style, write, write_json

DESCRIPTION: Final = """\
Print the JSON Schema (draft 2020-12) of what a command writes with --output json, of one kind of document, or
of the request documents olmsolve.request and olmsolve.v1.request (docs/commands.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve schema --list
  olmsolve schema resolve
  olmsolve schema olmsolve.request > request.schema.json

exit codes:
  0  the schema, or the names
  2  bad input: there is no schema of this name"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the name of the schema, or that all names are wanted."""
    parser.add_argument(
        "name",
        metavar="SCHEMA",
        nargs="*",
        default=[],
        help="a command, such as catalog diff, or a document, such as olmsolve.resolution",
    )
    parser.add_argument("--list", action="store_true", help="list the names instead")


def run(options: argparse.Namespace) -> int:
    """Print the schema that *options* name, or all names, and return the exit code."""
    if bool(options.name) == options.list:
        options.refuse("either SCHEMA or --list is needed")
    if options.name:
        write_json(render.json_schema(" ".join(options.name)), indent=2)
        return Exit.PLAN
    names = render.json_schema_names()
    widest = max(map(len, names))
    layout = style()
    for name in names:
        write(f"{layout.bold(name.ljust(widest))}  {render.json_schema_title(name)}")
    return Exit.PLAN
