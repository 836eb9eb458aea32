"""Tallies: how many clusters have which parts, with the first names alone, so that they stay small for any fleet."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias, TypeVar

import olmsolve._attrs as attrs
from olmsolve._records import Record, field, record
from olmsolve.lifecycle.impact.model import ClusterImpact

T = TypeVar("T", str, tuple[str, str])

PartKeys: TypeAlias = tuple[str, ...]
"""The keys of the parts of a cluster, sorted: clusters with equal keys are one class."""

MOST_NAMES: Final = 100
"""How many names of each class are kept, and how many unreadable clusters, where nobody says."""


@attrs.frozen
class CountedClass:
    """So many clusters (*count*) with the same *parts*, and the first *names*, sorted."""

    parts: PartKeys
    count: int
    names: tuple[str, ...]


def _rows(classes: Iterable[CountedClass]) -> list[tuple[PartKeys, int, tuple[str, ...]]]:
    return [(class_.parts, class_.count, class_.names) for class_ in classes]


def _classes(rows: Iterable[tuple[Iterable[str], int, Iterable[str]]]) -> tuple[CountedClass, ...]:
    return tuple(CountedClass(tuple(parts), count, tuple(names)) for parts, count, names in rows)


@record
class Counts(Record):
    """The counts of some clusters, as states keep them: rows, since a fleet has many classes."""

    classes: tuple[CountedClass, ...] = field(
        "The classes of the clusters that can be read.", written=_rows, read=_classes, default=()
    )
    unreadable: tuple[tuple[str, str], ...] = field(
        "The first clusters that cannot be read, each with why.", default=()
    )
    unreadable_count: int = field("How many clusters cannot be read.", default=0)
    refusing: tuple[tuple[str, str], ...] = field("The first clusters that refuse a change, each with why.", default=())
    refusing_count: int = field("How many clusters refuse a change.", default=0)
    reached: tuple[tuple[int, int], ...] = field(
        "How many clusters each change of an object reached, by its position; changes without a cluster lack.",
        default=(),
    )
    near: tuple[tuple[int, str], ...] = field(
        "The namespaces that were probably meant by changes that did not reach a cluster.", default=()
    )


@attrs.frozen
class AnsweredItem:
    """The *counts* of the clusters of one item, and the *answers* to all parts that they have.

    *position* is the number of the item in the stream of all items, from 0.
    """

    position: int
    counts: Counts
    answers: Mapping[str, ClusterImpact] = attrs.field(repr=False)


class Tally:
    """Counts in the making, with so many *names*; the order in which clusters and counts are added is no matter."""

    def __init__(self, names: int = MOST_NAMES) -> None:
        self._most = names
        self._counts: dict[PartKeys, int] = {}
        self._names: dict[PartKeys, list[str]] = {}
        self._unreadable: list[tuple[str, str]] = []
        self._unreadable_count = 0
        self._refusing: list[tuple[str, str]] = []
        self._refusing_count = 0
        self._reached: Counter[int] = Counter()
        self._near: dict[int, str] = {}

    def add(
        self, name: str, parts: PartKeys, reached: Iterable[int] = (), near: Iterable[tuple[int, str]] = ()
    ) -> None:
        """Count the cluster *name* with its *parts*, and the positions of the changes that *reached* it.

        *near* are names of namespaces by the positions of changes that did not.
        """
        self._add_class(CountedClass(parts, 1, (name,)))
        self._reached.update(reached)
        self._add_near(near)

    def add_unreadable(self, name: str, reason: str) -> None:
        """Count the cluster *name*, which cannot be read for the *reason* given."""
        self._add_unreadable(((name, reason),), 1)

    def add_refusing(self, name: str, reason: str) -> None:
        """Count the cluster *name*, whose API server refuses a change for the *reason* given."""
        self._add_refusing(((name, reason),), 1)

    def add_counts(self, counts: Counts) -> None:
        """Add everything in *counts*."""
        for class_ in counts.classes:
            self._add_class(class_)
        self._add_unreadable(counts.unreadable, counts.unreadable_count)
        self._add_refusing(counts.refusing, counts.refusing_count)
        self._reached.update(dict(counts.reached))
        self._add_near(counts.near)

    def _add_near(self, near: Iterable[tuple[int, str]]) -> None:
        # Of several the first by name, so that the order of the clusters is no matter.
        for position, name in near:
            self._near[position] = min(name, self._near.get(position, name))

    def counts(self) -> Counts:
        """Return what was counted so far, the classes in the order of their parts."""
        classes = (CountedClass(key, self._counts[key], tuple(self._names[key])) for key in sorted(self._counts))
        reached = tuple(sorted(self._reached.items()))
        near = tuple(sorted(self._near.items()))
        return Counts(
            tuple(classes),
            tuple(self._unreadable),
            self._unreadable_count,
            tuple(self._refusing),
            self._refusing_count,
            reached,
            near,
        )

    def _add_class(self, counted: CountedClass) -> None:
        self._counts[counted.parts] = self._counts.get(counted.parts, 0) + counted.count
        _insert(self._names.setdefault(counted.parts, []), counted.names, self._most)

    def _add_unreadable(self, clusters: Iterable[tuple[str, str]], count: int) -> None:
        self._unreadable_count += count
        _insert(self._unreadable, clusters, self._most)

    def _add_refusing(self, clusters: Iterable[tuple[str, str]], count: int) -> None:
        self._refusing_count += count
        _insert(self._refusing, clusters, self._most)


def _insert(kept: list[T], values: Iterable[T], most: int) -> None:
    for value in values:
        if len(kept) < most or value < kept[-1]:
            insort(kept, value)
    del kept[most:]
