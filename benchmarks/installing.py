"""Installing: how long, and how large, olmsolve is beside each package that it needs."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from statistics import median

from benchmarks.measuring import table

_ROOT = Path(__file__).parents[1]
_RUNS = 5
_QUICK_RUNS = 2
_UNPACKED = "__pycache__"


def run(*, quick: bool = False) -> None:
    """Install each package from files at hand into new folders, in turn; take the sizes and the CPU time."""
    needed = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = ["olmsolve", *(requirement.partition(">=")[0] for requirement in needed)]
    runs = _QUICK_RUNS if quick else _RUNS
    with tempfile.TemporaryDirectory() as temporary:
        wheels = Path(temporary) / "wheels"
        _pip("wheel", "--wheel-dir", str(wheels), str(_ROOT))
        seconds: dict[str, list[float]] = {name: [] for name in names}
        rows = {}
        for number in range(runs):
            for name in names:
                folder = Path(temporary) / "installed"
                seconds[name].append(_installed(name, wheels, folder, alone=True))
                if not number:
                    wheel = next(wheels.glob(f"{name.replace('-', '_')}-*.whl"))
                    alone = _size(folder)
                    shutil.rmtree(folder)
                    _installed(name, wheels, folder, alone=False)
                    rows[name] = (wheel.stat().st_size, *alone, sum(_size(folder)))
                shutil.rmtree(folder)
    least = median(seconds["olmsolve"])
    table(
        (f"package (median of {runs})", "wheel", "installed", "and compiled", "with its needs", "CPU s", "ratio"),
        [
            (
                name,
                *(f"{size / 1e6:.2f} MB" for size in rows[name]),
                f"{median(values):.2f}",
                f"{median(values) / least:.2f}",
            )
            for name, values in seconds.items()
        ],
    )
    _parts(_ROOT / "olmsolve")


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)


def _installed(name: str, wheels: Path, folder: Path, *, alone: bool) -> float:
    """Install *name* into *folder*, without what it needs where it is *alone*; return the CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    needs = ["--no-deps"] if alone else []
    _pip("install", *needs, "--no-index", "--find-links", str(wheels), "--target", str(folder), name)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _size(folder: Path) -> tuple[int, int]:
    """Return the bytes of the files in *folder* as they were packed, and of those that pip has compiled."""
    sizes = [(path, path.stat().st_size) for path in folder.rglob("*") if path.is_file()]
    compiled = sum(size for path, size in sizes if _UNPACKED in path.parts)
    return sum(size for _, size in sizes) - compiled, compiled


def _parts(package: Path) -> None:
    """Print what the package consists of, by the kind of its files."""
    sizes: dict[str, int] = {}
    for path in package.rglob("*"):
        if path.is_file() and _UNPACKED not in path.parts:
            kind = path.suffix.removeprefix(".") or path.name
            sizes[kind] = sizes.get(kind, 0) + path.stat().st_size
    whole = sum(sizes.values())
    print()
    rows = [
        (kind, f"{size / 1e6:.2f} MB", f"{size / whole:.1%}")
        for kind, size in sorted(sizes.items(), key=lambda each: -each[1])
    ]
    table(("files of olmsolve", "size", "of all"), rows)
