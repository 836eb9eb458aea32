"""The files in which indexes of catalogs are looked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

SUFFIX: Final = ".olmindex"
"""An index beside its catalog is called as the catalog, with this at the end."""


def beside(path: str) -> Path:
    """Return the file beside the catalog at *path* that holds its index, if there is one."""
    root = Path(path)
    # The folders "." and ".." have no name of their own to add the suffix to.
    root = root if root.name and root.name != ".." else Path(os.path.abspath(root))  # noqa: PTH100 (links stay)
    return root.with_name(root.name + SUFFIX) if root.name else root / SUFFIX
