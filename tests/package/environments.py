"""Fresh environments: made by uv where it is installed, else by venv and pip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.package.building import PackageError

# Neither this checkout nor settings of whoever runs this may be of influence. A plain terminal has 80 columns.
_LEFT_OUT: Final = ("PYTHON", "OLMSOLVE", "VIRTUAL_ENV", "COLUMNS", "LINES", "COVERAGE")


class Environment:
    """A fresh environment in *folder* of the interpreter *python*, with *packages* installed."""

    def __init__(self, folder: Path, python: str, packages: Sequence[str]) -> None:
        self.folder: Path = folder
        self.programs: Path = folder / "bin"
        self._uv: str | None = _uv()
        if self._uv is not None:
            _run([self._uv, "venv", "--quiet", "--seed", "--python", python, str(folder)])
        else:
            _run([python, "-m", "venv", str(folder)])
        if packages:
            self.install(*packages)

    def install(self, *packages: str) -> None:
        """Install *packages*. Raises PackageError."""
        if self._uv is not None:
            _run([self._uv, "pip", "install", "--quiet", "--python", str(self.programs / "python"), *packages])
        else:
            _run([str(self.programs / "python"), "-m", "pip", "install", "--quiet", *_QUIET, *packages])

    def uninstall(self, package: str) -> None:
        """Remove the *package*. Raises PackageError."""
        _run([str(self.programs / "python"), "-m", "pip", "uninstall", "--quiet", "--yes", package])

    def install_lowest(self, project: Path, extras: Sequence[str]) -> None:
        """Install the lowest versions that the *project* with its *extras* allows, and not the project itself.

        Raises:
            PackageError: uv is missing, which finds them, or one of them cannot be installed.
        """
        if self._uv is None:
            raise PackageError("the lowest versions are found by uv, which is missing: pip install --group release")
        listed = self.folder / "lowest.txt"
        chosen = [option for extra in extras for option in ("--extra", extra)]
        lowest = ["--resolution", "lowest-direct", "--python", str(self.programs / "python")]
        _run([self._uv, "pip", "compile", "--quiet", str(project), *chosen, *lowest, "--output-file", str(listed)])
        self.install("--requirements", str(listed))

    def run(self, *arguments: str | Path, within: Path, code: int = 0) -> str:
        """Run one of the environment's programs in the folder *within*, and return what it prints.

        Raises:
            PackageError: it ends with another exit *code*.
        """
        program, *rest = map(str, arguments)
        return _run([str(self.programs / program), *rest], within=within, code=code)


_QUIET: Final = ("--disable-pip-version-check", "--no-input")


def _uv() -> str | None:
    beside = Path(sys.executable).parent / "uv"
    return str(beside) if beside.exists() else shutil.which("uv")


def _run(command: Sequence[str], within: Path | None = None, code: int = 0) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    environment["PYTHONWARNINGS"] = "default"
    process = subprocess.run(command, cwd=within, env=environment, capture_output=True, text=True, check=False)
    if process.returncode != code:
        printed = f"{process.stdout[-3000:]}{process.stderr[-3000:]}"
        raise PackageError(f"{' '.join(command)}\nended with {process.returncode}, not {code}:\n{printed}")
    return process.stdout
