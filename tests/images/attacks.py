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
    """How a run ended: its exit *code*, standard error, and *seconds*, which have those of an idle start taken off."""

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
        started = time.monotonic()
        try:
            err = process.communicate(timeout=60)[1].decode()
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return Attacked(process.returncode, err, time.monotonic() - started)


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
