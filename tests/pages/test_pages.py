"""README.md and docs/: every block runs against the installed wheel, each page in processes of its own (slow)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages.blocks import PAGES, ROOT
from tests.pages.running import in_processes, run_page
from tests.pages.wheel import installed
from tests.scale import LONG

REASON = "builds and installs the wheel, and runs for minutes: make pages, or OLMSOLVE_TESTS=long"


@pytest.fixture(scope="session")
def binaries() -> Path:
    """Programs of an environment with the wheel, which all workers share."""
    return installed(ROOT / ".pages")


@pytest.mark.skipif(not LONG, reason=REASON)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_prints_what_the_page_shows(page: Path, binaries: Path) -> None:
    """A reader who has the wheel and the page alone follows it from its first command to its last."""
    assert str(run_page(page, in_processes(binaries))) == ""
