"""The service of docs/embedding.md under load: eight threads, one catalog, limits and cancellation."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from typing import Any

import olmsolve
from olmsolve import events
from olmsolve.testing import synthetic
from tests.pages.files import module_of


class Counting(olmsolve.Observer):
    """Counts outcomes, from any thread."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.threads: set[int] = set()
        self._lock = threading.Lock()

    def answered(self, event: events.QuestionAnswered) -> None:
        with self._lock:
            self.outcomes[event.outcome] += 1
            self.threads.add(threading.get_ident())


def service(observer: olmsolve.Observer, **options: Any) -> Any:
    """The class of the documentation, over a dense catalog of 1,000 bundles."""
    return module_of("docs/embedding.md", "service.py").PlanService(catalog(), observer, **options)


def catalog() -> olmsolve.Catalog:
    return synthetic.request("S", "easy", seed=2).sources[0].catalog


def test_eight_threads_give_the_answers_of_one() -> None:
    """Who shares a catalog must not notice the others."""
    names = [package.name for package in catalog()][:16]
    source = olmsolve.Source("main", "olm", 0, catalog())
    expected = []
    for name in names:
        wish = olmsolve.Subscription(name, "shop", name)
        expected.append(olmsolve.resolve(olmsolve.Request(["shop", "olm"], [source], [wish])).to_dict())
    observer = Counting()
    running = service(observer, seconds=120.0)

    async def ask() -> list[Any]:
        return await asyncio.gather(*(running.plan("shop", name) for name in names * 8), running.plan("shop", "absent"))

    *plans, failure = asyncio.run(ask())
    assert plans == expected * 8
    assert failure["unsatisfiable"] is True
    assert observer.outcomes == {"plan": len(names) * 8, "Unsatisfiable": 1}
    assert 1 < len(observer.threads) <= 8


def test_limits_and_clients_that_go_away() -> None:
    """An overdue question ends with a word, and a cancelled one frees its thread."""
    observer = Counting()
    hurried = service(observer, seconds=1e-6)
    name = next(iter(catalog())).name
    assert "time budget" in asyncio.run(hurried.plan("shop", name))["error"]
    patient = service(observer, seconds=120.0)

    async def leave() -> None:
        task = asyncio.create_task(patient.plan("shop", name))
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return

    asyncio.run(leave())
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and observer.outcomes.total() < 2:
        time.sleep(0.01)
    assert observer.outcomes["Incomplete"] >= 1
