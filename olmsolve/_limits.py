"""Limits on the work of a call: a deadline, a flag to cancel, a count of conflicts; they end it with Incomplete.

A verb opens a *scope* (:func:`limited`), and whatever works for long inside *checks* the limits of the scope at its
natural steps: a document, a package, a question. The scope is a context variable and no parameter, because much of the
work is lazy: ``catalog.packages["db"]`` may read a file, and the first request over a catalog builds its index. There
is no call to hand a parameter to, and functions that only pass one on would outnumber those that look at it. Limits are
parameters of public functions alone (``tests/limits/test_who_takes_limits.py`` lists the exceptions). Context variables
belong to one thread or one asyncio task, so that no call sees the limits of another one.

A scope inside a scope can only be narrower: the earlier deadline counts, either flag, the smaller number of conflicts.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextvars import ContextVar, Token
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

if TYPE_CHECKING:
    import threading
    from contextlib import AbstractContextManager
    from types import TracebackType

    from olmsolve.events import Observer

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_KEYWORDS: Final = ("timeout", "conflicts", "cancel", "observer")

# Items of a list from which on the limits are checked between them, and the items between two checks.
_MANY: Final = 16

# Seconds between two looks at the limits while another thread holds a lock.
_WAIT: Final = 0.02


class Cancellation(Protocol):
    """A flag with which a caller cancels work in another thread; a :class:`threading.Event` is one."""

    def is_set(self) -> bool:
        """Return True once the work should stop."""
        ...


class Limits:
    """Limits from now on: *timeout* in seconds, *conflicts* of one question to the solver, a *cancel* flag.

    None sets no limit.

    Raises:
        RequestError: a limit is not a positive number, or *cancel* has no method ``is_set``.
    """

    __slots__ = ("_cancels", "_deadline", "conflicts", "limited")

    def __init__(
        self, timeout: float | None = None, conflicts: int | None = None, cancel: Cancellation | None = None
    ) -> None:
        self._deadline: float | None = None
        if timeout is not None:
            _check_positive("timeout", timeout)
            self._deadline = time.monotonic() + timeout
        if conflicts is not None:
            _check_positive("conflicts", conflicts, int)
        if cancel is not None and not callable(getattr(cancel, "is_set", None)):
            from olmsolve._arguments import type_with_article  # loads attrs, which limits need for no other error

            _refuse("cancel", f"{type_with_article(cancel)} has no method is_set", "a threading.Event has one")
        self.conflicts = conflicts
        """The most conflicts of one question; None for any number."""
        self._cancels: tuple[Cancellation, ...] = () if cancel is None else (cancel,)
        self.limited: bool = timeout is not None or conflicts is not None or cancel is not None
        """Whether anything can end the work early."""

    def check(self) -> None:
        """Raise Incomplete if the time is over or the caller has cancelled."""
        for cancel in self._cancels:
            if cancel.is_set():
                _end("cancelled")
        if self._deadline is not None and time.monotonic() >= self._deadline:
            _end("timeout")

    def checked(self, items: Iterable[T], every: int = 1) -> Iterable[T]:
        """Return *items*, between which the limits are checked: before the first, and before each *every*-th after it.

        Without limits these are the *items* themselves, so that the loop costs nothing more. *every* is for steps of a
        few microseconds or less, since a check takes a fifth of one.
        """
        return self._checked(items, every) if self.limited else items

    def _checked(self, items: Iterable[T], every: int) -> Iterator[T]:
        left = 1
        for item in items:
            left -= 1
            if not left:
                self.check()
                left = every
            yield item

    def seconds_left(self) -> float | None:
        """Return the seconds until the deadline, None without one.

        Raises:
            Incomplete: the time is over, or the caller has cancelled.
        """
        self.check()
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 1e-9)

    def narrow(self, outer: Limits) -> None:
        """Take over from *outer* what is narrower than these limits."""
        # Most scopes are inside no other, and a short request takes less than fifty of the microseconds saved here.
        if not outer.limited:
            return
        deadlines = [deadline for deadline in (self._deadline, outer._deadline) if deadline is not None]
        conflicts = [
            conflict_limit for conflict_limit in (self.conflicts, outer.conflicts) if conflict_limit is not None
        ]
        self._deadline = min(deadlines, default=None)
        self.conflicts = min(conflicts, default=None)
        self._cancels = tuple(dict.fromkeys((*self._cancels, *outer._cancels)))
        self.limited = self.limited or outer.limited


_UNLIMITED: Final = Limits()
_CURRENT: Final[ContextVar[Limits]] = ContextVar("olmsolve limits", default=_UNLIMITED)


class limited:  # noqa: N801 - used as a function: with limited(...)
    """A scope in which everything that olmsolve does keeps these limits, and the limits of the scopes around it.

    *timeout* is in seconds of wall-clock time from now, *conflicts* limits the conflicts of one question to the solver,
    and setting *cancel* (a :class:`threading.Event`) from another thread ends the work. None sets no limit. Verbs have
    the same parameters; the scope is for everything else, and for several calls that share their time.

    A scope belongs to the thread or asyncio task that enters it. ``asyncio.to_thread`` carries it over;
    an executor's ``submit`` does not, so that the call there needs limits of its own. In Python 3.14 without the global
    lock, a thread begins with the limits of whoever starts it (``sys.flags.thread_inherit_context``): a pool that
    outlives the scope must start its threads outside.

    Raises:
        RequestError: a limit is not a positive number, or *cancel* has no method ``is_set``.
        Incomplete: inside the scope, from whatever works longer than the limits allow.

    Example::

        with olmsolve.limited(timeout=5.0):
            situation = olmsolve.read_situation("dump.yaml", catalogs=catalogs)
            print(olmsolve.explanation_html(olmsolve.explanation(failure)))
    """

    __slots__ = ("_limits", "_token")

    def __init__(
        self, *, timeout: float | None = None, conflicts: int | None = None, cancel: Cancellation | None = None
    ) -> None:
        self._token: Token[Limits] | None = None
        # A call without limits, which nearly all are, costs no more than this line.
        unlimited = timeout is None and conflicts is None and cancel is None
        self._limits = None if unlimited else Limits(timeout, conflicts, cancel)

    def __enter__(self) -> None:
        """Narrow the current limits to these."""
        limits = self._limits
        if limits is not None:
            limits.narrow(_CURRENT.get())
            self._token = _CURRENT.set(limits)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Go back to the limits around this scope."""
        if self._token is not None:
            _CURRENT.reset(self._token)
            self._token = None


class scoped(limited):  # noqa: N801 - used as a function: with scoped(...)
    """The scope of a verb: its limits, as for :class:`limited`, and the *observer* that receives all events in it.

    None changes nothing: the observer of the scope around it is told.

    Raises:
        RequestError: a limit or the observer is none.
    """

    __slots__ = ("_observed",)

    def __init__(
        self,
        *,
        timeout: float | None = None,
        conflicts: int | None = None,
        cancel: Cancellation | None = None,
        observer: Observer | None = None,
    ) -> None:
        if timeout is None and conflicts is None and cancel is None:
            # As the base does for them. A call without limits and observer pays for no call of the base.
            self._limits = self._token = None
        else:
            super().__init__(timeout=timeout, conflicts=conflicts, cancel=cancel)
        self._observed: AbstractContextManager[None] | None = None
        if observer is not None:
            from olmsolve.events import observed

            self._observed = observed(observer)

    def __enter__(self) -> None:
        """Narrow the current limits to these, and send events to the observer from now on."""
        if self._observed is not None:
            self._observed.__enter__()
        if self._limits is not None:
            super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Go back to the limits and the observer around this scope."""
        if self._token is not None:
            super().__exit__(kind, error, trace)
        if self._observed is not None:
            self._observed.__exit__(kind, error, trace)


def accepting_limits(function: F) -> F:
    """Let *function* take the limits of :class:`scoped` as keywords, as 0.2.0 did, with a warning.

    The facade's verbs have the keywords; ``with limited(...)`` serves for all other calls.
    """

    @functools.wraps(function)
    def within(*arguments: Any, **keywords: Any) -> Any:
        limits = {name: keywords.pop(name) for name in _KEYWORDS if name in keywords}
        if not limits:
            return function(*arguments, **keywords)
        from olmsolve._arguments import warn_deprecated

        warn_deprecated(
            f"{function.__name__}({', '.join(limits)})", "with olmsolve.limited(...) or olmsolve.observed(...)"
        )
        with scoped(**limits):
            return function(*arguments, **keywords)

    return within  # type: ignore[return-value]


class held:  # noqa: N801 - used as a function: with held(lock)
    """A lock that is held, and waited for no longer than the limits allow.

    Another thread may build an index under the lock of a catalog, which takes seconds.
    """

    __slots__ = ("_lock",)

    def __init__(self, lock: threading.Lock | threading.RLock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        """Wait for the lock. Raises Incomplete if a limit is met before."""
        limits = current()
        if not limits.limited:
            self._lock.acquire()
            return
        limits.check()
        while not self._lock.acquire(timeout=_WAIT):
            limits.check()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the lock."""
        self._lock.release()


def current() -> Limits:
    """Return the limits of the scope at hand; a loop of many short steps asks once and checks often."""
    return _CURRENT.get()


def check() -> None:
    """Raise Incomplete if a limit of the scope at hand is met."""
    limits = _CURRENT.get()
    if limits.limited:
        limits.check()


def checked(items: Iterable[T], every: int = 1) -> Iterable[T]:
    """Return *items*, between which the limits of the scope at hand are checked (:meth:`Limits.checked`)."""
    return _CURRENT.get().checked(items, every)


def checked_if_long(items: Collection[T]) -> Iterable[T]:
    """Return *items*, between which the limits are checked if there are many: for lists that hardly ever are long."""
    return _CURRENT.get().checked(items, _MANY) if len(items) > _MANY else items


def _end(reason: str) -> None:
    # The errors are attrs classes, for which commands without limits need not wait.
    from olmsolve.errors import Incomplete

    raise Incomplete(reason)


def _check_positive(name: str, limit: float, kind: type | UnionType = int | float) -> None:
    if isinstance(limit, bool) or not (isinstance(limit, kind) and limit > 0):
        _refuse(name, f"{limit!r} is not a positive number")


def _refuse(field: str, reason: str, hint: str = "") -> None:
    from olmsolve.errors import RequestError

    raise RequestError(reason, field=field, hint=hint)
