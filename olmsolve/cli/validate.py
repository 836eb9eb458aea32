"""``olmsolve validate``."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence

from olmsolve.checks import Finding, Severity, validate
from olmsolve.checks.validation import stage
from olmsolve.cli.exits import Exit
from olmsolve.cli.streams import style, write
from olmsolve.cli.validate_reports import as_github, as_junit, as_sarif
from olmsolve.render.layout import plain

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Validate the catalog that *options* name, print what is found, and return the exit code."""
    findings = validate(options.catalog)
    is_valid = all(finding.severity is not Severity.ERROR for finding in findings)
    if options.output == "json":
        report = [finding.to_dict() | {"stage": stage(finding).value} for finding in findings]
        document = {"schema": "olmsolve.findings", "schemaVersion": 1, "valid": is_valid, "findings": report}
        write(json.dumps(document, indent=2))
    elif options.output == "junit":
        write(as_junit(findings, options.catalog))
    elif options.output == "sarif":
        write(as_sarif(findings))
    elif options.output == "github":
        if findings:
            write(as_github(findings))
    else:
        _print(findings, is_valid=is_valid)
    return Exit.PLAN if is_valid else Exit.UNSATISFIABLE


def _print(findings: Sequence[Finding], *, is_valid: bool) -> None:
    layout = style()
    for finding in findings:
        text = plain(f"{finding} [{finding.code}]")
        write(layout.bold(text) if finding.severity is Severity.ERROR else text)
    counts = Counter(finding.severity for finding in findings)
    counted = [f"{counts[each]} {each}{'s' * (counts[each] != 1)}" for each in Severity if counts[each]]
    write(": ".join(filter(None, ["Valid" if is_valid else "Not valid", ", ".join(counted)])) + ".")
