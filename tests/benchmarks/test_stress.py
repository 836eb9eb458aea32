"""Processes and threads that share a catalog, a resolver and an index file get equal answers."""

from __future__ import annotations

import pytest

from benchmarks import stress


def test_everything_at_once_for_a_moment(capsys: pytest.CaptureFixture[str]) -> None:
    """A moment of what ``python -m benchmarks.stress`` does for as long as one likes: no answer may differ."""
    assert stress.main(["--seconds", "0.5", "--processes", "2", "--threads", "4"]) == 0
    printed = capsys.readouterr().out
    assert "0 faults" in printed
    assert "left in the folder: like-community-prod.jsonl.gz" in printed
