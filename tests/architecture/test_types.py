"""The types of the whole project: strict mypy accepts olmsolve, its tests, benchmarks and website."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[2]


def test_mypy_accepts_the_project() -> None:
    """A test, and not a step before all tests: it takes a minute of one processor while another one runs the others."""
    run = subprocess.run([sys.executable, "-m", "mypy"], cwd=_ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
