"""``olmsolve template``: the catalog that a template stands for."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from olmsolve import authoring
from olmsolve.cli.catalogs import load, put
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_catalogs, add_written_catalog

DESCRIPTION: Final = """\
Render a catalog template, olm.semver or olm.template.basic, to the blobs of a catalog (docs/templates.md). No image is
pulled: each is looked for among --bundle, then --catalog, then --folder."""

EXAMPLES: Final = """\
examples:
  olmsolve template semver.yaml --folder bundles --output yaml
  olmsolve template basic.yaml --bundle quay.io/example/parcels:v1.0.0=parcels/bundle --to catalog.json

exit codes:
  0  the catalog
  2  bad input: the template or a bundle cannot be read, or an argument is wrong"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the template, where its images are found, and where the catalog goes."""
    parser.add_argument("template", metavar="TEMPLATE", help='the template, "-" for stdin')
    parser.add_argument(
        "--bundle",
        dest="bundles",
        action="append",
        default=[],
        metavar="IMAGE=PATH",
        help="a bundle by its image: a file with its blob, or its folder (manifests/ and metadata/); can be repeated",
    )
    add_catalogs(parser, "CATALOG", "a catalog whose bundles are known by their images; can be repeated")
    parser.add_argument("--folder", default="", metavar="FOLDER", help="where images are paths of bundles")
    add_written_catalog(parser)


def run(options: argparse.Namespace) -> int:
    """Render the template of *options*, print or write the catalog, and return the exit code."""
    templates = authoring.templates
    paths: dict[str, str] = {}
    for text in options.bundles:
        # Images hold no equals sign, paths may.
        image, separator, path = text.partition("=")
        if not (image and separator and path):
            options.refuse(f"argument --bundle: not of the form IMAGE=PATH: {text!r}")
        paths[image] = path
    # The first renderer that finds an image wins, so they are stacked from the last to the first.
    renderer = templates.in_folder(options.folder) if options.folder else None
    for catalog in reversed(options.catalogs):
        renderer = templates.by_image(load(catalog, index=False), renderer)
    source = sys.stdin.buffer if options.template == "-" else options.template
    catalog = templates.render_template(source, templates.by_path(paths, renderer))
    put(catalog, options.output, file=options.to, folder=options.split)
    return Exit.PLAN
