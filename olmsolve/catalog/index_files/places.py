"""Where indexes are looked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["SUFFIX", "beside"]

SUFFIX: Final = ".olmindex"
"""What an index beside its catalog is called: the name of the catalog and this."""


def beside(path: str) -> Path:
    """Where the index of the catalog at *path* is looked for."""
    root = Path(path)
    # A folder may be given as "." or "..", which is no name to add something to.
    root = root if root.name and root.name != ".." else Path(os.path.abspath(root))  # noqa: PTH100 (links stay)
    return root.with_name(root.name + SUFFIX) if root.name else root / SUFFIX
