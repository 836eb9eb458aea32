"""``olmsolve lint``: what in a catalog is probably not what its authors meant."""

from __future__ import annotations

import argparse
from typing import Final

import olmsolve
from olmsolve.cli.catalogs import load
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_catalog, add_output
from olmsolve.cli.streams import write

DESCRIPTION: Final = """\
Report what the authors of a catalog probably did not mean: version ranges that mean something else than they
seem to, or contain nothing; requirements that do not parse; CEL rules that can never match; property types that
are misspelt (docs/lint.md). olmsolve help CODE says what a finding means."""

EXAMPLES: Final = """\
examples:
  olmsolve lint catalogs/orchard
  olmsolve lint catalogs/orchard --output json
  olmsolve lint catalogs/commons --output github
  olmsolve lint catalogs/commons --second-opinion

exit codes:
  0  no finding of severity error
  1  at least one error
  2  bad input: the catalog cannot be read, or an argument is wrong"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalog, and the form of the report."""
    add_catalog(parser)
    add_output(
        parser,
        *("text", "json", "junit", "sarif", "github"),
        shown="the form of the report: text, JSON, JUnit XML, SARIF, or annotations of GitHub Actions",
    )
    parser.add_argument(
        "--second-opinion",
        action="store_true",
        help="let semantic-version judge every range and cel-python every rule, and report what they find otherwise",
    )


def run(options: argparse.Namespace) -> int:
    """Lint the catalog of *options*, print the findings, and return the exit code."""
    catalog = load(options.catalog, index=False)
    opinions = olmsolve.authoring.second_opinions(catalog) if options.second_opinion else None
    findings = (*olmsolve.lint(catalog), *(opinions.findings if opinions is not None else ()))
    from olmsolve.authoring.checks.validation import at_fields
    from olmsolve.cli.findings import as_github, as_json, as_junit, as_sarif, counted, print_findings

    findings = at_fields(findings, catalog)
    if options.output == "json":
        write(as_json(findings))
    elif options.output == "junit":
        write(as_junit("lint", [(options.catalog, findings)]))
    elif options.output == "sarif":
        write(as_sarif(findings))
    elif options.output == "github":
        if findings:
            write(as_github(findings))
    else:
        print_findings(findings, with_codes=False)
        write(counted(findings) or "Nothing found.")
        if opinions is not None:
            write(str(opinions))
    # The catalog has been read either way; 1 is the other answer here too.
    has_errors = any(finding.severity is olmsolve.Severity.ERROR for finding in findings)
    return Exit.UNSATISFIABLE if has_errors else Exit.PLAN
