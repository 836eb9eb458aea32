"""Deprecated names and arguments: they work as before, and say what takes their place (docs/stability.md)."""

from __future__ import annotations

import warnings


def warn(name: str, instead: str) -> None:
    """Warn the caller's caller that *name* is deprecated in favour of *instead*."""
    warnings.warn(f"{name} is deprecated; use {instead}", DeprecationWarning, stacklevel=3)
