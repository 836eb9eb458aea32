"""The version scheme by which a block reads versions and ranges: of the catalog whose bundles are read in it.

Readers of single properties know no catalog. A context variable tells them, which costs OLM's own catalogs one look-up
for each requirement that is parsed, and spares each reader an argument that nearly always is None.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olmsolve.semver.scheme import VersionScheme

_READING: ContextVar[VersionScheme | None] = ContextVar("olmsolve_version_scheme", default=None)


def scheme_in_use() -> VersionScheme | None:
    """Return the scheme by which a block reads; None for semantic versions."""
    return _READING.get()


class reading_by:  # noqa: N801 - used like a function, as ``with reading_by(scheme)``
    """Read versions and ranges in a block by *scheme*; None: as semantic versions."""

    __slots__ = ("_scheme", "_token")

    def __init__(self, scheme: VersionScheme | None) -> None:
        self._scheme = scheme

    def __enter__(self) -> None:
        self._token = _READING.set(self._scheme)

    def __exit__(self, *_: object) -> None:
        _READING.reset(self._token)
