"""The counts of a comparison, and its state file: how far it came in its stream of clusters, and the answers so far.

A tally says how many clusters have which parts, with the first names alone, so that it stays small for any fleet. The
file is written anew now and then, in one step, and stays as small as the report: of the clusters that are done it holds
their number and one digest. An item that is done before an earlier one is noted by its position::

    done so far: items 0, 1, 2 and 4     ->     done 3, chain (a digest of items 0 to 2), beyond {4: its fingerprint}
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import olmsolve._attrs as attrs
from olmsolve._paths import files_below
from olmsolve._record_reading import StateFormat, refused, refusing
from olmsolve._records import Record, field, record
from olmsolve._whole_files import write_whole
from olmsolve.errors import RequestError
from olmsolve.lifecycle.impact.model import ClusterImpact
from olmsolve.requests import RecordedCluster

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
    """Counts that grow, with at most *names* names each; clusters and counts may be added in any order."""

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


# Seconds between two writes; a large state may take a twentieth of the time.
_INTERVAL: Final = 2.0
_SHARE: Final = 20


@record
class Checkpoint(Record):
    """The progress of a comparison, from which it can go on; counts and answers are of all items that are done."""

    done: int = field("How many items, from the first one on, are done.", default=0)
    chain: str = field("The digest of their fingerprints.", default="")
    beyond: Mapping[int, str] = field(
        "The fingerprints of further items that are done, by position.",
        written=lambda items: sorted(items.items()),
        read=dict,
        factory=dict,
    )
    counts: Counts = field("The counts.", path="*", factory=Counts)
    answers: Mapping[str, ClusterImpact] = field(
        "The answers by part.", written=lambda answers: dict(sorted(answers.items())), factory=dict, repr=False
    )


_FORMAT: Final = StateFormat("olmsolve.impact.state", "state", Checkpoint)


class ComparisonState:
    """The file at *path* for the comparison *key*, read at once and written by :meth:`write`.

    Raises:
        RequestError: the file cannot be read, is damaged, or is of something else (it is left alone).
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._key = key
        self._next = time.monotonic() + _INTERVAL
        self._is_contradicted = False
        self.start: Checkpoint = self._read_file()
        self._done, self._chain, self._beyond = 0, "", dict(self.start.beyond)
        # The fingerprints of items that are not done, by position.
        self._waiting: dict[int, str] = {}

    def missing(self, items: Iterable[str | RecordedCluster]) -> Iterator[tuple[int, str | RecordedCluster]]:
        """Yield the *items* that are not done, with their positions.

        Raises:
            RequestError: an item that was done is not there any more, or has changed.
        """
        count = 0
        for position, item in enumerate(items):
            count += 1
            digest = fingerprint(item)
            if position < self.start.done:
                self._chain = _chained(self._chain, digest)
                self._done += 1
                if self._done == self.start.done and self._chain != self.start.chain:
                    raise self._contradicted("the clusters are not those that it was written for, or have changed")
            elif position in self.start.beyond:
                if self.start.beyond[position] != digest:
                    raise self._contradicted(f"cluster number {position + 1} has changed since it was written")
                self._advance()
            else:
                self._waiting[position] = digest
                yield position, item
        if count < max((self.start.done, *(position + 1 for position in self.start.beyond))):
            raise self._contradicted("clusters that it was written for are missing")

    def add(self, item: AnsweredItem) -> None:
        """Note that *item* is done."""
        self._beyond[item.position] = self._waiting.pop(item.position)
        self._advance()

    def write_soon(self, made: Callable[[], tuple[Counts, Mapping[str, ClusterImpact]]]) -> None:
        """Write the state with the counts and answers *made*, unless it was written a moment ago."""
        if time.monotonic() >= self._next:
            self.write(*made())

    def write(self, counts: Counts, answers: Mapping[str, ClusterImpact]) -> None:
        """Write the state with *counts* and *answers*.

        Raises:
            RequestError: the file cannot be written.
        """
        if self._is_contradicted or self._done < self.start.done:
            # These are not the clusters of the file, or they have not been compared with it yet.
            return
        begun = time.monotonic()
        state = _FORMAT.line_of(self._key, Checkpoint(self._done, self._chain, self._beyond, counts, answers))
        with refusing(self._path):
            write_whole(self._path, [state])
        now = time.monotonic()
        self._next = now + max(_INTERVAL, _SHARE * (now - begun))

    def _advance(self) -> None:
        # Answers of workers come in any order, and the chain of digests takes them in the order of the clusters.
        while self._done in self._beyond:
            self._chain = _chained(self._chain, self._beyond.pop(self._done))
            self._done += 1

    def _read_file(self) -> Checkpoint:
        if self._path.exists() and not self._path.is_file():
            raise refused(self._path, "this is not a file")
        with refusing(self._path):
            data = self._path.read_bytes() if self._path.exists() else b""
            # Fail before the work, not after it.
            if not data:
                self._path.touch()
        if not data:
            return Checkpoint()
        saved = _FORMAT.read(data)
        if saved is None:
            raise refused(self._path, "this is not a state file of a comparison, so it is left alone")
        if saved.state is None:
            raise refused(self._path, "is damaged; delete it, or give another file")
        if saved.key != self._key:
            raise refused(self._path, "is of other catalogs or options; give another file")
        return saved.state

    def _contradicted(self, reason: str) -> RequestError:
        self._is_contradicted = True
        return refused(self._path, reason)


def _chained(chain: str, digest: str) -> str:
    return hashlib.sha256(f"{chain} {digest}".encode()).hexdigest()


def fingerprint(item: str | RecordedCluster) -> str:
    """Return a text that changes with *item*: of files by their sizes and the times of their last change."""
    digest = hashlib.sha256()
    if not isinstance(item, str):
        digest.update(json.dumps([item.name, item.fault]).encode())
    for source in (item,) if isinstance(item, str) else item.sources:
        if isinstance(source, str | os.PathLike):
            digest.update(json.dumps([os.fspath(source), *_stamps(Path(source))]).encode())
        elif isinstance(source, Mapping):
            digest.update(json.dumps(source, sort_keys=True, default=repr).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def _stamps(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the files at or below *path*, each with its size in bytes and the time of its last change."""
    try:
        for file in files_below(path, ("",)) if path.is_dir() else [path]:
            status = file.stat()
            yield str(file), status.st_size, status.st_mtime_ns
    except OSError as error:
        yield str(error), 0, 0
