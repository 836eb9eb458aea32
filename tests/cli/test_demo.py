"""``olmsolve demo``: the example for those who have no checkout."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import olmsolve as library
from tests.cli.commands import Run

EXAMPLES = Path(library.__file__).parent / "examples"
ROOT = Path(__file__).parents[2]


def shown_commands(text: str) -> list[list[str]]:
    """The arguments of the commands that *text* shows, after a prompt or indented."""
    return [shlex.split(line)[1:] for line in re.findall(r"^(?:\$ |  )(olmsolve .*)$", text, re.MULTILINE)]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_demo_prints_what_its_commands_print(olmsolve: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo promises that each shown command can be tried and says the same."""
    monkeypatch.chdir(ROOT)
    outcome = olmsolve("demo")
    assert (outcome.code, outcome.err) == (0, "")
    parts = outcome.out.split("$ ")[1:]
    assert len(parts) == 3
    codes = []
    for part in parts:
        command, _, printed = part.partition("\n")
        rerun = olmsolve(*shlex.split(command)[1:])
        assert rerun.out.strip() == printed.strip()
        codes.append(rerun.code)
    assert codes == [0, 0, 1]


def test_elsewhere_the_commands_run_once_the_example_is_written(
    olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever installed the package has no folder olmsolve/examples."""
    monkeypatch.chdir(tmp_path)
    text = olmsolve("demo").out
    assert text.rstrip().splitlines()[-1].startswith("olmsolve demo --write ")
    assert not list(tmp_path.iterdir())
    assert olmsolve("demo", "--write").code == 0
    for arguments in shown_commands(text):
        assert olmsolve(*arguments).code in (0, 1)


def test_the_example_is_written_whole(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The three commands that come next work as they are printed, also in a folder with a blank in its name."""
    monkeypatch.chdir(tmp_path)
    outcome = olmsolve("demo", "--write", "my shop")
    assert (outcome.code, outcome.err) == (0, "")
    assert files(tmp_path / "my shop") == files(EXAMPLES)
    commands = shown_commands(outcome.out)
    assert len(commands) == 3
    for arguments in commands:
        assert olmsolve(*arguments).err == ""
    # Written twice is written once.
    assert olmsolve("demo", "--write", "my shop").out == outcome.out


def test_other_files_stay(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a file that somebody has changed nor one that somebody has added is touched, and nothing is added."""
    monkeypatch.chdir(tmp_path)
    for name in ("install.yaml", "mine.yaml"):
        folder = tmp_path / f"with-{name}"
        folder.mkdir()
        (folder / name).write_text("mine", "utf-8")
        outcome = olmsolve("demo", "--write", folder.name)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"olmsolve: with-{name}/{name}: the folder holds a file that is not of the exam")
        assert files(folder) == {name: b"mine"}


@pytest.mark.parametrize("target", ["file", "file/below", ""])
def test_a_target_that_cannot_be(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    """A mistyped folder is bad input, and no fault of olmsolve."""
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("", "utf-8")
    outcome = olmsolve("demo", "--write", target)
    assert (outcome.code, outcome.out) == (2, "")
    assert "olmsolve" in outcome.err


def test_the_demo_needs_no_checkout(tmp_path: Path) -> None:
    """A fresh process in an empty folder finds the example in the package."""
    command = [sys.executable, "-P", "-m", "olmsolve", "demo"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert "olmsolve demo --write" in run.stdout
