"""``olmsolve lint``: what in a catalog is probably not what its authors meant."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

import olmsolve
from olmsolve._named_tuples import NamedTuple
from olmsolve.cli.catalogs import catalog_path, load
from olmsolve.cli.options import add_catalog_list, add_report
from olmsolve.cli.output import Exit, harmless, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from olmsolve.authoring.checks import Finding

DESCRIPTION: Final = """\
Report what the authors of a catalog probably did not mean: version ranges that mean something else than they
seem to, or contain nothing; requirements that do not parse; CEL rules that can never match; property types that
are misspelt (docs/lint.md). olmsolve help CODE says what a finding means."""

EXAMPLES: Final = """\
examples:
  olmsolve lint catalogs/orchard
  olmsolve lint catalogs/orchard --output json
  olmsolve lint catalogs/commons catalogs/orchard --output github
  olmsolve lint catalogs/commons --second-opinion

exit codes:
  0  no finding of severity error
  1  at least one error
  2  bad input: a catalog cannot be read, or an argument is wrong"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalogs, and the form of the report."""
    add_catalog_list(parser, 'a folder, a file, an archive or an image, "-" for stdin; several are read one by one')
    add_report(parser)
    parser.add_argument(
        "--second-opinion",
        action="store_true",
        help="ask semantic-version about every range and cel-python about every rule, and report the differences",
    )


def run(options: argparse.Namespace) -> int:
    """Lint the catalogs of *options*, print the findings, and return the exit code."""
    linted = [_linted(catalog, options) for catalog in dict.fromkeys(map(catalog_path, options.catalogs))]
    _print(linted, options.output)
    # The catalogs have been read either way; 1 is the other answer here too.
    has_errors = any(
        finding.severity is olmsolve.Severity.ERROR for checked_file in linted for finding in checked_file.findings
    )
    return Exit.UNSATISFIABLE if has_errors else Exit.PLAN


class _Linted(NamedTuple):
    """A catalog with its findings, and a line about second opinions ("" without any)."""

    catalog: str
    findings: Sequence[Finding]
    opinions: str


def _linted(path: str, options: argparse.Namespace) -> _Linted:
    catalog = load(path, index=False)
    opinions = olmsolve.authoring.second_opinions(catalog) if options.second_opinion else None
    findings = (*olmsolve.lint(catalog), *(opinions.findings if opinions is not None else ()))
    from olmsolve.authoring.checks.validation import at_fields

    return _Linted(path, at_fields(findings, catalog), "" if opinions is None else str(opinions))


def _print(linted: Sequence[_Linted], form: str) -> None:
    from olmsolve.cli.findings import counted, print_findings, put_findings

    if form != "text":
        put_findings(form, "lint", [(checked_file.catalog, checked_file.findings) for checked_file in linted])
        return
    for checked_file in linted:
        print_findings(checked_file.findings, with_codes=False)
        count = counted(checked_file.findings)
        if len(linted) > 1:
            write(f"{harmless(checked_file.catalog)}: {count or 'nothing found'}.")
        else:
            write(count or "Nothing found.")
        if checked_file.opinions:
            write(checked_file.opinions)
