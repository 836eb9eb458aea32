"""An environment with the wheel of this checkout, and with what pages use beside it."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.pages.blocks import ROOT

__all__ = ["installed"]

_EXTRAS: Final = "cli,dask,images,metrics,testing"
_BESIDE: Final = (
    "pytest>=8.2",
    "pytest-benchmark>=5",
    "passagemath-kissat>=10.6; sys_platform != 'win32'",
    "pycosat>=0.6.6",
    "pycryptosat>=5.11",
)
"""What pages tell their readers to install."""


def installed(folder: Path) -> Path:
    """Build the wheel, install it into an environment in *folder*, and return the folder of its programs.

    What is there and still right stays: the environment for the dependencies of this pyproject.toml, the wheel for
    these files. Several processes may ask at once.

    Raises:
        RuntimeError: pip could not build or install.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        needs = _digest([ROOT / "pyproject.toml"], f"{_EXTRAS} {_BESIDE} {sys.version}")
        is_new = _stamp(folder, "needs") != needs
        if is_new:
            shutil.rmtree(folder / "venv", ignore_errors=True)
            venv.create(folder / "venv", with_pip=True, symlinks=True)
        binaries = folder / "venv" / "bin"
        files = [path for path in (ROOT / "olmsolve").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        package = _digest([ROOT / "pyproject.toml", ROOT / "README.md", *sorted(files)])
        if is_new or _stamp(folder, "package") != package:
            _install(binaries / "python", with_needs=is_new)
            (folder / "needs").write_text(needs, "utf-8")
            (folder / "package").write_text(package, "utf-8")
    return binaries


def _install(python: Path, *, with_needs: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        _pip(Path(sys.executable), "wheel", "--no-deps", "--wheel-dir", name, str(ROOT))
        [wheel] = Path(name).glob("*.whl")
        if with_needs:
            _pip(python, "install", f"{wheel}[{_EXTRAS}]", *_BESIDE)
        else:
            _pip(python, "install", "--no-deps", "--force-reinstall", str(wheel))
    # A page that ran the checkout would show nothing about the wheel.
    program = "import olmsolve; print(olmsolve.__file__)"
    process = subprocess.run(
        [python, "-I", "-c", program], cwd=python.parent, capture_output=True, text=True, check=True, env={}
    )
    assert process.stdout.startswith(str(python.parents[1])), process.stdout


def _pip(python: Path, *arguments: str) -> None:
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    process = subprocess.run(
        [python, "-m", "pip", arguments[0], *quiet, *arguments[1:]], capture_output=True, text=True
    )
    if process.returncode:
        raise RuntimeError(f"pip {' '.join(arguments)} failed:\n{process.stdout}{process.stderr}")


def _stamp(folder: Path, name: str) -> str:
    path = folder / name
    return path.read_text("utf-8") if path.is_file() else ""


def _digest(files: Iterable[Path], more: str = "") -> str:
    digest = hashlib.sha256(more.encode())
    for path in files:
        digest.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
