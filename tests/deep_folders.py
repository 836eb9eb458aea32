"""Folders that lie in each other as deep as a system's paths can be long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["folders_in_each_other"]


@contextmanager
def folders_in_each_other(folder: Path, levels: int) -> Iterator[Path]:
    """Make *folder* with so many *levels* below it, and provide the deepest; all is removed at the end.

    Whoever removes temporary folders may call itself for each level, and fail.
    """
    folder.mkdir()
    folders = [folder]
    for _ in range(levels):
        folders.append(folders[-1] / "a")
        folders[-1].mkdir()
    try:
        yield folders[-1]
    finally:
        for path in folders[-1].iterdir():
            path.unlink()
        for path in reversed(folders):
            path.rmdir()
