"""Waiting for others within the limits: FIFOs that nobody reads or writes, and calls of other code that hang."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from olmsolve import limited
from olmsolve._waiting import ProgramFailure, awaited, program_output, read_whole
from olmsolve._whole_files import write_whole
from olmsolve.errors import Incomplete
from tests.attacks import in_time

_LIMIT = 0.2


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """A named pipe."""
    os.mkfifo(tmp_path / "fifo")
    return tmp_path / "fifo"


def check_ended_by_the_limit(call: Callable[[], object]) -> None:
    """Check that *call* is ended by its limit, in time."""

    def within() -> None:
        with limited(timeout=_LIMIT):
            call()

    assert isinstance(in_time(within, _LIMIT).raised, Incomplete)


def test_a_reader_is_waited_for_within_the_limits(fifo: Path) -> None:
    """``--to FIFO`` waits for whoever reads it, and not for ever."""
    check_ended_by_the_limit(lambda: write_whole(fifo, [b"text"]))


def test_a_reader_that_takes_nothing(fifo: Path) -> None:
    """A pipe holds some kilobytes; then its writer waits."""
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        check_ended_by_the_limit(lambda: write_whole(fifo, [b"text" * 100_000]))
    finally:
        os.close(reader)


def test_a_reader_that_comes_later_gets_everything(fifo: Path) -> None:
    """As ``olmsolve ... --to FIFO &`` and ``cat FIFO`` do."""
    contents: list[bytes] = []
    reader = threading.Thread(target=lambda: contents.append(fifo.read_bytes()))
    threading.Timer(0.1, reader.start).start()
    write_whole(fifo, [b"text" * 50_000, b"end"])
    reader.join(5)
    assert contents == [b"text" * 50_000 + b"end"]


def test_small_files_are_read_whole_or_not(fifo: Path, tmp_path: Path) -> None:
    """Icons, descriptions and reports: of a device there would be no end."""
    path = tmp_path / "file"
    path.write_bytes(b"text")
    assert read_whole(path, 4) == b"text"
    for endless in (path, Path("/dev/zero")):
        with pytest.raises(OSError, match="more than 3 bytes"):
            read_whole(endless, 3)
    check_ended_by_the_limit(lambda: read_whole(fifo, 3))


def test_calls_that_hang() -> None:
    """The call goes on in its thread; whoever waits goes on as well."""
    check_ended_by_the_limit(lambda: awaited(lambda: time.sleep(1.0)))
    with limited(timeout=5.0):
        assert awaited(lambda: 1) == 1
        with pytest.raises(KeyError):
            awaited(lambda: os.environ["NO_SUCH_VARIABLE"])
    assert awaited(lambda: 1) == 1


def test_programs_are_held_to_a_time_and_a_size() -> None:
    """git and kustomize may hang, and print without end."""
    assert program_output(["echo", "a"], seconds=5.0, most=2) == (0, b"a\n", "")
    assert program_output(["sh", "-c", "echo b >&2; exit 3"], seconds=5.0, most=2) == (3, b"", "b")
    for command, seconds, reason in (
        (["sleep", "9"], 0.1, "takes more than 0 seconds"),
        (["yes"], 9.0, "prints more than 2 bytes"),
        (["no-such-program"], 9.0, "cannot be run: No such file or directory"),
    ):
        end = in_time(partial(program_output, command, seconds=seconds, most=2), 0.2)
        assert isinstance(end.raised, ProgramFailure)
        assert reason in str(end.raised)
    check_ended_by_the_limit(lambda: program_output(["sleep", "9"], seconds=9.0, most=2))
