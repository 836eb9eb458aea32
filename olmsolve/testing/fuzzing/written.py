"""Fuzzing reports as text for people, as JSON for programs, and as JUnit XML for CI systems."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final
from xml.etree import ElementTree as Xml

from olmsolve.render import Style, paragraph, plain
from olmsolve.testing.fuzzing.findings import KINDS, BrokenLaw, FuzzFinding, FuzzReport

HEADINGS: Final = {
    "BrokenLaw": "Laws that answers break: faults of olmsolve",
    "TwoMeanings": "Constraints and starts that mean something else to the shipped controller",
    "NeverTogether": "Subscriptions that can never be served together",
    "UpdateDeadEnd": "Updates that end before the head of their channel",
    "NeverDecisive": "Requirements that never decide",
    "WonByName": "Packages that only their names let win",
    "DifferentOpinion": "Ranges and rules that other libraries read otherwise",
}
"""The heading of each kind of finding."""


def fuzz_text(report: FuzzReport, *, width: int = 80, colour: bool = False) -> str:
    """Return the report as text, kind by kind, each finding with its reasons; *width* is in characters."""
    style = Style(width, colour)
    lines = [style.bold(line) for line in paragraph(_summary(report), width)]
    for kind in KINDS:
        found = report.of_kind(kind)
        if found:
            lines += ["", style.bold(f"{HEADINGS[kind]} ({len(found)})")]
        for _, finding in found:
            lines += paragraph(_sentence(finding), width, indent="  - ", hanging="    ")
            for reason in finding.reasons:
                lines += map(style.dim, paragraph(reason, width, indent="    ", hanging="      "))
            if file := getattr(finding, "file", ""):
                lines += paragraph(f"olmsolve fuzz --replay {file}", width, indent="    ")
    if report.repeated:
        lines += ["", f"{report.repeated} cases more show the same."]
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
    laws = [(f"law {name}", _of_law(report, name)) for name in sorted(report.checks)]
    questions = [
        (HEADINGS[kind], tuple(finding for _, finding in report.of_kind(kind))) for kind in KINDS if kind != "BrokenLaw"
    ]
    root = Xml.Element("testsuites", {"name": "olmsolve fuzz", **_counts([*laws, *questions])})
    seed = f"seed {report.seed}, {report.cases} cases"
    for name, cases in ((f"laws ({seed})", laws), ("questions", questions)):
        suite = Xml.SubElement(root, "testsuite", {"name": name, **_counts(cases)})
        for title, findings in cases:
            element = Xml.SubElement(suite, "testcase", classname=name, name=plain(title))
            if findings:
                failure = Xml.SubElement(
                    element, "failure", type=findings[0].kind, message=plain(_sentence(findings[0]))
                )
                failure.text = "\n" + "\n".join(map(plain, _lines(findings))) + "\n"
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode")


Case = tuple[str, tuple[FuzzFinding, ...]]


def _of_law(report: FuzzReport, name: str) -> tuple[FuzzFinding, ...]:
    return tuple(each for each in report.findings if isinstance(each, BrokenLaw) and each.law == name)


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    failures = sum(bool(findings) for _, findings in cases)
    return {"tests": str(len(cases)), "failures": str(failures), "errors": "0", "skipped": "0"}


def _lines(findings: Sequence[FuzzFinding]) -> Iterator[str]:
    for finding in findings:
        yield _sentence(finding)
        yield from (f"  {reason}" for reason in finding.reasons)


def _summary(report: FuzzReport) -> str:
    ended = ", ".join(f"{count:,} {_counted(how, count)}" for how, count in sorted(report.outcomes.items()))
    checks = sum(report.checks.values())
    parts = [
        f"Seed {report.seed}: {report.cases:,} requests" + (f" ({ended})" if ended else "") + f", {checks:,} checks",
        f"{report.packages:,} of {report.all_packages:,} packages examined, {report.pairs:,} pairs of them",
    ]
    count = len(report.findings)
    found = "nothing found" if not count else f"{count:,} finding{'s' * (count != 1)}"
    return f"{'; '.join(parts)}; under {report.semantics} semantics: {found}."


def _counted(how: str, count: int) -> str:
    return how if count == 1 or how.startswith("no ") else {"broken catalog": "broken catalogs"}.get(how, f"{how}s")
