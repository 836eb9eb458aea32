"""Skipped tests in whole runs: each reason stands in ``skips.txt``, or the run fails.

Five tests of a reader were skipped unseen once, when the package that they ask about went from the ones that
``make test`` installs: a run with skips looks like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from tests.messages.watching import is_whole

LEDGER: Final = Path(__file__).with_name("skips.txt")


def patterns_of(text: str) -> list[str]:
    """Return the reasons of a ledger, with ``*`` for any text."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def unknown(reasons: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """Return those of *reasons* that none of *patterns* allows, each once."""
    allowed = re.compile("|".join(".*".join(map(re.escape, pattern.split("*"))) for pattern in patterns), re.DOTALL)
    return [reason for reason in dict.fromkeys(reasons) if not allowed.fullmatch(reason)]


class SkipWatch:
    """Collects why tests are skipped, and fails a whole run with a reason that is not in the ledger."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._reasons: list[str] = []
        self._unknown: list[str] = []

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the reason of a test that was skipped."""
        self._note(report)

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note the reason of a module that was skipped."""
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
            self._reasons.append(str(report.longrepr[2]).removeprefix("Skipped: "))

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Compare the reasons, where all tests have run."""
        if not hasattr(self._config, "workerinput") and is_whole(self._config):
            self._unknown = unknown(self._reasons, patterns_of(LEDGER.read_text("utf-8")))
            if self._unknown and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the reasons that are not in the ledger."""
        if self._unknown:
            terminalreporter.section("tests skipped for reasons that tests/skips.txt does not have")
            for reason in self._unknown:
                terminalreporter.write_line(reason)
