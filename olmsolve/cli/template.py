"""``olmsolve template``."""

from __future__ import annotations

import argparse
import sys
from typing import cast

from olmsolve.authoring import templates
from olmsolve.catalog import fbc
from olmsolve.catalog.fbc import Readable
from olmsolve.cli.catalog_output import put
from olmsolve.cli.exits import Exit

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Render the template that *options* name, print or write the catalog, and return the exit code."""
    paths: dict[str, str] = {}
    for text in options.bundles:
        # Images hold no equals sign, paths may.
        image, separator, path = text.partition("=")
        if not (image and separator and path):
            options.refuse(f"argument --bundle: not of the form IMAGE=PATH: {text!r}")
        paths[image] = path
    renderer = templates.in_folder(options.folder) if options.folder else None
    for catalog in reversed(options.catalogs):
        renderer = templates.by_image(fbc.load(catalog), renderer)
    source = cast(Readable, sys.stdin.buffer) if options.template == "-" else options.template
    put(templates.render_template(source, templates.by_path(paths, renderer)), options)
    return Exit.PLAN
