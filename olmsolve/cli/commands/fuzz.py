"""``olmsolve fuzz``: random requests over catalogs under all laws, and what the author of a catalog should know."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import olmsolve
from olmsolve.cli.catalogs import ARGUMENT, catalog_sources, load
from olmsolve.cli.options import ANSWER_FORMS, add_catalog_list, add_output, add_semantics, seconds, whole_number
from olmsolve.cli.output import Exit, Progress, complain, show, write
from olmsolve.cli.processes import add_workers, processes
from olmsolve.cli.situation import policy_of

if TYPE_CHECKING:
    from olmsolve.testing import FuzzReport

DESCRIPTION: Final = """\
Draw random requests over catalogs, resolve them, and check every answer: by other engines, by the definition,
by the checker of certificates, and against changes that cannot matter. Report also what authors should know:
what can never be served together, where updates end, which requirement never decides (docs/fuzzing.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve fuzz catalogs/orchard catalogs/commons --seconds 5
  olmsolve fuzz commons=catalogs/commons:10 orchard=catalogs/orchard \\
                --cases 20 --out found --ignore NeverTogether
  olmsolve fuzz catalogs/commons --requests upgrade.yaml --cases 20 --seed 7 \\
                --output junit
  olmsolve fuzz --replay install.yaml

exit codes:
  0  nothing found
  1  at least one finding
  2  bad input: a catalog, a request, a folder or an argument"""

_SECONDS: Final = 60.0  # where neither --cases nor --seconds is given
_MOST: Final = 1_000_000_000


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalogs and requests, how long, how the work is shared and kept, and the form of the report."""
    add_catalog_list(parser, "a folder, a file, an archive or an image", instead=("requests", "replay"))
    parser.add_argument(
        "--requests", metavar="FILE", help=("make half of the requests variations of the ones in this document or dump")
    )
    parser.add_argument(
        "--seconds",
        type=seconds,
        metavar="SECONDS",
        help="how long to run, at most half of it for questions about the catalogs (default: 60)",
    )
    parser.add_argument(
        "--cases",
        type=whole_number(0, _MOST),
        metavar="N",
        help="how many requests to draw, instead of --seconds: then the same seed gives the same report",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, _MOST),
        default=0,
        metavar="N",
        help="the seed of the random requests (default: 0)",
    )
    add_workers(parser)
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="write a request document for each finding into this folder, and continue from its state the next time",
    )
    parser.add_argument(
        "--ignore",
        dest="ignored",
        action="append",
        default=[],
        metavar="CODE",
        help="report no findings of the kind CODE; can be repeated (example: NeverTogether)",
    )
    parser.add_argument("--replay", metavar="FILE", help="check the laws only on the request of this document")
    add_semantics(parser)
    add_output(parser, *ANSWER_FORMS, "junit", shown="the form of the report")


def run(options: argparse.Namespace) -> int:
    """Fuzz the catalogs of *options*, or replay a finding, print the report, and return the exit code."""
    if options.replay is not None and (options.catalogs or options.requests):
        others = [*(["catalogs"] if options.catalogs else []), *(["--requests"] if options.requests else [])]
        options.refuse(f"--replay FILE checks one document, without {' and '.join(others)}")
    if options.seconds is not None and options.cases is not None:
        options.refuse("--seconds and --cases exclude each other")
    _refuse_unknown_kinds(options)
    report = (_replayed(options) if options.replay is not None else _fuzzed(options)).without(options.ignored)
    for note in report.notes:
        complain(note)
    _print(report, options.output)
    return Exit.PLAN if report.clean else Exit.UNSATISFIABLE


def _refuse_unknown_kinds(options: argparse.Namespace) -> None:
    if not options.ignored:
        return
    from olmsolve.testing.fuzzing import KINDS

    for kind in options.ignored:
        if kind not in KINDS:
            options.refuse(f"there is no kind of finding {kind!r}; there are {', '.join(KINDS)}")


def _replayed(options: argparse.Namespace) -> FuzzReport:
    from olmsolve.testing import replay

    return replay(_requests(options.replay, options), semantics=_semantics(options))


def _fuzzed(options: argparse.Namespace) -> FuzzReport:
    from olmsolve.testing import fuzz

    sources = catalog_sources(options.catalogs, ARGUMENT)
    requests = [] if options.requests is None else _requests(options.requests, options)
    limit = {"cases": options.cases} if options.cases is not None else {"seconds": options.seconds or _SECONDS}
    unit = "steps" if options.cases is not None else "seconds"
    shown = options.output == "text"
    with processes(options.workers) as executor, Progress(sys.stderr, verb="fuzzing", lines=shown) as progress:
        return fuzz(
            sources,
            requests=requests,
            seed=options.seed,
            semantics=_semantics(options),
            executor=executor,
            out=None if options.out is None else Path(options.out),
            progress=progress.reporter(unit) if shown else None,
            **limit,
        )


def _semantics(options: argparse.Namespace) -> olmsolve.Semantics:
    return policy_of(options).semantics or olmsolve.Semantics.DOCUMENTED


def _requests(file: str, options: argparse.Namespace) -> list[Any]:
    """Return the requests in *file*, classic and of OLM v1. Raises OlmsolveError where it cannot be read."""
    source = sys.stdin.buffer if file == "-" else file
    situation = olmsolve.read_situation(source, policy=policy_of(options), load=load)
    return [question.request() for question in situation.questions]


def _print(report: FuzzReport, form: str) -> None:
    from olmsolve.testing import fuzzing

    if form == "json":
        write(fuzzing.fuzz_json(report))
    elif form == "junit":
        write(fuzzing.fuzz_junit(report))
    else:
        show(form, text=partial(fuzzing.fuzz_text, report), data=report.to_dict)
