"""The line at the top of a page: which cluster or request, and which catalogs, each with its date and its digest."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_HEX: Final = 12


def about_page(options: argparse.Namespace) -> tuple[str, ...]:
    """Return what the page of a command is made of, as its *options* name it."""
    return tuple(_parts(options))


def _parts(options: argparse.Namespace) -> Iterator[str]:
    document = getattr(options, "document", None)
    if document is not None:
        yield f"request {_dated(document)}"
    for path in getattr(options, "cluster", None) or []:
        yield f"cluster {_dated(path)}"
    folder = getattr(options, "clusters", None)
    for path in [folder] if isinstance(folder, str | Path) else folder or []:
        yield f"clusters {_dated(str(path))}"
    given = getattr(options, "catalogs", None) or []
    # A package's update graph is drawn of one catalog.
    yield from _catalogs([given] if isinstance(given, str) else given)
    if isinstance(catalog := getattr(options, "catalog", None), str):
        yield from _catalogs([catalog])


def _catalogs(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        key, _, path = text.rpartition("=")
        yield f"catalog {f'{key}=' if key else ''}{_dated(path, _digest(path))}"


def _dated(path: str, digest: str = "") -> str:
    """Return *path* with its *digest* and the time at which it was last written, as far as it has them."""
    details = ", ".join(filter(None, (digest, _time(path))))
    return f"{path} ({details})" if details else path


def _time(path: str) -> str:
    try:
        modified = Path(path).stat().st_mtime
    except (OSError, ValueError):
        return ""  # an image, an address, a running cluster: no file says when
    return datetime.datetime.fromtimestamp(modified, datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def _digest(path: str) -> str:
    from olmsolve.catalog.index_files import content_digest
    from olmsolve.errors import CatalogError

    try:
        digest = content_digest(path)
    except CatalogError:
        return ""
    return "" if digest is None else f"sha256:{digest.hex()[:_HEX]}"
