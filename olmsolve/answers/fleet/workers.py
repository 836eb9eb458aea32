"""The work on an executor's workers, which may be threads, processes, or other machines.

What the work needs, such as catalogs, is large and chunks of work are many, so a worker keeps what it has unpacked
under a key of its content. A chunk comes with the key alone; a worker that lacks the cargo says so, and the chunk
comes again with it. Threads and forked processes have it from the start. No initializer is needed, which not every
executor has, and a key can never stand for other content.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeAlias

import attrs

from olmsolve._limits import held, limited

Work: TypeAlias = Callable[[tuple[Any, ...]], Iterable[Any]]
"""The work itself: a function from the items of a chunk to their results."""


class Cargo(Protocol):
    """A value that can be pickled, from which a worker makes its work."""

    def unpacked(self) -> Work:
        """Return the work on everything that the cargo holds."""
        ...


@attrs.frozen
class Chunk:
    """The *items* to work on with the cargo that *key* stands for, within *seconds* and *conflicts* (None: no limit).

    *run* and *attempt* make every chunk unique, a second attempt at the same items included: some executors
    answer an equal task from a cache.
    """

    key: str
    run: str
    attempt: int
    items: tuple[Any, ...]
    seconds: float | None
    conflicts: int | None = None


@attrs.frozen
class ChunkResult:
    """The *results* that *worker* found; None if the worker lacks the cargo that the key stands for."""

    worker: str
    results: tuple[Any, ...] | None


# Work of the runs that this process itself has begun, for as long as they run.
_RUNNING: Final[dict[str, Work]] = {}
# The work this process was sent last, and no other, so that a worker of a long-lived cluster stays small.
_SENT: Final[dict[str, Work]] = {}
_LOCK: Final = threading.Lock()


@contextmanager
def at_hand(key: str, work: Work) -> Iterator[None]:
    """Let workers that share this process's memory have *work* without sending it."""
    _RUNNING[key] = work
    try:
        yield
    finally:
        _RUNNING.pop(key, None)


def work_chunk(chunk: Chunk, cargo: Cargo | None = None) -> ChunkResult:
    """Work on *chunk*. Raises what the work raises, and Incomplete where a limit is met."""
    worker = f"{socket.gethostname()}:{os.getpid()}"
    with limited(timeout=chunk.seconds, conflicts=chunk.conflicts):
        work = _work(chunk.key, cargo)
        return ChunkResult(worker, None if work is None else tuple(work(chunk.items)))


def _work(key: str, cargo: Cargo | None) -> Work | None:
    """Return the work of *key*, made from *cargo* if need be; None if neither is at hand."""
    work = _RUNNING.get(key) or _SENT.get(key)
    if work is None and cargo is not None:
        # Of several threads that were sent the same cargo at once, one unpacks it for all.
        with held(_LOCK):
            work = _SENT.get(key)
            if work is None:
                work = cargo.unpacked()
                _SENT.clear()
                _SENT[key] = work
    return work
