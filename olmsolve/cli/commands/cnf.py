"""``olmsolve cnf``: a request as clauses for other solvers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve.cli.options import add_situation, add_target
from olmsolve.cli.output import Exit, complain, json_text, write, write_file
from olmsolve.cli.parsers import one_of
from olmsolve.cli.situation import EXTENSIONS_ONLY, only_classic_question

DESCRIPTION: Final = """\
Write a request as clauses that other solvers read: DIMACS CNF for SAT solvers, WCNF for MaxSAT solvers, OPB for
pseudo-Boolean solvers. Their models are the valid selections of bundles (docs/cnf.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve cnf install.yaml --to install.cnf
  olmsolve cnf install.yaml --to install.wcnf --symbols symbols.json
  olmsolve cnf install.yaml --output opb --no-comments

exit codes:
  0  the clauses are written
  1  nothing is resolved, because a catalog cannot be read
  2  bad input: a catalog, a request or an argument"""

_FORMS: Final = ("dimacs", "wcnf", "opb", "json")
_BY_SUFFIX: Final = {".cnf": "dimacs", ".wcnf": "wcnf", ".opb": "opb", ".json": "json"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the extent of the clauses, and where to write them."""
    add_situation(parser, idle=EXTENSIONS_ONLY)
    parser.add_argument(
        "-o",
        "--output",
        type=_form,
        choices=_FORMS,
        help="the form of the clauses; json says what their variables mean, without the clauses (default: what the"
        " suffix .cnf, .wcnf, .opb or .json of --to says, else dimacs)",
    )
    add_target(parser)
    parser.add_argument(
        "--whole",
        action="store_true",
        help="include all candidates of the catalogs, not only those that the request can reach",
    )
    parser.add_argument(
        "--no-comments", action="store_true", help="leave out the comments that say what variables and clauses mean"
    )
    parser.add_argument("--symbols", metavar="FILE", help="write what the variables mean to FILE as well, as JSON")


def _form(text: str) -> str:
    """Return *text* if it is a form; the error for a file in its place names the option for files."""
    if Path(text).suffix.lower() in _BY_SUFFIX:
        forms = f"{', '.join(_FORMS[:-1])} or {_FORMS[-1]}"
        raise argparse.ArgumentTypeError(f"{text!r} is a file, and the form is {forms}: --to {text} writes to the file")
    return one_of(_FORMS)(text)


def run(options: argparse.Namespace) -> int:
    """Compile the request of *options* and write its clauses."""
    form = options.output or _BY_SUFFIX.get(Path(options.to).suffix.lower(), "dimacs")
    if form == "json" and options.no_comments:
        options.refuse("argument --no-comments: JSON has no comments")
    question, request = only_classic_question(options, "clauses")
    try:
        compiled = olmsolve.compile(request, semantics=question.semantics, whole=options.whole)
    except olmsolve.Unsatisfiable as error:
        complain(str(error))
        return Exit.UNSATISFIABLE
    lines = _lines(compiled, form, comments=not options.no_comments)
    if options.symbols is not None:
        write_file(options.symbols, _lines(compiled, "json"))
    if options.to:
        write_file(options.to, lines)
    else:
        for line in lines:
            write(line.removesuffix("\n"))
    return Exit.PLAN


def _lines(compiled: olmsolve.classic.CompiledProblem, form: str, *, comments: bool = True) -> Iterable[str]:
    """Return the lines of *compiled* in *form*, with their line ends."""
    if form == "json":
        return (f"{line}\n" for line in json_text(compiled.to_dict(), indent=2).split("\n"))
    forms = {"dimacs": compiled.to_dimacs, "wcnf": compiled.to_wcnf, "opb": compiled.to_opb}
    return forms[form](comments=comments)
