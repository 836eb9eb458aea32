"""``olmsolve validate``: whether a catalog is valid, and everything that is wrong with it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

import olmsolve
from olmsolve.cli.choices import one_of
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_catalog, add_output
from olmsolve.cli.streams import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from olmsolve.authoring.checks import Finding, MendedFile

DESCRIPTION: Final = """\
Say whether a catalog is valid, with the verdict of "opm validate", and everything that is wrong with it at once, each
with its place and a hint (docs/validate.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve validate catalogs/community
  olmsolve validate index.yaml --output json
  olmsolve validate catalogs/community --output sarif > validate.sarif
  olmsolve validate catalogs/community --fix --write
  olmsolve validate catalogs/community --level warning --ignore requirement-unmet --strict

exit codes:
  0  the catalog is valid
  1  it is not, or with --strict there is a warning
  2  bad input: there is nothing at the path, or an argument is wrong"""

_ADVICE: Final = """\
What opm accepts and people should know is reported after the verdict, as warnings and notes: upgrades that strand,
requirements that nothing meets, APIs with several owners and more."""

_FIX: Final = """\
show as a diff what mends the faults that leave no doubt: misspelt names, missing quotes, fields to leave out; comments
and order stay"""

_MOST_ROUNDS: Final = 10

_ONLY: Final = "of warnings and notes, report those of this code alone; can be repeated (example: requirement-unmet)"
_IGNORE: Final = "leave out warnings and notes of this code; can be repeated"

_SEVERITIES: Final = ("error", "warning", "note")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalog, the form of the report, and which warnings and notes it holds."""
    add_catalog(parser)
    add_output(
        parser,
        *("text", "json", "junit", "sarif", "github"),
        shown="the form of the report: text, JSON, JUnit XML, SARIF, or annotations of GitHub Actions",
    )
    parser.add_argument("--fix", action="store_true", help=_FIX)
    parser.add_argument("--write", action="store_true", help="with --fix: change the files, and report what is left")
    advice = parser.add_argument_group("beyond the verdict", _ADVICE)
    advice.add_argument(
        "--level",
        type=one_of(_SEVERITIES),
        choices=_SEVERITIES,
        default="note",
        help="the least severity to report (default: note, which is everything)",
    )
    advice.add_argument("--only", action="append", default=[], metavar="CODE", help=_ONLY)
    advice.add_argument("--ignore", dest="ignored", action="append", default=[], metavar="CODE", help=_IGNORE)
    advice.add_argument("--strict", action="store_true", help="exit with 1 for a reported warning too")


def run(options: argparse.Namespace) -> int:
    """Validate the catalog of *options*, print the findings, and return the exit code."""
    _refuse_unknown_codes(options)
    if options.write and not options.fix:
        options.refuse("--write changes files only together with --fix")
    if options.fix and (options.output != "text" or options.catalog == "-"):
        options.refuse("--fix shows a diff of files: it takes neither --output nor standard input")
    every_finding: Sequence[Finding] = olmsolve.validate(options.catalog, advice=options.level != "error")
    if options.fix:
        every_finding = _mended(options, every_finding)
    is_valid = all(finding.severity is not olmsolve.Severity.ERROR for finding in every_finding)
    findings = [finding for finding in every_finding if _is_reported(finding, options)]
    _print(findings, options, is_valid=is_valid)
    is_refused = options.strict and any(finding.severity is olmsolve.Severity.WARNING for finding in findings)
    return Exit.PLAN if is_valid and not is_refused else Exit.UNSATISFIABLE


def _mended(options: argparse.Namespace, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Show what fixes change, with --write change the files, and return what is wrong afterwards."""
    # A name that is right at last may show the next fault, which has a fix of its own.
    for _ in range(_MOST_ROUNDS):
        files = olmsolve.authoring.checks.mend(findings)
        _show_diff(files)
        if not files:
            break
        if not options.write:
            write("Nothing is changed yet: --fix --write changes the files.")
            break
        _change(files)
        findings = olmsolve.validate(options.catalog, advice=options.level != "error")
    return findings


def _show_diff(files: Sequence[MendedFile]) -> None:
    from olmsolve.render import plain

    for file in files:
        for line in file.diff().splitlines():
            write(plain(line))


def _change(files: Sequence[MendedFile]) -> None:
    """Write each of *files* in one step, unless it has changed since it was judged."""
    from olmsolve._whole_files import write_whole

    for file in files:
        try:
            if Path(file.path).read_bytes() != file.before.encode():
                raise olmsolve.CatalogError("the file has changed meanwhile; run the command again", origin=file.path)
            write_whole(file.path, [file.after.encode()])
        except OSError as error:
            raise olmsolve.CatalogError(f"cannot be written: {error.strerror or error}", origin=file.path) from None


def _refuse_unknown_codes(options: argparse.Namespace) -> None:
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


def _print(findings: list[Finding], options: argparse.Namespace, *, is_valid: bool) -> None:
    from olmsolve.cli.findings import as_github, as_json, as_junit, as_sarif, counted, print_findings

    if options.output == "json":
        write(as_json(findings, is_valid=is_valid))
    elif options.output == "junit":
        write(as_junit(findings, options.catalog))
    elif options.output == "sarif":
        write(as_sarif(findings))
    elif options.output == "github":
        if findings:
            write(as_github(findings))
    else:
        print_findings(findings, with_codes=True)
        write(": ".join(filter(None, ["Valid" if is_valid else "Not valid", counted(findings)])) + ".")
