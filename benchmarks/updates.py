"""New versions of catalogs: loading and indexing by what changed, against doing it whole, in one process.

In a new version 2 % of the packages have one bundle more, which is the head of the channels that the head of the
default channel was the head of. Both ways give the same catalog, the same index and the same file of it.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import table
from benchmarks.synthetic_problem import generated, write
from olmsolve import Catalog, Resolver, Source, Subscription, Unsatisfiable, load
from olmsolve.catalog import write_index
from olmsolve.catalog.index import index_of

__all__ = ["run"]

_EVERY = 50  # one of so many packages changes
_TIMES = 5


def run(*, quick: bool = False) -> None:
    """Update catalogs shaped like a real one, and dense ones (*quick*: the small)."""
    rows: list[tuple[str, ...]] = []
    kept: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files: dict[str, Path] = {}
        for name, file in catalog_files(folder, quick=quick).items():
            files[name] = folder / f"{len(files)}.jsonl"
            files[name].write_bytes(gzip.decompress(file.read_bytes()))
        for size in ("S",) if quick else ("M", "L"):
            files[f"dense, {size}"] = folder / f"{size}.jsonl"
            write(generated(size, hard=False, unsat=False), files[f"dense, {size}"])
        for name, file in files.items():
            row, versions = _row(name, file, 2 if quick else _TIMES)
            rows.append(row)
            if "dense" not in name:
                every, resolved, fresh, after = _answers(*versions)
                cells = f"{fresh:.4f}", f"{after:.4f}", f"{after / fresh:.2f}"
                kept.append((name, f"{every:,}", f"{resolved:,}", *cells))
    print("CPU seconds, least of several: a version with 2 % of its packages changed, whole and by what changed")
    head = "load", "index", "load changes", "index changes", "of the whole"
    table(("", "bundles", *head, "index file", "update", "of the whole"), rows)
    print("\nCPU seconds: the same requests over the new version, by a resolver that keeps answers")
    table(("", "requests", "resolved", "resolved all", "kept and resolved", "ratio"), kept)


def _answers(catalog: Catalog, later: Catalog) -> tuple[int, int, float, float]:
    """Ask for the newest bundle of each package, three times under other names, before and after a change.

    Return how many requests there are, how many were resolved after it, and the seconds of both ways.
    """
    sources = [[Source("catalog", "olm", 0, version)] for version in (catalog, later)]
    wishes = [
        Subscription(f"wish-{number}", "olm", name, package.default_channel)
        for number in range(3)
        for name, package in catalog.packages.items()
    ]

    def ask(resolver: Resolver) -> float:
        started = time.process_time()
        for wish in wishes:
            with contextlib.suppress(Unsatisfiable):
                resolver.resolve([wish], namespaces=["olm"])
        return time.process_time() - started

    first = Resolver(sources[0], keep=len(wishes))
    ask(first)
    fresh = Resolver(sources[1])
    ask(fresh)
    again = ask(fresh)
    started = time.process_time()
    after = first.after(sources[1])
    moved = time.process_time() - started
    kept = len(after._kept or ())  # noqa: SLF001 (counted before the questions change it)
    return len(wishes), len(wishes) - kept, again, moved + ask(after)


def _row(name: str, file: Path, times: int) -> tuple[tuple[str, ...], tuple[Catalog, Catalog]]:
    first = load(file, before=Catalog({}))
    index_of(first)
    old = write_index(file).read_bytes()
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(_changed(lines)))
    figures: dict[str, list[float]] = {}

    def measured(what: str, work: Callable[[], Catalog]) -> Catalog:
        started = time.process_time()
        catalog = work()
        loaded = time.process_time()
        index_of(catalog)
        figures.setdefault(what, []).append(loaded - started)
        figures.setdefault(f"{what} index", []).append(time.process_time() - loaded)
        return catalog

    def written(what: str, *, update: bool) -> bytes:
        target = file.with_suffix(".olmindex")
        target.write_bytes(old)
        started = time.process_time()
        write_index(file, target, update=update)
        figures.setdefault(what, []).append(time.process_time() - started)
        return target.read_bytes()

    for _ in range(times):
        whole = measured("whole", lambda: load(file, index=False))
        changes = measured("changes", lambda: load(file, before=first))
        if written("file", update=False) != written("updated file", update=True):
            raise RuntimeError(f"{name}: the two files are not equal")
    if changes != whole or index_of(changes).columns.text != index_of(whole).columns.text:
        raise RuntimeError(f"{name}: the two are not equal")
    least = {what: min(found) for what, found in figures.items()}
    ratio = (least["changes"] + least["changes index"]) / (least["whole"] + least["whole index"])
    bundles = sum(len(package.bundles) for package in whole)
    cells = (f"{least[what]:.4f}" for what in ("whole", "whole index", "changes", "changes index"))
    files = f"{least['file']:.4f}", f"{least['updated file']:.4f}", f"{least['updated file'] / least['file']:.2f}"
    return (name, f"{bundles:,}", *cells, f"{ratio:.2f}", *files), (first, changes)


def _changed(lines: list[str]) -> list[str]:
    """Return *lines* in which every fiftieth package has a new head: its old one, under another name and version."""
    blobs = [json.loads(line) for line in lines]
    defaults = {blob["name"]: blob["defaultChannel"] for blob in blobs if blob["schema"] == "olm.package"}
    chosen = sorted(defaults)[::_EVERY]
    heads: dict[str, str] = {}
    for blob in blobs:
        if blob["schema"] == "olm.channel" and blob["package"] in chosen and blob["name"] == defaults[blob["package"]]:
            (heads[blob["package"]],) = _heads(blob)
    changed: list[str] = []
    for line, blob in zip(lines, blobs, strict=True):
        head = heads.get(blob.get("package", ""))
        if blob["schema"] == "olm.channel" and head is not None and head in _heads(blob):
            blob["entries"].append({"name": f"{head}-new", "replaces": head})
            changed.append(json.dumps(blob, separators=(",", ":")) + "\n")
            continue
        changed.append(line)
        if blob["schema"] == "olm.bundle" and blob["name"] == head:
            version = next(each["value"] for each in blob["properties"] if each["type"] == "olm.package")["version"]
            named = line.replace(f'"{head}"', f'"{head}-new"')
            changed.append(named.replace(f'"version":"{version}"', f'"version":"{version}-new"'))
    return changed


def _heads(channel: dict[str, Any]) -> list[str]:
    """Return the entries of a *channel* that no other entry replaces or skips."""
    entries = channel["entries"]
    passed = {entry.get("replaces") for entry in entries} | {
        name for entry in entries for name in entry.get("skips", ())
    }
    return [entry["name"] for entry in entries if entry["name"] not in passed]
