"""Files made to harm, each read in a process with little memory: whatever they repeat or claim, the end is soon."""

from __future__ import annotations

import gc
import io
import os
import resource
import time
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import olmsolve
from olmsolve.errors import OlmsolveError
from tests.fuzz.hostile_files import KINDS, HostileFile, hostile_file
from tests.scale import scaled

pytestmark = [
    pytest.mark.forks,
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

_MB: Final = 1 << 20
_LIMIT: Final = 0.5
_LATE: Final = 0.2
"""Seconds of processor time from one look at the limits to the next, or to the end."""

_LATE_PER_MB: Final = 0.05
"""Seconds more for each megabyte of a document in JSON, which is decoded in one piece (docs/limits.md)."""

_BUSY: Final = 3
"""Times that other processes make the same work take: they share caches, and the clock of the processor."""


class _Looks:
    """A flag that is set once the time is up, in processor time, and notes the longest time between two looks."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._begin = self._last = time.thread_time()

    def is_set(self) -> bool:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now
        return now - self._begin > _LIMIT


class Ended(NamedTuple):
    """How a read ended: what came of it, and the longest time between two looks in seconds."""

    outcome: str
    longest: float


def read(file: HostileFile) -> Ended:
    """Read *file* as a catalog in a child of this process, which may have 100 MB and ten times what is in the file."""
    reading, writing = os.pipe()
    gc.collect()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + 100 * _MB + 10 * max(file.unpacked, len(file.data))
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            ended = _read(file.data)
            os.write(writing, f"{ended.longest} {ended.outcome}".encode()[:4000])
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        longest, _, outcome = pipe.read().decode("utf-8", "replace").partition(" ")
    _, status = os.waitpid(child, 0)
    return Ended(outcome, float(longest)) if status == 0 else Ended(f"died with status {status}", 0.0)


def _read(data: bytes) -> Ended:
    looks = _Looks()
    try:
        catalog = olmsolve.load(io.BytesIO(data), cancel=looks)
    except OlmsolveError as error:
        outcome = str(error)
    except BaseException as error:  # noqa: BLE001 - what a child raises is its outcome
        outcome = f"fault: {type(error).__name__}: {error}"
    else:
        outcome = f"{len(catalog.packages)} packages"
    looks.is_set()
    return Ended(outcome, looks.longest)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system tells no size of a process")
@pytest.mark.parametrize("kind", KINDS)
def test_files_made_to_harm(kind: str) -> None:
    """None takes more memory than its size allows, or keeps its reader from a limit: 3,000 in the long form."""
    # What this process imports, its children need not.
    _read(hostile_file(kind, 0).data)
    for number in range(scaled(500, 160)):
        file = hostile_file(kind, number)
        ended = read(file)
        assert not ended.outcome.startswith(("fault", "died")), (kind, number, ended)
        assert ended.longest <= _BUSY * (_LATE + _LATE_PER_MB * (file.unpacked >> 20)), (kind, number, ended)
