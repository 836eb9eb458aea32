"""The pause of the collector of cyclic garbage: it ends with the last scope, and leaves no trace.

This helper is for all rooms and has no door.
"""

from __future__ import annotations

import gc
import io
import multiprocessing
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

import olmsolve
from olmsolve import _collector
from olmsolve._collector import COLLECTOR_PAUSE, CollectorPause
from olmsolve.catalog import Catalog
from olmsolve.catalog.index import CatalogIndex
from olmsolve.solver import Core, Dependency, Mandatory, Prohibited, Variables, solve
from olmsolve.testing.synthetic import dense_problem, lines, realistic_catalog
from tests.solver.problems import DenseVariables


@pytest.fixture(autouse=True)
def _few_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what other tests keep: with millions of blocks, a test here makes half as many, which takes seconds."""
    gc.freeze()
    count = sys.getallocatedblocks
    others = count() - 200_000
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: count() - others)


@pytest.fixture(autouse=True)
def _collector_runs_again() -> Iterator[None]:
    yield
    gc.enable()


def test_scopes_inside_of_scopes() -> None:
    """Only the outermost scope starts the collector again, after an error too."""
    with COLLECTOR_PAUSE:
        with pytest.raises(ValueError, match="within"), COLLECTOR_PAUSE:
            raise ValueError("within")
        assert not gc.isenabled()
    assert gc.isenabled()


def test_scopes_of_several_threads() -> None:
    """Threads that always load something, one before another ends, must not keep the collector from running."""
    opened, closed = threading.Event(), threading.Event()

    def other() -> None:
        with COLLECTOR_PAUSE:
            opened.set()
            closed.wait(10)

    thread = threading.Thread(target=other)
    with COLLECTOR_PAUSE:
        thread.start()
        assert opened.wait(10)
        assert not gc.isenabled()
    assert gc.isenabled()
    with COLLECTOR_PAUSE:
        assert not gc.isenabled()
        closed.set()
        thread.join()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_pauses_kept_is_collected_in_the_end() -> None:
    """A service that loads one catalog after the other leaves the collector little time of its own."""

    class Circle:
        pass

    circle = Circle()
    circle.itself = circle  # type: ignore[attr-defined]
    gone = weakref.ref(circle)
    gc.collect()
    del circle
    count = max(10_000, sys.getallocatedblocks() // 20)
    kept: list[list[object]] = []
    for _ in range(10):
        with COLLECTOR_PAUSE:
            kept += [[] for _ in range(count)]
    assert gone() is None


def _garbage() -> weakref.ref[object]:
    """Make an object that only the collector can free, beside enough others that a pause makes up for its time."""

    class Circle:
        pass

    circle = Circle()
    circle.itself = circle  # type: ignore[attr-defined]
    gc.collect()
    return weakref.ref(circle)


def test_a_long_scope_makes_up_for_what_it_keeps_from_running() -> None:
    """A search has no known end; the garbage that other threads make meanwhile must not grow as long as it takes."""
    gone, pause = _garbage(), CollectorPause()
    count = max(10_000, sys.getallocatedblocks() // 20)
    kept: list[list[object]] = []
    with pause:
        for _ in range(10):
            kept += [[] for _ in range(count)]
            pause.make_up()
            assert not gc.isenabled()
        assert gone() is None


@pytest.mark.skipif(
    not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="this Python walks everything each time"
)
def test_a_scope_that_may_be_cancelled_walks_no_old_objects() -> None:
    """Nothing ends a full collection, which took 0.6 s of a search beside 100,000 bundles; new garbage goes too."""

    class Circle:
        pass

    def with_garbage(count: int) -> weakref.ref[object]:
        kept.extend([] for _ in range(count))
        circle = Circle()
        circle.itself = circle  # type: ignore[attr-defined]
        return weakref.ref(circle)

    pause, kept = CollectorPause(), list[list[object]]()
    generations: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            generations.append(info["generation"])

    count = max(10_000, sys.getallocatedblocks() // 20)
    gc.collect()
    gc.callbacks.append(note)
    try:
        with olmsolve.limited(cancel=threading.Event()):
            with pause:
                gone = []
                for _ in range(10):
                    gone.append(with_garbage(count))
                    pause.make_up()
                assert gone[0]() is None
            for _ in range(10):
                with pause:
                    gone.append(with_garbage(count))
    finally:
        gc.callbacks.remove(note)
    assert gone[10]() is None
    assert 2 not in generations


@pytest.mark.parametrize("cancel", [threading.Event(), None])
def test_new_objects_are_walked_before_they_are_too_many(
    monkeypatch: pytest.MonkeyPatch, cancel: threading.Event | None
) -> None:
    """Beside 40,000,000 blocks, a quarter more is 10,000,000, whose walk takes longer than a cancelled call should."""
    generations: list[int] = []
    blocks = 40_000_000
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: blocks)
    monkeypatch.setattr(gc, "collect", lambda generation: generations.append(generation))
    monkeypatch.setattr(gc, "get_stats", lambda: [{"collections": 1}])
    pause, kept = CollectorPause(), list[list[object]]()
    with olmsolve.limited(cancel=cancel):
        for _ in range(30):
            with pause:
                kept += [[] for _ in range(40_000)]
            blocks += 120_000
    # Ten pauses make 1,200,000 blocks, more than the most that wait where somebody may cancel.
    assert generations == ([1, 1, 1] if cancel else [])


def test_a_collection_of_the_program_counts() -> None:
    """A program that collects after each load has no garbage left for the next search to look for."""
    pause = CollectorPause()
    generations: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            generations.append(info["generation"])

    count = max(10_000, sys.getallocatedblocks() // 20)
    kept: list[list[object]] = []
    for _ in range(9):
        with pause:
            kept += [[] for _ in range(count)]
        gc.collect()
    gc.callbacks.append(note)
    try:
        with pause:
            kept += [[] for _ in range(count)]
    finally:
        gc.callbacks.remove(note)
    assert generations.count(2) == 0


def test_small_pauses_seldom_ask_for_the_full_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python takes 2.3 µs to tell, and a small request has one to four moments to ask, in 150 to 450 µs."""
    calls: list[None] = []
    stats = gc.get_stats()

    def get_stats() -> list[dict[str, int]]:
        calls.append(None)
        return stats

    monkeypatch.setattr(gc, "get_stats", get_stats)
    pause, kept = CollectorPause(), list[list[object]]()
    for _ in range(100):
        with pause, pause:
            kept += [[] for _ in range(10)]
            pause.make_up()
    assert calls == []


def test_an_end_by_a_limit_waits_for_no_collection() -> None:
    """The collector walks what a load has made so far for up to a second, and the limit is over by then."""
    gone, pause = _garbage(), CollectorPause()
    generations: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        generations.append(phase)

    def ended() -> None:
        kept: list[list[object]] = []
        with pause:
            kept += [[] for _ in range(500_000)]
            raise olmsolve.Incomplete("timeout")

    # The tests have frozen what they share; programs mostly have not.
    gc.unfreeze()
    gc.callbacks.append(note)
    try:
        with pytest.raises(olmsolve.Incomplete):
            ended()
        assert generations == []
    finally:
        gc.callbacks.remove(note)
    assert gc.isenabled()
    gc.collect()
    assert gone() is None
    gc.freeze()


def test_an_end_by_a_limit_leaves_frozen_objects_frozen() -> None:
    """A program freezes what it shares with its forks, and wants it to stay so."""
    gc.freeze()
    with pytest.raises(olmsolve.Incomplete), CollectorPause():
        raise olmsolve.Incomplete("timeout")
    assert gc.get_freeze_count() > 0


def test_a_program_is_asked_once_for_what_it_has_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is a walk of all that is frozen: 50 ms for a million objects, at the end of each cancelled call."""
    calls, pause, frozen = list[str](), CollectorPause(), [0, 1, 1, 1]

    def get_freeze_count() -> int:
        calls.append("count")
        return frozen.pop(0)

    monkeypatch.setattr(gc, "get_freeze_count", get_freeze_count)
    monkeypatch.setattr(gc, "freeze", lambda: calls.append("freeze"))
    monkeypatch.setattr(gc, "unfreeze", lambda: calls.append("unfreeze"))
    for _ in range(4):
        with pytest.raises(olmsolve.Incomplete), pause:
            raise olmsolve.Incomplete("timeout")
    assert calls == ["count", "freeze", "unfreeze", "count"]


class _Opening:
    """Garbage in a circle whose finaliser opens a scope, as one that loads a catalog does."""

    def __init__(self, pause: CollectorPause, done: Callable[[], None]) -> None:
        self._pause, self._done, self._itself = pause, done, self

    def __del__(self) -> None:
        with self._pause:
            self._done()


def _ended(pause: CollectorPause) -> None:
    """End a scope that collects, in a thread, which a scope that waits for itself would keep from ending."""

    def end() -> None:
        kept: list[list[object]] = []
        for _ in range(10):
            with pause:
                kept += [[] for _ in range(max(10_000, sys.getallocatedblocks() // 20))]

    thread = threading.Thread(target=end, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


def test_finalisers_open_scopes_in_the_collection_at_the_end_of_one() -> None:
    """The collection runs whatever a program has put into `__del__`, in the thread whose scope ends."""
    pause, opened = CollectorPause(), list[bool]()
    gc.collect()
    _Opening(pause, lambda: opened.append(gc.isenabled()))
    _ended(pause)
    assert opened == [False]
    assert gc.isenabled()


def test_an_interrupt_in_the_collection_at_the_end_of_a_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection takes up to a second, and Ctrl+C meanwhile must not leave the collector off for good."""
    pause = CollectorPause()

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pause, "_collect", interrupted)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), pause, pause:
            assert not gc.isenabled()
        assert gc.isenabled()


def test_the_handler_of_a_signal_opens_a_scope_at_any_moment() -> None:
    """A service may reload its catalogs in a handler, which runs between any two steps of its own thread's scopes."""
    pause, steps = CollectorPause(), list[str]()
    ended: list[tuple[bool, bool]] = []

    def handle(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename == _collector.__file__ and frame.f_code.co_name in ("__enter__", "__exit__"):
            steps.append(event)
            sys.settrace(None)
            with pause:
                pass
            sys.settrace(handle)
        return handle

    def opening() -> None:
        for was_running in (True, False):
            (gc.enable if was_running else gc.disable)()
            sys.settrace(handle)
            with pause:
                within = gc.isenabled()
            sys.settrace(None)
            ended.append((within, gc.isenabled()))

    thread = threading.Thread(target=opening, daemon=True)
    thread.start()
    thread.join(20)
    assert ended == [(False, True), (False, False)]
    assert steps.count("line") > 20


def test_making_up_leaves_a_collector_alone_that_the_program_stopped() -> None:
    """Who stops the collector measures something, or forks soon; nobody else starts it then."""
    gone, pause = _garbage(), CollectorPause()
    gc.disable()
    kept: list[list[object]] = []
    with pause:
        for _ in range(20):
            kept += [[] for _ in range(50_000)]
            pause.make_up()
    assert gone() is not None
    assert not gc.isenabled()


def test_a_hard_search_runs_in_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """The collector would walk the catalog in the middle of a search, and a search lets it run now and then."""
    generations: list[int] = []
    made_up: list[bool] = []
    monkeypatch.setattr(type(COLLECTOR_PAUSE), "make_up", lambda _: made_up.append(gc.isenabled()))
    problem = dense_problem("M", "hard", satisfiable=True, seed=2)
    request = problem.request(olmsolve.load(io.StringIO("".join(lines(problem.blobs())))))
    olmsolve.resolve(request)
    made_up.clear()

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            generations.append(info["generation"])

    gc.callbacks.append(note)
    try:
        assert olmsolve.is_satisfiable(request)
    finally:
        gc.callbacks.remove(note)
    assert made_up == [False, False]
    # The plan is made after the search.
    assert generations.count(2) <= 1


@pytest.mark.parametrize("kind", [Variables, DenseVariables], ids=["a SAT solver", "the engine"])
def test_a_descent_to_a_core_makes_up_for_its_pause(kind: type[Variables], monkeypatch: pytest.MonkeyPatch) -> None:
    """A core may take minutes of questions; each of them makes up: here one about its members, and one about parts."""
    made_up: list[bool] = []
    problem = kind({"a": [Mandatory("a"), Dependency("a", ("b",))], "b": [Prohibited("b")]})
    monkeypatch.setattr(type(COLLECTOR_PAUSE), "make_up", lambda _: made_up.append(gc.isenabled()))
    assert isinstance(solve(problem), Core)
    assert made_up == [False, False]


def test_a_dense_plan_is_made_in_the_pause_of_its_search() -> None:
    """The collector would walk all that the search has made, once or more, while the plan is made of it."""
    collections: list[int] = []
    problem = dense_problem("M", "hard", satisfiable=True, seed=0)
    request = problem.request(olmsolve.load(io.StringIO("".join(lines(problem.blobs())))))
    olmsolve.is_satisfiable(request)

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            collections.append(info["generation"])

    # From here on, the first 700 new objects would bring the first collection, as in programs that change nothing.
    thresholds = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    gc.collect()
    gc.callbacks.append(note)
    try:
        plan = olmsolve.resolve(request)
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*thresholds)
    assert len(plan.installs) > 400
    # The end of the pause may collect once, to make up for what it has kept from running.
    assert len(collections) <= 1


def test_advice_runs_in_a_pause_and_makes_up_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The collector walked all of a catalog amid its advice, and a cancelled call waited; each package makes up."""
    made_up: list[bool] = []
    monkeypatch.setattr(type(COLLECTOR_PAUSE), "make_up", lambda _: made_up.append(gc.isenabled()))
    assert olmsolve.validate(realistic_catalog(5))
    assert made_up == [False] * 5
    assert gc.isenabled()


def test_objects_of_other_threads_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python fails to complete a tuple that somebody else has got hold of, as whoever lists all objects does."""
    monkeypatch.setattr(gc, "get_objects", lambda *_: pytest.fail("a list of all objects"))
    kept: list[list[object]] = []
    for _ in range(30):
        with COLLECTOR_PAUSE:
            kept += [[] for _ in range(50_000)]


def test_small_loads_beside_much_else_cost_no_collections() -> None:
    """A full collection walks all that the program holds, longer than many small loads take. One counts the objects."""
    with COLLECTOR_PAUSE:
        small = olmsolve.load(io.StringIO('{"schema": "olm.package", "name": "p"}'))
    generations: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            generations.append(info["generation"])

    gc.callbacks.append(note)
    try:
        for _ in range(100):
            with COLLECTOR_PAUSE:
                assert small.packages
    finally:
        gc.callbacks.remove(note)
    assert generations.count(2) <= 1


def test_small_loads_count_no_blocks_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting visits the whole heap: beside half a gigabyte it takes longer than loading a small catalog."""
    counted: list[int] = []
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: counted.append(1) or 10**7)  # type: ignore[func-returns-value]
    for _ in range(100):
        with COLLECTOR_PAUSE:
            olmsolve.load(io.StringIO('{"schema": "olm.package", "name": "p"}'))
    assert len(counted) <= 2


def test_a_collector_that_the_program_has_stopped() -> None:
    """A service that collects at moments of its own is not overruled."""
    gc.disable()
    with COLLECTOR_PAUSE:
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_loading_pauses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a catalog is read and indexed; whatever happens, it runs afterwards."""
    seen: list[bool] = []
    text = '{"schema": "olm.package", "name": "p"}\n' + '{"schema": "x"}\n' * 30_000

    catalog = olmsolve.load(io.StringIO(text), progress=lambda done, total: seen.append(gc.isenabled()))
    names = Catalog.__iter__
    monkeypatch.setattr(Catalog, "__iter__", lambda self: seen.append(gc.isenabled()) or names(self))  # type: ignore[func-returns-value]
    CatalogIndex(catalog)
    with pytest.raises(olmsolve.CatalogError):
        olmsolve.load(io.StringIO("{"))

    assert len(seen) > 1
    assert not any(seen)
    assert gc.isenabled()


def _is_enabled(answers: multiprocessing.SimpleQueue[bool]) -> None:
    with COLLECTOR_PAUSE:
        pass
    answers.put(gc.isenabled())


@pytest.mark.skipif(sys.platform == "win32", reason="this platform has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_process_that_was_forked_while_another_thread_loads() -> None:
    """The fork has no such thread, so nobody there would start the collector again."""
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    with COLLECTOR_PAUSE:
        process = context.Process(target=_is_enabled, args=(answers,))
        process.start()
        process.join(30)
    assert answers.get()
