"""Actions that make a catalog of others (merge, subset), or the template that a catalog is rendered from; and actions
that begin one: the blob of a new package, and a Dockerfile.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve import authoring
from olmsolve._waiting import read_whole
from olmsolve.cli.catalogs import OPM_FORMS, catalog_path, load, put, put_text, put_texts
from olmsolve.cli.options import add_catalog, add_catalog_list, add_target, add_written_catalog
from olmsolve.cli.output import Exit
from olmsolve.cli.parsers import Action

_PART: Final = "PACKAGE[@CHANNEL,...][=RANGE]"


def _merge_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog_list(parser, "a folder, a file, an archive or an image")
    add_written_catalog(parser)


def _merge(options: argparse.Namespace) -> int:
    paths = list(map(catalog_path, options.catalogs))
    merged = authoring.compose.merge_catalogs(*(load(path, index=False) for path in paths))
    put(merged, options.output, file=options.to, folder=options.split, inputs=paths)
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
        "--package",
        dest="packages",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="a package to keep whole, like --keep PACKAGE; can be repeated",
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar=_PART,
        help="leave this out, in the same form; without --keep, everything else is kept; can be repeated",
    )
    parser.add_argument(
        "--heads-only", action="store_true", help=("keep only the head of each channel, or the entry nearest to it")
    )
    parser.add_argument("--dependencies", action="store_true", help="also keep bundles that the kept ones require")
    add_written_catalog(parser)


def _subset(options: argparse.Namespace) -> int:
    # Arguments that do not parse should be refused before a catalog is read, which may take long.
    named = [*options.keep, *options.packages]
    if not named and not options.drop and not options.heads_only:
        options.refuse("--keep, --package or --drop is needed: they say which part")
    kept = [_part(text, "--keep", options) for text in named or (["*"] if options.heads_only else [])]
    dropped = [_part(text, "--drop", options) for text in options.drop]
    catalog = load(options.catalog, index=False)
    keep = [
        authoring.compose.Keep(name, channels, versions, options.heads_only)
        for package, channels, versions in kept
        for name in (catalog.packages if package == "*" else [package])
    ]
    drop = [authoring.compose.Keep(*bundle) for bundle in dropped]
    part = authoring.compose.subset_catalog(
        catalog, keep if kept else None, drop=drop, dependencies=options.dependencies
    )
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


def _init_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("package", metavar="PACKAGE", help="the name of the new package")
    parser.add_argument(
        "--default-channel", default="", metavar="CHANNEL", help="the channel of subscriptions that name none"
    )
    parser.add_argument(
        "--description", default="", metavar="PATH", help="a file with its description, such as README.md"
    )
    parser.add_argument("--icon", default="", metavar="PATH", help="a file with its icon: SVG, PNG, JPEG or GIF")
    add_written_catalog(parser)


def _init(options: argparse.Namespace) -> int:
    blob = authoring.new_package(
        options.package,
        default_channel=options.default_channel,
        description=_bytes_of(options.description).decode("utf-8", "replace"),
        icon=_bytes_of(options.icon),
    )
    if options.to and Path(options.to).exists():
        raise olmsolve.CatalogError("there is a file already", origin=options.to, package=options.package)
    put([blob], options.output, file=options.to, folder=options.split)
    return Exit.PLAN


def _bytes_of(path: str) -> bytes:
    try:
        from olmsolve.catalog.fbc import DOCUMENT

        return read_whole(Path(path), DOCUMENT) if path else b""
    except OSError as error:
        raise olmsolve.CatalogError(f"cannot be read: {error.strerror}", origin=path) from None


def _dockerfile_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="the catalog, as a path in the context of the build")
    parser.add_argument(
        "--base-image", default="", metavar="IMAGE", help="the image that serves it (default: the image of opm)"
    )
    parser.add_argument(
        "--builder-image", default="", metavar="IMAGE", help="the image that fills its cache (default: --base-image)"
    )
    parser.add_argument(
        "--label",
        dest="labels",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a label of the image; can be repeated",
    )
    add_target(parser)


def _dockerfile(options: argparse.Namespace) -> int:
    labels = []
    for text in options.labels:
        name, separator, value = text.partition("=")
        if not (name and separator):
            options.refuse(f"argument --label: not of the form NAME=VALUE: {text!r}")
        labels.append((name, value))
    made = authoring.dockerfile(
        options.folder,
        base_image=options.base_image or authoring.OPM_IMAGE,
        builder_image=options.builder_image,
        labels=labels,
    )
    put_text(made, options.to)
    return Exit.PLAN


def _convert_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    parser.add_argument(
        "--substitutes",
        action="store_true",
        help="print an olm.template.substitutes, which holds the bundles whole, instead of an olm.template.basic",
    )
    add_written_catalog(parser)


def _convert(options: argparse.Namespace) -> int:
    make = authoring.templates.substitutes_template_of if options.substitutes else authoring.templates.basic_template_of
    template = make(load(options.catalog, index=False))
    if options.output in OPM_FORMS and not options.split:
        from olmsolve.catalog.fbc import opm_template_text

        put_texts([opm_template_text(template, options.output)], options.to)
        return Exit.PLAN
    put([template], options.output, file=options.to, folder=options.split, inputs=[options.catalog])
    return Exit.PLAN


_INIT_EXAMPLES: Final = """\
examples:
  olmsolve catalog init lanterns --default-channel stable
  olmsolve catalog init lanterns --description README.md --to lanterns.yaml

exit codes:
  0  the package is printed or written
  2  bad input: the name is invalid, or a file cannot be read or written"""
_DOCKERFILE_EXAMPLES: Final = """\
examples:
  olmsolve catalog dockerfile catalogs/orchard
  olmsolve catalog dockerfile catalogs --label version=1 \\
                              --to catalogs.Dockerfile

exit codes:
  0  the Dockerfile is printed or written
  2  bad input: an argument is wrong, or the file exists"""
_CONVERT_TEMPLATE_EXAMPLES: Final = """\
examples:
  olmsolve catalog convert-template catalogs/orchard --output yaml
  olmsolve catalog convert-template catalogs/orchard --to template.yaml
  olmsolve catalog convert-template catalogs/orchard --substitutes

exit codes:
  0  the template is printed or written
  2  bad input: the catalog cannot be read, or the file cannot be written"""

STARTING: Final[Mapping[str, Action]] = {
    "init": Action("print the olm.package of a new package", _init_arguments, _init, _INIT_EXAMPLES),
    "dockerfile": Action(
        "print the Dockerfile of an image with a catalog", _dockerfile_arguments, _dockerfile, _DOCKERFILE_EXAMPLES
    ),
    "convert-template": Action(
        "print the olm.template.basic of a catalog, or its olm.template.substitutes",
        _convert_arguments,
        _convert,
        _CONVERT_TEMPLATE_EXAMPLES,
    ),
}
