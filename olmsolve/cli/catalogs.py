"""Catalogs in and out: loading one for any command, and printing or writing a new one."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal

import olmsolve
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import complain

# Twenty small catalogs take long together, so the patience before a bar counts from the start of the command.
_STARTED: Final = time.monotonic()


def load(
    path: str | os.PathLike[str], *, drop: Collection[str] = (), index: Literal[False] | None = None
) -> olmsolve.Catalog:
    """Load the catalog at *path* ("-" is standard input), with a progress bar on terminals.

    An index beside the catalog is used (docs/index-files.md), unless *index* is False: a command that reads every
    bundle anyway would only hash the files in vain. *drop* names types of properties to leave out.

    Raises:
        CatalogError: it cannot be read.
    """
    with Progress(sys.stderr, since=_STARTED) as progress:
        report = progress.reporter(str(path))
        return olmsolve.load(path, progress=report, drop=drop, index=index, note=complain)


def put(
    catalog: olmsolve.Catalog | Iterable[Mapping[str, Any]],
    form: Literal["json", "jsonl", "yaml"] | None,
    *,
    file: str = "",
    folder: str = "",
    is_sorted: bool = False,
) -> None:
    """Write *catalog*, or blobs, to *file*, or as a folder for each package into *folder*, else to standard output.

    Without a *form*, a file's suffix tells it; a folder gets YAML and standard output JSON.

    Raises:
        CatalogError: the target cannot be written.
    """
    if folder:
        olmsolve.fbc.split(catalog, folder, form or "yaml", is_sorted=is_sorted)
    elif file:
        olmsolve.fbc.write(catalog, file, form, is_sorted=is_sorted)
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # The text is data: it must not depend on the language of whoever is logged in.
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        for text in olmsolve.fbc.rendered(catalog, form or "json", is_sorted=is_sorted):
            sys.stdout.write(text)
