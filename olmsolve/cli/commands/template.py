"""``olmsolve template``: the catalog that a template stands for."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from olmsolve import authoring
from olmsolve.cli.catalogs import put
from olmsolve.cli.exits import Exit
from olmsolve.cli.image_options import add_images, renderer_of
from olmsolve.cli.options import add_written_catalog

DESCRIPTION: Final = """\
Render a catalog template, olm.semver or olm.template.basic, to the blobs of a catalog (docs/templates.md). Images are
looked for among --bundle, then --catalog, then --folder; with --pull, then in their registries."""

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
    add_images(parser)
    add_written_catalog(parser)


def run(options: argparse.Namespace) -> int:
    """Render the template of *options*, print or write the catalog, and return the exit code."""
    source = sys.stdin.buffer if options.template == "-" else options.template
    catalog = authoring.templates.render_template(source, renderer_of(options))
    put(catalog, options.output, file=options.to, folder=options.split)
    return Exit.PLAN
