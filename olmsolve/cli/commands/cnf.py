"""``olmsolve cnf``: a request as clauses for other solvers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve._whole_files import write_whole
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_situation
from olmsolve.cli.situation import only_classic_question
from olmsolve.cli.streams import complain, json_text, write

DESCRIPTION: Final = """\
Write a request as clauses that other solvers read: DIMACS CNF for SAT solvers, WCNF for MaxSAT solvers, OPB for
pseudo-Boolean solvers. Their models are the valid selections of bundles (docs/cnf.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve cnf request.yaml -o request.cnf
  olmsolve cnf request.yaml -o request.wcnf --symbols request.json
  olmsolve cnf request.yaml --no-comments | kissat

exit codes:
  0  the clauses are written
  1  nothing is resolved, because a catalog cannot be read
  2  bad input: a catalog, a request or an argument"""

_FORMS: Final = ("dimacs", "wcnf", "opb")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the extent of the clauses, and where to write them."""
    add_situation(parser)
    parser.add_argument("-o", "--file", metavar="FILE", help="the file to write (default: standard output)")
    parser.add_argument(
        "--form",
        choices=_FORMS,
        help="the file format (default: what the suffix .cnf, .wcnf or .opb of FILE says, else dimacs)",
    )
    parser.add_argument(
        "--whole", action="store_true", help="include all candidates of the catalogs, not only what the request reaches"
    )
    parser.add_argument("--no-comments", action="store_true", help="leave out what variables and clauses mean")
    parser.add_argument("--symbols", metavar="FILE", help="write what the variables mean to FILE as well, as JSON")


def run(options: argparse.Namespace) -> int:
    """Compile the request of *options* and write its clauses."""
    question, request = only_classic_question(options, "clauses")
    try:
        compiled = olmsolve.compile(request, semantics=question.semantics, whole=options.whole)
    except olmsolve.Unsatisfiable as error:
        complain(str(error))
        return Exit.UNSATISFIABLE
    form = options.form or _form_of(options.file or "")
    forms: dict[str, Callable[..., Iterable[str]]] = {
        "dimacs": compiled.to_dimacs,
        "wcnf": compiled.to_wcnf,
        "opb": compiled.to_opb,
    }
    lines = forms[form](comments=not options.no_comments)
    if options.symbols is not None:
        _write_file(options.symbols, [json_text(compiled.to_dict(), indent=2), "\n"])
    if options.file is not None:
        _write_file(options.file, lines)
    else:
        for line in lines:
            write(line.removesuffix("\n"))
    return Exit.PLAN


def _form_of(file: str) -> str:
    suffix = Path(file).suffix.lower().removeprefix(".")
    return suffix if suffix in _FORMS else "dimacs"


def _write_file(path: str, lines: Iterable[str]) -> None:
    """Write *lines* to the file at *path*, one after the other. Raises RequestError where that is impossible."""
    try:
        write_whole(path, (line.encode() for line in lines))
    except OSError as error:
        raise olmsolve.RequestError(f"cannot be written: {error.strerror}", source=path) from None
