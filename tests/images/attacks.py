"""Runs of the command line against attacks: in a process with little memory, by a clock."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Final, NamedTuple

# What Python and our modules map, without a catalog; much of it is never touched.
_BASE_MB: Final = 250


class Attacked(NamedTuple):
    """How a run ended: its exit *code*, standard error, and *seconds* since it was ready.

    The seconds in which it waited for a processor are taken off, so that a busy machine does not count.
    """

    code: int
    err: str
    seconds: float


def attacked(
    *arguments: str, stdin: IO[bytes] | int = subprocess.DEVNULL, megabytes: int = 150, timeout: float = 1.0
) -> Attacked:
    """Run olmsolve with *arguments* and ``--timeout``, in a process that may have *megabytes* beside its own."""
    most = (_BASE_MB + megabytes) << 20

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    command = [sys.executable, "-c", _PROGRAM, *arguments, "--timeout", str(timeout)]
    with subprocess.Popen(
        command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit, env=_environment()
    ) as process:
        started = time.monotonic()
        assert process.stderr is not None
        # The first line says that all is imported, and that the clock of the command begins.
        assert process.stderr.readline() == b"ready\n"
        started, waited = time.monotonic(), _seconds_without_processor(process.pid)
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() - started > 60:
                process.kill()
                raise subprocess.TimeoutExpired(command, 60)
            time.sleep(0.01)
        seconds = time.monotonic() - started - (_seconds_without_processor(process.pid) - waited)
        err = process.communicate()[1].decode()
        return Attacked(process.returncode, err, seconds)


def _seconds_without_processor(process: int) -> float:
    """Return how long *process* could have run and had no processor; 0 where the kernel does not count it."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


_PROGRAM: Final = """
import sys
from olmsolve.cli import main
import olmsolve.requests.gathering, olmsolve.catalog.fbc.database_blobs, olmsolve.catalog.images.opening
import olmsolve.cli.commands.validate, olmsolve.cli.commands.resolve
sys.stderr.write("ready\\n")
sys.stderr.flush()
sys.exit(main(sys.argv[1:]))
"""


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "PYTHONPATH": str(Path(__file__).parents[2]), "MALLOC_ARENA_MAX": "1"}
