"""The versions of olmsolve, Python, and the packages that answers come from: reports of faults begin with them."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from olmsolve._version import __version__
from olmsolve.cli.streams import write

# Implementations of Python by the names that they give themselves.
_PYTHONS: Final = {"cpython": "CPython", "pypy": "PyPy", "graalpy": "GraalVM"}


class ShowVersions(argparse.Action):
    """The option ``--version``; the packages are looked up when it is used."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "nargs": 0, "default": argparse.SUPPRESS})

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print the versions, and end."""
        write("\n".join(_lines()))
        parser.exit()


def _lines() -> Iterator[str]:
    yield f"olmsolve {__version__}"
    name = sys.implementation.name
    yield f"{_PYTHONS.get(name, name)} {sys.version.split()[0]} on {sys.platform}"
    installed = _installed()
    # "google-re2>=1.1", or for an extra "rich>=13.7; extra == 'cli'".
    for text in _required(installed.get("olmsolve")):
        found = re.match(r"[\w.-]+", text)
        if found is None or "extra ==" in text:
            continue
        folder = installed.get(_normal(found[0]))
        yield f"{found[0]} {folder.stem.split('-')[1]}" if folder is not None else f"{found[0]} is not installed"


def _installed() -> dict[str, Path]:
    """Return the folder with the metadata of each installed package, by its name.

    ``importlib.metadata`` loads the modules of mail for it, which takes as long as starting Python; names and versions
    stand in the folders' names (``python_sat-1.8.dist-info``), as PEP 376 and PEP 503 lay down.
    """
    found: dict[str, Path] = {}
    for path in map(Path, sys.path):
        with contextlib.suppress(OSError):
            for folder in path.iterdir():
                if folder.name.endswith(".dist-info") and "-" in folder.stem:
                    found.setdefault(_normal(folder.name.split("-")[0]), folder)
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _required(folder: Path | None) -> Iterator[str]:
    """Yield what the metadata in *folder* require; nothing without an installation, as in a checkout."""
    if folder is None:
        return
    for line in folder.joinpath("METADATA").read_text("utf-8").splitlines():
        if not line:
            return  # the README follows
        if line.startswith("Requires-Dist: "):
            yield line.removeprefix("Requires-Dist: ")
