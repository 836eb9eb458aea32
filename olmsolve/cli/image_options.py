"""The options that say where the images in templates are found, and the renderer that they make."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from olmsolve.cli.catalogs import load
from olmsolve.cli.named_catalogs import catalog_path
from olmsolve.cli.options import add_catalogs

if TYPE_CHECKING:
    from olmsolve.authoring import Renderer

CSV_METADATA: Final = "bundle-object-to-csv-metadata"
MIGRATE_LEVELS: Final = ("none", CSV_METADATA)


def add_images(parser: argparse.ArgumentParser) -> None:
    """Add ``--bundle``, ``--catalog``, ``--folder``, ``--pull`` and who keeps manifests, for :func:`renderer_of`."""
    parser.add_argument(
        "--bundle",
        dest="bundles",
        action="append",
        default=[],
        metavar="IMAGE=PATH",
        help="a bundle by its image: a file with its blob, its folder or its image in a file; can be repeated",
    )
    add_catalogs(parser, "[NAME=]PATH[:PRIORITY]", "a catalog whose bundles are found by their images; can be repeated")
    parser.add_argument("--folder", default="", metavar="FOLDER", help="a folder in which images are paths of bundles")
    parser.add_argument("--pull", action="store_true", help="pull images that are found nowhere else (docs/images.md)")
    parser.add_argument(
        "--bundle-objects",
        action="store_true",
        help="keep the manifests of bundles whole, as olm.bundle.object, instead of one olm.csv.metadata",
    )
    add_migrate_level(parser)


def add_migrate_level(parser: argparse.ArgumentParser) -> None:
    """Add ``--migrate-level``, by which ``opm`` names what ``--bundle-objects`` and ``--migrate`` choose."""
    parser.add_argument(
        "--migrate-level",
        choices=MIGRATE_LEVELS,
        default="",
        metavar="LEVEL",
        help=f"a migrate level of opm: none (as --bundle-objects, and opm's default) or {CSV_METADATA}",
    )


def keeps_objects(options: argparse.Namespace) -> bool:
    """Return whether the manifests of bundles stay whole, as *options* say with either name."""
    if options.bundle_objects and options.migrate_level == CSV_METADATA:
        options.refuse(f"--bundle-objects keeps what --migrate-level {CSV_METADATA} replaces")
    return bool(options.bundle_objects) or options.migrate_level == "none"


def renderer_of(options: argparse.Namespace) -> Renderer:
    """Return the renderer that *options* describe: the first place that has an image counts.

    Raises:
        CatalogError: a catalog cannot be read.
    """
    from olmsolve.authoring import templates

    paths = by_name(options, "--bundle", options.bundles, "IMAGE=PATH")
    # The first renderer that finds an image wins, so they are stacked from the last to the first.
    whole = keeps_objects(options)
    renderer = templates.bundles_from_registries(with_objects=whole) if options.pull else None
    if options.folder:
        renderer = templates.bundles_in_folder(options.folder, renderer, with_objects=whole)
    for catalog in reversed(options.catalogs):
        renderer = templates.bundles_by_image(load(catalog_path(catalog), index=False), renderer)
    return templates.bundles_by_path(paths, renderer, with_objects=whole)


def by_name(options: argparse.Namespace, option: str, texts: list[str], form: str) -> dict[str, str]:
    """Return the paths in *texts*, values of *option* of this *form*, by the names before them."""
    paths: dict[str, str] = {}
    for text in texts:
        # Names hold no equals sign, paths may.
        name, separator, path = text.partition("=")
        if not (name and separator and path):
            options.refuse(f"argument {option}: not of the form {form}: {text!r}")
        paths[name] = path
    return paths
