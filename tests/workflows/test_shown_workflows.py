"""The workflows that guides show: readers copy them, and nothing else runs them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

import pytest
import yaml

from olmsolve.cli import parser_of
from tests.pages.blocks import PAGES, ROOT, File, read_page

SHOWN: Final = [
    (page, step)
    for page in PAGES
    for step in read_page(page.read_text("utf-8")).steps
    if isinstance(step, File) and step.name.startswith(".github/workflows/")
]


@pytest.mark.parametrize(("page", "file"), SHOWN, ids=lambda value: getattr(value, "name", ""))
def test_a_shown_workflow_runs_commands_that_exist(page: Path, file: File) -> None:
    """A renamed option would fail in the reader's repository, and strangers' text in a script would be run there."""
    workflow = yaml.safe_load(file.text)
    assert workflow["permissions"] == {"contents": "read"}, page.relative_to(ROOT)
    scripts = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert not [script for script in scripts if "${{" in script]
    commands = [script for script in scripts if script.startswith("olmsolve ")]
    assert commands
    for command in commands:
        _, name, *arguments = shlex.split(re.sub(r"\s>>?\s.*", "", command).replace("$SEED", "7"))
        assert parser_of(name).parse_args(arguments)


def test_guides_show_workflows() -> None:
    """The parameters above are not empty."""
    assert len(SHOWN) >= 4
