"""The one way in which commands change files: a diff first, and with ``--write`` the files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from olmsolve.cli.catalogs import put
from olmsolve.cli.options import add_written_catalog
from olmsolve.cli.output import Exit, complain, write

if TYPE_CHECKING:
    from olmsolve.authoring import FileChange
    from olmsolve.catalog import Catalog

NOT_YET: Final = "Nothing is changed yet: --write changes the files."


def add_edited_catalog(parser: argparse.ArgumentParser) -> None:
    """Add where an edit goes: the catalog's files, or a new catalog; :func:`put_edited` obeys these options."""
    target = add_written_catalog(parser, default="a diff of the catalog's files is shown")
    target.add_argument("--write", action="store_true", help="change the catalog's files in place")


def refuse_unwritable(options: argparse.Namespace) -> None:
    """Refuse an edit of files where the catalog comes from standard input, and --write beside --output."""
    if options.write and options.output:
        options.refuse("--write changes files in their own form, --output prints a new catalog")
    if options.catalog == "-" and not (options.output or options.to or options.split):
        options.refuse("standard input has no files to change: --output prints the new catalog")


def put_edited(before: Catalog, after: Catalog, options: argparse.Namespace) -> int:
    """Show how the files of *before* change, with --write change them; or put the catalog *after* elsewhere.

    Warnings that the edit brings come on standard error: upgrades that strand, heads that are not the highest version,
    requirements that nothing meets any more, bundles whose users no update reaches any more.

    Raises:
        CatalogError: a file cannot be changed as *after* needs it, or cannot be written.
    """
    if options.output or options.to or options.split:
        instead = "edits change it with --write"
        put(after, options.output, file=options.to, folder=options.split, inputs=[options.catalog], instead=instead)
        _warn_of_users(before, after)
        return Exit.PLAN
    from olmsolve.authoring import changed_files, new_advice

    changes = changed_files(before, after, options.catalog)
    if not changes:
        write("Nothing to change.")
        return Exit.PLAN
    carry_out(changes, is_written=options.write)
    for finding in new_advice(before, after):
        complain(str(finding))
    _warn_of_users(before, after)
    return Exit.PLAN


def _warn_of_users(before: Catalog, after: Catalog) -> None:
    """Say who required a removed bundle, and who gets no update: the catalog does not show who has one installed."""
    from olmsolve import render
    from olmsolve.authoring import diff_catalogs, newly_unmet

    for finding in newly_unmet(before, after):
        complain(str(finding))
    for name in before.packages.keys() - after.packages.keys():
        complain(f"package {name} is gone, and clusters with it get no more updates")
    for sentence in render.stranded_sentences(diff_catalogs(before, after).stranded):
        complain(sentence)


def carry_out(changes: Sequence[FileChange], *, is_written: bool) -> None:
    """Write *changes* or say that they are not written, and show them as a diff.

    Files come first: whoever reads the diff may close the pipe early (``| head``).
    """
    from olmsolve.authoring import write_changes

    if is_written:
        write_changes(changes)
    for change in changes:
        for line in change.diff().split("\n")[:-1]:
            write(_harmless_line(line), is_exact=True)
    if changes and not is_written:
        write(NOT_YET)


def _harmless_line(line: str) -> str:
    """Return a *line* of a diff: exact for programs such as ``git apply``, harmless on a terminal."""
    if not sys.stdout.isatty():
        return line
    from olmsolve.render import plain

    # Tabs are harmless, so they stay. The line end of Windows is dropped, because it would be shown as a space.
    return "\t".join(map(plain, line.removesuffix("\r").split("\t")))
