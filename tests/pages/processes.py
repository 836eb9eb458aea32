"""The processes of one page: a shell and an interpreter, both in the page's folder."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import threading
import uuid
from collections.abc import Generator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from tests.pages import examples
from tests.pages.examples import Failure

__all__ = ["EndedError", "Printed", "Processes"]

_PYTHON: Final = Path(examples.__file__)


class EndedError(Exception):
    """A process that ended, or had to be ended, before its answer."""


class Printed(NamedTuple):
    """What a command printed, standard output and standard error together, and its exit code."""

    text: str
    code: int


class Processes:
    """A shell that keeps its folder and variables from command to command, and a Python process that keeps its names.

    Both start when they are first used, and their children end with them.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], seconds: float) -> None:
        """Take the folder of the page, the whole environment, and the time that one command or block may take."""
        self._folder = folder
        self._environment = dict(environment)
        self._seconds = seconds
        self._shell: subprocess.Popen[str] | None = None
        self._python: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Return the processes themselves."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End both processes and what they left behind."""
        for process in (self._shell, self._python):
            if process is not None:
                _kill(process)
                process.communicate()

    def command(self, text: str) -> Printed:
        """Run a command of the shell and return what it printed.

        Raises:
            EndedError: the command took too long, or ended the shell.
        """
        if self._shell is None:
            self._shell = self._started(["bash", "--noprofile", "--norc"], subprocess.STDOUT)
        token = uuid.uuid4().hex
        # `eval` keeps folder and variables, and is told of a fault of syntax, which would end a shell that reads it.
        script = f"eval {shlex.quote(text)} </dev/null\n__code=$?; echo {token} $__code; (exit $__code)\n"
        lines: list[str] = []
        with contextlib.closing(self._answer(self._shell, script)) as answer:
            for line in answer:
                before, token_found, code = line.partition(token)
                lines.append(before)
                if token_found:
                    return Printed("".join(lines), int(code))
        raise EndedError("".join(lines) + "the command ended the shell, or took too long")

    def examples(self, text: str, line: int) -> list[Failure]:
        """Run a block of Python examples, whose first line is *line* of the page, and return what differs.

        Raises:
            EndedError: the examples took too long, or ended the interpreter.
        """
        if self._python is None:
            self._python = self._started(["python", str(_PYTHON)], None)
        request = json.dumps({"text": text, "line": line})
        with contextlib.closing(self._answer(self._python, request + "\n")) as answer:
            for answered in answer:
                return [Failure(*failure) for failure in json.loads(answered)]
        raise EndedError("the examples ended the interpreter, or took too long")

    def _started(self, command: list[str], errors: int | None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )

    def _answer(self, process: subprocess.Popen[str], request: str) -> Generator[str, None, None]:
        """Send *request* and yield the lines of the answer, which ends early when the time is over."""
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(self._seconds, _kill, [process])
        timer.start()
        try:
            # A process that has ended says so by an answer without lines.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(request)
                process.stdin.flush()
            yield from iter(process.stdout.readline, "")
        finally:
            timer.cancel()


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill *process* with all of its children, which are in its process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
