"""Other programs (git, kustomize): run within the limits of the scope at hand, a time and a size, and ended with them.

A program may have started others, such as ``kustomize`` a ``git`` that fetches. They are in a session of their own, and
all of it is ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Final

from olmsolve._limits import check
from olmsolve._named_tuples import NamedTuple

_TICK: Final = 0.05
_SAID: Final = 2000  # bytes of a program's message that are told


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
    """Let *command* print into the file *output*; return its exit code and what it said on standard error.

    *command* reads the file *given*. Its environment is the one of this process with *environment* added. Raises as
    :func:`program_output` does.
    """
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(  # noqa: S603 - each caller says which program, and makes its arguments
                command,
                stdin=subprocess.DEVNULL if given is None else given,
                stdout=output,
                stderr=errors,
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
        # Its group is there as long as one of its processes is.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()
    process.wait()
