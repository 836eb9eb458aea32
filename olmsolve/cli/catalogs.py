"""Catalogs in and out: loading one for any command, and printing or writing a new one."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import olmsolve
from olmsolve._limits import checked
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import complain, write, write_file

OPM_FORMS: Final = ("opm-json", "opm-yaml")
"""The JSON and the YAML of opm, to the byte."""

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
    form: Literal["json", "jsonl", "yaml", "opm-json", "opm-yaml"] | None,
    *,
    file: str = "",
    folder: str = "",
    is_sorted: bool = False,
    is_laid_out: bool = False,
    inputs: Iterable[str] = (),
    instead: str = "",
) -> None:
    """Write *catalog*, or blobs, to *file*, or as a folder for each package into *folder*, else to standard output.

    Without a *form*, a file's suffix tells it; a folder gets YAML and standard output JSON. *inputs* are the catalogs
    that were read for this one, and *instead* is what changes one of them, if the command can. For a form of ``opm``,
    blobs get its fields in its order, unless *is_laid_out* says that they have them; they are always sorted, as it
    sorts them.

    Raises:
        CatalogError: the target cannot be written, or is an input or in its folder.
    """
    for path in inputs:
        _refuse_input(file or folder, path, instead)
    if form == "opm-json" or form == "opm-yaml":
        if folder:
            raise olmsolve.RequestError("is for one text, and not for folders of packages", field=f"--output {form}")
        # Imported on first use, with the emitter of YAML.
        from olmsolve.catalog.fbc import laid_out, opm_json_text, opm_sort_key, opm_yaml_text

        made = olmsolve.fbc.blobs(catalog) if isinstance(catalog, olmsolve.Catalog) else catalog
        made = made if is_laid_out else (laid_out(blob, manifests_last=True) for blob in made)
        made = sorted(made, key=opm_sort_key)
        put_texts(map(opm_yaml_text if form == "opm-yaml" else opm_json_text, made), file)
        return
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


def put_texts(texts: Iterable[str], file: str) -> None:
    """Write *texts* to *file*, or to standard output."""
    if file:
        put_text("".join(checked(texts)), file)
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    for text in checked(texts):
        sys.stdout.write(text)


def put_text(text: str, file: str) -> None:
    """Write *text* to the new *file*, or to standard output without one.

    Raises:
        CatalogError: *file* exists.
        RequestError: it cannot be written.
    """
    if not file:
        write(text.removesuffix("\n"))
        return
    # A link that leads nowhere would have the file made wherever it points.
    if os.path.lexists(file):
        raise olmsolve.CatalogError("there is a file already", origin=file)
    write_file(file, [text])


def _refuse_input(target: str, source: str, instead: str) -> None:
    """Refuse the *target* of a catalog that is its *source*, or in the folder of it and so part of it ever after."""
    if not target or source == "-":
        return
    one, other = Path(target).resolve(), Path(source).resolve()
    if one == other or (other.is_dir() and one.is_relative_to(other)):
        what = (
            "is the file or folder that it is made from"
            if one == other
            else f"would become a part of {source}, from which it is made"
        )
        reason = f"the new catalog cannot be written here: this {what}{instead and f'; {instead}'}"
        raise olmsolve.CatalogError(reason, origin=target)
