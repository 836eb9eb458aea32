"""The mark at the beginning of a file that holds an index, by which readers of a catalog's folder pass over it."""

from __future__ import annotations

from typing import Final

INDEX_MARK: Final = b"\x89olmindx"
"""The first bytes of an index in a file. No JSON, YAML, gzip or tar begins with them."""
