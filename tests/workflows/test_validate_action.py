"""The action and the hooks for repositories of catalogs: their definitions fit, and the script says what is wrong."""

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

from olmsolve.cli import COMMANDS

ROOT: Final = Path(__file__).parents[2]
ACTION: Final = ROOT / "actions/validate"


def test_the_definition_and_the_script_name_the_same_things() -> None:
    """An input that is not defined is empty in a workflow, and nobody is told."""
    text, script = ((ACTION / name).read_text("utf-8") for name in ("action.yml", "validate.sh"))
    definition: dict[str, Any] = yaml.safe_load(text)
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(definition["inputs"])
    (step,) = (step for step in definition["runs"]["steps"] if step.get("id") == "validate")
    given = {*step["env"], "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"}
    assert set(re.findall(r"\$\{?([A-Z][A-Z_]+)", script)) == given


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_findings_become_annotations_a_summary_and_a_report(tmp_path: Path) -> None:
    """The author of a pull request sees each finding on its line; code scanning keeps the report."""
    (tmp_path / "good").mkdir()
    (tmp_path / "good/catalog.yaml").write_text("")
    (tmp_path / "bad.yaml").write_text("schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.chanel\n")
    program = tmp_path / "olmsolve"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m olmsolve "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "CATALOGS": "good\nbad.yaml\n",
        "LEVEL": "warning",
        "STRICT": "false",
        "IGNORE": "catalog-empty\n",
        "SARIF": "report.sarif",
    }
    command = ["bash", str(ACTION / "validate.sh")]
    process = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert (tmp_path / "output").read_text() == "code=1\n"
    shown = re.findall(r"^::(\w+) file=bad\.yaml,line=(\d+).*title=([\w-]+)::", process.stdout, re.MULTILINE)
    assert shown == [
        ("warning", "5", "schema-unknown"),
        ("error", "3", "default-channel-unknown"),
        ("error", "1", "package-empty"),
    ]
    assert "Not valid" in (tmp_path / "summary").read_text()
    (run,) = json.loads((tmp_path / "report.sarif").read_text())["runs"]
    assert len(run["results"]) == len(shown)


def test_hooks_run_commands_that_take_several_catalogs() -> None:
    """pre-commit calls each hook with all files that have changed."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    for hook in hooks:
        program, command = hook["entry"].split()
        assert program == "olmsolve"
        assert command in COMMANDS
        assert hook["id"] == f"olmsolve-{command}"
        for path in ("catalog.yaml", "catalogs/p/catalog.json", "a/index.yml"):
            assert re.search(hook["files"], path)
        assert not re.search(hook["files"], "values.yaml")
