"""The metadata of the package: what it declares is what it imports, and versions agree."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from olmsolve.cli import COMMANDS
from tests.architecture.imports import NAMES, imported, modules
from tests.package import probe
from tests.package.building import MOST_BESIDE_PYTHON, MOST_IN_WHEEL, packed_size
from tests.package.installing import REPRESENTATIVE

ROOT: Final = Path(__file__).parents[2]
TEXT: Final = (ROOT / "pyproject.toml").read_text("utf-8")
PROJECT: Final[dict[str, Any]] = tomllib.loads(TEXT)["project"]

# Modules whose name is not that of their package.
MODULES: Final = {
    "backports.zstd": "backports.zstd",
    "cel-python": "celpy",
    "google-re2": "re2",
    "grpcio": "grpc",
    "python-sat": "pysat",
    "pyyaml": "yaml",
}

# Packages that olmsolve imports only for those who have them.
UNDECLARED: Final = {
    "packaging": "Version.of and to_packaging convert versions of programs that use it",
    "pytest": "it loads the plugin itself",
}


def requirements() -> Iterator[tuple[str, str]]:
    """Each requirement of the package, with the extra that has it ("" for all users)."""
    yield from (("", dependency) for dependency in PROJECT["dependencies"])
    for extra, required in PROJECT["optional-dependencies"].items():
        yield from ((extra, requirement) for requirement in required if extra not in ("all", "docs"))


def module_of(requirement: str) -> str:
    """The module that a *requirement* brings."""
    package = re.split(r"[><=!~;\[ ]", requirement)[0]
    return MODULES.get(package, package.replace("-", "_"))


@cache
def third_parties() -> set[str]:
    """The modules of other packages that the package imports anywhere, by full name."""
    static = {source for module in NAMES.values() for source, _, _ in imported(module)}
    by_name = re.compile(r'import_module\("([\w.]+)"\)|"(backports\.\w+)"')
    lazy = {first or last for module in modules() for first, last in by_name.findall(module.read_text("utf-8"))}
    return {name for name in static | lazy if name.split(".")[0] not in {*_standard_library(), "olmsolve"}}


def _standard_library() -> frozenset[str]:
    import sys

    return frozenset({*sys.stdlib_module_names, "__future__"})


@pytest.mark.parametrize(("extra", "requirement"), list(requirements()))
def test_each_declared_package_is_imported(extra: str, requirement: str) -> None:
    """A requirement that nothing uses costs every user an installation, and its faults."""
    module = module_of(requirement)
    assert any(f"{name}.".startswith(f"{module}.") for name in third_parties()), (extra, requirement)


def test_each_imported_package_is_declared() -> None:
    """What another package happens to bring may be gone with its next version."""
    declared = {module_of(requirement) for _, requirement in requirements()}
    for name in third_parties():
        known = declared | set(UNDECLARED)
        assert any(f"{name}.".startswith(f"{module}.") for module in known), name


def test_all_is_every_extra_for_users() -> None:
    """Whoever asks for everything must not find an extra missing."""
    ((everything,), others) = PROJECT["optional-dependencies"]["all"], set(PROJECT["optional-dependencies"])
    assert set(re.findall(r"[\w-]+", everything.partition("[")[2])) == others - {"all", "docs"}


def test_a_cap_has_a_reason() -> None:
    """A cap without need keeps users from fixes; the comment on the line above says what the next version breaks."""
    lines = TEXT.partition("[tool.")[0].splitlines()
    for before, line in pairwise(lines):
        if re.search(r'"[\w.\[\]-]+[^";]*(<|==|~=)', line) and "requires-python" not in line:
            assert before.strip().startswith("#"), line


def test_every_requirement_has_a_lowest_version() -> None:
    """Without one, an installer may take a version of ten years ago."""
    for _, requirement in requirements():
        assert re.search(r">=\d", requirement), requirement


def test_the_tested_versions_of_python_are_those_that_are_declared() -> None:
    """A version that is declared and not tested is a promise that nobody keeps."""
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))
    assert workflow["jobs"]["tests"]["strategy"]["matrix"]["python"] == declared
    assert PROJECT["requires-python"] == f">={declared[0]}"


def test_the_tests_of_the_source_distribution_exist() -> None:
    """A folder that was renamed would be noticed by a release alone."""
    assert [path for path in REPRESENTATIVE if not (ROOT / path).exists()] == []


def test_links_of_the_files_at_the_root_lead_somewhere() -> None:
    """Whoever reports a fault or contributes begins there."""
    for name in ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md"):
        text = (ROOT / name).read_text("utf-8")
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
            assert (ROOT / target).exists(), f"{name}: {target}"


def test_the_wheel_stays_small() -> None:
    """Its size is known without building it: the same compression, and what a wheel adds to each file."""
    packed, beside = packed_size()
    assert packed < MOST_IN_WHEEL, "docs/performance.md says what a wheel holds"
    assert beside < MOST_BESIDE_PYTHON, "schemas, examples and pages grew: are all of them needed to run?"


def test_each_command_is_called_where_the_package_is_installed() -> None:
    """A release tries them for minutes; a new command without a call there would show at the release alone."""
    assert set(probe.COMMANDS) == set(COMMANDS)
