"""Findings as text for people, and as JUnit XML, SARIF and GitHub's annotations for continuous integration."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from olmsolve._version import __version__
from olmsolve.authoring.checks import Finding, Severity
from olmsolve.authoring.checks.validation import RULES, findings_report, stage
from olmsolve.cli.output import json_text, style, write, write_data
from olmsolve.render import Style, paragraph, plain

if TYPE_CHECKING:
    from olmsolve.render import JUnitCase

_SARIF: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_PASSED: Final = {"validate": "valid", "lint": "nothing of severity error"}
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def print_findings(findings: Iterable[Finding], *, with_codes: bool) -> None:
    """Write each finding to standard output: folded on a terminal, else as a line, *with_codes* at the end of it.

    A terminal gets severity and code first, then the position, and one line of help, each within its width; what
    programs read through a pipe stays a line for each finding::

        error[channel-heads]: the channel has 2 heads: p.v1, p.v2
          at catalog.yaml:22:5, package p, channel stable, entries[1].replace
          help: did you mean replaces?
    """
    layout = style()
    for finding in findings:
        if sys.stdout.isatty():
            write("\n".join(folded(finding, layout)))
            continue
        text = plain(f"{finding} [{finding.code}]" if with_codes else str(finding))
        write(layout.bold(text) if finding.severity is Severity.ERROR else text)


def folded(finding: Finding, layout: Style) -> list[str]:
    """Return the lines of *finding* for a terminal: what is wrong, where, and what helps."""
    lines = paragraph(f"{finding.severity}[{finding.code}]: {finding.message}", layout.width, hanging="    ")
    if finding.severity is Severity.ERROR:
        lines = list(map(layout.bold, lines))
    where = ", ".join(filter(None, [str(finding.origin) if finding.origin else "", finding.location()]))
    if where:
        lines += map(layout.dim, paragraph(f"at {where}", layout.width, indent="  ", hanging="    "))
    if finding.hint:
        lines += paragraph(f"help: {finding.hint}", layout.width, indent="  ", hanging="    ")
    return lines


def put_findings(
    form: str, command: str, judged: Sequence[tuple[str, Sequence[Finding]]], *, is_valid: bool | None = None
) -> None:
    """Write the findings of each catalog that *command* has *judged* in *form*, which is not text.

    After a validation, JSON and YAML have its verdict *is_valid*, and the stages of the findings.
    """
    findings = [finding for _, of_catalog in judged for finding in of_catalog]
    if form in ("json", "yaml"):
        report = findings_report(findings, is_valid=is_valid).to_dict()
        if form == "yaml":
            write_data(report, form)
        else:
            write(json_text(report, indent=2, ascii_only=True))
    elif form == "junit":
        write(as_junit(command, judged))
    elif form == "sarif":
        write(as_sarif(findings))
    elif form == "markdown":
        write(as_markdown(judged, is_valid=is_valid))
    elif findings:
        write(as_github(findings), is_exact=True)


def counted(findings: Iterable[Finding]) -> str:
    """Return how many findings there are of each severity, such as "1 error, 2 warnings"; "" for none."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(
        f"{counts[severity]} {severity}{'s' * (counts[severity] != 1)}" for severity in Severity if counts[severity]
    )


def as_junit(command: str, judged: Iterable[tuple[str, Sequence[Finding]]]) -> str:
    """Return a test suite for each catalog that *command* has *judged*, given with its findings.

    Each error is a failed test, each other finding a test with output. A suite without errors holds one test that
    passed, because an empty suite looks like one that did not run.
    """
    # Imported on first use, with the writer of XML.
    from olmsolve.render import JUnitCase, junit_report

    suites = []
    for catalog, findings in judged:
        cases = [_case(finding, command) for finding in findings]
        if not any(case.failure for case in cases):
            cases.append(JUnitCase(_PASSED[command], command))
        suites.append((f"olmsolve {command} {catalog}", cases))
    return junit_report(f"olmsolve {command}", suites)


def as_markdown(judged: Sequence[tuple[str, Sequence[Finding]]], *, is_valid: bool | None = None) -> str:
    """Return the findings of each catalog as a list for a review, below a heading with their count.

    After a validation, *is_valid* is its verdict; None without a verdict.
    """
    from olmsolve.render import in_markdown

    blocks: list[str] = []
    for catalog, findings in judged:
        is_fine = all(finding.severity is not Severity.ERROR for finding in findings)
        verdict = "" if is_valid is None else "valid" if is_fine else "not valid"
        summary = ", ".join(filter(None, [verdict, counted(findings)])) or "nothing found"
        lines = [f"## {in_markdown(catalog)}: {summary}", ""]
        for finding in findings:
            where = ", ".join(filter(None, [str(finding.origin) if finding.origin else "", finding.location()]))
            lines.append(f"- **{finding.severity}** `{finding.code}`: {in_markdown(finding.message)}")
            lines += [f"  - at {in_markdown(where)}"] if where else []
            lines += [f"  - help: {in_markdown(finding.hint)}"] if finding.hint else []
        blocks.append("\n".join(lines).rstrip())
    return "\n\n".join(blocks)


def as_sarif(findings: Sequence[Finding], rules: Mapping[str, str] = RULES) -> str:
    """Return a SARIF 2.1.0 log with one run (OASIS standard); *rules* says what each code reports."""
    codes = sorted({finding.code for finding in findings})
    driver_rules = [{"id": code, "shortDescription": {"text": _capital(rules[code])}} for code in codes]
    driver = {"name": "olmsolve", "version": __version__, "rules": driver_rules}
    seen: Counter[str] = Counter()
    results = [_result(finding) | {"partialFingerprints": _fingerprint(finding, seen)} for finding in findings]
    run = {"tool": {"driver": driver}, "results": results}
    return json_text({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=2, ascii_only=True)


def as_github(findings: Sequence[Finding]) -> str:
    """Return a workflow command of GitHub Actions for each finding, one a line; "" without findings."""
    return "\n".join(map(_command, findings))


def _case(finding: Finding, command: str) -> JUnitCase:
    from olmsolve.render import JUnitCase

    name = f"{finding.code}: {finding.location()}" if finding.location() else finding.code
    failure = finding.code if finding.severity is Severity.ERROR else ""
    where = finding.origin.file if finding.origin else command
    return JUnitCase(name, where, failure, finding.message, [str(finding)])


def _result(finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if finding.origin is not None:
        location["physicalLocation"] = {"artifactLocation": {"uri": _uri(finding.origin.file)}}
        if finding.origin.line is not None:
            column = {"startColumn": finding.origin.column} if finding.origin.column is not None else {}
            location["physicalLocation"]["region"] = {"startLine": finding.origin.line} | column
    if finding.location():
        location["logicalLocations"] = [{"fullyQualifiedName": finding.location()}]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.severity.value,
        "message": {"text": _sentence(finding)},
    }
    if finding.code in RULES:
        result["properties"] = {"stage": stage(finding).value}
    return result | ({"locations": [location]} if location else {})


def _fingerprint(finding: Finding, seen: Counter[str]) -> dict[str, str]:
    """Return an identity of *finding* that later runs repeat, wherever its lines are then; equal ones are numbered.

    By it, a service that shows findings knows which are new, and which were dismissed.
    """
    from hashlib import sha256  # only this needs it, and it loads OpenSSL

    file = PurePath(finding.origin.file).name if finding.origin is not None else ""
    parts = (finding.code, file, finding.package, finding.channel, finding.bundle, finding.property, finding.message)
    digest = sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]
    seen[digest] += 1
    return {"olmsolve/v1": f"{digest}:{seen[digest]}"}


def _command(finding: Finding) -> str:
    fields = {"title": finding.code}
    if finding.origin is not None:
        column = {"col": str(finding.origin.column)} if finding.origin.column is not None else {}
        fields = {"file": finding.origin.file, "line": str(finding.origin.line or 1)} | column | fields
    properties = ",".join(
        f"{name}={_escaped(text).replace(':', '%3A').replace(',', '%2C')}" for name, text in fields.items()
    )
    sentence = ": ".join(filter(None, [finding.location(), _sentence(finding)]))
    return f"::{_LEVELS[finding.severity]} {properties}::{_escaped(plain(sentence))}"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _sentence(finding: Finding) -> str:
    return f"{finding.message} ({finding.hint})" if finding.hint else finding.message


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
