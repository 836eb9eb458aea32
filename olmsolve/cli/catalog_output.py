"""New catalogs, printed or written to where options say."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Any

from olmsolve import fbc
from olmsolve.catalog import Catalog
from olmsolve.cli.streams import write

__all__ = ["put"]


def put(catalog: Catalog | Iterable[Mapping[str, Any]], options: argparse.Namespace) -> None:
    """Print *catalog*, or write it to ``--to`` or ``--split``, in the form of ``--output``."""
    if options.split:
        fbc.split(catalog, options.split, options.output or "yaml")
    elif options.to:
        fbc.write(catalog, options.to, options.output)
    else:
        for text in fbc.rendered(catalog, options.output or "yaml"):
            write(text.removesuffix("\n"))
