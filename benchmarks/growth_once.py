"""One catalog in a process of its own: ``python -m benchmarks.growth_once CATALOG PACKAGE ...`` prints one JSON object.

It loads the catalog, builds its index, and resolves one request for each PACKAGE, each for the first time and then
again. Memory is what the operating system counts as resident, after a collection of garbage; so it holds what the
allocator keeps from work that is over, as it does for a user.

``--beside CATALOG PACKAGE ...`` names a small catalog with the same packages. Each of its requests is resolved right
before the one over the large catalog, so that a processor whose speed changes is as fast for both.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measuring import peak_bytes, resident_bytes
from olmsolve import Catalog, Request, Source, Subscription, Unsatisfiable, load, resolve
from olmsolve.catalog import Bundle, Channel, ChannelEntry, Package
from olmsolve.catalog.index import index_of
from olmsolve.predicates import Property

__all__ = ["main"]

_AGAIN = 20
# Enough for all that reads a large catalog to be imported before the clock starts.
_BUNDLE = '{"schema": "olm.bundle", "package": "p", "name": "b", "properties": [{"type": "t", "value": {}}]}\n'
_LONG = f'{{"schema": "long", "text": "{"x" * (1 << 14)}"}}\n'


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("wishes", nargs="+")
    parser.add_argument("--beside", nargs="+", default=[], metavar="CATALOG_OR_PACKAGE")
    options = parser.parse_args(arguments)
    with contextlib.suppress(Unsatisfiable):
        resolve(_request(_tiny(), "tiny"))
    load(io.StringIO(_BUNDLE + _LONG * 16))
    before = _resident()
    started = time.process_time()
    catalog = load(options.file)
    loaded = time.process_time()
    with_catalog = _resident()
    indexing = time.process_time()
    index_of(catalog)
    indexed = time.process_time()
    with_index = _resident()
    peak = peak_bytes()
    small, *small_wishes = options.beside or [None]
    beside = None if small is None else load(Path(small))
    if beside is not None:
        index_of(beside)
    gc.freeze()
    first, again, sizes, first_beside = [], [], [], []
    for position, wish in enumerate(options.wishes):
        if beside is not None:
            first_beside.append(_times(_request(beside, small_wishes[position]))[0])
        request = _request(catalog, wish)
        times = _times(request)
        first.append(times[0])
        again.append(min(times[1:]))
        sizes.append(len(resolve(request).installs))
    found = {
        "bundles": sum(len(package.bundles) for package in catalog),
        "load": loaded - started,
        "index": indexed - indexing,
        "catalog_bytes": with_catalog - before,
        "index_bytes": with_index - with_catalog,
        "peak_bytes": peak,
        "first": first,
        "first_beside": first_beside,
        "again": again,
        "sizes": sizes,
    }
    print(json.dumps(found))
    return 0


def _times(request: Request) -> list[float]:
    """Return the CPU seconds of the first time and of some more."""
    times = []
    for _ in range(1 + _AGAIN):
        begun = time.process_time()
        resolve(request)
        times.append(time.process_time() - begun)
    return times


def _resident() -> int:
    gc.collect()
    return resident_bytes()


def _request(catalog: Catalog, wish: str) -> Request:
    subscription = Subscription(wish, "target", wish, "stable", "synthetic", "olm")
    return Request(("target", "olm"), [Source("synthetic", "olm", 0, catalog)], [subscription])


def _tiny() -> Catalog:
    """One bundle that cannot be installed, so that even what finds cores is imported before the clock starts."""
    said = Property("olm.package", {"packageName": "tiny", "version": "1.0.0"})
    needs = Property("olm.package.required", {"packageName": "tiny", "versionRange": ">1.0.0"})
    channel = Channel("tiny", "stable", (ChannelEntry("tiny.v1"),))
    bundle = Bundle("tiny", "tiny.v1", (said, needs))
    return Catalog({"tiny": Package("tiny", "stable", {"stable": channel}, {"tiny.v1": bundle})})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
