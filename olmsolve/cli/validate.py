"""``olmsolve validate``."""

from __future__ import annotations

import argparse
import difflib
import json
from collections import Counter
from collections.abc import Sequence
from typing import Final

from olmsolve.authoring.checks import Finding, Severity, validate
from olmsolve.authoring.checks.validation import STAGES, stage
from olmsolve.cli.exits import Exit
from olmsolve.cli.streams import style, write
from olmsolve.cli.validate_reports import as_github, as_junit, as_sarif
from olmsolve.render import plain

__all__ = ["run"]

_LEVELS: Final = tuple(Severity)


def run(options: argparse.Namespace) -> int:
    """Validate the catalog that *options* name, print what is found, and return the exit code."""
    for code in (*options.only, *options.ignored):
        if code not in STAGES:
            near = "".join(difflib.get_close_matches(code, STAGES, n=1))
            options.refuse(
                f"there is no code {code!r}; {f'did you mean {near}?' if near else 'docs/validate.md has them'}"
            )
    every = validate(options.catalog, advice=options.level != Severity.ERROR)
    is_valid = all(finding.severity is not Severity.ERROR for finding in every)
    findings = [finding for finding in every if _is_chosen(finding, options)]
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
    is_refused = options.strict and any(finding.severity is Severity.WARNING for finding in findings)
    return Exit.PLAN if is_valid and not is_refused else Exit.UNSATISFIABLE


def _is_chosen(finding: Finding, options: argparse.Namespace) -> bool:
    # Errors are the verdict: what cannot be seen could not be understood.
    if finding.severity is Severity.ERROR:
        return True
    if finding.code in options.ignored or _LEVELS.index(finding.severity) > _LEVELS.index(Severity(options.level)):
        return False
    return not options.only or finding.code in options.only


def _print(findings: Sequence[Finding], *, is_valid: bool) -> None:
    layout = style()
    for finding in findings:
        text = plain(f"{finding} [{finding.code}]")
        write(layout.bold(text) if finding.severity is Severity.ERROR else text)
    counts = Counter(finding.severity for finding in findings)
    counted = [f"{counts[each]} {each}{'s' * (counts[each] != 1)}" for each in Severity if counts[each]]
    write(": ".join(filter(None, ["Valid" if is_valid else "Not valid", ", ".join(counted)])) + ".")
