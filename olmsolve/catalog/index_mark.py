"""How files that hold an index begin: whoever reads a catalog's folder passes over them."""

from __future__ import annotations

from typing import Final

__all__ = ["INDEX_MARK"]

INDEX_MARK: Final = b"\x89olmindx"
"""The first bytes of an index in a file. No JSON, YAML, gzip or tar begins with them."""
