"""Fixtures for tests of the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Run, runner


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""
    return runner(capsys)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Write a catalog of the given blobs under a name into an empty working directory."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, *blobs: dict[str, Any]) -> str:
        Path(name).write_text("\n".join(map(json.dumps, blobs)), "utf-8")
        return name

    return write
