"""``olmsolve audit``: what in whole catalogs cannot be installed, updated or selected."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import olmsolve
from olmsolve import render
from olmsolve.cli.catalogs import ARGUMENT, catalog_sources
from olmsolve.cli.options import add_backend, add_catalog_list, add_report, add_semantics
from olmsolve.cli.output import Exit, Progress, complain, show, write
from olmsolve.cli.pages import about_page
from olmsolve.cli.processes import add_workers, processes
from olmsolve.cli.situation import policy_of, search_settings

if TYPE_CHECKING:
    from olmsolve.answers.auditing import AuditFinding

DESCRIPTION: Final = """\
Ask whole catalogs what their users will ask: can the head of each channel be installed, can each older version
be updated until it gets there, and which bundles can nothing select (docs/audit.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve audit catalogs/orchard catalogs/commons
  olmsolve audit --catalog commons=catalogs/commons --workers 2 \\
                 --output junit
  olmsolve audit --catalog commons=catalogs/commons --resume audit.jsonl \\
                 --timeout 60

exit codes:
  0  nothing found
  1  at least one finding
  2  bad input: a catalog, a state file or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalogs, how the work is shared and resumed, the search, and the form of the report."""
    add_catalog_list(
        parser,
        "a folder, a file, an archive or an image; its bundles may require bundles of the other catalogs",
    )
    add_workers(parser)
    parser.add_argument(
        "--resume",
        metavar="FILE",
        help="record the progress in FILE, and continue from it if the catalogs are the same, as after --timeout"
        " (example: audit.jsonl)",
    )
    add_semantics(parser)
    add_backend(parser)
    add_report(parser, has_page=True)


def run(options: argparse.Namespace) -> int:
    """Audit the catalogs of *options*, print the report, and return the exit code."""
    sources = catalog_sources(options.catalogs, ARGUMENT)
    settings = {
        **search_settings(options, policy_of(options).semantics or olmsolve.Semantics.DOCUMENTED),
        "resume": options.resume,
    }
    with processes(options.workers) as executor, Progress(sys.stderr, verb="auditing") as progress:
        report = olmsolve.audit(sources, executor=executor, progress=progress.reporter("packages"), **settings)
    for note in report.notes:
        complain(note)
    if options.output in ("sarif", "github"):
        _annotate(report, sources, options.output)
    else:
        _print(report, options)
    return Exit.PLAN if report.clean else Exit.UNSATISFIABLE


def _annotate(report: olmsolve.AuditReport, sources: Sequence[olmsolve.Source], form: str) -> None:
    """Write the findings of *report* where the catalogs have their channels and bundles, as SARIF or annotations."""
    from olmsolve.cli.findings import as_github, as_sarif

    catalogs = {f"{source.namespace}/{source.name}": source.catalog for source in sources}
    located = [
        _located(finding, catalogs[finding.catalog].packages.get(finding.package)) for finding in report.findings
    ]
    if form == "sarif":
        write(as_sarif(located, render.AUDIT_RULES))
    elif located:
        write(as_github(located))


def _located(finding: AuditFinding, package: olmsolve.catalog.Package | None) -> olmsolve.Finding:
    """Return *finding* as one of a check, at the channel or bundle of *package* that it is about."""
    channel, bundle = getattr(finding, "channel", ""), getattr(finding, "bundle", "")
    element = None
    if package is not None:
        element = package.channels.get(channel) if channel else package.bundles.get(bundle)
    return olmsolve.Finding(
        olmsolve.Severity.ERROR,
        finding.kind,
        str(finding),
        f"because {finding.reasons[0]}" if finding.reasons else "",
        package=finding.package,
        channel=channel,
        bundle=bundle,
        origin=element.origin if element is not None else None,
    )


def _print(report: olmsolve.AuditReport, options: argparse.Namespace) -> None:
    if options.output == "html":
        write(render.audit_html(report, about=about_page(options)).rstrip("\n"))
    elif options.output == "json":
        write(render.audit_json(report))
    elif options.output == "junit":
        write(render.audit_junit(report))
    else:
        show(options.output, text=partial(render.audit_text, report), data=report.to_dict)
