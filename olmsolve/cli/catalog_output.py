"""New catalogs, printed or written to where options say."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from olmsolve.catalog import Catalog, fbc

__all__ = ["put"]


def put(catalog: Catalog | Iterable[Mapping[str, Any]], options: argparse.Namespace) -> None:
    """Print *catalog*, or write it to ``--to`` or ``--split``, in the form of ``--output``."""
    if options.split:
        fbc.split(catalog, options.split, options.output or "yaml")
    elif options.to:
        fbc.write(catalog, options.to, options.output)
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # The text is data: it must not depend on the language of whoever is logged in.
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        for text in fbc.rendered(catalog, options.output or "json"):
            sys.stdout.write(text)
