"""Waiting for somebody else within the limits of the scope at hand: pipes, FIFOs, calls of other code, and programs.

A plain file answers at once. A pipe answers when its writer does, and a read that the system has begun cannot be ended.
So it is asked for only when something is there, and until then the limits are looked at now and then. A call into
somebody else's code cannot be ended either: it gets a thread of its own, which is left behind.

Other programs (git, kustomize) have a time and a size besides, and are ended with them. A program may have started
others, such as ``kustomize`` a ``git`` that fetches. They are in a session of their own, and all of it is ended.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Self, TypeVar

from olmsolve._limits import check, current
from olmsolve._named_tuples import NamedTuple

if TYPE_CHECKING:
    import subprocess

T = TypeVar("T")

# The limits are looked at between two pieces, some 2 ms apart. Pieces of 4 KB take 1.6 times as long to read, and
# pieces of 16 MB 1.8 times.
_PIECE: Final = 1 << 20

_TICK: Final = 0.05
"""Seconds between two looks at the limits while nothing comes."""


def read_some(stream: Any, size: int) -> Any:
    """Return up to *size* bytes of *stream*, as soon as some are there; b"" at the end only.

    Raises:
        Incomplete: a limit of the scope at hand is met while nothing comes.
        OSError, ValueError: the stream cannot be read.
    """
    read = getattr(stream, "read1", None)
    descriptor = _waited_for(stream) if read is not None and current().limited else None
    if read is None or descriptor is None:
        return stream.read(size)
    wait_for(descriptor)
    return read(size)


def wait_for(descriptor: int) -> None:
    """Wait until something can be read from *descriptor*, or its end. Raises Incomplete."""
    import select  # few inputs are waited for

    # Windows, which can ask sockets alone: the read waits as long as it waits.
    if not hasattr(select, "poll"):
        return
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP | select.POLLERR)
    while not poll.poll(_TICK * 1000):
        check()


def awaited(call: Callable[[], T]) -> T:
    """Return what *call* returns, or raise what it raises, within the limits of the scope at hand.

    Where a limit is met before, its thread goes on by itself, and ends with the process at the latest. Raises
    Incomplete.
    """
    if not current().limited:
        return call()
    results: list[T] = []
    errors: list[BaseException] = []
    import threading

    is_over = threading.Event()

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            errors.append(error)
        finally:
            is_over.set()

    check()
    threading.Thread(target=work, daemon=True).start()
    while not is_over.wait(_TICK):
        check()
    if errors:
        raise errors[0]
    return results[0]


def read_whole(path: Path, most: int) -> bytes:
    """Return the content of the file at *path*, of *most* bytes, which a FIFO, terminal or device may be.

    Raises:
        OSError: it cannot be read, or has more (EFBIG).
        Incomplete: a limit of the scope at hand is met while nothing comes.
    """
    with WaitingFile(path) if is_waited_for(path) else path.open("rb") as file:
        data = bytearray()
        while piece := file.read(min(_PIECE, most + 1 - len(data))):
            check()
            data += piece
    if len(data) > most:
        raise OSError(errno.EFBIG, f"more than {most:,} bytes")
    return bytes(data)


def write_waiting(path: Path, pieces: Iterable[bytes]) -> None:
    """Write *pieces* to the FIFO at *path*, whose reader is waited for within the limits of the scope at hand.

    Raises:
        OSError: it cannot be written to.
        Incomplete: a limit is met before somebody has read everything.
    """
    descriptor = _opened_for_writing(path)
    try:
        for piece in pieces:
            unwritten = memoryview(piece)
            while unwritten:
                try:
                    unwritten = unwritten[os.write(descriptor, unwritten) :]
                except BlockingIOError:
                    check()
                    time.sleep(_TICK)
    finally:
        os.close(descriptor)


def _opened_for_writing(path: Path) -> int:
    while True:
        try:
            return os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            # The system answers so when nobody reads the FIFO.
            if error.errno != errno.ENXIO:
                raise
        check()
        time.sleep(_TICK)


class WaitingFile:
    """The FIFO, terminal or device at *path*; each read waits for bytes within the limits.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        # Without O_NONBLOCK, opening a FIFO blocks until it has a writer.
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))

    def read(self, size: int) -> bytes:
        """Return at most *size* bytes, b"" only at the end. Raises Incomplete and OSError."""
        while True:
            wait_for(self._descriptor)
            try:
                return os.read(self._descriptor, size)
            except BlockingIOError:
                check()

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_waited_for(path: Path) -> bool:
    """Return whether reads of the file at *path* wait for somebody, as with a FIFO."""
    try:
        return _is_waiting(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _waited_for(stream: Any) -> int | None:
    """Return the descriptor of a *stream* whose reads wait for somebody; None for any other stream."""
    try:
        descriptor: int = stream.fileno()
        return descriptor if _is_waiting(os.fstat(descriptor).st_mode) else None
    except (AttributeError, OSError, ValueError):
        return None


def _is_waiting(mode: int) -> bool:
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)


_SAID: Final = 2000  # bytes of a program's message that an error quotes


class ProgramFailure(Exception):  # noqa: N818 - it becomes an error where it is known what the program was for
    """The reason why a program has no output: it cannot be run, failed, took too long or printed too much."""


class ProgramOutput(NamedTuple):
    """The exit *code* of a program, what it printed, and the beginning of what it *said* on standard error."""

    code: int
    printed: bytes
    said: str


def program_output(command: Sequence[str], *, seconds: float, most: int) -> ProgramOutput:
    """Return what *command* prints, within so many *seconds* and at *most* so many bytes; it reads no input.

    Raises:
        ProgramFailure: it cannot be run, takes longer or prints more.
        Incomplete: a limit was met, or the caller cancelled.
    """
    import tempfile  # few commands start a program

    with tempfile.TemporaryFile() as output:
        code, said = run_program(command, output, seconds=seconds, most=most)
        output.seek(0)
        return ProgramOutput(code, output.read(most), said)


def run_program(
    command: Sequence[str],
    output: IO[bytes],
    *,
    seconds: float,
    most: int,
    environment: Mapping[str, str] | None = None,
    given: IO[bytes] | None = None,
) -> tuple[int, str]:
    """Run *command* with its output in the file *output*; return its exit code and the beginning of its standard error.

    *command* reads the file *given* as its standard input (without it, nothing), and has the environment of this
    process with *environment* added. Raises what :func:`program_output` raises.
    """
    import subprocess  # few commands start a program
    import tempfile

    # Files and no pipes: a full pipe that nobody reads stops a program, and a file's size is seen while the program
    # runs.
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(  # noqa: S603 - each caller says which program, and makes its arguments
                command,
                stdin=subprocess.DEVNULL if given is None else given,
                stdout=output,
                stderr=errors,
                # So that `_end` reaches whatever the command has started. The interrupt key reaches this process alone,
                # which then ends the session.
                start_new_session=True,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise ProgramFailure(f"cannot be run: {error.strerror}") from None
        try:
            _wait_for(process, output.fileno(), time.monotonic() + seconds, most)
        except TimeoutError:
            raise ProgramFailure(f"takes more than {seconds:.0f} seconds") from None
        finally:
            _end(process)
        if os.fstat(output.fileno()).st_size > most:
            raise ProgramFailure(f"prints more than {most:,} bytes")
        errors.seek(0)
        return process.returncode, errors.read(_SAID).decode("utf-8", "replace").strip()


def _wait_for(process: subprocess.Popen[bytes], output: int, end: float, most: int) -> None:
    import subprocess

    # Doubled below: waiting for a program that ends after 3 ms does not take 50 ms.
    pause = 0.001
    while process.poll() is None and os.fstat(output).st_size <= most:
        check()
        if time.monotonic() >= end:
            raise TimeoutError
        with suppress(subprocess.TimeoutExpired):
            process.wait(pause)
        pause = min(2 * pause, _TICK)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End *process* and what it has started."""
    if hasattr(os, "killpg"):
        import signal

        # Its group is there as long as one of its processes is.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()
    process.wait()
