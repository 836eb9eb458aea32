"""The state file of a comparison: how far it came in its stream of clusters, what it counted, and the answers so far.

The file is written anew now and then, in one step, and stays as small as the report: of the clusters that are done it
holds their number and one digest. An item that is done before an earlier one is noted by its position::

    done so far: items 0, 1, 2 and 4     ->     done 3, chain (a digest of items 0 to 2), beyond {4: its fingerprint}
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from olmsolve._folders import files_below
from olmsolve._records import Record, field, record
from olmsolve._saved_states import StateFormat, refused, refusing
from olmsolve._whole_files import write_whole
from olmsolve.errors import RequestError
from olmsolve.lifecycle.impact.model import ClusterImpact
from olmsolve.lifecycle.impact.tallies import AnsweredItem, Counts
from olmsolve.requests import RecordedCluster

# Seconds between two writes; a large state may take a twentieth of the time.
_INTERVAL: Final = 2.0
_SHARE: Final = 20


def _sorted_items(values: Mapping[int, str]) -> list[tuple[int, str]]:
    return sorted(values.items())


def _sorted(values: Mapping[str, ClusterImpact]) -> dict[str, ClusterImpact]:
    return dict(sorted(values.items()))


@record
class Checkpoint(Record):
    """The progress of a comparison, from which it can go on; counts and answers are of all items that are done."""

    done: int = field("How many items, from the first one on, are done.", default=0)
    chain: str = field("The digest of their fingerprints.", default="")
    beyond: Mapping[int, str] = field(
        "The fingerprints of further items that are done, by position.", written=_sorted_items, read=dict, factory=dict
    )
    counts: Counts = field("The counts.", path="*", factory=Counts)
    answers: Mapping[str, ClusterImpact] = field("The answers by part.", written=_sorted, factory=dict, repr=False)


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
            # The clusters are others, or have not been compared with the file yet.
            return
        begun = time.monotonic()
        state = _FORMAT.written(self._key, Checkpoint(self._done, self._chain, self._beyond, counts, answers))
        with refusing(self._path):
            write_whole(self._path, [state])
        now = time.monotonic()
        self._next = now + max(_INTERVAL, _SHARE * (now - begun))

    def _advance(self) -> None:
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
