"""What authors do with their catalogs, command by command: only what was meant changes in their files."""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from pathlib import Path

import pytest

from tests.authoring.notation import Scenario, scenarios
from tests.cli.commands import Run, runner

FOLDER = Path(__file__).parent / "scenarios"
SCENARIOS = {
    f"{path.stem}-{number}": scenario
    for path in sorted(FOLDER.glob("*.txt"))
    for number, scenario in enumerate(scenarios(path), 1)
}


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


def files() -> dict[str, str]:
    """The files here, by name."""
    paths = sorted(path for path in Path().rglob("*") if path.is_file())
    return {str(path): path.read_bytes().decode() for path in paths}


def changed_lines(before: str, after: str) -> list[str]:
    """The lines that go and come, as ``git diff -U0`` has them."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))
    return [line for line in lines[2:] if not line.startswith("@@")]


def net(lines: list[str]) -> dict[str, int]:
    """How much more often each line is there afterwards: diffs may show the same change in several ways."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts[line[1:]] += 1 if line[0] == "+" else -1
    return {line: count for line, count in counts.items() if count}


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_an_author_gets_what_was_meant(olmsolve: Run, scenario: Scenario) -> None:
    """A scenario says why it is there; no file changes in any other line than it says."""
    for name, text in scenario.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode())
    assert scenario.commands, scenario.why
    for command in scenario.commands:
        before = files()
        outcome = olmsolve(*shlex.split(command.arguments))
        assert outcome.code == command.code, outcome.err
        for text in command.complaints:
            assert text in outcome.err
        assert bool(outcome.err) == bool(command.complaints), outcome.err
        # What is expected comes in its order, other lines between it.
        printed = iter(outcome.out.splitlines())
        assert [line for line in command.printed if line not in printed] == []
        after = files()
        names = sorted({*before, *after})
        changes = {name: changed_lines(before.get(name, ""), after.get(name, "")) for name in names}
        changes = {name: lines for name, lines in changes.items() if lines}
        assert {name: net(lines) for name, lines in changes.items()} == {
            name: net(lines) for name, lines in command.changes.items()
        }, scenario.why
        # Nothing moves: more lines would differ then.
        assert all(len(lines) <= len(command.changes[name]) for name, lines in changes.items())


def test_there_are_enough() -> None:
    """Sixty operations or more, of every action that edits."""
    commands = [command.arguments.split() for scenario in SCENARIOS.values() for command in scenario.commands]
    assert len(commands) >= 60
    actions = {arguments[1] for arguments in commands if arguments[0] == "catalog"}
    assert actions >= {"add", "deprecate", "edge", "list", "promote", "remove", "set-default", "subset"}
