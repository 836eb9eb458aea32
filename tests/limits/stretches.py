"""Stretches of work without a look at the limits, measured in calls and returns: the same on every machine."""

from __future__ import annotations

import cProfile
import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

import pytest

from olmsolve import _limits
from olmsolve._limits import Limits

_FRAMES: Final = 6
_PACKAGE: Final = f"{Path(_limits.__file__).parent}{os.sep}"


class Stretch(NamedTuple):
    """The work between two looks: how many calls and returns it has, and the code of both looks, innermost first."""

    events: int
    after: tuple[str, ...]
    before: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.events:,} calls and returns\n  after {self.after}\n  before {self.before}"


def longest_stretch(run: Callable[[], object], most_looks: int | None = None) -> Stretch:
    """Return the longest stretch of *run*, which sets itself a limit of time, from its begin to its end.

    The look number *most_looks* finds that the time is over, so that a run of many equal looks ends.

    The profiler of the standard library takes the time at each call and return of functions in Python and in C. Here
    its clock counts how often that is: so a stretch costs nothing but these calls, and no Python function is called for
    them. Work without calls is not seen, nor how long a call of C takes.
    """
    longest = Stretch(0, (), ())
    clock = count().__next__
    place: tuple[str, ...] = ("the begin",)
    # The clock itself counts, when it is read.
    begun = clock() + 1
    looks = 0

    def look(now: tuple[str, ...]) -> None:
        nonlocal longest, place, begun
        events = clock() - begun
        if events > longest.events:
            longest = Stretch(events, place, now)
        place, begun = now, clock() + 1

    def check(limits: Limits) -> None:
        nonlocal looks
        if limits.limited:
            look(_place(sys._getframe(1)))
            looks += 1
            if looks == most_looks:
                _limits._end("timeout")
        real_check(limits)

    real_check = Limits.check
    profile = cProfile.Profile(clock, timeunit=1.0, subcalls=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Limits, "check", check)
        profile.enable()
        try:
            run()
        finally:
            profile.disable()
            look(("the end",))
    return longest


def _place(frame: FrameType | None) -> tuple[str, ...]:
    """Return the lines of olmsolve in which *frame* and its callers are, the innermost first; limits are left out."""
    lines: list[str] = []
    while frame is not None and len(lines) < _FRAMES:
        path = frame.f_code.co_filename
        if path.startswith(_PACKAGE) and path != _limits.__file__:
            lines.append(f"{path.removeprefix(_PACKAGE)}:{frame.f_lineno}")
        frame = frame.f_back
    return tuple(lines)
