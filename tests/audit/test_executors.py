"""Threads, processes and clusters give the report that one process gives, and get the sources once each."""

from __future__ import annotations

import functools
import importlib.util
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import pytest

from olmsolve import Incomplete, Source
from olmsolve.answers import Chunk, ChunkResult, fleet, packed, unpacked, work_chunk
from olmsolve.answers.auditing import AuditReport, audit
from olmsolve.answers.auditing.running import Shipment
from olmsolve.render import audit_json, audit_junit, audit_text
from tests.audit.catalogs import FAULTY, sources
from tests.scale import LONG

pytestmark = pytest.mark.forks

P = ParamSpec("P")
T = TypeVar("T")


@functools.cache
def many() -> tuple[Source, ...]:
    """Enough packages for a dozen chunks."""
    packages: dict[str, Any] = dict(FAULTY)
    for number in range(60):
        name = f"p{number}"
        versions = [f"{name}.v{major}.0.0" for major in range(10, 0, -1)]
        needs = {"needs-package": f"p{(number + 1) % 75} >=1.0.0"}
        packages[name] = {"channels": {"stable": " > ".join(versions)}, "bundles": {versions[0]: [needs]}}
    return sources(**packages)


def written(report: AuditReport) -> str:
    return audit_text(report) + audit_json(report) + audit_junit(report)


@functools.cache
def alone() -> str:
    report = audit(many())
    assert len(report.findings) > 3
    return written(report)


@contextmanager
def dask(workers: int, *, processes: bool) -> Iterator[Executor]:
    if importlib.util.find_spec("distributed") is None:
        pytest.skip('the extra "dask" is not installed')
    distributed = importlib.import_module("distributed")
    cluster = distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=processes, dashboard_address=None, silence_logs=50
    )
    with cluster, distributed.Client(cluster) as client:
        yield client.get_executor()


EXECUTORS: dict[str, Callable[[], Any]] = {
    "one thread": lambda: ThreadPoolExecutor(1),
    "threads": lambda: ThreadPoolExecutor(4),
    "process": lambda: ProcessPoolExecutor(1),
    "processes": lambda: ProcessPoolExecutor(2),
    "spawned processes": lambda: ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")),
    "Dask threads": lambda: dask(2, processes=False),
}
if LONG:
    # Each of Dask's processes takes seconds to start; its threads show that its workers share an audit.
    EXECUTORS["Dask"] = lambda: dask(2, processes=True)


# Clusters leave sockets and event loops behind that complain when they are collected.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", EXECUTORS)
def test_all_executors_give_the_same_report(name: str) -> None:
    """To the byte, in every form, and again on workers that know the catalogs already."""
    with EXECUTORS[name]() as executor:
        assert written(audit(many(), executor=executor)) == alone()
        assert written(audit(many(), executor=executor)) == alone()


class _Counting(Executor):
    """Another executor, and what goes through it."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.chunks: list[Chunk] = []
        self.shipments = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        chunk, shipment = args
        assert isinstance(chunk, Chunk)
        self.chunks.append(chunk)
        self.shipments += shipment is not None
        return self._executor.submit(fn, *args, **kwargs)


def test_sources_travel_once_to_each_worker() -> None:
    """They are large, and chunks are many; a worker that has them gets the next audit without.

    One worker, because of several nobody knows which one takes the chunk that has them with it.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as process:
        first = _Counting(process)
        audit(many(), executor=first)
        assert len(set(first.chunks)) == len(first.chunks) > first.shipments == 1
        second = _Counting(process)
        audit(many(), executor=second)
        assert second.shipments == 0


def test_sources_do_not_travel_inside_a_process() -> None:
    """Threads share them."""
    with ThreadPoolExecutor(2) as threads:
        counting = _Counting(threads)
        audit(many(), executor=counting)
    assert counting.shipments == 0


def test_workers_know_what_they_do_not_have() -> None:
    """A worker asks for the sources; it must not work on others."""
    chunk = Chunk("a key that nobody has", "run", 1, (("olm/main", "fine"),), None)
    answer = work_chunk(chunk)
    assert answer.results is None


def test_workers_keep_only_what_was_sent_last() -> None:
    """A worker of a cluster that lives for months must not grow."""
    for key in ("one key", "another key"):
        shipment = Shipment(packed(sources(**FAULTY)), "documented", "minisat22")
        places = (("olm/main", "fine"),)
        assert work_chunk(Chunk(key, "run", 1, places, None), shipment).results
        answer: ChunkResult = work_chunk(Chunk(key, "run", 2, places, None))
        assert answer.results
    assert work_chunk(Chunk("one key", "run", 3, places, None)).results is None
    fleet._SENT.clear()


def test_what_travels_is_what_matters() -> None:
    """Descriptions, icons and images stay at home, and the answers stay the same."""
    light = unpacked(packed(many()))
    assert written(audit(light)) == alone()
    assert all(package.extra == {} for source in light for package in source.catalog)


@pytest.mark.parametrize("workers", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_a_time_limit(workers: Callable[[int], Executor]) -> None:
    """It ends what runs on workers as well, and leaves the executor usable."""
    with workers(2) as executor:
        with pytest.raises(Incomplete):
            audit(many(), executor=executor, timeout=1e-6)
        assert written(audit(many(), executor=executor, timeout=100)) == alone()


def test_progress() -> None:
    """Every package counts once, whoever audits it, and the last call says that all is done."""
    for executor in (None, ThreadPoolExecutor(2)):
        calls: list[tuple[int, int]] = []
        audit(many(), executor=executor, progress=lambda done, total: calls.append((done, total)))  # noqa: B023
        assert calls == [(number, 63) for number in range(1, 64)]


def test_a_failing_progress_report_ends_the_audit() -> None:
    """Whoever raises there wants to stop; nothing goes on behind their back."""

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor:
        counting = _Counting(executor)
        with pytest.raises(KeyboardInterrupt):
            audit(many(), executor=counting, progress=stop)
        assert executor.submit(int).result(timeout=60) == 0
