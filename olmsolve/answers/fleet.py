"""A fleet: the workers of any executor, to which large values travel once and small chunks of work many times.

The workers are threads, processes, or other machines. What the work needs, such as catalogs, is large and chunks of
work are many, so a worker keeps what it has unpacked under a key of its content. A chunk comes with the key alone; a
worker that lacks the cargo says so, and the chunk comes again with it. Threads and forked processes have it from the
start. No initializer is needed, which not every executor has, and a key can never stand for other content."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import pickle
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked, current, held, limited
from olmsolve._version import __version__
from olmsolve.catalog import Bundle, Catalog, Channel, Package, Source

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

# The zlib level: a higher one takes longer to compress than a local pipe takes to carry the difference.
_QUICK: Final = 1


def content_key(sources: Iterable[Source], *options: str) -> str:
    """Return a digest (hexadecimal) of everything that an answer depends on: two runs with one key give one answer.

    It covers what resolution reads, the origins that messages name and this version of olmsolve. Descriptions, icons
    and images do not count.
    """
    digest = hashlib.sha256()

    def add(value: Any) -> None:
        # A catalog made in a program may hold other values than JSON; their repr() may only keep a key from matching.
        digest.update(json.dumps(value, sort_keys=True, default=repr).encode("utf-8", "surrogatepass"))
        digest.update(b"\n")

    add([__version__, *options])
    for source in sorted(sources, key=lambda source: source.key):
        add([source.name, source.namespace, source.priority])
        for package in checked(sorted(source.catalog, key=lambda package: package.name)):
            add([package.name, package.default_channel])
            for channel in checked(sorted(package.channels.values(), key=lambda channel: channel.name)):
                entries = [[e.name, e.replaces, e.skips, e.skip_range] for e in channel.entries]
                add([channel.name, str(channel.origin or ""), entries])
            for bundle in checked(sorted(package.bundles.values(), key=lambda bundle: bundle.name), every=64):
                properties = [[property_.type, property_.value] for property_ in bundle.properties]
                add([bundle.name, str(bundle.origin or ""), properties])
    return digest.hexdigest()


def packed(sources: Iterable[Source]) -> bytes:
    """Pack everything that resolution needs of *sources* into bytes, for :func:`unpacked` in another process."""
    carried = tuple(attrs.evolve(source, catalog=light(source.catalog)) for source in sources)
    return zlib.compress(pickle.dumps(carried, pickle.HIGHEST_PROTOCOL), _QUICK)


def unpacked(payload: bytes) -> tuple[Source, ...]:
    """Return the sources that :func:`packed` made *payload* of. Never pass a stranger's bytes: pickles can run code."""
    sources: tuple[Source, ...] = pickle.loads(zlib.decompress(payload))  # noqa: S301 - see above
    return sources


def light(catalog: Catalog) -> Catalog:
    """Return *catalog* without descriptions, icons, images, and whatever else resolution does not read."""
    packages = {package.name: _light_package(package) for package in catalog}
    return Catalog(packages, origin=catalog.origin, scheme=catalog.scheme)


def _light_package(package: Package) -> Package:
    channels = {c.name: Channel(c.package, c.name, c.entries, origin=c.origin) for c in package.channels.values()}
    bundles = {b.name: Bundle(b.package, b.name, b.properties, origin=b.origin) for b in package.bundles.values()}
    return Package(package.name, package.default_channel, channels, bundles)


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
    import socket  # 3 ms, and a run without workers sends nothing

    worker = f"{socket.gethostname()}:{os.getpid()}"
    with limited(timeout=chunk.seconds, conflicts=chunk.conflicts):
        work = _work(chunk.key, cargo)
        return ChunkResult(worker, None if work is None else tuple(work(chunk.items)))


def _work(key: str, cargo: Cargo | None) -> Work | None:
    """Return the work that this process keeps under *key*, or else unpack it from *cargo*; None without either."""
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


Items: TypeAlias = tuple[Any, ...]

# Seconds between two looks at the limits while the workers work.
_PATIENCE: Final = 0.02


class Fleet:
    """The workers of *executor* and the chunks sent to them; leaving the ``with`` block cancels the rest.

    The cargo is large, so it travels only with as many chunks as there are workers known to lack it. A run on two
    fresh workers: the first chunks come back undone, two chunks travel again with the cargo, and all others
    travel alone from then on. *key* stands for the content of the cargo that *cargo* makes once it is needed.
    """

    def __init__(self, executor: Executor, key: str, cargo: Callable[[], Cargo]) -> None:
        import secrets

        self._executor = executor
        self._key = key
        self._make_cargo = cargo
        self._cargo: Cargo | None = None
        self._limits = current()
        self._run = secrets.token_hex(8)
        self._attempts = 0
        # The chunk of each future, and whether the cargo is sent with it.
        self._pending: dict[Future[ChunkResult], tuple[Items, bool]] = {}
        self._lacking: set[str] = set()
        self._having: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._pending:
            future.cancel()

    def results(self, chunks: Iterable[Items], *, ahead: int | None = None) -> Iterator[Any]:
        """Yield the results for the items of *chunks*, in the order in which they come back.

        At most *ahead* chunks are under way at once, and the next one is taken from *chunks* only then: chunks may be
        endless. None sends all of them at once.
        """
        coming = iter(chunks)
        for chunk in itertools.islice(coming, ahead):
            self._submit(chunk, ship=False)
        waiting: list[Items] = []
        while self._pending or waiting:
            while waiting and self._may_send():
                self._submit(waiting.pop(), ship=self._may_ship())
            for future in self._finished():
                chunk, _ = self._pending.pop(future)
                answer = future.result()
                if answer.results is None:
                    self._having.discard(answer.worker)
                    self._lacking.add(answer.worker)
                    waiting.append(chunk)
                else:
                    self._lacking.discard(answer.worker)
                    self._having.add(answer.worker)
                    yield from answer.results
                    for following in itertools.islice(coming, 1):
                        self._submit(following, ship=False)

    def _may_ship(self) -> bool:
        """Return whether some worker lacks the cargo and no chunk is taking it there."""
        return sum(ship for _, ship in self._pending.values()) < len(self._lacking)

    def _may_send(self) -> bool:
        """Return whether a chunk has any chance: some worker has the cargo, or it can travel with the chunk."""
        return bool(self._having) or self._may_ship()

    def _submit(self, items: Items, *, ship: bool) -> None:
        """Send a chunk, with the cargo if *ship*; it is packed only when a worker first needs it."""
        cargo = None
        if ship:
            if self._cargo is None:
                self._cargo = self._make_cargo()
            cargo = self._cargo
        self._attempts += 1
        seconds, conflicts = self._limits.seconds_left(), self._limits.conflicts
        chunk = Chunk(self._key, self._run, self._attempts, items, seconds, conflicts)
        self._pending[self._executor.submit(work_chunk, chunk, cargo)] = items, ship

    def _finished(self) -> Iterable[Future[ChunkResult]]:
        """Wait for chunks to be done. Raises Incomplete if a limit is met before."""
        from concurrent.futures import FIRST_COMPLETED, wait

        while True:
            self._limits.check()
            patience = _PATIENCE if self._limits.limited else None
            finished, _ = wait(self._pending, timeout=patience, return_when=FIRST_COMPLETED)
            if finished:
                return finished
