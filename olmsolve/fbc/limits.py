"""How much of a catalog is read before it is refused: above any real catalog, below what hurts a process."""

from __future__ import annotations

from typing import Final

__all__ = ["DEPTH", "DOCUMENT_BYTES", "EXPANSION", "EXPANSION_FREE_BYTES", "TOTAL_BYTES", "YAML_NODES"]

DEPTH: Final = 100
"""Levels of lists and objects in one document. Comparing, pickling and printing a value recurse a few frames
per level, and Python allows 1,000 frames by default; real catalogs have about 15 levels."""

DOCUMENT_BYTES: Final = 64 << 20
"""One document, in bytes of UTF-8. A cluster stores at most 1.5 MiB in one object."""

TOTAL_BYTES: Final = 4 << 30
"""All text of one catalog, after decompression."""

EXPANSION: Final = 200
"""Times that compressed data may grow. Catalogs grow 10 to 40 times; gzip's most is about 1,030."""

EXPANSION_FREE_BYTES: Final = 16 << 20
"""Decompressed bytes up to which the growth is not judged: little text compresses to almost nothing."""

YAML_NODES: Final = 10_000_000
"""Values in one YAML document, those that aliases repeat counted each time."""
