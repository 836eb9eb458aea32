"""``olmsolve catalog``: catalogs made of others, and the differences of two; each action has its own options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import olmsolve
from olmsolve import authoring, render
from olmsolve.cli.catalogs import load, put
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_catalog, add_output, add_timeout, add_written_catalog
from olmsolve.cli.streams import write, write_json

DESCRIPTION: Final = """\
Make catalogs of catalogs, compare them, and list their updates (docs/compose.md). What would make a valid catalog
invalid is refused. The new catalog is printed; --to and --split write it instead. No file that is read is changed."""

EXAMPLES: Final = """\
examples:
  olmsolve catalog merge catalogs/community mine.yaml --split catalogs/all
  olmsolve catalog subset catalogs/community --keep storefront@stable --keep "keyring=>=1.0.0" --dependencies
  olmsolve catalog diff catalogs/old catalogs/new

exit codes:
  0  done
  1  diff --exit-code: the catalogs differ
  2  bad input: a catalog cannot be read or would become invalid, or an argument is wrong"""


class Action(NamedTuple):
    """An action: its help line, and functions that declare its options and answer them."""

    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions, each with its options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    parser.set_defaults(actions=tuple(_ACTIONS))
    for name, action in _ACTIONS.items():
        description = f"{action.help[0].upper()}{action.help[1:]}."
        command = actions.add_parser(name, help=action.help, description=description)
        command.set_defaults(action=action, refuse=command.error)
        action.arguments(command)
        add_timeout(command, default=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Run the action of *options* and return the exit code."""
    action: Action = options.action
    return action.run(options)


def _merge_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("catalogs", metavar="CATALOG", nargs="+", help="a folder, a file, an archive or an image")
    add_written_catalog(parser)


def _merge(options: argparse.Namespace) -> int:
    catalogs = [load(path, index=False) for path in options.catalogs]
    return _put(authoring.compose.merge(*catalogs), options)


def _subset_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    parser.add_argument(
        "--keep",
        action="append",
        required=True,
        metavar="PACKAGE[@CHANNEL,...][=RANGE]",
        help="a package, or channels of it, or the versions in a range; can be repeated; * is every package"
        ' (example: "storefront@stable=>=1.2.0 <2.0.0")',
    )
    parser.add_argument("--heads-only", action="store_true", help="of each channel keep only the head, or the nearest")
    parser.add_argument("--dependencies", action="store_true", help="keep what the kept bundles require as well")
    add_written_catalog(parser)


def _subset(options: argparse.Namespace) -> int:
    # Arguments that do not parse should be refused before a catalog is read, which may take long.
    kept = [_kept(text, options) for text in options.keep]
    catalog = load(options.catalog, index=False)
    keep = [
        authoring.compose.Keep(name, channels, versions, options.heads_only)
        for package, channels, versions in kept
        for name in (catalog.packages if package == "*" else [package])
    ]
    return _put(authoring.compose.subset(catalog, keep, dependencies=options.dependencies), options)


def _kept(text: str, options: argparse.Namespace) -> tuple[str, tuple[str, ...], str]:
    """Return the package, the channels (none: all) and the version range ("": all) of *text*, a value of ``--keep``."""
    # A range may begin with an equals sign itself, a name cannot hold one.
    named, _, versions = text.partition("=")
    package, has_channels, channels = named.partition("@")
    chosen = tuple(channels.split(",")) if has_channels else ()
    if not package or "" in chosen:
        options.refuse(f"argument --keep: not of the form PACKAGE[@CHANNEL,...][=RANGE]: {text!r}")
    return package, chosen, versions


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    parser.add_argument(
        "--bundle", required=True, metavar="PATH", help="a file with its blob, or its folder (manifests/ and metadata/)"
    )
    parser.add_argument("--image", default="", metavar="IMAGE", help="where it can be pulled, if it is a folder")
    parser.add_argument("--channel", required=True, metavar="CHANNEL", help="the channel, made if the package lacks it")
    parser.add_argument("--replaces", default="", metavar="BUNDLE", help="the entry that it replaces")
    parser.add_argument(
        "--skips", action="append", default=[], metavar="BUNDLE", help="an entry that it skips; repeatable"
    )
    parser.add_argument("--skip-range", default="", metavar="RANGE", help="the versions that it can follow")
    add_written_catalog(parser)


def _add(options: argparse.Namespace) -> int:
    changed = authoring.compose.add(
        load(options.catalog, index=False),
        _bundle(options.bundle, options.image),
        options.channel,
        replaces=options.replaces,
        skips=options.skips,
        skip_range=options.skip_range,
    )
    return _put(changed, options)


def _bundle(path: str, image: str) -> olmsolve.catalog.Bundle:
    """Read the one bundle at *path*: a file with its blob, or its folder, whose *image* only the caller knows."""
    fbc = olmsolve.fbc
    is_bundle = fbc.is_bundle(path)
    catalog = fbc.from_blobs([fbc.read_bundle(path, image=image)]) if is_bundle else load(path, index=False)
    bundles = [bundle for package in catalog for bundle in package.bundles.values()]
    if len(bundles) != 1:
        raise olmsolve.CatalogError(f"there must be one bundle here, not {len(bundles)}", origin=str(Path(path)))
    return bundles[0]


def _promote_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    parser.add_argument("--package", required=True, metavar="PACKAGE")
    parser.add_argument("--bundle", default="", metavar="BUNDLE", help="the entry (default: the head)")
    parser.add_argument("--from", dest="source", required=True, metavar="CHANNEL", help="where it is")
    parser.add_argument("--into", dest="target", required=True, metavar="CHANNEL", help="where it comes")
    add_written_catalog(parser)


def _promote(options: argparse.Namespace) -> int:
    catalog = load(options.catalog, index=False)
    changed = authoring.compose.promote(catalog, options.package, options.bundle, options.source, options.target)
    return _put(changed, options)


def _set_default_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    parser.add_argument("--package", required=True, metavar="PACKAGE")
    parser.add_argument("--channel", required=True, metavar="CHANNEL")
    add_written_catalog(parser)


def _set_default(options: argparse.Namespace) -> int:
    catalog = load(options.catalog, index=False)
    return _put(authoring.compose.set_default_channel(catalog, options.package, options.channel), options)


def _deprecate_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    parser.add_argument("--package", required=True, metavar="PACKAGE")
    parser.add_argument("--channel", default="", metavar="CHANNEL", help="this channel instead of the package")
    parser.add_argument("--bundle", default="", metavar="BUNDLE", help="this bundle instead of the package")
    parser.add_argument(
        "--message", required=True, metavar="TEXT", help='what to do instead; "" takes the deprecation back'
    )
    add_written_catalog(parser)


def _deprecate(options: argparse.Namespace) -> int:
    changed = authoring.compose.deprecate(
        load(options.catalog, index=False),
        options.package,
        options.message,
        channel=options.channel,
        bundle=options.bundle,
    )
    return _put(changed, options)


def _edges_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    parser.add_argument("--package", default="", metavar="PACKAGE", help="of this package alone")
    parser.add_argument("--taken", action="store_true", help="only what OLM classic or OLM v1 takes")
    add_output(parser, "text", "jsonl", shown="the form")


def _edges(options: argparse.Namespace) -> int:
    catalog = load(options.catalog, index=False)
    for edge in authoring.compose.edges(catalog, options.package, taken_only=options.taken):
        if options.output == "jsonl":
            write_json(edge.to_dict())
            continue
        takers = [name for name, taken in (("classic", edge.is_classic), ("v1", edge.is_v1)) if taken]
        taken_by = f", taken by {' and '.join(takers)}" if takers else ""
        channel = f"{edge.package}/{edge.channel}"
        line = f"{channel}: {edge.installed} -> {edge.target} ({', '.join(edge.kinds)}{taken_by})"
        write(render.plain(line))
    return Exit.PLAN


def _diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="the catalog before")
    parser.add_argument("new", metavar="NEW", help="the catalog after")
    add_output(parser, "text", "json", shown="the form")
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 where the catalogs differ")


def _diff(options: argparse.Namespace) -> int:
    difference = authoring.compose.diff(load(options.old, index=False), load(options.new, index=False))
    if options.output == "json":
        write_json(difference.to_dict(), indent=2)
    else:
        write(render.catalog_diff_text(difference))
    return Exit.UNSATISFIABLE if difference and options.exit_code else Exit.PLAN


def _put(catalog: olmsolve.Catalog, options: argparse.Namespace) -> int:
    put(catalog, options.output, file=options.to, folder=options.split)
    return Exit.PLAN


_ACTIONS: Final[Mapping[str, Action]] = {
    "merge": Action("one catalog of several; what contradicts is refused with both places", _merge_arguments, _merge),
    "subset": Action("a part of a catalog that is valid and offers no new updates", _subset_arguments, _subset),
    "add": Action("a bundle in a channel", _add_arguments, _add),
    "promote": Action("an entry of one channel, with what lies below it, in another too", _promote_arguments, _promote),
    "set-default": Action("another default channel", _set_default_arguments, _set_default),
    "deprecate": Action(
        "a package, a channel or a bundle deprecated, or no longer so", _deprecate_arguments, _deprecate
    ),
    "edges": Action("every update that the channels offer, and which of them OLM takes", _edges_arguments, _edges),
    "diff": Action("what changed, and what the next upgrade of each installed bundle becomes", _diff_arguments, _diff),
}
