"""Checks of the file or folder at a path that somebody typed.

The methods of :class:`pathlib.Path` raise OSError for a name that is longer than the system allows, or for a loop of
links. Nothing can be there, and opening the path then says why.
"""

from __future__ import annotations

import os
from pathlib import Path


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether *path* is a file that can be looked at."""
    try:
        return Path(path).is_file()
    except OSError:
        return False


def is_directory(path: str | os.PathLike[str]) -> bool:
    """Return whether *path* is a folder that can be looked at."""
    try:
        return Path(path).is_dir()
    except OSError:
        return False


def is_there(path: str | os.PathLike[str]) -> bool:
    """Return whether something is at *path* that can be looked at."""
    try:
        return Path(path).exists()
    except OSError:
        return False
