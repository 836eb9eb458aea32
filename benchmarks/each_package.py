"""One request for each package of catalogs shaped like real ones: its newest bundle, from the default channel."""

from __future__ import annotations

import contextlib
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

import attrs

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import table
from olmsolve import Catalog, Resolver, Source, Subscription, Unsatisfiable, load
from olmsolve.catalog.index import index_of

__all__ = ["run"]

_AGAIN = 5
_NAMESPACES = ("target", "olm")


def run(*, quick: bool = False) -> None:
    """Print how long loading, indexing and each request take; *quick*: over a smaller catalog."""
    rows: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as temporary:
        for name, file in catalog_files(Path(temporary), quick=quick).items():
            started = time.process_time()
            catalog = load(file)
            loaded = time.process_time()
            index_of(catalog)
            indexed = time.process_time()
            rows.append((f"{name}: load", "", f"{(loaded - started) * 1e3:.0f}", "", ""))
            rows.append((f"{name}: index", "", f"{(indexed - loaded) * 1e3:.0f}", "", ""))
            first, again, plans = _measured(Resolver(_sources(catalog)), catalog)
            # The same catalog without anything that was worked out.
            copy = attrs.evolve(catalog)
            index_of(copy)
            resolver = Resolver(_sources(copy))
            started = time.process_time()
            resolver.warm(namespaces=_NAMESPACES)
            rows.append((f"{name}: warm()", "", f"{(time.process_time() - started) * 1e3:.0f}", "", ""))
            warmed, _, _ = _measured(resolver, copy)
            for what, times in (("first", first), ("first after warm()", warmed), ("again", again)):
                figures = (median(times), quantiles(times, n=20)[-1], max(times))
                cells = (f"{figure * 1e3:.3f}" for figure in figures)
                rows.append((f"{name}: {what}", f"{len(times)}, {plans} plans", *cells))
    print("milliseconds of CPU: once for the catalog, then for each request")
    table(("", "requests", "median", "95 %", "most"), rows)


def _sources(catalog: Catalog) -> list[Source]:
    return [Source("catalog", "olm", 0, catalog)]


def _measured(resolver: Resolver, catalog: Catalog) -> tuple[list[float], list[float], int]:
    """Return the first and the least of later times of the requests, in seconds, and how many have a plan."""
    first, again, plans = [], [], 0
    for package in catalog:
        wishes = [Subscription("wish", "target", package.name, package.default_channel, "catalog", "olm")]
        times = []
        for _ in range(1 + _AGAIN):
            started = time.process_time()
            with contextlib.suppress(Unsatisfiable):
                plans += bool(resolver.resolve(wishes, namespaces=_NAMESPACES).installs)
            times.append(time.process_time() - started)
        first.append(times[0])
        again.append(min(times[1:]))
    return first, again, plans // (1 + _AGAIN)
