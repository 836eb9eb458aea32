"""The playground of the site: olmsolve in the browser, with the Python of Pyodide, and no server.

``make docs`` fetches Pyodide with npm; where there is none, the page says that this copy of the site has no playground.
"""

from __future__ import annotations

import importlib.util
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["PYODIDE", "archive", "write"]

_ROOT: Final = Path(__file__).parents[1]
_SOURCE: Final = Path(__file__).parent / "playground"
PYODIDE: Final = _ROOT / "build/pyodide/package"
"""Where ``make docs`` unpacks Pyodide."""

_RUNTIME: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# What olmsolve imports for a plan, without compiled parts: attrs, and the YAML of texts that are not usual.
_PACKAGES: Final = ("attr", "attrs", "yaml")


_LACKING: Final = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>olmsolve in the browser</title></head>
<body><p>This copy of the site was built without the playground.</p></body></html>
"""


def write(folder: Path) -> bool:
    """Write the playground into *folder*, or a page that says why there is none; return whether there is one."""
    if not all((PYODIDE / name).is_file() for name in _RUNTIME):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(_LACKING, "utf-8")
        return False
    shutil.copytree(_SOURCE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "pyodide").mkdir(exist_ok=True)
    for name in _RUNTIME:
        shutil.copy(PYODIDE / name, folder / "pyodide" / name)
    archive(folder / "python.zip")
    return True


def archive(path: Path) -> None:
    """Write the modules that the playground needs as a ZIP archive; the same files give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, file in _files():
            packed.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)


def _files() -> Iterator[tuple[str, Path]]:
    for package in _PACKAGES:
        found = importlib.util.find_spec(package)
        assert found is not None
        assert found.origin is not None
        folder = Path(found.origin).parent
        yield from ((f"{package}/{file.relative_to(folder).as_posix()}", file) for file in sorted(folder.rglob("*.py")))
    folder = _ROOT / "olmsolve"
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            yield f"olmsolve/{file.relative_to(folder).as_posix()}", file
