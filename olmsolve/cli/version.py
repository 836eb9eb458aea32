"""The versions of olmsolve, Python, and the packages that answers come from: reports of faults begin with them."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from typing import Any

from olmsolve._version import __version__
from olmsolve.cli.streams import write


class ShowVersions(argparse.Action):
    """The option ``--version``; the packages are looked up when it is used."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "nargs": 0, "default": argparse.SUPPRESS})

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print the versions, and end."""
        write("\n".join(_lines()))
        parser.exit()


def _lines() -> Iterator[str]:
    # Modules of the standard library that no other command needs.
    import platform
    from importlib import metadata

    yield f"olmsolve {__version__}"
    yield f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}"
    try:
        required = metadata.requires("olmsolve") or []
    except metadata.PackageNotFoundError:  # run from a folder, without an installation
        return
    for text in required:
        # "google-re2>=1.1", or for an extra "rich>=13.7; extra == 'cli'".
        name = re.match(r"[\w.-]+", text)
        if name is None or "extra ==" in text:
            continue
        try:
            yield f"{name[0]} {metadata.version(name[0])}"
        except metadata.PackageNotFoundError:
            yield f"{name[0]} is not installed"
