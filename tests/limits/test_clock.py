"""The clock of attacks (``tests/attacks.py``): a call is late by what it does after its limit, on any machine."""

from __future__ import annotations

import threading
import time

import pytest

from tests import attacks
from tests.attacks import IN_TIME, called


def compute(seconds: float) -> None:
    """Take so many *seconds* of a processor."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.mark.parametrize("late", [time.sleep, compute])
def test_a_call_that_does_not_look_at_its_limit_is_late(late: object) -> None:
    """Whether it sleeps or computes: a busy machine makes it later, and never earlier."""
    assert callable(late)
    assert called(lambda: late(0.1 + 3 * IN_TIME), 0.1).late > IN_TIME


def test_waiting_for_a_processor_is_not_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system tells how long a thread waited until the thread has ended; so the thread itself looks last."""
    waited = 0.0

    def waited_until_now(process: str) -> float:
        is_there = any(process == f"self/task/{thread.native_id}" for thread in threading.enumerate())
        return waited if is_there else 0.0

    def wait() -> None:
        nonlocal waited
        begun = time.monotonic()
        time.sleep(0.2)
        waited = time.monotonic() - begun

    monkeypatch.setattr(attacks, "_seconds_without_processor", waited_until_now)
    assert called(wait, 0.1).late == 0.0
