"""Pyright agrees with mypy about what users write: right lines pass, and each wrong line is an error."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="module")
def errors() -> dict[str, set[int]]:
    """The lines with errors by file name, as pyright (or basedpyright) finds them without any ignores."""
    program = next((found for name in ("pyright", "basedpyright") if (found := _program(name))), None)
    if program is None:
        pytest.skip("neither pyright nor basedpyright is installed")
    files = [str(HERE / name) for name in ("test_usage.py", "test_wrong_usage.py")]
    settings: dict[str, object] = {"include": files, "enableTypeIgnoreComments": False, "typeCheckingMode": "standard"}
    # A name that is bound in a block which always raises.
    settings["reportPossiblyUnboundVariable"] = "none"
    return _run(program, settings)


def _program(name: str) -> str | None:
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def _run(program: str, settings: dict[str, object]) -> dict[str, set[int]]:
    config = ROOT / "pyrightconfig.typing-test.json"
    try:
        config.write_text(json.dumps(settings), "utf-8")
        command = [program, "--project", str(config), "--pythonpath", sys.executable, "--outputjson"]
        run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    finally:
        config.unlink()
    found: dict[str, set[int]] = {}
    for each in json.loads(run.stdout)["generalDiagnostics"]:
        if each["severity"] == "error":
            found.setdefault(Path(each["file"]).name, set()).add(each["range"]["start"]["line"] + 1)
    return found


@pytest.mark.parametrize("name", ["test_usage.py", "test_wrong_usage.py"])
def test_pyright_finds_what_mypy_finds(errors: dict[str, set[int]], name: str) -> None:
    """Editors use the one, pipelines the other."""
    lines = (HERE / name).read_text("utf-8").splitlines()
    expected = {number for number, line in enumerate(lines, start=1) if re.search(r"# type: ignore\[", line)}
    assert errors.get(name, set()) == expected
