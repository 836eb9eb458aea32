"""Services: resolving under asyncio, and catalogs that change while questions are answered."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import pytest

import olmsolve
from olmsolve import (
    CatalogError,
    CatalogStore,
    Incomplete,
    RequestError,
    Resolver,
    Source,
    Subscription,
    Unsatisfiable,
    load,
)
from olmsolve.catalog import made_of, write, write_index
from olmsolve.catalog.fbc import CatalogParts
from olmsolve.eligibility import CandidateFacts
from olmsolve.testing import catalog_of, package, synthetic
from olmsolve.testing.synthetic import lines, realistic_blobs

WISH = Subscription("app", "shop", "app")
NAMESPACES = ("shop", "olm")


def resolver() -> Resolver:
    catalog = catalog_of(package("app").channel("stable", "1.0.0 < 2.0.0"))
    return Resolver([Source("main", "olm", 0, catalog)])


def test_an_answer_under_asyncio_is_the_same() -> None:
    """Plans and failures come as from ``resolve``; several at once."""
    service = resolver()

    async def ask() -> list[object]:
        wishes = [[WISH], [Subscription("x", "shop", "x")], [WISH]]
        answers = (service.resolve_async(wish, namespaces=NAMESPACES) for wish in wishes)
        return await asyncio.gather(*answers, return_exceptions=True)

    first, second, third = asyncio.run(ask())
    assert first == third == service.resolve([WISH], namespaces=NAMESPACES)
    assert isinstance(second, Unsatisfiable)


class _Waits:
    """A system constraint that goes on until the work is cancelled, and looks at the limits as long work does."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.ended = threading.Event()

    def __call__(self, candidate: CandidateFacts) -> str:
        from olmsolve._limits import check

        self.began.set()
        end = time.monotonic() + 20
        try:
            while time.monotonic() < end:
                check()
                time.sleep(0.005)
        finally:
            self.ended.set()
        return ""


def test_a_cancelled_task_ends_the_work() -> None:
    """A client that goes away costs no thread; the event loop is free all the time."""
    waits = _Waits()

    async def cancelled() -> float:
        task = asyncio.create_task(resolver().resolve_async([WISH], namespaces=NAMESPACES, eligibility=[waits]))
        while not waits.began.is_set():
            await asyncio.sleep(0.005)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return began

    asyncio.run(cancelled())
    assert waits.ended.wait(10)


def _hard_search() -> olmsolve.Request:
    """A request whose search takes seconds, over 20,000 bundles that are not yet indexed."""
    return synthetic.request("M", "hard", satisfiable=False, seed=11)


def _large_catalog() -> olmsolve.Request:
    """A request over a catalog like a real one, each package of which is wanted."""
    catalog = synthetic.realistic_catalog(120)
    wishes = [Subscription(f"wish-{name}", "shop", name) for name in catalog.packages]
    return olmsolve.Request(NAMESPACES, [Source("main", "olm", 0, catalog)], wishes)


@pytest.mark.parametrize("make", [_hard_search, _large_catalog])
def test_cancelled_work_ends_within_a_tenth_of_a_second(make: Callable[[], olmsolve.Request]) -> None:
    """Of CPU time, whichever part of the work it is: the processor is asked, since a busy machine stretches the rest.

    The collector of garbage is at rest: what it does at once for all of a process is not the work of this question.
    """
    request = make()
    gc.collect()
    gc.disable()
    try:
        beyond = [_beyond_cancel(request, after) for after in (0.005, 0.03, 0.08, 0.15, 0.3)]
    finally:
        gc.enable()
    delays = [seconds for seconds in beyond if seconds is not None]
    assert delays, "something was cancelled before it ended"
    assert max(delays) < 0.1, delays


def _beyond_cancel(request: olmsolve.Request, after: float) -> float | None:
    """Cancel a first answer to *request* *after* so many CPU seconds; return those it went on, None if it had ended."""
    sources = [olmsolve.evolve(source, catalog=olmsolve.evolve(source.catalog)) for source in request.sources]
    service = Resolver(sources)

    async def cancelled() -> float | None:
        work = service.resolve_async(request.subscriptions, namespaces=request.namespaces, installed=request.installed)
        task = asyncio.create_task(work)
        began = time.process_time()
        while not task.done() and time.process_time() - began < after:
            await asyncio.sleep(0.001)
        if task.done():
            return None
        task.cancel()
        return time.process_time()

    # The loop ends when its threads have: what they used up is in the figure.
    at = asyncio.run(cancelled())
    return None if at is None else time.process_time() - at


def test_limits_around_the_call_hold_in_its_thread() -> None:
    """A block of the task, and the call's own."""

    async def limited(own: float | None, block: float) -> None:
        with olmsolve.limited(timeout=block):
            await resolver().resolve_async([WISH], namespaces=NAMESPACES, eligibility=[_Waits()], timeout=own)

    for own, block in ((0.02, 30.0), (None, 0.02)):
        with pytest.raises(Incomplete):
            asyncio.run(limited(own, block))


def _written(path: Path, newest: str) -> None:
    """Write a catalog as a careful publisher does: beside its place, and then into it."""
    beside = path.with_suffix(".new")
    write(catalog_of(package("app").channel("stable", newest)), beside, "json")
    beside.replace(path)


def _installs(service: Resolver) -> list[str]:
    return [install.name for install in service.resolve([WISH], namespaces=NAMESPACES).installs]


def test_new_content_is_swapped_in_and_old_answers_end_on_the_old(tmp_path: Path) -> None:
    """Who has taken the resolver keeps its content; the next one gets the new."""
    path = tmp_path / "main.json"
    _written(path, "1.0.0")
    store = CatalogStore({"main": path}, priorities={"main": 5}, namespaces=NAMESPACES)
    before = store.resolver
    assert before.sources[0].key == "olm/main"
    assert before.sources[0].priority == 5
    assert store.refresh() is False
    assert store.resolver is before
    _written(path, "1.0.0 < 2.0.0")
    assert store.refresh() is True
    assert _installs(before) == ["app.v1.0.0"]
    assert _installs(store.resolver) == ["app.v2.0.0"]


def test_a_store_reads_the_packages_that_changed_alone(tmp_path: Path) -> None:
    """Of twenty packages one has changed: the other nineteen are the ones that the store has read before."""
    path = tmp_path / "catalog.jsonl"
    path.write_text("".join(lines(realistic_blobs(20))))
    store = CatalogStore({"main": path})
    old = store.resolver.sources[0].catalog
    text = path.read_text().splitlines(keepends=True)
    path.write_text("".join(text[:-1]))
    assert store.refresh()
    new = store.resolver.sources[0].catalog
    parts = made_of(new, CatalogParts)
    assert parts is not None
    assert len(new.packages) == 20
    assert len(parts.taken_over) == 19
    assert sum(new.packages[name] is old.packages[name] for name in new.packages) == 19


def test_what_cannot_be_read_keeps_its_last_content(tmp_path: Path) -> None:
    """A half-written file is no reason to stop answering; the error is there until the file is whole."""
    path = tmp_path / "main.json"
    _written(path, "1.0.0")
    store = CatalogStore({"shop/main": path})
    path.write_text('{"schema": "olm.pack', "utf-8")
    assert store.refresh() is False
    assert list(store.errors) == ["shop/main"]
    assert _installs(store.resolver) == ["app.v1.0.0"]
    _written(path, "2.0.0")
    assert store.refresh() is True
    assert store.errors == {}
    assert _installs(store.resolver) == ["app.v2.0.0"]


class _FiresAt:
    """A flag that is set from its look *number* on; 0: never."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.looks = 0

    def is_set(self) -> bool:
        self.looks += 1
        return 0 < self.number <= self.looks


def _refreshed(folder: Path, number: int) -> tuple[CatalogStore, _FiresAt]:
    """Let both catalogs of a store in *folder* change, and refresh it until the look *number*."""
    paths = {name: folder / f"{name}.json" for name in ("main", "other")}
    for path in paths.values():
        _written(path, "1.0.0")
    store = CatalogStore(paths, priorities={"main": 5}, namespaces=NAMESPACES)
    for path in paths.values():
        _written(path, "1.0.0 < 2.0.0")
    fires = _FiresAt(number)
    with contextlib.suppress(Incomplete), olmsolve.limited(cancel=fires):
        store.refresh()
    return store, fires


def test_a_cancelled_refresh_loses_no_change(tmp_path: Path) -> None:
    """Cancelled at any of its looks, it leaves the old content and no error, and the next one finds both changes.

    The first catalog was noted as read, and its new content dropped with the rest: it stayed old until its next change.
    """
    _, never = _refreshed(tmp_path, 0)
    assert never.looks > 3
    for number in range(1, never.looks + 1):
        store, _ = _refreshed(tmp_path, number)
        assert _installs(store.resolver) == ["app.v1.0.0"]
        assert store.errors == {}
        assert store.refresh() is True
        for source in store.resolver.sources:
            assert "app.v2.0.0" in source.catalog.packages["app"].bundles, (number, source.name)


class _Handler:
    """A flag whose look *number* does what the handler of a signal does then: it asks, in the same thread."""

    def __init__(self, number: int, ask: Callable[[], object]) -> None:
        self._number = number
        self._ask = ask
        self.has_ended = False

    def is_set(self) -> bool:
        self._number -= 1
        if self._number == 0:
            self._ask()
            self.has_ended = True
        return False


def _asked_within(call: Callable[[], object], number: int, ask: Callable[[], object]) -> bool:
    """Return whether *call* and *ask* have ended, which is asked at a look of the call, in the same thread."""
    handler = _Handler(number, ask)

    def run() -> None:
        with olmsolve.limited(cancel=handler):
            call()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    return handler.has_ended and not thread.is_alive()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_handler_refreshes_while_its_thread_does(tmp_path: Path, number: int) -> None:
    """A service refreshes on SIGHUP as well, and the signal may come while it looks for changes anyway."""
    store, _ = _refreshed(tmp_path, 1)
    assert _asked_within(store.refresh, number, store.refresh)
    assert _installs(store.resolver) == ["app.v2.0.0"]
    assert store.refresh() is False


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_handler_asks_for_packages_while_its_thread_reads_them(tmp_path: Path, number: int) -> None:
    """The packages of a catalog with an index are read when they are first asked for."""
    path = tmp_path / "main.json"
    path.write_text("".join(lines(realistic_blobs(3))))
    names = [*load(path, index=False).packages]
    write_index(path)
    packages = load(path).packages
    assert "not read yet" in repr(packages)
    assert _asked_within(lambda: list(packages), number, lambda: packages[names[0]])
    assert list(packages) == names


def test_a_refresh_waits_for_another_thread_no_longer_than_its_limits(tmp_path: Path) -> None:
    """The other thread may read a large catalog, and this one waited for it whatever its limits."""
    store, _ = _refreshed(tmp_path, 0)
    fires = _FiresAt(3)

    def refresh() -> None:
        with olmsolve.limited(cancel=fires):
            store.refresh()

    with ThreadPoolExecutor(1) as pool, store._lock:
        waiting = pool.submit(refresh)
        assert isinstance(waiting.exception(timeout=10), Incomplete)
    assert fires.looks == 3


def test_a_watching_store_answers_all_the_time(tmp_path: Path) -> None:
    """Threads ask while the file changes ten times: each answer is of one content, and the last one is seen."""
    path = tmp_path / "main.json"
    _written(path, "1.0.0")
    store = CatalogStore({"main": path})
    seen: set[str] = set()
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            seen.update(_installs(store.resolver))

    with store.watching(seconds=0.01):
        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for number in range(2, 12):
            _written(path, f"{number}.0.0")
            end = time.monotonic() + 10
            while _installs(store.resolver) != [f"app.v{number}.0.0"] and time.monotonic() < end:
                time.sleep(0.005)
            assert _installs(store.resolver) == [f"app.v{number}.0.0"]
        ended.set()
        for thread in threads:
            thread.join()
    assert set() < seen <= {f"app.v{number}.0.0" for number in range(1, 12)}
    assert not any(thread.name == "olmsolve catalogs" for thread in threading.enumerate())


def test_a_store_watches_under_no_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may begin to watch inside of a block with limits, which are over long before the program is.

    Python 3.14 without the global lock starts threads with the context of whoever starts them; so does this test.
    """

    class Inheriting(threading.Thread):
        def start(self) -> None:
            run, context = self.run, copy_context()
            self.run = lambda: context.run(run)  # type: ignore[method-assign]
            super().start()

    path = tmp_path / "main.json"
    _written(path, "1.0.0")
    store = CatalogStore({"main": path})
    monkeypatch.setattr(threading, "Thread", Inheriting)
    with contextlib.ExitStack() as stack:
        over = threading.Event()
        with olmsolve.limited(cancel=over):
            stack.enter_context(store.watching(seconds=0.01))
        over.set()
        _written(path, "2.0.0")
        end = time.monotonic() + 10
        while _installs(store.resolver) != ["app.v2.0.0"] and time.monotonic() < end:
            time.sleep(0.005)
        assert _installs(store.resolver) == ["app.v2.0.0"]


def test_wrong_stores_are_refused(tmp_path: Path) -> None:
    """At the start a catalog that cannot be read is an error; what is no file cannot be watched."""
    with pytest.raises(CatalogError):
        CatalogStore({"main": tmp_path / "missing.json"})
    with pytest.raises(RequestError, match=r"catalogs\['main'\]: is not a file on this machine"):
        CatalogStore({"main": "https://example.com/catalog.json"})
    with pytest.raises(RequestError, match="catalogs: must not be empty"):
        CatalogStore({})
    with pytest.raises(RequestError, match="catalogs: must be a mapping of paths"):
        CatalogStore(["main"])  # type: ignore[arg-type]
    path = tmp_path / "main.json"
    _written(path, "1.0.0")
    with (
        pytest.raises(RequestError, match="seconds: must be a positive number, not 0"),
        CatalogStore({"main": path}).watching(seconds=0),
    ):
        pass
