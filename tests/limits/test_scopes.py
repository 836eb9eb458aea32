"""Scopes of limits: what they contain, whom they concern, and that they end.

This helper is for all rooms and has no door.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator

import pytest

import olmsolve
from olmsolve import Incomplete, RequestError, limited
from olmsolve._limits import Limits, check, checked, current, held


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock in place of the one that deadlines are compared with."""
    fake_clock = Clock()
    monkeypatch.setattr("time.monotonic", fake_clock)
    return fake_clock


def set_flag() -> threading.Event:
    flag = threading.Event()
    flag.set()
    return flag


def test_a_deadline_is_met_at_its_second(clock: Clock) -> None:
    """The time is over when it is up, not a check later."""
    with limited(timeout=2.0):
        clock.now += 1.5
        check()
        assert current().seconds_left() == 0.5
        clock.now += 0.5
        with pytest.raises(Incomplete) as raised:
            check()
    assert raised.value.reason == "timeout"
    check()
    assert current().seconds_left() is None


def test_a_scope_inside_a_scope_only_narrows(clock: Clock) -> None:
    """A verb with a long timeout, called where little time is left, has only that little time."""
    outer, inner = threading.Event(), threading.Event()
    with limited(timeout=2.0, conflicts=10, cancel=outer):
        with limited(timeout=60.0, conflicts=500, cancel=inner):
            assert current().seconds_left() == 2.0
            assert current().conflicts == 10
            outer.set()
            with pytest.raises(Incomplete, match="cancelled"):
                check()
            outer.clear()
        inner.set()
        check()
        with limited(timeout=1.0, conflicts=5):
            assert (current().seconds_left(), current().conflicts) == (1.0, 5)
        assert (current().seconds_left(), current().conflicts) == (2.0, 10)
        clock.now += 3.0
        with pytest.raises(Incomplete, match="time"), limited(timeout=60.0):
            check()


def test_a_scope_without_limits_costs_nothing() -> None:
    """Verbs open a scope on every call; without limits the loops below them must not even see it."""
    with limited():
        assert not current().limited
        numbers = [1, 2, 3]
        assert checked(numbers) is numbers


def test_a_scope_ends_with_its_error() -> None:
    """The limits of a verb that failed must not reach the next one."""
    with pytest.raises(ZeroDivisionError), limited(cancel=set_flag()):
        raise ZeroDivisionError
    check()


def test_steps_are_counted() -> None:
    """Of many short steps, the first is checked and then each so-and-so-many-th."""
    looks: list[int] = []
    done = 0

    class Flag:
        def is_set(self) -> bool:
            looks.append(done)
            return done >= 6

    def counted() -> Iterator[int]:
        nonlocal done
        for number in range(100):
            yield number
            done += 1

    with limited(cancel=Flag()), pytest.raises(Incomplete):
        for _ in checked(counted(), every=3):
            pass
    assert looks == [0, 3, 6]


def test_threads_have_limits_of_their_own() -> None:
    """A service answers many requests at once; the cancellation of one is no business of the others.

    Without the global lock, Python 3.14 lets a thread begin with the context of the one that starts it.
    """
    seen: list[bool] = []
    with limited(cancel=set_flag()):
        thread = threading.Thread(target=lambda: seen.append(current().limited))
        thread.start()
        thread.join()
    assert seen == [bool(getattr(sys.flags, "thread_inherit_context", 0))]


def test_tasks_have_limits_of_their_own() -> None:
    """In asyncio, tasks take turns in one thread, and ``to_thread`` carries the limits of a task along."""

    async def work(flag: threading.Event | None) -> str:
        try:
            with limited(cancel=flag):
                await asyncio.sleep(0)
                await asyncio.to_thread(check)
        except Incomplete as error:
            return error.reason
        return "done"

    async def both() -> list[str]:
        return list(await asyncio.gather(work(set_flag()), work(None)))

    assert asyncio.run(both()) == ["cancelled", "done"]


def test_a_lock_is_not_waited_for_beyond_the_limits() -> None:
    """Another thread may hold the lock of a catalog for as long as it builds an index."""
    lock = threading.Lock()
    lock.acquire()
    flag = threading.Event()
    threading.Timer(0.05, flag.set).start()
    with limited(cancel=flag), pytest.raises(Incomplete), held(lock):
        raise AssertionError
    lock.release()
    with limited(timeout=60.0), held(lock):
        assert lock.locked()
    assert not lock.locked()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"timeout": 0}, "timeout"),
        ({"timeout": -1.0}, "timeout"),
        ({"timeout": "5"}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"conflicts": 0}, "conflicts"),
        ({"cancel": lambda: False}, "cancel"),
        ({"cancel": True}, "cancel"),
    ],
)
def test_wrong_limits_are_refused(wrong: dict[str, object], field: str) -> None:
    """A function in place of a flag would otherwise fail at the first check, somewhere inside."""
    for function in (limited, Limits):
        with pytest.raises(RequestError) as raised:
            function(**wrong)  # type: ignore[arg-type]
        assert raised.value.field == field


def test_the_facade_has_the_scope() -> None:
    """What takes no parameters for limits, such as pages, is limited by a block."""
    with olmsolve.limited(cancel=set_flag()), pytest.raises(Incomplete):
        olmsolve.fbc.from_blobs([{"schema": "olm.package", "name": "p"}])
