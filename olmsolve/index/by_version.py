"""The slots of one package by version, so that those in a range are found by bisection."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Self

from olmsolve.catalog import Published
from olmsolve.semver import Key, blang

__all__ = ["ByVersion"]


class ByVersion:
    """Slots in ascending order of their versions. Built by :meth:`of`."""

    __slots__ = ("_keys", "_slots")

    def __init__(self, keys: Sequence[Key], slots: Sequence[int]) -> None:
        self._keys = keys
        self._slots = slots

    @classmethod
    def of(cls, slots: Iterable[tuple[int, Published | None]]) -> Self | None:
        """The order of *slots*, each with what its bundle publishes (None: it has no bundle).

        None if some bundle has more than one version to compare (several ``olm.package`` properties, or one
        that is no strict version): then each has to be tested.
        """
        pairs: list[tuple[Key, int]] = []
        for number, facts in slots:
            if facts is None or facts.version is None or len(facts.packages) != 1:
                return None
            if facts.packages[0][1] != facts.version:
                return None
            pairs.append((facts.version.key, number))
        pairs.sort()
        return cls([key for key, _ in pairs], [number for _, number in pairs])

    def within(self, versions: blang.Range) -> list[int]:
        """The slots whose version is in *versions*, ascending."""
        places = [bisect_left(self._keys, cut) for cut in versions.cuts]
        found: list[int] = []
        for start, end in zip(places[::2], places[1::2], strict=True):
            found.extend(self._slots[start:end])
        found.sort()
        return found
