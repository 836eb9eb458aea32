"""Versions and ranges: parsing, comparing and filtering, beside packaging.version and semantic_version.

On the versions of real bundles, of which there are as many as all three libraries read. The other two have other
orders and grammars (neither is OLM's), so only the time is compared, not the answer.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import packaging.version
import semantic_version

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import seconds, table
from olmsolve import Catalog, load
from olmsolve.semver import BlangRange, MastermindsRange, Version

_RUNS = 7
_Work = Callable[[], object]


def run(*, quick: bool = False) -> None:
    """Read the versions of each catalog; *quick*: of a smaller one."""
    with tempfile.TemporaryDirectory() as temporary:
        for name, file in catalog_files(Path(temporary), quick=quick).items():
            _measure(name, load(file))


def _measure(name: str, catalog: Catalog) -> None:
    texts = [
        str(item.value["version"])
        for package in catalog
        for bundle in package.bundles.values()
        for item in bundle.properties
        if item.type == "olm.package"
    ]
    common = [text for text in texts if _read_by_all(text)]
    print(f"{name}: {len(texts):,} bundles; {len(common):,} of their versions are read by all three libraries")
    _compare(common)
    print()
    _filter(texts, common)


def _read_by_all(text: str) -> bool:
    try:
        Version.parse(text)
        packaging.version.Version(text)
        semantic_version.Version(text)
    except ValueError:
        return False
    return True


def _compare(texts: list[str]) -> None:
    shuffled = random.Random(0).sample(texts, len(texts))
    readers: dict[str, Callable[[str], Any]] = {
        "olmsolve": Version.parse,
        "packaging": packaging.version.Version,
        "semantic_version": semantic_version.Version,
    }
    parsed = {name: [read(text) for text in shuffled] for name, read in readers.items()}
    pairs = {name: list(pairwise(each)) for name, each in parsed.items()}
    parsing = _least({name: partial(_parse_all, read, shuffled) for name, read in readers.items()})
    comparing = _least({name: partial(_compare_all, each) for name, each in pairs.items()})
    both = _least({name: partial(_sort_all, read, shuffled) for name, read in readers.items()})
    rows = [
        _row("parse a version, us", parsing, 1e6 / len(texts)),
        _row("compare two, us", comparing, 1e6 / (len(texts) - 1)),
        _row("parse and sort all, ms", both, 1e3),
    ]
    table(("", "olmsolve", "packaging", "semantic_version", "packaging / ours", "semantic_version / ours"), rows)


def _parse_all(read: Callable[[str], Any], texts: list[str]) -> object:
    return [read(text) for text in texts]


def _sort_all(read: Callable[[str], Any], texts: list[str]) -> object:
    return sorted(read(text) for text in texts)


def _compare_all(pairs: list[tuple[Any, Any]]) -> object:
    return [a < b for a, b in pairs]


def _filter(texts: list[str], common: list[str]) -> None:
    """Which bundles are in a range, with a look at how many; the plain loop can read only some of the versions."""
    ours = [Version.parse(text) for text in texts]
    theirs = [semantic_version.Version(text) for text in common]
    classic, npm = ">=1.0.0 <2.0.0", ">=1.0.0,<2.0.0"

    def plain_loop() -> int:
        spec = semantic_version.SimpleSpec(npm)
        return sum(version in spec for version in theirs)

    def plain_loop_from_text() -> int:
        spec = semantic_version.SimpleSpec(npm)
        return sum(semantic_version.Version(text) in spec for text in common)

    def filtered(parse: Callable[[str], Any], text: str) -> _Work:
        def work() -> int:
            wanted = parse(text)
            return sum(version in wanted for version in ours)

        return work

    def filtered_from_text() -> int:
        wanted = BlangRange.parse(classic)
        return sum(Version.parse(text) in wanted for text in texts)

    times = _least(
        {
            "blang": filtered(BlangRange.parse, classic),
            "masterminds": filtered(MastermindsRange.parse, npm),
            "semantic_version": plain_loop,
            "blang, versions parsed too": filtered_from_text,
            "semantic_version, versions parsed too": plain_loop_from_text,
        }
    )
    rows = []
    for name, time in times.items():
        count = len(common) if name.startswith("semantic_version") else len(texts)
        base = "semantic_version, versions parsed too" if name.endswith("too") else "semantic_version"
        ratio = (times[base] / len(common)) / (time / count)
        rows.append((name, f"{count:,}", f"{time * 1e3:.2f}", f"{ratio:.1f}x"))
    table((f"filter by {classic}, range parsed", "bundles", "ms", "ratio a bundle"), rows)


def _least(works: dict[str, _Work]) -> dict[str, float]:
    """The least time of each, taken in turn so that a slower minute is one for all."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(_RUNS):
        for name, work in works.items():
            times[name].append(seconds(work))
    return {name: min(each) for name, each in times.items()}


def _row(name: str, times: dict[str, float], scale: float) -> tuple[str, ...]:
    ours = times["olmsolve"]
    figures = (f"{time * scale:.2f}" for time in times.values())
    return (name, *figures, *(f"{time / ours:.1f}x" for other, time in times.items() if other != "olmsolve"))
