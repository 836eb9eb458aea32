"""The arguments of ``olmsolve catalog`` and ``olmsolve template``, and their help."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli.root import add_command

__all__ = ["add_catalog", "add_template"]

_CATALOG: Final = """\
Make catalogs of catalogs, compare them, and list their updates (docs/compose.md). What would make a valid catalog
invalid is refused. The new catalog is printed; --to and --split write it instead. No file that is read is changed."""

_CATALOG_EXAMPLES: Final = """\
examples:
  olmsolve catalog merge catalogs/community mine.yaml --split catalogs/all
  olmsolve catalog subset catalogs/community --keep storefront@stable --keep "keyring=>=1.0.0" --dependencies
  olmsolve catalog diff catalogs/old catalogs/new

exit codes:
  0  done
  1  diff --exit-code: the catalogs differ
  2  bad input: a catalog cannot be read or would become invalid, or an argument is wrong"""

_TEMPLATE: Final = """\
Render a catalog template, olm.semver or olm.template.basic, to the blobs of a catalog (docs/templates.md). No image is
pulled: each is looked for among --bundle, then --catalog, then --folder."""

_TEMPLATE_EXAMPLES: Final = """\
examples:
  olmsolve template semver.yaml --folder bundles --output yaml
  olmsolve template basic.yaml --bundle quay.io/example/parcels:v1.0.0=parcels/bundle --to catalog.json

exit codes:
  0  the catalog
  2  bad input: the template or a bundle cannot be read, or an argument is wrong"""


def add_catalog(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*, with a command of its own for each action."""
    command = add_command(commands, "catalog", "merge, cut, edit and compare catalogs", _CATALOG, _CATALOG_EXAMPLES)
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True)

    merge = _action(actions, "merge", "one catalog of several; what contradicts is refused with both places")
    merge.add_argument("catalogs", metavar="CATALOG", nargs="+", help="a folder, a file or an archive")
    _output(merge)

    subset = _action(actions, "subset", "a part of a catalog that is valid and offers no new updates")
    _source(subset)
    subset.add_argument(
        "--keep",
        action="append",
        required=True,
        metavar="PACKAGE[@CHANNEL,...][=RANGE]",
        help="a package, or channels of it, or the versions in a range; can be repeated; * is every package"
        ' (example: "storefront@stable=>=1.2.0 <2.0.0")',
    )
    subset.add_argument("--heads-only", action="store_true", help="of each channel keep only the head, or the nearest")
    subset.add_argument("--dependencies", action="store_true", help="keep what the kept bundles require as well")
    _output(subset)

    add = _action(actions, "add", "a bundle in a channel")
    _source(add)
    add.add_argument(
        "--bundle", required=True, metavar="PATH", help="a file with its blob, or its folder (manifests/ and metadata/)"
    )
    add.add_argument("--image", default="", metavar="IMAGE", help="where it can be pulled, if it is a folder")
    add.add_argument("--channel", required=True, metavar="CHANNEL", help="the channel, made where there is none")
    add.add_argument("--replaces", default="", metavar="BUNDLE", help="the entry that it replaces")
    add.add_argument(
        "--skips", action="append", default=[], metavar="BUNDLE", help="an entry that it skips; repeatable"
    )
    add.add_argument("--skip-range", default="", metavar="RANGE", help="the versions that it can follow")
    _output(add)

    promote = _action(actions, "promote", "an entry of one channel, with what lies below it, in another too")
    _source(promote)
    promote.add_argument("--package", required=True, metavar="PACKAGE")
    promote.add_argument("--bundle", default="", metavar="BUNDLE", help="the entry (default: the head)")
    promote.add_argument("--from", dest="source", required=True, metavar="CHANNEL", help="where it is")
    promote.add_argument("--into", dest="target", required=True, metavar="CHANNEL", help="where it comes")
    _output(promote)

    default = _action(actions, "set-default", "another default channel")
    _source(default)
    default.add_argument("--package", required=True, metavar="PACKAGE")
    default.add_argument("--channel", required=True, metavar="CHANNEL")
    _output(default)

    deprecate = _action(actions, "deprecate", "a package, a channel or a bundle deprecated, or no longer so")
    _source(deprecate)
    deprecate.add_argument("--package", required=True, metavar="PACKAGE")
    deprecate.add_argument("--channel", default="", metavar="CHANNEL", help="this channel instead of the package")
    deprecate.add_argument("--bundle", default="", metavar="BUNDLE", help="this bundle instead of the package")
    deprecate.add_argument(
        "--message", required=True, metavar="TEXT", help='what to do instead; "" takes the deprecation back'
    )
    _output(deprecate)

    edges = _action(actions, "edges", "every update that the channels offer, and which of them OLM takes")
    _source(edges)
    edges.add_argument("--package", default="", metavar="PACKAGE", help="of this package alone")
    edges.add_argument("--taken", action="store_true", help="only what OLM classic or OLM v1 takes")
    edges.add_argument("--output", choices=("text", "jsonl"), default="text", help="the form (default: text)")

    diff = _action(actions, "diff", "what changed, and what the next upgrade of each installed bundle becomes")
    diff.add_argument("old", metavar="OLD", help="the catalog before")
    diff.add_argument("new", metavar="NEW", help="the catalog after")
    diff.add_argument("--output", choices=("text", "json"), default="text", help="the form (default: text)")
    diff.add_argument("--exit-code", action="store_true", help="exit with 1 where the catalogs differ")


def add_template(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to *commands*."""
    command = add_command(commands, "template", "the catalog that a template stands for", _TEMPLATE, _TEMPLATE_EXAMPLES)
    command.set_defaults(command="template", refuse=command.error)
    command.add_argument("template", metavar="TEMPLATE", help='the template, "-" for stdin')
    command.add_argument(
        "--bundle",
        dest="bundles",
        action="append",
        default=[],
        metavar="IMAGE=PATH",
        help="a bundle by its image: a file with its blob, or its folder (manifests/ and metadata/); can be repeated",
    )
    command.add_argument(
        "--catalog",
        dest="catalogs",
        action="append",
        default=[],
        metavar="CATALOG",
        help="a catalog whose bundles are known by their images; can be repeated",
    )
    command.add_argument("--folder", default="", metavar="FOLDER", help="where images are paths of bundles")
    _output(command)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    help: str,  # noqa: A002 (as argparse calls it)
) -> argparse.ArgumentParser:
    action = actions.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.")
    action.set_defaults(command="catalog", action=name, refuse=action.error)
    return action


def _source(action: argparse.ArgumentParser) -> None:
    action.add_argument("catalog", metavar="CATALOG", help='a folder, a file or an archive, "-" for stdin')


def _output(action: argparse.ArgumentParser) -> None:
    action.add_argument(
        "--output",
        "-o",
        choices=("json", "jsonl", "yaml"),
        help="the form of the catalog: JSON, JSON on lines, or YAML (default: json; yaml with --split; with --to,"
        " what the suffix says)",
    )
    where = action.add_mutually_exclusive_group()
    where.add_argument("--to", default="", metavar="FILE", help="write the catalog to this file")
    where.add_argument("--split", default="", metavar="FOLDER", help="write a folder for each package into this one")
