"""Paths of catalogs in documents and settings: below a folder, or elsewhere altogether."""

from __future__ import annotations

from pathlib import Path

from olmsolve._typed_paths import is_there


def path_from(folder: Path, text: str) -> Path:
    """Return the path *text* of a catalog, which starts from *folder* unless it is a URL or the name of an image."""
    return Path(text) if is_remote(text) and not is_there(folder / text) else folder / text


def is_remote(text: str) -> bool:
    """Return whether *text* is a URL or the name of an image in a registry; a file of that name comes first."""
    # Nearly all paths have no colon, and pay for no grammar.
    if ":" not in text:
        return False
    from olmsolve.catalog.fbc.url import url_of
    from olmsolve.catalog.images import image_reference

    return bool(url_of(text)) or image_reference(text) is not None
