"""The documents of a catalog for validation: a file that cannot be read becomes a finding, and reading goes on."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve._typed_paths import is_there
from olmsolve.authoring.checks.validation.positions import Files
from olmsolve.catalog import Origin
from olmsolve.catalog.archives import is_folder, open_plain, shown
from olmsolve.catalog.fbc import (
    DialectUse,
    Document,
    Members,
    Meter,
    Readable,
    TextBehind,
    TextSource,
    catalog_files,
    opened_url,
    packed_members,
    read_documents,
    stream_members,
    text_documents,
    url_of,
)
from olmsolve.errors import CatalogError, without_password

Remark: TypeAlias = TextBehind | DialectUse
"""What readers of YAML remark: text that is passed over, or that YAML's specification reads otherwise."""

_ORIGIN: Final = pattern(r"(?P<file>.*?)(?::(?P<line>\d+)|, document (?P<document>\d+))?", re.DOTALL)


@attrs.frozen
class ReadingFault:
    """A file, or its rest from *origin* on, that cannot be read; *is_part* if a folder or an archive holds it."""

    reason: str
    origin: Origin | None
    is_part: bool


def read(path: str | os.PathLike[str], files: Files) -> Iterator[Document | ReadingFault | Remark]:
    """Yield the documents of *path*, as :func:`olmsolve.catalog.fbc.load` takes it, file by file.

    *files* gets a function for each file that opens it again; a stream has none.

    Raises :class:`~olmsolve.errors.CatalogError` where *path* itself cannot be opened.
    """
    given = os.fspath(path)
    meter = Meter()
    if given == "-":
        yield from _stream_documents(sys.stdin.buffer, "<stdin>", meter)
        return
    if url := url_of(given):
        with opened_url(url) as body:
            yield from _stream_documents(body, without_password(url), meter)
        return
    try:
        members = packed_members(given)
    except CatalogError as error:
        if not is_there(given):
            raise
        yield _reading_fault(error)
        return
    if members is not None:
        yield from _member_documents(members, shown(given), meter, files)
        return
    if not is_folder(given):
        yield from _single_file(Path(given), shown(given), meter, files)
        return
    try:
        listing = catalog_files(Path(given))
    except CatalogError as error:
        yield _reading_fault(error, is_part=True)
        return
    for remark in listing:
        files[shown(remark.path)] = opened = partial(open_plain, remark.path)
        yield from _file_documents(opened, shown(remark.path), meter, is_part=True)


def _single_file(path: Path, name: str, meter: Meter, files: Files) -> Iterator[Document | ReadingFault | Remark]:
    with open_plain(path) as file:
        try:
            members = stream_members(TextSource(file, name, meter), name)
        except CatalogError as error:
            yield _reading_fault(error)
            return
    if members is not None:
        yield from _member_documents(members, name, meter, files)
        return
    files[name] = opened = partial(open_plain, path)
    yield from _file_documents(opened, name, meter)


def _stream_documents(file: Readable, name: str, meter: Meter) -> Iterator[Document | ReadingFault | Remark]:
    """Yield the documents of a stream, which can be read only once."""
    try:
        source = TextSource(file, name, meter)
        members = stream_members(source, name)
        if members is None:
            yield from _with_remarks(partial(text_documents, source, name))
            return
    except CatalogError as error:
        yield _reading_fault(error)
        return
    yield from _member_documents(members, name, meter, {})


def _member_documents(
    members: Members, name: str, meter: Meter, files: Files
) -> Iterator[Document | ReadingFault | Remark]:
    for member, data in members:
        path = f"{name}/{shown(member)}"
        files[path] = opened = partial(io.BytesIO, data)
        yield from _file_documents(opened, path, meter, is_part=True)


def _file_documents(
    opened: Callable[[], IO[bytes]], name: str, meter: Meter, *, is_part: bool = False
) -> Iterator[Document | ReadingFault | Remark]:
    """Yield the documents of one file; *is_part* if it is one of a folder or archive."""
    try:
        with opened() as file:
            yield from _with_remarks(partial(read_documents, file, name, meter, is_part=is_part))
    except CatalogError as error:
        yield _reading_fault(error, is_part=is_part)


def _with_remarks(documents: Callable[..., Iterator[Document]]) -> Iterator[Document | Remark]:
    """Yield *documents*, and after each one the remarks of its reader."""
    remarks: list[Remark] = []
    for document in documents(note=remarks.append):
        yield document
        yield from remarks
        remarks.clear()


def _reading_fault(error: CatalogError, *, is_part: bool = False) -> ReadingFault:
    match = _ORIGIN.fullmatch(error.origin)
    if match is None or not error.origin:
        return ReadingFault(error.reason, None, is_part)
    line = match["line"]
    origin = Origin(match["file"], int(match["document"] or 1), int(line) if line else None)
    return ReadingFault(error.reason, origin, is_part)
