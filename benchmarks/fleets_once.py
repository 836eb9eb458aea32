"""One comparison in a process of its own: ``python -m benchmarks.fleets_once WAY OLD NEW FOLDER`` prints JSON.

WAY is a number of processes, or ``dask`` for a local cluster of two worker processes. Loading, reading and the starting
of workers count.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import olmsolve
from benchmarks.measuring import peak_bytes

__all__ = ["main"]

_KEY = "olm/main"


def main(arguments: Sequence[str]) -> int:
    way, old, new, folder = arguments
    items = sorted(Path(folder).iterdir())
    with _workers(way) as executor:
        report = olmsolve.impact(items, before={_KEY: old}, after={_KEY: new}, executor=executor)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    found = {
        "clusters": report.clusters,
        "classes": len(report.classes),
        "parts": report.parts,
        "seconds": sum(each.ru_utime + each.ru_stime for each in used),
        "peak_bytes": max(peak_bytes(), used[1].ru_maxrss * 1024),
        "report": report.to_dict(),
    }
    print(json.dumps(found))
    return 0


@contextmanager
def _workers(way: str) -> Iterator[Executor | None]:
    if way == "1":
        yield None
    elif way != "dask":
        with ProcessPoolExecutor(int(way)) as executor:
            yield executor
    else:
        distributed: Any = importlib.import_module("distributed")
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
        with cluster, distributed.Client(cluster) as client:
            yield client.get_executor(retries=2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
