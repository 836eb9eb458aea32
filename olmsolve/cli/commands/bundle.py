"""``olmsolve bundle``: the files of a bundle's image."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.options import add_timeout
from olmsolve.cli.output import Exit, harmless, write
from olmsolve.cli.parsers import epilog

DESCRIPTION: Final = """\
Unpack the image of a bundle: its manifests and metadata as files, as opm alpha bundle unpack writes them
(docs/images.md). The commands render, template and catalog add accept this folder as a bundle."""

EXAMPLES: Final = """\
examples:
  olmsolve bundle unpack --help

exit codes:
  0  the files are written
  2  bad input: the image cannot be read or is no bundle's, or the folder cannot be written"""

_UNPACK: Final = """\
examples:
  olmsolve bundle unpack registry.example.com/keyring:v1.1.0 keyring
  olmsolve bundle unpack keyring.tar keyring

exit codes:
  0  the files are written
  2  bad input: the image cannot be read or is no bundle's, or the folder cannot be written"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action, the image and the folder."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    parser.set_defaults(actions=("unpack",))
    meaning = "write the manifests and metadata of a bundle's image into a folder"
    unpack = actions.add_parser("unpack", help=meaning, description=f"{meaning.capitalize()}.", epilog=epilog(_UNPACK))
    unpack.set_defaults(refuse=unpack.error)
    unpack.add_argument("image", metavar="IMAGE", help="an image in a registry, an OCI layout, or an archive of one")
    unpack.add_argument("folder", metavar="FOLDER", help="the folder, which must be new or empty")
    add_timeout(unpack, default=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Unpack the bundle of *options*, print the paths of its files, and return the exit code."""
    from olmsolve.catalog import fbc

    for path in fbc.unpack_bundle(options.image, options.folder):
        write(harmless(path))
    return Exit.PLAN
