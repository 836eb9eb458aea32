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
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import attrs

from olmsolve._record_reading import from_dict
from olmsolve._whole_files import write_whole
from olmsolve.errors import RequestError
from olmsolve.lifecycle.impact.model import ClusterImpact
from olmsolve.lifecycle.impact.tallies import AnsweredItem, CountedClass, Counts
from olmsolve.requests import RecordedCluster

_SCHEMA: Final = "olmsolve.impact.state"
# Seconds between two writes; a large state may take a twentieth of the time.
_INTERVAL: Final = 2.0
_SHARE: Final = 20


@attrs.frozen
class Checkpoint:
    """The progress of a comparison, from which it can go on.

    *done* items are behind it, whose fingerprints *chain* digests; *beyond* are the fingerprints of further ones by
    their positions. *counts* and *answers* are those of all these items.
    """

    done: int = 0
    chain: str = ""
    beyond: Mapping[int, str] = attrs.field(factory=dict)
    counts: Counts = attrs.field(factory=Counts)
    answers: Mapping[str, ClusterImpact] = attrs.field(factory=dict, repr=False)


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
            found = fingerprint(item)
            if position < self.start.done:
                self._chain = _chained(self._chain, found)
                self._done += 1
                if self._done == self.start.done and self._chain != self.start.chain:
                    raise self._contradicted("the clusters are not those that it was written for, or have changed")
            elif position in self.start.beyond:
                if self.start.beyond[position] != found:
                    raise self._contradicted(f"cluster number {position + 1} has changed since it was written")
                self._advance()
            else:
                self._waiting[position] = found
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
        state = _written(self._key, Checkpoint(self._done, self._chain, self._beyond, counts, answers))
        try:
            write_whole(self._path, [state])
        except OSError as error:
            raise self._refused(error.strerror or str(error)) from None
        now = time.monotonic()
        self._next = now + max(_INTERVAL, _SHARE * (now - begun))

    def _advance(self) -> None:
        while self._done in self._beyond:
            self._chain = _chained(self._chain, self._beyond.pop(self._done))
            self._done += 1

    def _read_file(self) -> Checkpoint:
        if self._path.exists() and not self._path.is_file():
            raise self._refused("this is not a file")
        try:
            data = self._path.read_bytes() if self._path.exists() else b""
            # Fail before the work, not after it.
            if not data:
                self._path.touch()
        except OSError as error:
            raise self._refused(error.strerror or str(error)) from None
        if not data:
            return Checkpoint()
        key, found, is_whole = "", None, False
        with suppress(AttributeError, LookupError, RecursionError, RequestError, TypeError, ValueError):
            value = json.loads(data)
            if value["schema"] == _SCHEMA:
                key, found = value["key"], _checkpoint(value["state"])
                is_whole = _written(key, found) == data
        if found is None:
            raise self._refused("this is not a state file of a comparison, so it is left alone")
        if not is_whole:
            raise self._refused("is damaged; delete it, or give another file")
        if key != self._key:
            raise self._refused("is of other catalogs or options; give another file")
        return found

    def _contradicted(self, reason: str) -> RequestError:
        self._is_contradicted = True
        return self._refused(reason)

    def _refused(self, reason: str) -> RequestError:
        return RequestError(reason, field="resume", source=str(self._path))


def _chained(chain: str, found: str) -> str:
    return hashlib.sha256(f"{chain} {found}".encode()).hexdigest()


def fingerprint(item: str | RecordedCluster) -> str:
    """Return a text that changes with *item*: of files by their sizes and the times of their last change."""
    digest = hashlib.sha256()
    if not isinstance(item, str):
        digest.update(json.dumps([item.name, item.fault]).encode())
    for each in (item,) if isinstance(item, str) else item.sources:
        if isinstance(each, str | os.PathLike):
            digest.update(json.dumps([os.fspath(each), *_stamps(Path(each))]).encode())
        elif isinstance(each, Mapping):
            digest.update(json.dumps(each, sort_keys=True, default=repr).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def _stamps(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the files at or below *path*, each with its size in bytes and the time of its last change."""
    try:
        for each in sorted((path, *path.rglob("*"))):
            if each.is_file():
                found = each.stat()
                yield str(each), found.st_size, found.st_mtime_ns
    except OSError as error:
        yield str(error), 0, 0


def _written(key: str, state: Checkpoint) -> bytes:
    """Return the bytes of the file; the same state always gives the same bytes."""
    value = {
        "done": state.done,
        "chain": state.chain,
        "beyond": [[position, state.beyond[position]] for position in sorted(state.beyond)],
        "classes": [[list(each.parts), each.count, list(each.names)] for each in state.counts.classes],
        "unreadable": [list(each) for each in state.counts.unreadable],
        "unreadableCount": state.counts.unreadable_count,
        "reached": [list(each) for each in state.counts.reached],
        "answers": {part: state.answers[part].to_dict() for part in sorted(state.answers)},
    }
    check = hashlib.sha256(json.dumps([key, value]).encode()).hexdigest()
    return json.dumps({"schema": _SCHEMA, "key": key, "check": check, "state": value}).encode()


def _checkpoint(value: dict[str, Any]) -> Checkpoint:
    """Return the state that :func:`_written` wrote; the caller writes it once more to check the result."""
    classes = tuple(CountedClass(tuple(parts), count, tuple(names)) for parts, count, names in value["classes"])
    unreadable = tuple((name, reason) for name, reason in value["unreadable"])
    reached = tuple((position, count) for position, count in value["reached"])
    counts = Counts(classes, unreadable, value["unreadableCount"], reached)
    answers = {part: from_dict(ClusterImpact, each) for part, each in value["answers"].items()}
    return Checkpoint(value["done"], value["chain"], dict(value["beyond"]), counts, answers)
