"""Workflows and actions: pinned, with few rights, and without text of strangers in scripts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from olmsolve import __version__

ROOT: Final = Path(__file__).parents[2]
WORKFLOWS: Final = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONS: Final = sorted((ROOT / "actions").glob("*/action.yml"))
BOTH: Final = [*WORKFLOWS, *ACTIONS]


def read(path: Path) -> dict[Any, Any]:
    document: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    return document


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def steps(path: Path) -> list[dict[str, Any]]:
    """The steps of all jobs of a workflow, or of an action."""
    document = read(path)
    jobs = document["jobs"].values() if "jobs" in document else [document["runs"]]
    return [step for job in jobs for step in job["steps"]]


@pytest.mark.parametrize("path", BOTH, ids=name)
def test_every_action_is_pinned(path: Path) -> None:
    """A tag can be moved to other code, a commit cannot; the comment says which version it is."""
    for line in path.read_text("utf-8").splitlines():
        if "uses:" in line:
            assert re.search(r"uses: [\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_an_action_has_one_version() -> None:
    """What works in one workflow works in the others."""
    actions = {tuple(step["uses"].split("@")) for path in BOTH for step in steps(path) if "uses" in step}
    assert len(actions) == len({action for action, _ in actions})


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
    path = str(beside) if beside.exists() else shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed: make lint-workflows")
    process = subprocess.run([path, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr


LOCKED: Final = ROOT / "actions/requirements.txt"
TOOLS: Final = ROOT / ".ci/constraints.txt"


def locked(path: Path) -> dict[str, str]:
    """The versions in a locked file by name; a name that several platforms have differently has its last."""
    lines = (line for line in path.read_text("utf-8").splitlines() if line and line[0] not in " #")
    return {match[1]: match[2] for line in lines if (match := re.match(r"([\w.-]+)==(\S+)", line))}


@pytest.mark.parametrize("path", ACTIONS, ids=name)
def test_an_action_installs_what_it_was_pinned_with(path: Path) -> None:
    """Whoever pins an action by its commit gets that code, and not what an index has on the day."""
    action = read(path)
    assert action["inputs"]["version"]["default"] == ""
    installs = [step["run"] for step in steps(path) if "install" in step.get("run", "")]
    assert installs == ['bash "$GITHUB_ACTION_PATH/../install.sh"']


def test_requirements_of_actions_have_hashes() -> None:
    """Each is one version, each of its files has a hash, and no line says from where it comes."""
    text = LOCKED.read_text("utf-8")
    entries = [entry for entry in re.split(r"\n(?=\w)", text) if "==" in entry]
    assert len(entries) > 10
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    assert {re.split(r"[^\w.-]", requirement)[0].lower() for requirement in wanted} <= locked(LOCKED).keys()


def test_tools_are_pinned() -> None:
    """A linter that finds more from one day to the next, or a builder that somebody took over, is nobody's wish."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["dependency-groups"]["release"], *project["dependency-groups"]["docs"]]
    assert {re.split(r"[^\w.-]", requirement)[0].lower() for requirement in wanted} <= locked(TOOLS).keys()
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for line in makefile.splitlines():
        if re.search(r"pip install.*(--group (release|docs)|cyclonedx|actionlint)", line):
            assert "$(PINNED)" in line, line


@pytest.mark.parametrize("path", [LOCKED, TOOLS], ids=name)
def test_locked_files_name_no_address(path: Path) -> None:
    """They serve whichever index somebody has."""
    assert not re.search(r"https?:|file:|--index|--find-links|@ ", path.read_text("utf-8"))


def test_krew_installs_the_release_that_it_names() -> None:
    """Whoever chooses a version of the plugin, whose digest krew checks, gets this version of the program."""
    script = (ROOT / "krew/kubectl-olmsolve.sh").read_text("utf-8")
    assert re.findall(r"^what='olmsolve\[[\w,]+\](.*)'$", script, re.MULTILINE) == [f"=={__version__}"]
    # What it runs, and what it tells people to run.
    assert not re.search(r"olmsolve\[", script.partition("what=")[2].partition("\n")[2])


def test_the_readers_are_fuzzed_each_week() -> None:
    """What strangers send is read by code that changes each week."""
    workflow = read(ROOT / ".github/workflows/tests.yml")
    assert workflow[True]["schedule"], "YAML reads the word on as a truth value"
    runs = [step.get("run", "") for step in workflow["jobs"]["fuzz"]["steps"]]
    assert any("make fuzz " in run for run in runs)


def test_what_actions_install_is_this_code(tmp_path: Path) -> None:
    """Without a version, the script installs its own checkout; with one, that from an index."""
    program = tmp_path / "python"
    program.write_text(
        f'#!/bin/sh\nfor each in "$@"; do echo "$each"; done >> {tmp_path}/calls\necho >> {tmp_path}/calls\n'
    )
    program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    for version, expected in (("", 2), ("olmsolve==1.2.3", 1)):
        (tmp_path / "calls").write_text("")
        command = ["bash", str(ROOT / "actions/install.sh")]
        subprocess.run(command, env={**environment, "VERSION": version}, check=True)
        calls = [call.splitlines() for call in (tmp_path / "calls").read_text().split("\n\n") if call]
        assert len(calls) == expected
        if version:
            assert calls[0][-2:] == ["--", version]
        else:
            assert {"--require-hashes", "--no-deps"} <= set(calls[0])
            assert {"--no-index", "--no-deps", "--no-build-isolation"} <= set(calls[1])
