"""``olmsolve audit``: what in whole catalogs cannot be installed, updated or selected."""

from __future__ import annotations

import argparse
import sys
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_backend, add_catalogs, add_output, add_semantics, whole_number
from olmsolve.cli.processes import MOST_PROCESSES, processes
from olmsolve.cli.progress import Progress
from olmsolve.cli.situation import catalog_sources, policy_of, search_settings
from olmsolve.cli.streams import complain, style, write

DESCRIPTION: Final = """\
Ask whole catalogs what their users will ask: can the head of each channel be installed, can each older version be
updated until it gets there, and which bundles can nothing select (docs/audit.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve audit --catalog community=catalogs/community
  olmsolve audit --catalog community=catalogs/community:10 --catalog mine=index.yaml --jobs 4 --output junit
  olmsolve audit --catalog community=catalogs/community --resume audit.jsonl --timeout 60

exit codes:
  0  nothing found
  1  at least one finding
  2  bad input: a catalog, a state file or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalogs, how the work is shared and resumed, the search, and the form of the report."""
    add_catalogs(
        parser,
        "NAME=PATH[:PRIORITY]",
        "a catalog: a folder or a file; what its bundles require may come from any of them"
        " (example: community=catalogs/community)",
        required=True,
    )
    parser.add_argument(
        "--jobs",
        type=whole_number(1, MOST_PROCESSES),
        default=1,
        metavar="N",
        help="how many processes share the work (default: 1)",
    )
    parser.add_argument(
        "--resume",
        metavar="FILE",
        help="note in FILE what is done, and go on from what it says of the same catalogs, as after --timeout"
        " (example: audit.jsonl)",
    )
    add_semantics(parser)
    add_backend(parser)
    add_output(parser, "text", "json", "junit", shown="the form of the report")


def run(options: argparse.Namespace) -> int:
    """Audit the catalogs of *options*, print the report, and return the exit code."""
    sources = catalog_sources(options.catalogs)
    settings = {
        **search_settings(options, policy_of(options).semantics or olmsolve.Semantics.DOCUMENTED),
        "resume": options.resume,
    }
    with processes(options.jobs) as executor, Progress(sys.stderr, verb="auditing") as progress:
        report = olmsolve.audit(sources, executor=executor, progress=progress.reporter("packages"), **settings)
    for note in report.notes:
        complain(note)
    write(_rendered(report, options.output))
    return Exit.PLAN if report.clean else Exit.UNSATISFIABLE


def _rendered(report: olmsolve.AuditReport, form: str) -> str:
    if form == "json":
        return render.audit_json(report)
    if form == "junit":
        return render.audit_junit(report)
    layout = style()
    return render.audit_text(report, width=layout.width, colour=layout.colour)
