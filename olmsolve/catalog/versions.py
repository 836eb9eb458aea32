"""Versions of one catalog: the version before, and values that were derived from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from olmsolve.catalog.model import Catalog

T = TypeVar("T")


class Predecessor:
    """The version of a *catalog* that was loaded before, and the packages that are the same in both.

    The index of the new version is made of the one before. Then the version before is let go: a service that reloads
    its catalog every hour keeps one, not all.
    """

    def __init__(self, catalog: Catalog, same: frozenset[str]) -> None:
        self._before: tuple[Catalog, frozenset[str]] | None = catalog, same

    @classmethod
    def of(cls, before: Catalog, same: frozenset[str]) -> Predecessor:
        """Return the predecessor of the version after *before*: an older one where *before* was never indexed."""
        older = made_of(before, cls)
        kept = None if older is None else older.now()
        return cls(before, same) if kept is None else cls(kept[0], kept[1] & same)

    def now(self) -> tuple[Catalog, frozenset[str]] | None:
        """Return the version before and the packages that are the same, None once they were let go."""
        return self._before

    def let_go(self) -> None:
        """Drop the version before, so that its memory can be freed."""
        self._before = None


def made_of(catalog: Catalog, key: Callable[..., T]) -> T | None:
    """Return the value that :meth:`Catalog.derived` keeps of *catalog* under *key*, None if it has made none."""
    kept: T | None = catalog._memo.known(key)  # noqa: SLF001 (a field of this module's class)
    return kept
