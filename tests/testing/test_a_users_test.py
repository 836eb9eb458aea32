"""A test of fifteen lines, as docs/testing.md shows it, finds a fault that was planted in a set of constraints."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import olmsolve
from tests.pages.files import file_of

ROOT = Path(__file__).parents[2]
NAME = "test_constraints.py"
SOURCE = file_of("docs/testing.md", NAME)

# The author means "a message broker and a cache", as the documentation reads it; the controller looks for one bundle.
FAULT = """\
  - type: olm.constraint
    value:
      all:
        constraints:
          - package: {packageName: courier, versionRange: ">=3.0.0"}
          - package: {packageName: ember, versionRange: ">=1.0.0"}
"""


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the test in *folder* in a process of its own, as its author would."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", NAME],
        cwd=folder,
        # In CI, Hypothesis draws the same examples each time, and a busy machine is no failure.
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "CI": "true",
            # Hypothesis looks for constants in the modules of a checkout, though not in an installed olmsolve. This
            # folder remembers what it found, so that it need not parse them anew.
            "HYPOTHESIS_STORAGE_DIRECTORY": str(ROOT / ".hypothesis"),
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The author's folder: the test, and beside it the catalogs of the bundled example."""
    (tmp_path / NAME).write_text(SOURCE, "utf-8")
    shutil.copytree(Path(olmsolve.__file__).parent / "examples/catalogs", tmp_path / "catalogs")
    return tmp_path


def test_the_test_is_short() -> None:
    """Fifteen lines, with the blank ones."""
    assert len(SOURCE.splitlines()) <= 15


def test_it_passes_over_a_sound_catalog(folder: Path) -> None:
    """A test that fails without a fault is of no use."""
    assert run(folder).returncode == 0


def test_it_finds_a_planted_fault_and_shrinks_it(folder: Path) -> None:
    """The failing example is a catalog of at most three bundles, found in less than ten seconds of computing."""
    keyring = folder / "catalogs/commons/keyring.yaml"
    text = keyring.read_text("utf-8")
    assert text.count("schema: olm.bundle") > 1
    # After the last bundle of the file, the newest one.
    keyring.write_text(text.rstrip("\n") + "\n" + FAULT, "utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = run(folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert outcome.returncode == 1, outcome.stdout
    sizes = re.findall(r"<Catalog .*?: \d+ packages, \d+ channels, (\d+) bundles>", outcome.stdout)
    assert sizes, outcome.stdout
    assert int(sizes[-1]) <= 3
    assert "requires all of (package courier in >=3.0.0; package ember in >=1.0.0)" in outcome.stdout
    assert after.ru_utime - before.ru_utime < 10
