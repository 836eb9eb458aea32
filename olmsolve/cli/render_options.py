"""The arguments of ``olmsolve render``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.root import add_command

__all__ = ["add_render"]

_RENDER: Final = """\
Print catalogs as one text, as opm render does: JSON objects or YAML documents, with all fields and in their
order (docs/writing.md). A PATH is a catalog, or a bundle's folder with manifests/ and metadata/, which becomes
the blob of that bundle."""

_EXAMPLES: Final = """\
examples:
  olmsolve render catalogs/community > index.json
  olmsolve render index.json --output yaml --split catalogs/community
  olmsolve render bundles/storefront/1.4.0 --image quay.io/storefront/bundle:1.4.0

exit codes:
  0  the text, or the files, are written
  2  bad input: a path cannot be read or written, or an argument is wrong"""


def add_render(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(
        commands,
        "render",
        "catalogs and bundle folders as one text, or as a folder for each package",
        _RENDER,
        _EXAMPLES,
    )
    command.set_defaults(command="render", refuse=command.error)
    command.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help='a catalog (a folder, a file or an archive, "-" for stdin) or a bundle\'s folder; several are joined',
    )
    command.add_argument(
        "-o",
        "--output",
        choices=("json", "jsonl", "yaml"),
        default="json",
        help="indented JSON, JSON with a blob on each line, or YAML (default: json)",
    )
    command.add_argument(
        "--sort",
        action="store_true",
        help="sort packages by name, and inside of each channels and bundles, instead of keeping the order",
    )
    command.add_argument(
        "--split",
        default="",
        metavar="FOLDER",
        help="write a folder for each package into FOLDER, which must be new or empty, instead of printing",
    )
    command.add_argument(
        "--image", default="", metavar="REFERENCE", help="where the one bundle's folder is pulled from"
    )
    command.add_argument(
        "--bundle-objects",
        action="store_true",
        help="keep the manifests of bundle folders whole, as olm.bundle.object, instead of one olm.csv.metadata",
    )
    command.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="TYPE",
        help="leave out properties of this type, or icons (icon); may be repeated",
    )
