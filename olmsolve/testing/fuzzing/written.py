"""Fuzzing reports as text for people, as JSON for programs, and as JUnit XML for CI systems."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from olmsolve.render import JUnitCase, Style, counted, junit_report, paragraph
from olmsolve.testing.fuzzing.findings import KINDS, BrokenLaw, FuzzFinding, FuzzReport
from olmsolve.testing.fuzzing.shown import command, said_by

HEADINGS: Final = {
    "BrokenLaw": "Laws that answers break: faults of olmsolve",
    "TwoMeanings": "Constraints and starts that mean something else to the shipped controller",
    "NeverTogether": "Subscriptions that can never be served together",
    "NeverInstallable": "Packages that can never be installed",
    "UpdateDeadEnd": "Updates that end before the head of their channel",
    "NeverDecisive": "Requirements that never decide",
    "WonByName": "Packages that win only by their names",
    "DifferentOpinion": "Ranges and rules that other libraries read differently",
}
"""The heading of each kind of finding."""


def fuzz_text(report: FuzzReport, *, width: int = 80, colour: bool = False) -> str:
    """Return the report as text, kind by kind, each finding with its reasons; *width* is in characters."""
    style = Style(width, colour)
    lines = [style.bold(line) for line in paragraph(_summary(report), width)]
    for kind in KINDS:
        findings = report.of_kind(kind)
        if findings:
            lines += ["", style.bold(f"{HEADINGS[kind]} ({len(findings)})")]
        for _, finding in findings:
            lines += paragraph(_sentence(finding), width, indent="  - ", hanging="    ")
            for reason in finding.reasons:
                lines += map(style.dim, paragraph(reason, width, indent="    ", hanging="      "))
            for line in said_by(finding):
                lines += map(style.dim, paragraph(line, width, indent="    ", hanging="      "))
            if finding.file:
                lines += paragraph(command(finding, report.semantics), width, indent="    ")
    if report.repeated:
        lines += ["", f"{counted(report.repeated, 'more case')} showed the same."]
    if any(report.covered.values()):
        covered = ", ".join(f"{name} {count:,}" for name, count in report.covered.items())
        lines += ["", *map(style.dim, paragraph(f"What the requests covered, and how often: {covered}.", width))]
    return "\n".join(lines)


def _sentence(finding: FuzzFinding) -> str:
    package = getattr(finding, "package", "")
    text = str(finding)
    return f"{package}: {text}" if package and not text.startswith(package) else text


def fuzz_json(report: FuzzReport) -> str:
    """Return the report's ``to_dict()`` as JSON text, in ASCII, so that every stream can carry it."""
    # Of the characters in ASCII, json leaves this one alone that a terminal obeys.
    return json.dumps(report.to_dict(), indent=2).replace("\x7f", "\\u007f")


def fuzz_junit(report: FuzzReport) -> str:
    """Return the report as JUnit XML: a suite of the laws, a test case each, and one of the author's questions."""
    laws = [_case(f"law {name}", _of_law(report, name)) for name in sorted(report.checks)]
    questions = [
        _case(HEADINGS[kind], [finding for _, finding in report.of_kind(kind)]) for kind in KINDS if kind != "BrokenLaw"
    ]
    title = f"laws (seed {report.seed}, {counted(report.cases, 'case')})"
    return junit_report("olmsolve fuzz", [(title, laws), ("questions", questions)])


def _of_law(report: FuzzReport, name: str) -> list[FuzzFinding]:
    return [finding for finding in report.findings if isinstance(finding, BrokenLaw) and finding.law == name]


def _case(title: str, findings: Sequence[FuzzFinding]) -> JUnitCase:
    """Return the test case *title*: it fails if there are *findings*."""
    if not findings:
        return JUnitCase(title)
    lines = [
        line
        for finding in findings
        for line in (_sentence(finding), *(f"  {reason}" for reason in (*finding.reasons, *said_by(finding))))
    ]
    return JUnitCase(title, failure=findings[0].kind, message=_sentence(findings[0]), lines=lines)


def _summary(report: FuzzReport) -> str:
    ended = ", ".join(f"{count:,} {_counted(how, count)}" for how, count in sorted(report.outcomes.items()))
    requests = counted(report.cases, "request") + (f" ({ended})" if ended else "")
    examined = f"{report.packages:,} of {counted(report.all_packages, 'package')} examined"
    parts = [
        f"Seed {report.seed}: {requests}, {counted(sum(report.checks.values()), 'check')}",
        f"{examined}, {counted(report.pairs, 'pair')} of them",
    ]
    count = len(report.findings)
    outcome = "nothing found" if not count else f"{count:,} finding{'s' * (count != 1)}"
    return f"{'; '.join(parts)}; under {report.semantics} semantics: {outcome}."


def _counted(how: str, count: int) -> str:
    return how if count == 1 or how.startswith("no ") else {"broken catalog": "broken catalogs"}.get(how, f"{how}s")
