"""The exit codes of the command line and their meanings."""

from __future__ import annotations

import enum


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
