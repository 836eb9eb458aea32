"""The cold start: a command loads its own module, and nothing of the library before it has something to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache

import pytest

from olmsolve.cli import COMMANDS, commands, main

# Each takes longer to load than Python itself; nobody who reads a help text should wait for them.
HEAVY = {"attrs", "attr", "yaml", "msgspec", "celpy", "pysat", "rich", "semantic_version"}
COMMAND = "olmsolve.cli.commands."


WITHOUT = [["--help"], ["--version"], ["nonesuch"]]

# A fork of an interpreter that has imported `main` is as fresh as a new one, and takes a tenth of the time.
_ASKING = """
import json, os, sys
from olmsolve.cli import main
for arguments in json.load(sys.stdin):
    if not os.fork():
        null = os.open(os.devnull, os.O_WRONLY)
        answers = os.dup(1)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            main(arguments)
        except SystemExit:
            os.write(answers, json.dumps([arguments, list(sys.modules)]).encode() + b"\\n")
        os._exit(0)
    os.wait()
"""


@cache
def _loaded() -> dict[str, set[str]]:
    """The modules that each command line has loaded; all are asked of one process."""
    questions = json.dumps([*WITHOUT, *([name, "--help"] for name in COMMANDS)])
    run = subprocess.run([sys.executable, "-c", _ASKING], input=questions, capture_output=True, text=True, check=True)
    return {" ".join(arguments): set(modules) for arguments, modules in map(json.loads, run.stdout.splitlines())}


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after the command line ran with *arguments*."""
    if not hasattr(os, "fork"):
        pytest.skip("forks an interpreter")
    return _loaded()[" ".join(arguments)]


@pytest.mark.parametrize("arguments", WITHOUT, ids=" ".join)
def test_the_table_is_enough_without_a_command(arguments: list[str]) -> None:
    """The list of commands is printed without importing any of them."""
    modules = loaded_by(*arguments)
    assert not modules & HEAVY
    assert not {module for module in modules if module.startswith(COMMAND)}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_loads_one_command(name: str) -> None:
    """Its options are declared without the library; ``why-not`` shares code with ``why``."""
    modules = loaded_by(name, "--help")
    own = name.replace("-", "_")
    assert not modules & HEAVY
    shared = {f"{COMMAND}why"} if name == "why-not" else set()
    assert {module for module in modules if module.startswith(COMMAND)} == {f"{COMMAND}{own}"} | shared


def test_every_command_is_in_the_table() -> None:
    """A module that nobody can call is forgotten, and one of another name is not found."""
    assert {name.replace("-", "_") for name in COMMANDS} == set(commands.__all__)  # type: ignore[attr-defined]
    for name, command in COMMANDS.items():
        assert command.module().__name__ == f"{COMMAND}{name.replace('-', '_')}"  # type: ignore[attr-defined]


def test_unknown_options_are_refused_with_the_usage_of_their_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The usage of ``olmsolve`` alone would not say which options there are."""
    with pytest.raises(SystemExit) as ended:
        main(["catalog", "merge", "one.yaml", "--spilt", "all"])
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert message == (
        "olmsolve catalog merge: error: unknown option --spilt (did you mean --split?)\n"
        "usage: olmsolve catalog merge [OPTIONS] [CATALOG ...]\n"
        "olmsolve catalog merge -h lists the options.\n"
    )
