"""A page from its first block to its last, in an empty folder, and what differs from what it shows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeAlias

import attrs

from tests.pages.blocks import ROOT, Command, Examples, File, NotRun, Page, read_page
from tests.pages.examples import Failure
from tests.pages.matching import difference, is_shown
from tests.pages.processes import EndedError, Printed, Processes

__all__ = ["Difference", "Machine", "PageRun", "environment", "run_page", "updated"]

SECONDS = 120.0


class Machine(Protocol):
    """What runs the blocks of one page."""

    def command(self, text: str) -> Printed | None:
        """Run a command of the shell; return None where it is left out."""

    def examples(self, text: str, line: int) -> list[Failure]:
        """Run Python examples and return what differs."""


MachineFor: TypeAlias = Callable[[Path], AbstractContextManager[Machine]]


@attrs.frozen
class Difference:
    """A block of a page that does not have the form, does not run, or prints something else than the page shows."""

    line: int
    what: str
    shown_at: int = 0
    shown: tuple[str, ...] = ()
    printed: tuple[str, ...] | None = None
    """None where there is nothing to compare."""

    def __str__(self) -> str:
        """Return the command or example, and the difference as a diff."""
        diff = "" if self.printed is None else difference(self.shown, self.printed)
        return "\n".join(filter(None, (self.what, diff)))


@attrs.frozen
class PageRun:
    """What came of the page at *path*: its differences, and its blocks that were not run."""

    path: Path
    differences: tuple[Difference, ...]
    not_run: tuple[NotRun, ...]

    def __str__(self) -> str:
        """Return each difference under its file and line."""
        name = os.path.relpath(self.path, ROOT)
        return "\n\n".join(f"{name}:{difference.line}: {difference}" for difference in self.differences)


def environment(binaries: Path, home: Path) -> dict[str, str]:
    """Return the variables of a page's processes: nothing of this process but the network's and the machine's."""
    kept = ("LANG", "LC_ALL", "PIP_INDEX_URL", "SSL_CERT_FILE", "TZ")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "PATH": f"{binaries}{os.pathsep}/usr/local/bin{os.pathsep}/usr/bin{os.pathsep}/bin",
        "HOME": str(home),
        "PYTHONUTF8": "1",
    }


def in_processes(binaries: Path) -> MachineFor:
    """Return what starts a page's processes with the programs of *binaries*."""
    return lambda folder: Processes(folder, environment(binaries, folder.parent), SECONDS)


def run_page(path: Path, machine_for: MachineFor) -> PageRun:
    """Run the page at *path* in an empty folder, with what *machine_for* makes for this folder."""
    page = read_page(path.read_text("utf-8"))
    differences = [Difference(fault.line, fault.message) for fault in page.faults]
    with tempfile.TemporaryDirectory(prefix="page-") as name:
        # Programs print the name without links.
        folder = Path(name).resolve() / "page"
        folder.mkdir()
        with machine_for(folder) as machine:
            differences += _run(page, folder, machine)
    not_run = tuple(step for step in page.steps if isinstance(step, NotRun))
    return PageRun(path, tuple(sorted(differences, key=lambda difference: difference.line)), not_run)


def _run(page: Page, folder: Path, machine: Machine) -> list[Difference]:
    differences: list[Difference] = []
    for step in page.steps:
        try:
            if isinstance(step, File):
                (folder / step.name).parent.mkdir(parents=True, exist_ok=True)
                (folder / step.name).write_text(step.text, "utf-8")
            elif isinstance(step, Command):
                printed = machine.command(step.text)
                differences += [] if printed is None else _compared(step, printed)
            elif isinstance(step, Examples):
                differences += [
                    Difference(
                        example.line,
                        f">>> {example.source}",
                        example.shown_at,
                        tuple(example.shown),
                        tuple(example.printed),
                    )
                    for example in machine.examples(step.text, step.line)
                ]
        except EndedError as ended:
            # What follows would fail for want of what this block would have done.
            return [*differences, Difference(step.line, str(ended))]
    return differences


def _compared(command: Command, printed: Printed) -> list[Difference]:
    heading = f"$ {command.text}"
    lines = printed.text.rstrip().splitlines() if printed.text.strip() else []
    if printed.code and not command.code_follows:
        heading += f'\nexits with {printed.code}, which the page does not show: "$ echo $?" after it'
    elif is_shown(command.shown, lines):
        return []
    return [Difference(command.line, heading, command.shown_at, command.shown, tuple(lines))]


def updated(text: str, differences: Sequence[Difference]) -> str:
    """Return the page *text* with what was printed, except where the page shows only parts of it."""
    lines = text.splitlines()
    for block in sorted(differences, key=lambda block: -block.shown_at):
        if block.printed is not None and not any("..." in line for line in block.shown):
            at = block.shown_at - 1
            lines[at : at + len(block.shown)] = block.printed
    return "\n".join(lines) + "\n"
