"""``olmsolve render``."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from typing import Any

from olmsolve.catalog import fbc
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print or write what *options* name, and return the exit code."""
    folders = [path for path in options.paths if path != "-" and fbc.is_bundle_folder(path)]
    if options.image and len(folders) != 1:
        options.refuse(f"--image is that of one bundle's folder, and there are {len(folders)}")
    if options.split:
        fbc.split(_blobs(options), options.split, options.output, is_sorted=options.sort)
        return Exit.PLAN
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The text is data: it must not depend on the language of whoever is logged in.
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    for piece in fbc.rendered(_blobs(options), options.output, is_sorted=options.sort):
        sys.stdout.write(piece)
    return Exit.PLAN


def _blobs(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for path in options.paths:
        if path != "-" and fbc.is_bundle_folder(path):
            blob = fbc.read_bundle(path, image=options.image, with_objects=options.bundle_objects)
            blob["properties"] = [each for each in blob["properties"] if each["type"] not in options.drop]
            yield blob
        else:
            with Progress(sys.stderr) as progress:
                catalog = fbc.load(path, progress=progress.reporter(path), drop=options.drop)
            yield from fbc.blobs(catalog)
