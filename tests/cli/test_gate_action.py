"""The action for GitOps repositories: its definition fits its script, and the script gates a pull request."""

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

ACTION: Final = Path(__file__).parents[2] / "actions" / "gate"
NEEDED: Final = ("bash", "git", "iconv")


def test_the_definition_and_the_script_name_the_same_things() -> None:
    """An input that is not defined is empty in a workflow, and nobody is told."""
    text, script = ((ACTION / name).read_text("utf-8") for name in ("action.yml", "gate.sh"))
    definition: dict[str, Any] = yaml.safe_load(text)
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(definition["inputs"])
    (step,) = (step for step in definition["runs"]["steps"] if step.get("id") == "gate")
    given = {*step["env"], "RUNNER_TEMP", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"}
    assert set(re.findall(r"\$\{?([A-Z][A-Z_]+)", script)) == given
    for output in definition["outputs"].values():
        assert f'echo "{output["value"].rpartition(".")[2].strip("} ")}=' in script


@pytest.mark.skipif(any(shutil.which(program) is None for program in NEEDED), reason="needs bash, git and iconv")
def test_it_gates_a_pull_request(tmp_path: Path) -> None:
    """A deleted subscription is reported and gated by name; a misspelt field is the whole comment, and fails."""
    repository, temporary, programs = (tmp_path / name for name in ("repository", "temporary", "programs"))
    for folder in (repository / "apps", temporary, programs):
        folder.mkdir(parents=True)

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments]
        return subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True).stdout.strip()

    group, wish, _ = namespace("shop")
    for name, manifest in {"group": group, "etcd": wish}.items():
        (repository / "apps" / f"{name}.json").write_text(json.dumps({**manifest, "status": {}}), "utf-8")
    (repository / "catalog.json").write_text("\n".join(map(json.dumps, blobs())), "utf-8")
    items = [catalog_source(), *namespace("shop")]
    (repository / "dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), "utf-8")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "old")
    git("remote", "add", "origin", str(repository))
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
        "CHANGE": "apps\n",
        "CATALOG": "olm/cat=catalog.json\n",
        "FAIL_ON": "orphaned",
        "WORKERS": "1",
        "BASE": git("rev-parse", "HEAD"),
    }

    def ran() -> tuple[str, str]:
        (temporary / "output").unlink(missing_ok=True)
        command = ["bash", str(ACTION / "gate.sh")]
        process = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
        assert process.returncode == 0, process.stderr
        return (temporary / "output").read_text("utf-8"), (temporary / "gate.md").read_text("utf-8")

    (repository / "apps" / "etcd.json").unlink()
    output, report = ran()
    assert output == f"code=1\nreport={temporary / 'gate.md'}\n"
    assert "Subscription shop/etcd is deleted" in report
    (repository / "apps" / "etcd.json").write_text(
        json.dumps({**wish, "status": {}, "spec": {**wish["spec"], "chanel": "stabel"}}), "utf-8"
    )
    output, report = ran()
    assert output.startswith("code=2\n")
    assert "spec.chanel: is not a field of this kind (did you mean channel?)" in report
