"""The wheel and the source distribution: built, and looked into."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from olmsolve import __version__

ROOT: Final = Path(__file__).parents[2]
MOST_IN_WHEEL: Final = 2_200_000
"""Bytes. A wheel has 2.0 MB, nearly all of it Python; a catalog or a picture that slips in would show."""
MOST_BESIDE_PYTHON: Final = 450_000
"""Bytes of what is no Python, unpacked: schemas, examples, styles and scripts of pages, help texts (370 kB)."""
MOST_IN_SDIST: Final = 12_000_000
"""Bytes; half of it is recorded answers, which its tests read."""

_KINDS: Final = {".bash", ".fish", ".zsh", ".py", ".json", ".yaml", ".css", ".js", ".md", ".typed"}
_UNWANTED: Final = re.compile(
    r"__pycache__|\.pyc$|\.venv|(mypy|ruff|pytest)_cache|\.hypothesis|\.benchmarks|\.fuzz|\.git/|\.idx$"
)
_IN_SDIST: Final = {
    ".github",
    ".gitignore",
    ".pre-commit-hooks.yaml",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "PKG-INFO",
    "README.md",
    "SECURITY.md",
    "actions",
    "benchmarks",
    "docs",
    "mkdocs.yml",
    "olmsolve",
    "pyproject.toml",
    "tests",
    "website",
}


class Built(NamedTuple):
    """The files of a release."""

    wheel: Path
    sdist: Path


class PackageError(Exception):
    """Something that keeps the package from being released, in words."""


def build(folder: Path) -> Built:
    """Build the source distribution, and the wheel from it, into *folder*. Raises PackageError."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        raise PackageError(f"python -m build failed:\n{process.stdout[-2000:]}{process.stderr[-2000:]}")
    ((wheel,), (sdist,)) = (sorted(folder.glob(pattern)) for pattern in ("*.whl", "*.tar.gz"))
    return Built(wheel, sdist)


def check_contents(built: Built) -> list[str]:
    """Return a line about each file of the release. Raises PackageError for what is missing, too much or too large."""
    _check_wheel(built.wheel)
    _check_sdist(built.sdist)
    return [f"{path.name}: {path.stat().st_size / 1000:,.0f} kB" for path in built]


def packed_size() -> tuple[int, int]:
    """Return about how many bytes a wheel of the checkout would have, and how many its files other than Python have."""
    packed = beside = 0
    for name in modules():
        content = (ROOT / name).read_bytes()
        # Twice the name and a digest in the list of files, and the name twice in the archive.
        packed += len(zlib.compress(content)) + 140 + 3 * len(name)
        beside += 0 if name.endswith(".py") else len(content)
    return packed, beside


def modules() -> set[str]:
    """Return the paths of all files of the package in the checkout, as they must stand in the wheel."""
    paths = (path for path in (ROOT / "olmsolve").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in paths}


def _check_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        metadata = archive.read(f"olmsolve-{__version__}.dist-info/METADATA").decode("utf-8")
    top = {PurePosixPath(name).parts[0] for name in names}
    information = f"olmsolve-{__version__}.dist-info"
    _expect(top == {"olmsolve", information}, f"the wheel has {sorted(top)} at its top")
    inside = {name for name in names if name.startswith("olmsolve/")}
    _expect(inside == modules(), f"the wheel and the checkout differ: {sorted(inside ^ modules())}")
    kinds = {PurePosixPath(name).suffix for name in inside}
    _expect(kinds <= _KINDS, f"the wheel has files of other kinds: {sorted(kinds - _KINDS)}")
    for needed in ("olmsolve/py.typed", "olmsolve/examples/install.yaml", f"{information}/licenses/LICENSE"):
        _expect(needed in names, f"the wheel has no {needed}")
    unwanted = sorted(name for name in names if _UNWANTED.search(name))
    _expect(not unwanted, f"the wheel has {unwanted}")
    size = wheel.stat().st_size
    _expect(size <= MOST_IN_WHEEL, f"the wheel has {size:,} bytes, more than {MOST_IN_WHEEL:,}")
    _expect(f"\nVersion: {__version__}\n" in metadata, "the wheel's metadata has another version")
    _expect("\nRequires-Python: >=3.11\n" in metadata, "the wheel's metadata has other versions of Python")
    relative = re.findall(r"\]\((?!https?:|#)[^)]*", metadata)
    _expect(not relative, f"the page of the package has links into the repository: {relative}")
    _expect("HFPR" not in metadata and "\n# olmsolve" in metadata, "the page of the package is not README.md")


def _check_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    root = f"olmsolve-{__version__}"
    names = {member.name.removeprefix(f"{root}/") for member in members if member.isfile()}
    top = {PurePosixPath(name).parts[0] for name in names}
    _expect(top <= _IN_SDIST, f"the source distribution has {sorted(top - _IN_SDIST)} at its top")
    missing = _IN_SDIST - top
    _expect(not missing, f"the source distribution has no {sorted(missing)}")
    _expect(modules() <= names, f"the source distribution lacks {sorted(modules() - names)}")
    unwanted = sorted(name for name in names if _UNWANTED.search(name))
    _expect(not unwanted, f"the source distribution has {unwanted}")
    size = sdist.stat().st_size
    _expect(size <= MOST_IN_SDIST, f"the source distribution has {size:,} bytes, more than {MOST_IN_SDIST:,}")


def _expect(is_right: bool, fault: str) -> None:
    if not is_right:
        raise PackageError(fault)
