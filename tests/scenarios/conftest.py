"""Fixtures for tests that ask about dumps on the command line."""

from __future__ import annotations

import pytest

from tests.cli.commands import Run, runner


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""
    return runner(capsys)
