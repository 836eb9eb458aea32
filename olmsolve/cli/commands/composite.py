"""``olmsolve composite``: composite catalogs, built, validated and compared."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Final

from olmsolve import authoring, render
from olmsolve.cli.catalogs import catalog_path, load, put
from olmsolve.cli.options import add_images, by_name, renderer_of
from olmsolve.cli.output import Exit, write, write_data
from olmsolve.cli.parsers import one_of

if TYPE_CHECKING:
    from olmsolve.authoring import CompositeCatalog

_FORMS: Final = ("json", "jsonl", "yaml", "markdown")
_DIFFERENCES: Final = ("markdown", "json", "yaml")

DESCRIPTION: Final = """\
Build a composite catalog from the catalogs and templates of others, and validate it (docs/composites.md).
CONFIG is a catalog of references (name, repo, tag and references with images), or an olm.composite.catalogs, to
which CONTRIBUTIONS, an olm.composite, contributes. With --against, print what changes compared with another
catalog instead. A catalog with an error is neither printed nor written."""

EXAMPLES: Final = """\
examples:
  olmsolve composite authoring/composite.yaml --split shopping
  olmsolve composite authoring/composite.yaml --against shopping
  olmsolve composite authoring/composite.yaml \\
                     --reference commons=catalogs/commons -o yaml

exit codes:
  0  the catalog is valid; it is printed, written or compared
  1  the catalog is not valid: standard output has the findings; or with --exit-code, it differs
  2  bad input: a document, a catalog or a template cannot be read, or an argument is wrong"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the configuration, where its parts are found, and what becomes of the catalog."""
    parser.add_argument("config", metavar="CONFIG", help="the catalog of references, or the olm.composite.catalogs")
    parser.add_argument(
        "contributions",
        nargs="?",
        default=None,
        metavar="CONTRIBUTIONS",
        help="the olm.composite that contributes to it",
    )
    parser.add_argument("--name", default="", metavar="NAME", help="build only this one of several catalogs")
    parser.add_argument(
        "--reference",
        dest="references",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="take the catalog of this reference from PATH, not from its image; can be repeated",
    )
    add_images(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=one_of(_FORMS),
        choices=_FORMS,
        help="the form of the catalog (default: json; with --split, what the names of the files say); with --against,"
        " markdown, json or yaml for the differences, which are text by default",
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--split", default="", metavar="FOLDER", help="write the files below FOLDER, new or empty")
    target.add_argument("--against", default="", metavar="OLD", help="print what changes compared with this catalog")
    parser.add_argument("--exit-code", action="store_true", help="with --against: exit with 1 if the catalogs differ")


def run(options: argparse.Namespace) -> int:
    """Build the catalogs of *options*, and print, write or compare them, once they are valid; return the exit code."""
    if options.exit_code and not options.against:
        options.refuse("--exit-code is for --against")
    if options.against and options.output not in (None, *_DIFFERENCES):
        options.refuse(f"--against prints text, markdown, json or yaml, not {options.output}")
    if not options.against and options.output == "markdown":
        options.refuse("a catalog is json, jsonl or yaml; --against has differences, which can be markdown")
    made = _chosen(options)
    errors = [finding for finding in made.findings() if finding.severity is authoring.Severity.ERROR]
    if errors:
        from olmsolve.cli.findings import counted, print_findings

        print_findings(errors, with_codes=True)
        write(f"Not valid: {counted(errors)}.")
        return Exit.UNSATISFIABLE
    if options.against:
        return _compared(options, made)
    if options.split:
        made.write(options.split, options.output)
    else:
        put(made.blobs(), options.output)
    return Exit.PLAN


def _chosen(options: argparse.Namespace) -> CompositeCatalog:
    """Return the catalog that *options* choose."""
    references = by_name(options, "--reference", options.references, "NAME=PATH")
    made = authoring.composites.composites(
        options.config,
        options.contributions,
        references=references,
        renderer=renderer_of(options),
        load=partial(load, index=False),
    )
    chosen = [catalog for catalog in made if options.name in ("", catalog.name)]
    if len(chosen) != 1:
        names = ", ".join(catalog.name for catalog in made)
        options.refuse(f"--name must say which catalog is meant; there are: {names}")
    return chosen[0]


def _compared(options: argparse.Namespace, made: CompositeCatalog) -> int:
    difference = authoring.compose.diff_catalogs(load(catalog_path(options.against), index=False), made.catalog())
    if options.output == "markdown":
        write(render.catalog_diff_markdown(difference))
    elif options.output is not None:
        write_data(difference.to_dict(), options.output)
    else:
        write(render.catalog_diff_text(difference))
    return Exit.UNSATISFIABLE if difference and options.exit_code else Exit.PLAN
