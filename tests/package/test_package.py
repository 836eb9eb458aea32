"""What users install: the built package in fresh environments (slow; ``make package`` tries more)."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.package.building import ROOT, Built, build, check_contents
from tests.package.installing import check_installed
from tests.package.licences import check_licences
from tests.scale import LONG

pytestmark = [
    pytest.mark.skipif(not LONG, reason="builds and installs for minutes: make package, or OLMSOLVE_TESTS=long"),
    pytest.mark.skipif(importlib.util.find_spec("build") is None, reason="needs the dependency group release"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The wheel and the source distribution of this checkout."""
    return build(tmp_path_factory.mktemp("dist"))


def test_the_package_holds_what_it_should(built: Built) -> None:
    """A file that is missing shows on users' machines alone, and one too many is there for good."""
    check_contents(built)


def test_the_wheel_works_in_fresh_environments(built: Built) -> None:
    """A checkout has tools and extras that users have not."""
    assert list(check_installed(built.wheel, sys.executable))


def test_licences_go_with_apache(built: Built) -> None:
    """A new requirement may bring a licence that nobody has looked at."""
    assert check_licences(built.wheel, sys.executable)


def test_deptry_finds_nothing() -> None:
    """It sees what tests and benchmarks import as well."""
    program = Path(sys.executable).with_name("deptry")
    deptry = str(program) if program.exists() else shutil.which("deptry")
    if deptry is None:
        pytest.skip("deptry is not installed: pip install --group release")
    process = subprocess.run([deptry, "."], cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
