"""``olmsolve bench``: how long each phase of resolution takes over catalogs, and what has become slower."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from olmsolve.cli.catalogs import catalog_path
from olmsolve.cli.options import ANSWER_FORMS, add_catalog_list, add_output, add_semantics, add_target, whole_number
from olmsolve.cli.output import Exit, Progress, complain, json_text, laid_out, write, write_file, yaml_text
from olmsolve.cli.pages import about_page
from olmsolve.cli.situation import policy_of

if TYPE_CHECKING:
    from olmsolve.testing.timing import BenchReport, PhaseChange

DESCRIPTION: Final = """\
Measure in fresh processes how long loading, indexing, first and repeated answers, cores and explanations take
over your own catalogs, with several backends side by side, and compare with an earlier report (docs/bench.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve bench catalogs/commons --processes 1 --save baseline.json
  olmsolve bench catalogs/commons --processes 1 --against baseline.json
  olmsolve bench catalogs/commons --every update --backend deciding \\
                 --backend cadical195

exit codes:
  0  the figures; with --against or --ab, nothing is slower
  1  with --against or --ab: a phase is slower
  2  bad input: a catalog, a request, a baseline or an argument"""

_MOST_PROCESSES: Final = 1000
_MOST_PASSES: Final = 1000


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is asked, with which backends, how often, and what the figures are compared with."""
    add_catalog_list(parser, "a folder, a file, an archive or an image, read without an index", instead=("requests",))
    parser.add_argument(
        "--requests",
        action="append",
        default=[],
        metavar="FILE",
        help="a request document with catalogs of its own; can be repeated",
    )
    parser.add_argument(
        "--every",
        choices=("package", "channel", "update"),
        default="package",
        help="ask the catalogs for every package, channel or update (default: package)",
    )
    parser.add_argument(
        "--backend",
        action="append",
        default=[],
        metavar="BACKEND",
        help="a SAT solver to measure; can be repeated, for several side by side (default: deciding)",
    )
    parser.add_argument(
        "--processes",
        type=whole_number(1, _MOST_PROCESSES),
        # An odd number, so that the median is the figure of one process.
        default=7,
        metavar="N",
        help="how many processes measure, in turn (default: 7)",
    )
    parser.add_argument(
        "--passes",
        type=whole_number(1, _MOST_PASSES),
        default=3,
        metavar="N",
        help="how often each process measures a phase at least; the median counts (default: 3)",
    )
    parser.add_argument("--against", metavar="BASELINE", help="compare with this report, as --save has written it")
    parser.add_argument(
        "--ab",
        metavar="VENV",
        help="measure with the olmsolve of this virtual environment in turn, and compare with it (example: old/.venv)",
    )
    parser.add_argument("--save", metavar="FILE", help="write the report into this file, for --against")
    add_semantics(parser)
    add_output(parser, *ANSWER_FORMS, "html", shown="the form of the report")
    add_target(parser)


def run(options: argparse.Namespace) -> int:
    """Measure, print the report of *options*, and return the exit code."""
    # The kit needs resolvers, which help does not.
    from olmsolve.solver.backends import DEFAULT
    from olmsolve.testing import timing

    if options.against is not None and options.ab is not None:
        options.refuse("--against and --ab exclude each other")
    # A baseline that cannot be read shows before the minutes of measuring.
    baseline = None if options.against is None else timing.read_bench(options.against)
    with Progress(sys.stderr, verb="measuring", lines=options.output == "text") as progress:
        report = timing.bench(
            list(map(catalog_path, options.catalogs)),
            documents=options.requests,
            every=options.every,
            backends=options.backend or [DEFAULT],
            semantics=policy_of(options).semantics or "documented",
            processes=options.processes,
            passes=options.passes,
            beside=options.ab,
            progress=progress.reporter("processes"),
        )
    if options.save is not None:
        write_file(options.save, [json_text(timing.bench_json(report), indent=2), "\n"])
        if report.disturbed:
            complain(f"{options.save} is a poor baseline, {report.disturbed}; save one when nothing else runs")
    changes = report.changes or None
    if baseline is not None:
        changes = timing.changes(report, baseline)
        if baseline.disturbed:
            complain(f"{options.against} was saved under load, {baseline.disturbed}; save one when nothing else runs")
        if not baseline.busy:  # this field is as old as phases that take turns
            complain(
                f"{options.against} was saved by an earlier olmsolve, which timed each phase by itself: "
                "it shows less time for equal work; save a new baseline"
            )
    text = _rendered(report, changes, options)
    if options.to:
        write_file(options.to, [text, "\n"])
    else:
        write(text)
    slower = [change for change in changes or () if change.is_slower]
    for change in slower:
        named = f"{change.phase} {change.backend}".strip()
        than = f"with {report.baseline}" if options.ab else "before"
        complain(f"{named} has become slower: it takes {change.ratio:.2f} times as long as {than}")
    return Exit.UNSATISFIABLE if slower else Exit.PLAN


def _rendered(report: BenchReport, changes: tuple[PhaseChange, ...] | None, options: argparse.Namespace) -> str:
    from olmsolve.testing import timing

    if options.output == "json":
        return json_text(timing.bench_json(report, changes), indent=2)
    if options.output == "yaml":
        return yaml_text(timing.bench_json(report, changes))
    if options.output == "html":
        return timing.bench_html(report, changes or (), about=about_page(options)).rstrip("\n")
    return laid_out(partial(timing.bench_text, report, changes or ()), options.output)
