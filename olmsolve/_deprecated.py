"""Deprecated names and arguments: they work as before, and say what takes their place (docs/stability.md)."""

from __future__ import annotations

import warnings


def warn(name: str, instead: str, *, frames: int = 0) -> None:
    """Warn the caller's caller that *name* is deprecated in favour of *instead*; *frames* more stand in between."""
    warnings.warn(f"{name} is deprecated; use {instead}", DeprecationWarning, stacklevel=3 + frames)
