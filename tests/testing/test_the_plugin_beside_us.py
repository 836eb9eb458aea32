"""The pytest plugin is found by an entry point, which makes pytest rewrite every module of the distribution."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CONFTEST = """
import pytest
pytest.register_assert_rewrite("olmsolve")
"""
TEST = """
import olmsolve
from olmsolve.semver import Version

def test_doors_open():
    assert type(olmsolve.__spec__.loader).__name__ == "AssertionRewritingHook"
    assert olmsolve.Catalog({}) == olmsolve.Catalog({})
    assert Version.parse("1.0.0") < Version.parse("1.0.1")
"""


def test_doors_open_in_modules_that_pytest_has_rewritten(tmp_path: Path) -> None:
    """Whoever installs olmsolve beside pytest gets rewritten modules, whose loader knows no compiled code."""
    (tmp_path / "conftest.py").write_text(CONFTEST, "utf-8")
    (tmp_path / "test_doors.py").write_text(TEST, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert process.returncode == 0, process.stdout
