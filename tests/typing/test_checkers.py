"""Both type checkers agree about what users write: right lines pass, each wrong line has the error that is meant."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

RULES: Final = {
    "arg-type": {"reportArgumentType"},
    "assignment": {"reportAttributeAccessIssue"},
    "attr-defined": {"reportAttributeAccessIssue"},
    "call-arg": {"reportCallIssue"},
    "call-overload": {"reportCallIssue", "reportArgumentType"},
    "list-item": {"reportArgumentType"},
    "misc": {"reportAttributeAccessIssue", "reportArgumentType"},
    "operator": {"reportOperatorIssue"},
}
"""The rules of basedpyright that say the same as an error of mypy; one of them is enough."""


class Pair(NamedTuple):
    """A comment that says what is shown, and the numbers of the right line and of the wrong line below it."""

    shows: str
    right: int
    wrong: int


def pairs() -> Iterator[Pair]:
    """Yield the pairs of tests/typing/test_wrong_usage.py."""
    lines = (HERE / "test_wrong_usage.py").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if re.match(r"        # [^=]", line):
            assert "# type: ignore[" not in lines[number], line
            assert "# type: ignore[" in lines[number + 1], line
            yield Pair(line.strip(" #"), number + 1, number + 2)


def test_the_pairs_cover_the_public_face() -> None:
    """At least forty; every ignore of the file belongs to one; and each door is among them."""
    text = (HERE / "test_wrong_usage.py").read_text("utf-8")
    all_pairs = list(pairs())
    assert len(all_pairs) >= 40
    assert len(all_pairs) == text.count("# type: ignore[")
    assert len({pair.shows for pair in all_pairs}) == len(all_pairs)
    names = ("Resolver(", "CatalogStore(", "Request(", "Prefer(", "Policy(", "semantics=", "load(", "package(", "plan(")
    rooms = [
        "v1",
        "objects",
        "events",
        "backends",
        "testing",
        "timing",
        "synthetic",
        "semver",
        "cel",
        "predicates",
        "solver",
        "catalog",
        "errors",
    ]
    assert [name for name in (*names, *(f"{room}." for room in rooms)) if name not in text] == []


class Found(NamedTuple):
    """An error of basedpyright: the rule, and what it says."""

    rule: str
    message: str


@pytest.fixture(scope="module")
def errors() -> dict[str, dict[int, list[Found]]]:
    """The errors by file name and line, as basedpyright finds them without any ignores."""
    program = next((path for name in ("basedpyright", "pyright") if (path := _program(name))), None)
    if program is None:
        pytest.skip("neither pyright nor basedpyright is installed")
    files = [str(HERE / name) for name in ("test_usage.py", "test_wrong_usage.py")]
    settings: dict[str, object] = {"include": files, "enableTypeIgnoreComments": False, "typeCheckingMode": "standard"}
    # A name that is bound in a block which always raises.
    settings["reportPossiblyUnboundVariable"] = "none"
    return _run(program, settings)


def _program(name: str) -> str | None:
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def _run(program: str, settings: dict[str, object]) -> dict[str, dict[int, list[Found]]]:
    # Of its own for each process: tests run side by side.
    config = ROOT / f"pyrightconfig.typing-test-{os.getpid()}.json"
    try:
        config.write_text(json.dumps(settings), "utf-8")
        command = [program, "--project", str(config), "--pythonpath", sys.executable, "--outputjson"]
        run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    finally:
        config.unlink()
    by_file: dict[str, dict[int, list[Found]]] = {}
    diagnostic: dict[str, Any]
    for diagnostic in json.loads(run.stdout)["generalDiagnostics"]:
        if diagnostic["severity"] == "error":
            lines = by_file.setdefault(Path(diagnostic["file"]).name, {})
            lines.setdefault(diagnostic["range"]["start"]["line"] + 1, []).append(
                Found(diagnostic["rule"], diagnostic["message"])
            )
    return by_file


@pytest.mark.parametrize("name", ["test_usage.py", "test_wrong_usage.py"])
def test_basedpyright_finds_what_mypy_finds(errors: dict[str, dict[int, list[Found]]], name: str) -> None:
    """Editors use the one, pipelines the other: the same lines, for the same reason."""
    lines = (HERE / name).read_text("utf-8").splitlines()
    ignored = {number: re.search(r"# type: ignore\[([a-z-]+)", line) for number, line in enumerate(lines, start=1)}
    expected = {number: match[1] for number, match in ignored.items() if match is not None}
    reported = errors.get(name, {})
    assert sorted(reported) == sorted(expected)
    for number, code in expected.items():
        rules = {error.rule for error in reported[number]}
        assert rules & RULES[code], (lines[number - 1], reported[number])


def test_mypy_finds_each_wrong_line() -> None:
    """``make lint`` checks the same with all other files; here the errors are there to be read, without the ignores."""
    script = HERE / "test_wrong_usage.py"
    text = script.read_text("utf-8")
    codes = {
        (number, code)
        for number, line in enumerate(text.splitlines(), start=1)
        if (match := re.search(r"# type: ignore\[([a-z-]+(?:, [a-z-]+)*)\]", line))
        for code in match[1].split(", ")
    }
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--shadow-file", str(script)]
    bare = ROOT / ".mypy_cache" / "without_ignores.py"
    bare.parent.mkdir(exist_ok=True)
    bare.write_text(re.sub(r"  # type: ignore\[[a-z, -]+\]", "", text), "utf-8")
    run = subprocess.run([*command, str(bare), str(script)], capture_output=True, text=True, check=False, cwd=ROOT)
    matches = re.findall(r"test_wrong_usage\.py:(\d+): error: .*\[([a-z-]+)\]$", run.stdout, re.MULTILINE)
    assert {(int(number), code) for number, code in matches} == codes, run.stdout + run.stderr


def test_wrong_semantics_are_one_readable_line(tmp_path: Path) -> None:
    """The words that are allowed stand in the one line that mypy prints, for each verb that takes them."""
    script = tmp_path / "wrong.py"
    calls = (
        "olmsolve.resolve(request, semantics='upstream')",
        "olmsolve.is_satisfiable(request, semantics='upstream')",
        "olmsolve.Resolver([], semantics='upstream')",
        "olmsolve.Policy(semantics='upstream')",
        "olmsolve.compile(request, semantics='upstream')",
        "olmsolve.diff(request, request, semantics='upstream')",
        "olmsolve.audit([], semantics='upstream')",
    )
    lines = ["import olmsolve", "", "def calls(request: olmsolve.Request) -> None:", *(f"    {call}" for call in calls)]
    script.write_text("\n".join(lines) + "\n", "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(script)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    printed = run.stdout.splitlines()
    assert len(printed) == len(calls), run.stdout + run.stderr
    for line in printed:
        assert "'upstream'" in line
        assert "Literal['documented', 'controller']" in line
        assert len(line) < 250
