"""Reading catalogs: JSON and YAML, loading, indexing and validating, against Python's parsers for the same text.

Each measurement is a process of its own (:mod:`benchmarks.loading_once`), so that the memory of one is not the other's.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import attrs

from benchmarks.catalogs import FULL, catalog_files, generated_file
from benchmarks.measuring import shared, table
from benchmarks.synthetic_problem import generated, write

__all__ = ["run"]

_TIMES = 5
_BUNDLE = re.compile(rb'"?schema"?:\s*"?olm[.]bundle\b')
_INDEXED = ("msgspec", "msgspec, no collector", "json", "load", "load and index")


@attrs.frozen
class Figure:
    """CPU *seconds*, and how far the resident set grew at most (*peak*) and for good (*kept*), in bytes."""

    seconds: float
    peak: int
    kept: int


def run(*, quick: bool = False) -> None:
    """Read a generated catalog with heavy parts (*quick*: a tenth of it, once), and the recorded one."""
    folder = shared()
    times = 1 if quick else _TIMES
    with tempfile.TemporaryDirectory() as temporary:
        lines = generated_file(FULL, Path(temporary), quick=quick)
        text = Path(temporary, "catalog.yaml")
        _written(lines, text)
        _tables(f"a catalog like {FULL}", text, lines, times)
        if folder is not None and not quick:
            text.write_bytes(_joined(folder / "catalogs" / f"{FULL}.tar.gz"))
            _written(text, lines)
            _tables(f"the catalog {FULL}", text, lines, times)
    _to_index(times, quick=quick)


def _to_index(times: int, *, quick: bool) -> None:
    """Go from lines of JSON to a ready index: catalogs shaped like a real one, and dense ones (*quick*: the small)."""
    with tempfile.TemporaryDirectory() as temporary:
        lines = Path(temporary, "lines.jsonl")
        for name, file in catalog_files(Path(temporary), quick=quick).items():
            lines.write_bytes(gzip.decompress(file.read_bytes()))
            _table(f"{name} to a ready index", lines, _INDEXED, times)
        for size in ("S",) if quick else ("M", "L"):
            write(generated(size, hard=False, unsat=False), lines)
            _table(f"dense problem {size} to a ready index", lines, _INDEXED, times)


def _tables(name: str, text: Path, lines: Path, times: int) -> None:
    ours = ("load", "load, without heavy parts", "validate", "validate, advise")
    _table(f"{name} as YAML", text, ("PyYAML, C", "ryaml", *ours), times)
    _table(f"{name} as JSON", lines, ("json", "msgspec", *ours), times)


def _table(name: str, file: Path, works: tuple[str, ...], times: int) -> None:
    """Print the table of *works* on *file*; the first of them is what the others are compared with."""
    base = works[0]
    size = file.stat().st_size
    bundles = len(_BUNDLE.findall(file.read_bytes()))
    figures = _best(works, file, times)
    print(f"{name}, {size / 1e6:.1f} MB of text, {bundles:,} bundles (CPU, the least of {times} processes):")
    reference = figures[base].seconds
    rows = [
        (
            work,
            f"{figure.seconds:.3f}",
            f"{figure.seconds / reference:.2f}",
            f"{figure.peak / size:.1f}",
            f"{figure.kept / size:.1f}",
            f"{figure.kept / bundles:,.0f}",
        )
        for work, figure in figures.items()
    ]
    table(("work", "s", f"of {base}", "peak, of the text", "kept, of the text", "bytes a bundle"), rows)
    print()


def _best(works: tuple[str, ...], file: Path, times: int) -> dict[str, Figure]:
    """Return the least of several processes for each of *works*; those whose package is not installed are left out.

    The works take turns, so that a processor whose speed changes is fast for each of them once.
    """
    figures: dict[str, list[Figure]] = {work: [] for work in works}
    for _ in range(times):
        for work in list(figures):
            figure = _once(work, file)
            if figure is None:
                del figures[work]
            else:
                figures[work].append(figure)
    return {work: min(found, key=lambda figure: figure.seconds) for work, found in figures.items()}


def _once(work: str, file: Path) -> Figure | None:
    """Return what one process took; None where the package that does the work is not installed."""
    command = [sys.executable, "-m", "benchmarks.loading_once", work, str(file)]
    process = subprocess.run(command, capture_output=True, check=False)
    if process.returncode == 3:
        return None
    if process.returncode:
        raise RuntimeError(process.stderr.decode(errors="replace"))
    return Figure(**json.loads(process.stdout))


def _joined(archive: Path) -> bytes:
    """The text of all files of *archive*, one behind the other."""
    parts = []
    with tarfile.open(archive) as files:
        for member in files:
            file = files.extractfile(member) if member.isfile() else None
            if file is not None:
                parts.append(file.read())
    return b"".join(parts)


def _written(source: Path, target: Path) -> None:
    """Write the catalog of *source* in the format of *target*; in a process of its own, to keep this one small."""
    code = "import sys; from olmsolve import catalog, load; catalog.write(load(sys.argv[1]), sys.argv[2])"
    subprocess.run([sys.executable, "-c", code, str(source), str(target)], check=True)
