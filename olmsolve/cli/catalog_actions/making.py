"""Actions that make a new catalog of others: merge, subset; and the template that a catalog is rendered from."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Final

import olmsolve
from olmsolve import authoring
from olmsolve.cli.catalog_actions.action import Action
from olmsolve.cli.catalogs import load, put
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_catalog, add_written_catalog

_PART: Final = "PACKAGE[@CHANNEL,...][=RANGE]"


def _merge_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("catalogs", metavar="CATALOG", nargs="+", help="a folder, a file or an archive")
    add_written_catalog(parser)


def _merge(options: argparse.Namespace) -> int:
    catalogs = [load(path, index=False) for path in options.catalogs]
    merged = authoring.compose.merge(*catalogs)
    put(merged, options.output, file=options.to, folder=options.split, inputs=options.catalogs)
    return Exit.PLAN


def _subset_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar=_PART,
        help="a package, or channels of it, or the versions in a range; can be repeated; * is every package"
        ' (example: "storefront@stable=>=1.2.0 <2.0.0")',
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar=_PART,
        help="leave this out, in the same form; without --keep, everything else is kept; can be repeated",
    )
    parser.add_argument("--heads-only", action="store_true", help="of each channel keep only the head, or the nearest")
    parser.add_argument("--dependencies", action="store_true", help="keep what the kept bundles require as well")
    add_written_catalog(parser)


def _subset(options: argparse.Namespace) -> int:
    # Arguments that do not parse should be refused before a catalog is read, which may take long.
    if not options.keep and not options.drop and not options.heads_only:
        options.refuse("--keep or --drop is needed: they say which part")
    kept = [_part(text, "--keep", options) for text in options.keep or (["*"] if options.heads_only else [])]
    dropped = [_part(text, "--drop", options) for text in options.drop]
    catalog = load(options.catalog, index=False)
    keep = [
        authoring.compose.Keep(name, channels, versions, options.heads_only)
        for package, channels, versions in kept
        for name in (catalog.packages if package == "*" else [package])
    ]
    drop = [authoring.compose.Keep(*each) for each in dropped]
    part = authoring.compose.subset(catalog, keep if kept else None, drop=drop, dependencies=options.dependencies)
    if not part.packages:
        raise olmsolve.CatalogError("no package would be left", origin=options.catalog)
    put(part, options.output, file=options.to, folder=options.split, inputs=[options.catalog])
    return Exit.PLAN


def _part(text: str, option: str, options: argparse.Namespace) -> tuple[str, tuple[str, ...], str]:
    """Return the package, the channels (none: all) and the version range ("": all) of *text*, a value of *option*."""
    # A range may begin with an equals sign itself, a name cannot hold one.
    named, _, versions = text.partition("=")
    package, has_channels, channels = named.partition("@")
    chosen = tuple(channels.split(",")) if has_channels else ()
    if not package or "" in chosen:
        options.refuse(f"argument {option}: not of the form {_PART}: {text!r}")
    return package, chosen, versions


_MERGE_EXAMPLES: Final = """\
examples:
  olmsolve catalog merge catalogs/orchard catalogs/commons --to all.yaml
  olmsolve catalog merge catalogs/orchard catalogs/commons --split all

exit codes:
  0  the catalog is printed or written
  2  bad input: a catalog cannot be read or written, or two contradict each other"""
_SUBSET_EXAMPLES: Final = """\
examples:
  olmsolve catalog subset catalogs/commons --keep ledgerdb@stable \\
                          --dependencies
  olmsolve catalog subset catalogs/commons --drop courier@courier-3 \\
                          --to cut.yaml
  olmsolve catalog subset catalogs/orchard --heads-only

exit codes:
  0  the catalog is printed or written
  2  bad input: the catalog cannot be read or written, or nothing would be left"""

MAKING: Final[Mapping[str, Action]] = {
    "merge": Action(
        "merge catalogs into one; contradictions are refused with both positions",
        _merge_arguments,
        _merge,
        _MERGE_EXAMPLES,
    ),
    "subset": Action(
        "cut out a part of a catalog that is valid and offers no new updates",
        _subset_arguments,
        _subset,
        _SUBSET_EXAMPLES,
    ),
}
