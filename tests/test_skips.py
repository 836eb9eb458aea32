"""The ledger of reasons why tests are skipped: what it allows, and that each entry is in use."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.skips import LEDGER, SkipWatch, patterns_of, unknown


def test_an_unknown_reason_is_told() -> None:
    """A package that went is no choice of anybody."""
    patterns = ["needs Chromium", "* is missing: pip install *"]
    reasons = ["needs Chromium", "clasp is missing: pip install x", "msgspec is not installed", "needs Chromium 99"]
    assert unknown(reasons, patterns) == ["msgspec is not installed", "needs Chromium 99"]


def test_a_skipped_test_is_noted(pytestconfig: pytest.Config) -> None:
    """Tests and modules, and no expected failures."""
    watch = SkipWatch(pytestconfig)
    one: Any = SimpleNamespace(skipped=True, longrepr=("test_a.py", 3, "Skipped: the one"))
    other: Any = SimpleNamespace(skipped=True, longrepr=("test_b.py", 1, "Skipped: the other"))
    expected: Any = SimpleNamespace(skipped=True, longrepr=("test_c.py", 1, "x"), wasxfail="broken")
    passed: Any = SimpleNamespace(skipped=False, longrepr=None)
    for report in (one, expected, passed):
        watch.pytest_runtest_logreport(report)
    watch.pytest_collectreport(other)
    assert watch._reasons == ["the one", "the other"]


def test_each_entry_is_in_use() -> None:
    """A reason that no test gives any more would hide another one; its longest piece is looked up in the tests."""
    here = Path(__file__)
    joined = re.compile(r"""["']\s*\n\s*(?:r|f|rf|b)?["']""")
    files = (path for path in sorted(here.parent.rglob("*.py")) if path != here)
    texts = "\0".join(joined.sub("", path.read_text("utf-8")) for path in files)
    ours = (
        pattern for pattern in patterns_of(LEDGER.read_text("utf-8")) if not pattern.startswith("got empty parameter")
    )
    pieces = {entry: max(entry.split("*"), key=len) for entry in ours}
    # The first word may be filled in: the name of a program.
    assert [
        entry for entry, piece in pieces.items() if piece not in texts and piece.partition(" ")[2] not in texts
    ] == []
