"""The exit codes of the command line and their meanings."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from olmsolve.errors import OlmsolveError


class Exit(enum.IntEnum):
    """Exit codes: 0 to 3 answer the question; the others are Unix's (70 and 74 of sysexits.h, 128 + n for signal n)."""

    PLAN = 0
    UNSATISFIABLE = 1
    BAD_INPUT = 2
    OUT_OF_BUDGET = 3
    FAULT = 70
    UNWRITABLE = 74
    INTERRUPTED = 130
    BROKEN_PIPE = 141


MEANINGS: Final[Mapping[Exit, str]] = {
    Exit.PLAN: "the good answer: a plan, nothing found, done",
    Exit.UNSATISFIABLE: "the other answer: no plan, a finding, a difference",
    Exit.BAD_INPUT: "bad input: a catalog, a request, a dump or an argument; standard error names the position",
    Exit.OUT_OF_BUDGET: "no answer within --timeout, which standard error says",
    Exit.FAULT: "a fault of olmsolve itself",
    Exit.UNWRITABLE: "the output cannot be written: no room, or a disk that fails",
    Exit.INTERRUPTED: "interrupted",
    Exit.BROKEN_PIPE: "the reader of the output has gone",
}
"""The meaning of each code in every command; the help of a command says what its 0 and 1 stand for."""


def exit_of(error: OlmsolveError) -> Exit:
    """Return the exit code of a command that *error* ends: what cannot be resolved is no bad input."""
    # The errors are attrs classes, and help should not wait for attrs to load.
    from olmsolve.errors import Incomplete, NamespaceError
    from olmsolve.resolution import ResolutionFailure

    if isinstance(error, ResolutionFailure):
        return Exit.BAD_INPUT if error.is_bad_input else Exit.UNSATISFIABLE
    if isinstance(error, NamespaceError):
        return Exit.UNSATISFIABLE
    return Exit.OUT_OF_BUDGET if isinstance(error, Incomplete) else Exit.BAD_INPUT
