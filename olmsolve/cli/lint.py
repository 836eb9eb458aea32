"""``olmsolve lint``."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence

from olmsolve.authoring.checks import Finding, Severity, lint
from olmsolve.catalog import fbc
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import style, write
from olmsolve.render import plain

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Lint the catalog that *options* name, print what is found, and return the exit code."""
    with Progress(sys.stderr) as progress:
        catalog = fbc.load(options.catalog, progress=progress.reporter(options.catalog))
    findings = lint(catalog)
    if options.output == "json":
        report = [finding.to_dict() for finding in findings]
        write(json.dumps({"schema": "olmsolve.findings", "schemaVersion": 1, "findings": report}, indent=2))
    else:
        _print(findings)
    # The catalog has been read either way; 1 is the other answer here too.
    return Exit.UNSATISFIABLE if any(finding.severity is Severity.ERROR for finding in findings) else Exit.PLAN


def _print(findings: Sequence[Finding]) -> None:
    layout = style()
    for finding in findings:
        text = plain(str(finding))
        write(layout.bold(text) if finding.severity is Severity.ERROR else text)
    counts = Counter(finding.severity for finding in findings)
    counted = [f"{counts[each]} {each}{'s' * (counts[each] != 1)}" for each in Severity if counts[each]]
    write(", ".join(counted) or "Nothing found.")
