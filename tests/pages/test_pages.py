"""README.md and docs/: every block runs and prints what its page shows.

By default in this process, without what would start processes; with OLMSOLVE_TESTS=long each page in processes of its
own, against the installed wheel.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages.blocks import PAGES, ROOT, NotRun, read_page
from tests.pages.in_process import in_process
from tests.pages.running import in_processes, run_page
from tests.pages.wheel import installed
from tests.scale import LONG

REASON = "builds and installs the wheel, and runs for minutes: make pages, or OLMSOLVE_TESTS=long"

MOST_NOT_RUN = 16
"""Blocks that only stand to be read, in all pages: installing from an index, real clusters, registries, large data."""

ONLY_IN_PROCESSES = {
    "docs/how-to/ask-about-a-fleet.md": "starts worker processes, and simulates three clusters four times",
    "docs/how-to/benchmark.md": "measures, which takes seconds",
    "docs/how-to/fuzz-a-constraint-set.md": "fuzzes and starts pytest, which takes a minute",
    "docs/how-to/read-catalogs-from-images.md": "starts Python to make what the rest of it needs",
}
"""Pages that the processes of make pages run alone, and why."""


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if str(page.relative_to(ROOT)) not in ONLY_IN_PROCESSES],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_pages_show_what_is_printed(page: Path) -> None:
    """People compare what they see with the page, and then trust neither."""
    assert str(run_page(page, in_process)) == ""


_TEST = re.compile(r"\btests/[\w/]+\.py\b")


def test_blocks_that_are_not_run_are_few() -> None:
    """A block that nobody runs ends in a lie; each one says why, and a new one has to be worth it."""
    blocks = {
        f"{page.relative_to(ROOT)}:{step.line}: {step.reason}"
        for page in PAGES
        for step in read_page(page.read_text("utf-8")).steps
        # A test that runs the block by itself is as good.
        if isinstance(step, NotRun) and not any((ROOT / path).is_file() for path in _TEST.findall(step.reason))
    }
    assert len(blocks) <= MOST_NOT_RUN, "\n".join(sorted(blocks))


@pytest.fixture(scope="session")
def binaries() -> Path:
    """Programs of an environment with the wheel, which all workers share."""
    return installed(ROOT / ".pages")


@pytest.mark.skipif(not LONG, reason=REASON)
@pytest.mark.parametrize("page", PAGES if LONG else PAGES[:1], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_prints_what_the_page_shows(page: Path, binaries: Path) -> None:
    """A reader who has the wheel and the page alone follows it from its first command to its last."""
    assert str(run_page(page, in_processes(binaries))) == ""
