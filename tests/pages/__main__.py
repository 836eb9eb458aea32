"""``python -m tests.pages [PAGE ...]``: run every block of the pages against the installed wheel.

It prints each difference between a page and what its blocks print as a diff, and the blocks that are not run with their
reasons. ``--update`` writes what was printed into the pages: review their changes like code. The exit code is 1 where
pages differ.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.pages.blocks import PAGES, ROOT
from tests.pages.running import PageRun, in_processes, run_page, updated
from tests.pages.wheel import installed


def main() -> int:
    """Run the pages that the command line names, or all, two at a time."""
    parser = argparse.ArgumentParser(prog="python -m tests.pages", description="Run every block of the pages.")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="a page (default: README.md and docs/)")
    parser.add_argument("--update", action="store_true", help="write what was printed into the pages")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / ".pages", help="where the environment is (default: .pages)"
    )
    options = parser.parse_args()
    machine_for = in_processes(installed(options.folder.resolve()))
    with ThreadPoolExecutor(2) as workers:
        runs = list(workers.map(lambda path: run_page(path, machine_for), options.pages or PAGES))
    for run in runs:
        if run.differences:
            print(f"{run}\n")
        if options.update:
            run.path.write_text(updated(run.path.read_text("utf-8"), run.differences), "utf-8")
    _summarize(runs)
    return 1 if any(run.differences for run in runs) else 0


def _summarize(runs: list[PageRun]) -> None:
    for run in runs:
        for block in run.not_run:
            print(f"not run: {run.path.resolve().relative_to(ROOT)}:{block.line}: {block.reason}")
    differing = [run for run in runs if run.differences]
    for run in differing:
        print(f"{run.path.resolve().relative_to(ROOT)}: {len(run.differences)} differences")
    print(f"{len(runs)} pages, {len(differing)} differ")


if __name__ == "__main__":
    sys.exit(main())
