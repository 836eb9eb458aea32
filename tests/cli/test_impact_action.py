"""The action for catalogs' pull requests: its definition fits its script, and the script compares two commits."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.cli.small_cluster import blobs, catalog_source, namespace

ACTION: Final = Path(__file__).parents[2] / "actions" / "impact"
NEEDED: Final = ("bash", "git", "iconv")


def definition() -> dict[str, Any]:
    action: dict[str, Any] = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))
    return action


def test_the_definition_and_the_script_name_the_same_things() -> None:
    """An input that is not defined is empty in a workflow, and nobody is told."""
    text, script = ((ACTION / name).read_text("utf-8") for name in ("action.yml", "compare.sh"))
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(definition()["inputs"])
    (step,) = (step for step in definition()["runs"]["steps"] if step.get("id") == "compare")
    given = {*step["env"], "RUNNER_TEMP", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"}
    assert set(re.findall(r"\$\{?([A-Z][A-Z_]+)", script)) == given
    for output in definition()["outputs"].values():
        name = output["value"].rpartition(".")[2].strip("} ")
        assert f'echo "{name}=' in script
    # Text of strangers, such as the title of a pull request, must never be part of a script.
    assert not [step["run"] for step in definition()["runs"]["steps"] if "${{" in step.get("run", "")]


@pytest.mark.skipif(any(shutil.which(program) is None for program in NEEDED), reason="needs bash, git and iconv")
def test_it_compares_the_branch_with_what_it_is_merged_into(tmp_path: Path) -> None:
    """The old catalog comes from the base commit, the report in all forms, and the code is the gate's."""

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments]
        return subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True).stdout.strip()

    repository, temporary, programs = (tmp_path / name for name in ("repository", "temporary", "programs"))
    for folder in (repository, temporary, programs):
        folder.mkdir()
    catalog = repository / "catalog.json"
    git("init", "--quiet")
    catalog.write_text("\n".join(map(json.dumps, blobs(versions=2))), "utf-8")
    git("add", ".")
    git("commit", "--quiet", "--message", "old")
    base = git("rev-parse", "HEAD")
    git("remote", "add", "origin", str(repository))
    catalog.write_text("\n".join(map(json.dumps, blobs(versions=3))), "utf-8")
    items = [catalog_source(), *namespace("shop", installed=1)]
    (repository / "dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), "utf-8")
    program = programs / "olmsolve"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m olmsolve "$@"\n', "utf-8")
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ACTION.parents[1]),
        "RUNNER_TEMP": str(temporary),
        "GITHUB_STEP_SUMMARY": str(temporary / "summary"),
        "GITHUB_OUTPUT": str(temporary / "output"),
        "CLUSTERS": "dump.json\n",
        "CATALOG": "olm/cat=catalog.json\n",
        "BEFORE": "",
        "OPENSHIFT": "",
        "FAIL_ON": "major",
        "WORKERS": "1",
        "BASE": base,
    }
    script = ["bash", str(ACTION / "compare.sh")]
    process = subprocess.run(script, cwd=repository, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    report = temporary / "impact"
    assert (temporary / "output").read_text("utf-8") == f"code=1\nreport={report}\n"
    (update,) = json.loads((report / "impact.json").read_text("utf-8"))["classes"][0]["impact"]["operators"]
    assert (update["before"], update["after"]) == ("etcd.v2", "etcd.v3")
    assert (temporary / "summary").read_text("utf-8") == (report / "impact.md").read_text("utf-8")
    assert "etcd.v3" in (report / "impact.html").read_text("utf-8")
