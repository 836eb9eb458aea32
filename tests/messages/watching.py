"""What a whole run of the suite has to show: each message is produced by a test, or its reason stands in the ledger.

Whole is a run of all tests to its end. Each worker sends what it has noted, and the controller compares. A
message that nothing produced makes the run fail, and is printed with its module and line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.messages import LEDGER, Message, ledger_of
from tests.messages.noting import NOTED, all_messages

_TESTS: Final = Path(__file__).parents[1]
# What takes tests out of a run, by the names of pytest's options.
_SELECTIONS: Final = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "collectonly", "stepwise")


class MessageWatch:
    """Collects the notes of all workers, and compares them with the messages when the session ends."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._noted: set[str] = set()
        self._lines: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker sends as it ends."""
        self._noted |= set(getattr(node, "workeroutput", {}).get("messages", ()))

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the notes, as a worker; else compare them, where all tests have run."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output["messages"] = sorted(NOTED)
            return
        # A part of the package, such as olmsolve/cli, for whoever writes the tests of one room.
        part = os.environ.get("OLMSOLVE_MESSAGES", "")
        ended = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if part or (ended and is_whole(self._config)):
            self._lines = report(all_messages(), self._noted | NOTED, ledger_of(LEDGER.read_text("utf-8")), part)
            if self._lines and not part:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the messages that nothing produced."""
        if self._lines:
            terminalreporter.section("messages that no test produced")
            for line in self._lines:
                terminalreporter.write_line(line)
            terminalreporter.write_line(
                f"{len(self._lines)} messages: test each, delete its code, or give the reason in {LEDGER.name}"
            )


def is_whole(config: pytest.Config) -> bool:
    """Return whether *config* asks for all tests."""
    paths = [(config.invocation_params.dir / path).resolve() for path in config.args]
    return paths == [_TESTS] and not any(config.getoption(name, None) for name in _SELECTIONS)


def report(messages: Iterable[Message], noted: set[str], excused: Iterable[str], part: str = "") -> list[str]:
    """Return a line for each of *messages* in functions below *part* that is neither *noted* nor *excused*."""
    return [
        f"{message.module}:{message.position[0]}: {message.text!r}"
        for message in messages
        if not message.in_table
        and message.module.startswith(part)
        and message.key not in noted
        and message.text not in excused
    ]
