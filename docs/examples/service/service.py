"""A service that answers over a shared catalog: threads, limits, cancellation and metrics."""

from __future__ import annotations

import asyncio
import functools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import olmsolve


class PlanService:
    def __init__(self, catalog: olmsolve.Catalog, observer: olmsolve.Observer, *, seconds: float = 2.0) -> None:
        self._resolver = olmsolve.Resolver([olmsolve.Source("main", "olm", 0, catalog)])
        self._observer = observer
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(8)

    async def plan(self, namespace: str, *packages: str) -> dict[str, Any]:
        wishes = [olmsolve.Subscription(package, namespace, package) for package in packages]
        cancel = threading.Event()
        resolve = functools.partial(
            self._resolver.resolve,
            wishes,
            namespaces=[namespace, "olm"],
            timeout=self._seconds,
            cancel=cancel,
            observer=self._observer,
        )
        try:
            return (await asyncio.get_running_loop().run_in_executor(self._threads, resolve)).to_dict()
        except olmsolve.Unsatisfiable as failure:
            return failure.to_dict()
        except olmsolve.Incomplete as end:
            return {"error": str(end)}
        finally:
            cancel.set()  # the client has gone, or the answer is there
