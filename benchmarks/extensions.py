"""OLM v1: cluster extensions over catalogs of 333 packages, one request at a time, on a ready index."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import table
from olmsolve import Catalog, ResolutionFailure, load, v1

_ROUNDS = 3


def run(*, quick: bool = False) -> None:
    """Resolve the extensions of each catalog; *quick*: of a smaller one."""
    with tempfile.TemporaryDirectory() as temporary:
        for name, file in catalog_files(Path(temporary), quick=quick).items():
            _measure(name, load(file))


def _measure(name: str, catalog: Catalog) -> None:
    requests = list(_requests(catalog))
    best = [float("inf")] * len(requests)
    answered = 0
    # The first round is the first resolve of each request; it makes the index of the packages.
    rounds = []
    for _ in range(_ROUNDS):
        times = []
        for number, request in enumerate(requests):
            started = time.perf_counter()
            with contextlib.suppress(ResolutionFailure):
                v1.resolve(request)
                answered += 1
            times.append(time.perf_counter() - started)
            best[number] = min(best[number], times[-1])
        rounds.append(times)
    print(f"{name}: {len(requests)} requests, {answered // _ROUNDS} of them with a bundle as the answer")
    rows = [_row(name, times) for name, times in (("first", rounds[0]), ("least of three", best))]
    table(("milliseconds", "median", "95 %", "most"), rows)


def _row(name: str, times: list[float]) -> tuple[str, ...]:
    figures = (median(times), quantiles(times, n=20)[-1], max(times))
    return (name, *(f"{figure * 1e3:.3f}" for figure in figures))


def _requests(catalog: Catalog) -> Iterator[v1.ExtensionRequest]:
    """For each package: any version, its default channel, a range, and three versions as installed, twice each."""
    offered = [v1.ClusterCatalog("community", catalog)]
    for package in catalog:
        yield v1.ExtensionRequest(v1.Extension(package.name), offered)
        channels = [package.default_channel]
        yield v1.ExtensionRequest(v1.Extension(package.name, channels=channels), offered)
        yield v1.ExtensionRequest(v1.Extension(package.name, version=">=0.1.0 <3.0.0"), offered)
        for name, bundle in list(package.bundles.items())[:3]:
            version = next((p.value["version"] for p in bundle.properties if p.type == "olm.package"), None)
            if version is None:
                continue
            installed = v1.InstalledBundle(name, version)
            yield v1.ExtensionRequest(v1.Extension(package.name), offered, installed)
            wish = v1.Extension(package.name, version=">=0.1.0", channels=channels)
            yield v1.ExtensionRequest(wish, offered, installed)
