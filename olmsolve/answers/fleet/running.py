"""The workers of an executor, and the chunks sent to them."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, Final, Self, TypeAlias

from olmsolve._limits import current
from olmsolve.answers.fleet.workers import Cargo, Chunk, ChunkResult, work_chunk

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
        self._executor = executor
        self._key = key
        self._make_cargo = cargo
        self._cargo: Cargo | None = None
        self._limits = current()
        self._run = secrets.token_hex(8)
        self._attempts = 0
        # The chunk behind each future, and whether the cargo travels with it.
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
        return self._shipping() < len(self._lacking)

    def _may_send(self) -> bool:
        """Return whether a chunk has any chance: some worker has the cargo, or it can travel with the chunk."""
        return bool(self._having) or self._may_ship()

    def _shipping(self) -> int:
        return sum(ship for _, ship in self._pending.values())

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
        while True:
            self._limits.check()
            patience = _PATIENCE if self._limits.limited else None
            finished, _ = wait(self._pending, timeout=patience, return_when=FIRST_COMPLETED)
            if finished:
                return finished
