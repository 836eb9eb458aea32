"""Events that olmsolve reports to an observer while it works, and the registration of observers.

::

    class Slow(olmsolve.Observer):
        def answered(self, event):
            if event.seconds > 1:
                print(event.request, event.outcome, event.statistics)

    with olmsolve.observed(Slow()):
        ...                                   # everything in here, in this thread or asyncio task

The verbs that resolve take ``observer=`` as well. Without an observer all goes to the logger ``olmsolve``, level DEBUG,
if the program has set that level for it; by default nothing is made and nothing is logged.

An event is a tuple with names; *at* is the time of its end in seconds since the epoch, *seconds* how long it took.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, Protocol

from olmsolve._arguments import type_with_article
from olmsolve._named_tuples import NamedTuple

if TYPE_CHECKING:
    import logging


now: Final = time.time


class PhaseSeconds(NamedTuple):
    """Seconds of wall-clock time by phase.

    *indexing* is the view of the catalogs, with an index that had to be built; *searching* ends with the solution or
    the knowledge that there is none, *explaining* with the core, and *answering* with the plan or the failure.
    """

    indexing: float = 0.0
    searching: float = 0.0
    explaining: float = 0.0
    answering: float = 0.0


class Statistics(NamedTuple):
    """The work that an answer took; work and time differ between backends, and the time from run to run.

    *candidates* were looked at, *conflicts* were learned from, *calls* went to a SAT solver with *clauses* in all.
    """

    candidates: int = 0
    conflicts: int = 0
    calls: int = 0
    clauses: int = 0
    seconds: PhaseSeconds = PhaseSeconds()


class CatalogLoaded(NamedTuple):
    """A catalog was read from *path*; *indexed* if through an index, which reads its documents later."""

    path: str
    packages: int
    indexed: bool
    at: float
    seconds: float


class CatalogIndexed(NamedTuple):
    """The index of a catalog was built: *bundles* that are *candidates* in *packages*."""

    packages: int
    bundles: int
    candidates: int
    at: float
    seconds: float


class QuestionPosed(NamedTuple):
    """A question: the name of its *request*, its *namespace* ("" for an extension), and the name of a *backend*."""

    request: str
    namespace: str
    backend: str
    at: float


class NamedCandidate(Protocol):
    """A candidate (:class:`olmsolve.Candidate`)."""

    @property
    def name(self) -> str: ...
    @property
    def package(self) -> str: ...
    @property
    def channel(self) -> str: ...
    @property
    def catalog(self) -> str: ...
    @property
    def version(self) -> str: ...


class CandidatePassedOver(NamedTuple):
    """A *candidate* was passed over for a less wanted one, or for none.

    *reason* is an :class:`olmsolve.Reason`, whose text is a sentence; None where several constraints together
    rule it out, which a search learned.
    """

    candidate: NamedCandidate
    reason: Any
    at: float


class ConflictLearnt(NamedTuple):
    """The search learned that *conditions* cannot hold together; *number* counts the conflicts of the question."""

    number: int
    conditions: int
    at: float


class BackendAsked(NamedTuple):
    """A SAT solver of *backend* is asked about *clauses*, under a number of *assumptions*."""

    backend: str
    clauses: int
    assumptions: int
    at: float


class BackendAnswered(NamedTuple):
    """The answer to the last :class:`BackendAsked`: True, False, or None where a limit ended it."""

    backend: str
    answer: bool | None
    at: float
    seconds: float


class QuestionAnswered(NamedTuple):
    """The end of the last question: *outcome* is ``"plan"``, or the name of the class of what was raised."""

    request: str
    outcome: str
    statistics: Statistics
    at: float
    seconds: float


class Observer(Protocol):
    """A receiver of events. Inherit from it and override the methods of interest: the others do nothing.

    Methods are called in the thread that works, and hold it up; what they raise ends the call of olmsolve.
    """

    def loaded(self, event: CatalogLoaded, /) -> None:
        """Take note of a catalog that was read."""
        return

    def indexed(self, event: CatalogIndexed, /) -> None:
        """Take note of an index that was built."""
        return

    def posed(self, event: QuestionPosed, /) -> None:
        """Take note of a question."""
        return

    def passed_over(self, event: CandidatePassedOver, /) -> None:
        """Take note of a candidate that was passed over."""
        return

    def learnt(self, event: ConflictLearnt, /) -> None:
        """Take note of a conflict."""
        return

    def backend_asked(self, event: BackendAsked, /) -> None:
        """Take note of a call to a SAT solver."""
        return

    def backend_answered(self, event: BackendAnswered, /) -> None:
        """Take note of the answer of a SAT solver."""
        return

    def answered(self, event: QuestionAnswered, /) -> None:
        """Take note of the end of a question."""
        return


class _Counted(Protocol):
    def statistics(self) -> Statistics: ...


@contextmanager
def question(observer: Observer, request: str, namespace: str, backend: str, work: _Counted) -> Iterator[None]:
    """Tell *observer* of a question and of its end; *work* has its statistics."""
    observer.posed(QuestionPosed(request, namespace, backend, now()))
    started = time.perf_counter()
    outcome = "plan"
    try:
        yield
    except BaseException as error:
        outcome = type(error).__name__
        raise
    finally:
        seconds = time.perf_counter() - started
        observer.answered(QuestionAnswered(request, outcome, work.statistics(), now(), seconds))


_CURRENT: Final[ContextVar[Observer | None]] = ContextVar("olmsolve observer", default=None)
# The observer that writes to the logger, once the program has loaded the module logging.
_LOGGING: list[_LogObserver] = []


@contextmanager
def observed(observer: Observer | None) -> Iterator[None]:
    """Tell *observer* what olmsolve does inside the block, in this thread or asyncio task; None changes nothing.

    ``asyncio.to_thread`` carries the observer over; an executor's ``submit`` does not, so give ``observer=`` there.

    Raises:
        RequestError: *observer* lacks a method of :class:`Observer`.
    """
    if observer is None:
        yield
        return
    missing = [name for name in vars(Observer) if not name.startswith("_") and not callable(getattr(observer, name, 0))]
    if missing:
        from olmsolve.errors import RequestError

        reason = f"{type_with_article(observer)} has no method {missing[0]}"
        raise RequestError(reason, field="observer", hint="inherit from olmsolve.Observer, whose methods do nothing")
    token = _CURRENT.set(observer)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Observer | None:
    """Return who receives events: the observer of the block, or else the logger if it listens, or None."""
    observer = _CURRENT.get()
    if observer is None and "logging" in sys.modules:
        # A program that has not loaded logging listens to no logger.
        if not _LOGGING:
            _LOGGING.append(_LogObserver())
        if _LOGGING[0].listens(10):  # logging.DEBUG
            return _LOGGING[0]
    return observer


class _LogObserver(Observer):
    """The logger ``olmsolve``, to which every event is a line at level DEBUG."""

    def __init__(self) -> None:
        import logging

        self._logger: logging.Logger = logging.getLogger("olmsolve")
        self._logger.addHandler(logging.NullHandler())
        # Asked for every event: the bound method of the logger spares a call, and knows of a level that is set later.
        self.listens = self._logger.isEnabledFor

    def loaded(self, event: CatalogLoaded) -> None:
        through = " through its index" if event.indexed else ""
        self._logger.debug("loaded %s%s: %d packages, %.3f s", event.path, through, event.packages, event.seconds)

    def indexed(self, event: CatalogIndexed) -> None:
        self._logger.debug("indexed %d candidates, %.3f s", event.candidates, event.seconds)

    def posed(self, event: QuestionPosed) -> None:
        self._logger.debug("request %s for namespace %s, backend %s", event.request, event.namespace, event.backend)

    def passed_over(self, event: CandidatePassedOver) -> None:
        self._logger.debug("passed over %s: %s", event.candidate, event.reason or "a conflict that was learned")

    def learnt(self, event: ConflictLearnt) -> None:
        self._logger.debug("conflict %d: %d conditions cannot hold together", event.number, event.conditions)

    def backend_asked(self, event: BackendAsked) -> None:
        self._logger.debug("%s: %d clauses, %d assumptions", event.backend, event.clauses, event.assumptions)

    def backend_answered(self, event: BackendAnswered) -> None:
        self._logger.debug("%s: %s, %.3f s", event.backend, event.answer, event.seconds)

    def answered(self, event: QuestionAnswered) -> None:
        self._logger.debug("request %s: %s, %.3f s, %s", event.request, event.outcome, event.seconds, event.statistics)
