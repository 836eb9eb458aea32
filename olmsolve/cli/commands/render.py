"""``olmsolve render``: catalogs and bundle folders as one text, or as a folder for each package."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from typing import Any, Final

import olmsolve
from olmsolve.cli.catalogs import load, put
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output

DESCRIPTION: Final = """\
Print catalogs as one text, as opm render does: JSON objects or YAML documents, with all fields and in their
order (docs/writing.md). A PATH is a catalog; or a bundle, its folder with manifests/ and metadata/ or its image,
which becomes the blob of that bundle; or a package's folder in the older format, with a NAME.package.yaml. Catalogs
and bundles may be images, in files or in registries (docs/images.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve render catalogs/community > index.json
  olmsolve render index.json --output yaml --split catalogs/community
  olmsolve render bundles/storefront/1.4.0 --image quay.io/storefront/bundle:1.4.0
  olmsolve render quay.io/orchard/catalog:v4.17 > index.json

exit codes:
  0  the text, or the files, are written
  2  bad input: a path cannot be read or written, or an argument is wrong"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalogs and folders, the form of the text, and what to leave out."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help='a catalog (a folder, a file, an archive or an image, "-" for stdin) or a bundle; several are joined',
    )
    add_output(parser, "json", "jsonl", "yaml", shown="indented JSON, JSON with a blob on each line, or YAML")
    parser.add_argument(
        "--sort",
        action="store_true",
        help="sort packages by name, and inside of each channels and bundles, instead of keeping the order",
    )
    parser.add_argument(
        "--split",
        default="",
        metavar="FOLDER",
        help="write a folder for each package into FOLDER, which must be new or empty, instead of printing",
    )
    parser.add_argument("--image", default="", metavar="REFERENCE", help="where the one bundle is pulled from")
    parser.add_argument(
        "--bundle-objects",
        action="store_true",
        help="keep the manifests of bundles whole, as olm.bundle.object, instead of one olm.csv.metadata",
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="TYPE",
        help="leave out properties of this type, or icons (icon); may be repeated",
    )


def run(options: argparse.Namespace) -> int:
    """Print or write the catalogs and folders of *options*, and return the exit code."""
    bundles = [path for path in options.paths if olmsolve.fbc.is_bundle(path)]
    if options.image and len(bundles) != 1:
        options.refuse(f"--image needs exactly one bundle, and there are {len(bundles)}")
    put(_blobs(options, bundles), options.output, folder=options.split, is_sorted=options.sort)
    return Exit.PLAN


def _blobs(options: argparse.Namespace, bundles: Collection[str]) -> Iterator[dict[str, Any]]:
    for path in options.paths:
        if path in bundles:
            blob = olmsolve.fbc.read_bundle(path, image=options.image, with_objects=options.bundle_objects)
            blob["properties"] = [each for each in blob["properties"] if each["type"] not in options.drop]
            yield blob
        elif path != "-" and olmsolve.fbc.is_package_folder(path):
            for blob in olmsolve.fbc.read_package(path):
                if "properties" in blob:
                    blob["properties"] = [each for each in blob["properties"] if each["type"] not in options.drop]
                yield blob
        else:
            yield from olmsolve.fbc.blobs(load(path, drop=options.drop, index=False))
