"""Each promise of SECURITY.md names the tests that hold it, and these are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
TABLE: Final = (ROOT / "SECURITY.md").read_text("utf-8").partition("## What holds these promises")[2]
ROWS: Final = dict(re.findall(r"^\| (?!promise|---)([^|]+) \| ([^|]+) \|$", TABLE, re.MULTILINE))


@pytest.mark.parametrize("promise", ROWS)
def test_a_promise_is_held_by_tests(promise: str) -> None:
    """A test that was renamed or deleted would leave a promise that nobody keeps."""
    named = re.findall(r"`(tests/[^`]+)`", ROWS[promise])
    assert named
    for path, _, function in (test.partition("::") for test in named):
        text = (ROOT / path).read_text("utf-8")
        assert re.search(rf"^def {function}\b" if function else r"^def test_", text, re.MULTILINE), (path, function)


def test_there_are_promises() -> None:
    """The table has a form that this test reads."""
    assert len(ROWS) >= 10
