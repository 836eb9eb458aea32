"""Workflows and actions: pinned, with few rights, and without text of strangers in scripts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[2]
WORKFLOWS: Final = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONS: Final = sorted((ROOT / "actions").glob("*/action.yml"))
BOTH: Final = [*WORKFLOWS, *ACTIONS]


def read(path: Path) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def steps(path: Path) -> list[dict[str, Any]]:
    """The steps of all jobs of a workflow, or of an action."""
    found = read(path)
    jobs = found["jobs"].values() if "jobs" in found else [found["runs"]]
    return [step for job in jobs for step in job["steps"]]


@pytest.mark.parametrize("path", BOTH, ids=name)
def test_every_action_is_pinned(path: Path) -> None:
    """A tag can be moved to other code, a commit cannot; the comment says which version it is."""
    for line in path.read_text("utf-8").splitlines():
        if "uses:" in line:
            assert re.search(r"uses: [\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_an_action_has_one_version() -> None:
    """What works in one workflow works in the others."""
    found = {tuple(step["uses"].split("@")) for path in BOTH for step in steps(path) if "uses" in step}
    assert len(found) == len({action for action, _ in found})


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_rights_are_given_to_jobs_alone(path: Path) -> None:
    """A workflow that says nothing may write to the repository."""
    workflow = read(path)
    assert workflow["permissions"] == {}
    for title, job in workflow["jobs"].items():
        assert "permissions" in job, title
        assert "timeout-minutes" in job, title


@pytest.mark.parametrize("path", BOTH, ids=name)
def test_no_script_holds_an_expression(path: Path) -> None:
    """Text of strangers, such as the name of a branch, comes through the environment, where it is never run."""
    assert not [step["run"] for step in steps(path) if "${{" in step.get("run", "")]


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_workflows_run_targets_that_exist(path: Path) -> None:
    """A target that was renamed would be missed on the next push only."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for step in steps(path):
        for target in re.findall(r"\bmake ([\w-]+)", step.get("run", "")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize(
    ("program", "arguments"),
    [("zizmor", ["--offline", "--persona", "pedantic", ".github", "actions"]), ("actionlint", [])],
)
def test_linters_find_nothing(program: str, arguments: list[str]) -> None:
    """They know what nobody remembers: expressions, labels of runners, events, ways to inject."""
    beside = Path(sys.executable).with_name(program)
    found = str(beside) if beside.exists() else shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed: make lint-workflows")
    done = subprocess.run([found, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
