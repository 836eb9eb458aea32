"""Limits on what is read: above any real catalog, below what harms a process."""

from __future__ import annotations

from typing import Final

DEPTH: Final = 250
"""Levels of lists and objects in one document. Copying, pickling and printing a value take up to three frames
per level, and Python allows 1,000 frames by default; real catalogs have about 15 levels."""

DOCUMENT: Final = 64 << 20
"""Characters of one document. What a cluster stores as one object has at most 1.5 MiB."""

ALIASED: Final = 4 << 20
"""Characters and values that the aliases of one YAML file may repeat. Walking, comparing and writing a value
visit a shared part each time that it is mentioned, so a small file could keep them busy for hours."""

IGNORE_BYTES: Final = 1 << 20
"""Bytes of one ``.indexignore`` file."""

IGNORE_RULES: Final = 10_000
"""Rules in all ``.indexignore`` files of a catalog; every file's path is compared with each."""
