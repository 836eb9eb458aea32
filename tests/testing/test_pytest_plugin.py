"""The pytest plugin in sessions of its own: fixtures from files, the option, and what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import olmsolve

EXAMPLES = Path(olmsolve.__file__).parent / "examples"
TESTS = """\
from olmsolve.testing import assert_installs, assert_unsatisfiable, request_for

def test_option(olmsolve_catalog):
    assert_installs(request_for(olmsolve_catalog, "keyring"), "keyring.v1.0.2")

def test_documents(olmsolve_request):
    assert_installs(olmsolve_request("install.yaml"), "storefront.v2.1.0")
    assert_unsatisfiable(olmsolve_request("unsatisfiable.yaml"), because="courier")

def test_files(olmsolve_load):
    commons = olmsolve_load("catalogs/commons")
    assert "keyring" in commons.packages
    assert olmsolve_load("catalogs/../catalogs/commons") is commons
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the examples and a test of each fixture."""
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    (tmp_path / "test_mine.py").write_text(TESTS, "utf-8")
    return tmp_path


def session(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in *folder* as a user does; the plugin is named, since the checkout may not be installed."""
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES.parents[1]), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "olmsolve.testing.pytest_plugin", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_fixtures_and_the_option(folder: Path) -> None:
    """Paths are relative to the test, that of the option to where pytest was started."""
    outcome = session(folder, "--olmsolve-catalog", "catalogs/commons")
    assert "3 passed" in outcome.stdout, outcome.stdout


def test_without_a_catalog_a_test_is_skipped(folder: Path) -> None:
    """A suite that needs a catalog which is not everywhere says so."""
    outcome = session(folder)
    assert "2 passed, 1 skipped" in outcome.stdout
    assert "no catalog: give --olmsolve-catalog PATH" in outcome.stdout


def test_the_catalog_of_the_configuration(folder: Path) -> None:
    """The path stands in the configuration file, and is relative to it."""
    (folder / "pytest.ini").write_text("[pytest]\nolmsolve_catalog = catalogs/commons\n", "utf-8")
    assert "3 passed" in session(folder).stdout


def test_a_broken_catalog_is_one_clear_error(folder: Path) -> None:
    """The message names the file; nothing else went wrong."""
    outcome = session(folder, "--olmsolve-catalog", "nonesuch")
    assert "CatalogError" in outcome.stdout
    assert "nonesuch" in outcome.stdout


def test_the_plugin_is_registered() -> None:
    """pytest finds it by its entry point."""
    project = (EXAMPLES.parents[1] / "pyproject.toml").read_text("utf-8")
    assert '[project.entry-points.pytest11]\nolmsolve = "olmsolve.testing.pytest_plugin"' in project
