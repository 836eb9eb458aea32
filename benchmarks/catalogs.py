"""The catalogs shaped like real ones that benchmarks read: generated, and the recorded ones where there are any."""

from __future__ import annotations

import gzip
from pathlib import Path

from benchmarks.measuring import shared
from olmsolve.testing.synthetic import lines, realistic_blobs

__all__ = ["COMMUNITY", "FULL", "catalog_files", "generated_file"]

COMMUNITY = "community-prod"
FULL = "fbc-v4.20-full"
_QUICK_PACKAGES = {COMMUNITY: 80, FULL: 4}


def catalog_files(folder: Path, *, quick: bool = False) -> dict[str, Path]:
    """Return files of a generated catalog like community-prod, written into *folder*, and of the recorded one.

    The keys name the catalogs for tables. *quick*: the generated one is a quarter as large, and stands alone.
    """
    found = {f"like {COMMUNITY}": generated_file(COMMUNITY, folder, quick=quick)}
    recorded = shared()
    if recorded is not None and not quick:
        found[COMMUNITY] = recorded / "catalogs" / f"{COMMUNITY}.jsonl.gz"
    return found


def generated_file(like: str, folder: Path, *, quick: bool = False) -> Path:
    """Write a catalog shaped *like* a measured one into *folder*: compressed, unless its bundles have heavy parts."""
    text = "".join(lines(realistic_blobs(_QUICK_PACKAGES[like] if quick else None, like=like))).encode()
    if like == FULL:
        file = folder / f"like-{like}.jsonl"
        file.write_bytes(text)
    else:
        file = folder / f"like-{like}.jsonl.gz"
        file.write_bytes(gzip.compress(text, mtime=0))
    return file
