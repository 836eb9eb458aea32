"""``olmsolve audit``."""

from __future__ import annotations

import argparse
import signal
import sys
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from olmsolve.answers.auditing import Report, audit
from olmsolve.catalog import Catalog, Source, fbc
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.settings import search_settings
from olmsolve.cli.streams import complain, style, write
from olmsolve.cli.wishes import Wishes
from olmsolve.render import audit_json, audit_junit, audit_text

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Audit the catalogs that *options* name, print the report, and return the exit code."""
    sources = _sources(options)
    settings = {**search_settings(options), "resume": options.resume}
    with _executor(options.jobs) as executor, Progress(sys.stderr, verb="auditing") as progress:
        report = audit(sources, executor=executor, progress=progress.reporter("packages"), **settings)
    for note in report.notes:
        complain(note)
    write(_written(report, options.output))
    return Exit.PLAN if report.clean else Exit.UNSATISFIABLE


def _sources(options: argparse.Namespace) -> tuple[Source, ...]:
    with Progress(sys.stderr) as progress:

        def load(path: Path) -> Catalog:
            return fbc.load(path, progress=progress.reporter(str(path)))

        return Wishes(tuple(options.catalogs)).request(load).sources


def _executor(jobs: int) -> AbstractContextManager[Executor | None]:
    if jobs == 1:
        return nullcontext()
    # Terminals interrupt all of them; the workers have nothing to say about it, and nothing to finish first.
    return ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL))


def _written(report: Report, form: str) -> str:
    if form == "json":
        return audit_json(report)
    if form == "junit":
        return audit_junit(report)
    layout = style()
    return audit_text(report, width=layout.width, colour=layout.colour)
