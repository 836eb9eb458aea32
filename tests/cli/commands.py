"""Running the command line in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import attrs
import pytest

from olmsolve.cli import main

__all__ = ["Outcome", "Run", "runner"]


@attrs.frozen
class Outcome:
    """What a command did: its exit code, standard output and standard error."""

    code: int
    out: str
    err: str


Run: TypeAlias = Callable[..., Outcome]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that runs ``olmsolve`` with the given arguments."""

    def run(*arguments: object) -> Outcome:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as exit_:  # how argparse ends
            code = int(exit_.code or 0)
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return run
