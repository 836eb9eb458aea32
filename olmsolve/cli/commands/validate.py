"""``olmsolve validate``: whether catalogs are valid, and everything that is wrong with them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

import olmsolve
from olmsolve._named_tuples import NamedTuple
from olmsolve.cli.catalogs import catalog_path
from olmsolve.cli.edits import carry_out
from olmsolve.cli.options import add_catalog_list, add_report
from olmsolve.cli.output import Exit, harmless, write
from olmsolve.cli.parsers import one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from olmsolve.authoring.checks import Finding

DESCRIPTION: Final = """\
Check whether catalogs are valid, with the verdict of "opm validate", and report every fault at once, each with
its position and a hint (docs/validate.md). olmsolve help CODE says what a finding means."""

EXAMPLES: Final = """\
examples:
  olmsolve validate catalogs/orchard
  olmsolve validate catalogs/orchard catalogs/commons --output json
  olmsolve validate catalogs/orchard --output sarif > validate.sarif
  olmsolve validate catalogs/orchard --fix
  olmsolve validate catalogs/orchard --level warning \\
                    --ignore requirement-unmet --strict

exit codes:
  0  the catalogs are valid
  1  one is not valid, or with --strict there is a warning
  2  bad input: there is nothing at the path, or an argument is wrong"""

_ADVICE: Final = """\
Problems that opm accepts are reported after the verdict, as warnings and notes: upgrades that strand,
requirements that nothing meets, APIs with several owners and more."""

_FIX: Final = """\
correct the faults that leave no doubt, and show the changes as a diff: misspelt names, missing quotes, fields to leave
out; comments and order stay"""

# Each round reads the catalog again. Two fixes that undid each other would go on for ever.
_MOST_ROUNDS: Final = 10

_ONLY: Final = "report only warnings and notes of this code; can be repeated (example: requirement-unmet)"
_IGNORE: Final = "do not report warnings and notes of this code; can be repeated"

_SEVERITIES: Final = ("error", "warning", "note")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalogs, the form of the report, and which warnings and notes it holds."""
    add_catalog_list(parser, 'a folder, a file or an archive, "-" for stdin; several are checked one by one')
    add_report(parser)
    parser.add_argument("--fix", action="store_true", help=_FIX)
    parser.add_argument("--write", action="store_true", help="with --fix: change the files, and report what is left")
    advice = parser.add_argument_group("warnings and notes", _ADVICE)
    advice.add_argument(
        "--level",
        type=one_of(_SEVERITIES),
        choices=_SEVERITIES,
        default="note",
        help="the lowest severity to report (default: note, so everything)",
    )
    advice.add_argument("--only", action="append", default=[], metavar="CODE", help=_ONLY)
    advice.add_argument("--ignore", dest="ignored", action="append", default=[], metavar="CODE", help=_IGNORE)
    advice.add_argument("--strict", action="store_true", help="also exit with 1 for a reported warning")


def run(options: argparse.Namespace) -> int:
    """Validate the catalogs of *options*, print the findings, and return the exit code."""
    _refuse_unknown_codes(options)
    if options.write and not options.fix:
        options.refuse("--write changes files only together with --fix")
    if options.fix and (options.output != "text" or "-" in options.catalogs):
        options.refuse("--fix shows a diff of files: it takes neither --output nor standard input")
    judged = [_judged(options, catalog) for catalog in dict.fromkeys(map(catalog_path, options.catalogs))]
    _print(judged, options)
    is_refused = options.strict and any(
        finding.severity is olmsolve.Severity.WARNING
        for catalog_verdict in judged
        for finding in catalog_verdict.findings
    )
    is_valid = all(catalog_verdict.is_valid for catalog_verdict in judged)
    return Exit.PLAN if is_valid and not is_refused else Exit.UNSATISFIABLE


class _Judged(NamedTuple):
    """A catalog with its verdict and the reported findings."""

    catalog: str
    is_valid: bool
    findings: list[Finding]


def _judged(options: argparse.Namespace, catalog: str) -> _Judged:
    every_finding: Sequence[Finding] = olmsolve.validate(catalog, advice=options.level != "error")
    if options.fix:
        every_finding = _mended(options, catalog, every_finding)
    is_valid = all(finding.severity is not olmsolve.Severity.ERROR for finding in every_finding)
    return _Judged(catalog, is_valid, [finding for finding in every_finding if _is_reported(finding, options)])


def _mended(options: argparse.Namespace, catalog: str, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Show what fixes change, with --write change the files, and return what is wrong afterwards."""
    # A name that is right at last may show the next fault, which has a fix of its own.
    for _ in range(_MOST_ROUNDS):
        files = olmsolve.authoring.checks.mend(findings)
        carry_out(files, is_written=options.write)
        if not files or not options.write:
            break
        findings = olmsolve.validate(catalog, advice=options.level != "error")
    return findings


def _refuse_unknown_codes(options: argparse.Namespace) -> None:
    if not options.only and not options.ignored:
        return
    from olmsolve.authoring.checks.validation import STAGES

    for code in (*options.only, *options.ignored):
        if code not in STAGES:
            import difflib

            near = "".join(difflib.get_close_matches(code, STAGES, n=1))
            hint = f"did you mean {near}?" if near else "docs/validate.md has them"
            options.refuse(f"there is no code {code!r}; {hint}")


def _is_reported(finding: Finding, options: argparse.Namespace) -> bool:
    # Errors are the verdict, which nobody could understand without seeing them.
    if finding.severity is olmsolve.Severity.ERROR:
        return True
    levels = tuple(olmsolve.Severity)
    if finding.code in options.ignored or levels.index(finding.severity) > levels.index(options.level):
        return False
    return not options.only or finding.code in options.only


def _print(judged: Sequence[_Judged], options: argparse.Namespace) -> None:
    from olmsolve.cli.findings import counted, print_findings, put_findings

    if options.output != "text":
        findings = [(catalog_verdict.catalog, catalog_verdict.findings) for catalog_verdict in judged]
        is_valid = all(catalog_verdict.is_valid for catalog_verdict in judged)
        put_findings(options.output, "validate", findings, is_valid=is_valid)
        return
    for catalog_verdict in judged:
        print_findings(catalog_verdict.findings, with_codes=True)
        verdict = "Valid" if catalog_verdict.is_valid else "Not valid"
        line = f"{harmless(catalog_verdict.catalog)}: {verdict}" if len(judged) > 1 else verdict
        write(": ".join(filter(None, [line, counted(catalog_verdict.findings)])) + ".")
