"""Every public name has a type that type checkers need not guess."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_every_name_has_a_declared_type() -> None:
    """A type that is guessed may be guessed differently by the checker of a user, or change with the code."""
    beside = Path(sys.executable).parent / "basedpyright"
    program = str(beside) if beside.exists() else shutil.which("basedpyright") or shutil.which("pyright")
    if program is None:
        pytest.skip("neither pyright nor basedpyright is installed")
    command = [program, "--verifytypes", "olmsolve", "--ignoreexternal", "--pythonpath", sys.executable, "--outputjson"]
    # The checker does not follow the path file of an editable installation.
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    completeness = json.loads(run.stdout)["typeCompleteness"]
    assert Path(completeness["packageRootDirectory"]) == ROOT / "olmsolve"
    incomplete = [
        f"{symbol['name']}: {diagnostic['message']}"
        for symbol in completeness["symbols"]
        for diagnostic in symbol["diagnostics"]
        if diagnostic["severity"] == "error"
    ]
    assert not incomplete
    assert completeness["completenessScore"] == 1
