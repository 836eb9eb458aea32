"""The documents of a catalog for validation: a file that cannot be read becomes a finding, and reading goes on."""

from __future__ import annotations

import io
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Final

import attrs

from olmsolve.catalog import Origin
from olmsolve.catalog.fbc import (
    DOCUMENT,
    Document,
    Meter,
    Readable,
    TextSource,
    archive_members,
    catalog_files,
    is_folder,
    is_tar,
    open_plain,
    read_documents,
    shown,
    text_documents,
)
from olmsolve.errors import CatalogError

_ORIGIN: Final = re.compile(r"(?P<file>.*?)(?::(?P<line>\d+)|, document (?P<document>\d+))?", re.DOTALL)
# Possessive quantifiers (`++`) try nothing twice: a hostile file cannot make the search quadratic.
_STRING_OR_NUMBER: Final = re.compile(
    r'"(?:[^"\\]++|\\.)*+"?+|(?P<number>-?+\d++(?:\.\d++)?+(?P<exponent>[eE]\+?+\d{3,}+)?+)', re.DOTALL
)


@attrs.frozen
class ReadingFault:
    """A file, or its rest from *origin* on, that cannot be read. It can be read after all if it is not *is_fatal*."""

    reason: str
    origin: Origin | None
    is_fatal: bool = True


def read(path: str | os.PathLike[str]) -> Iterator[Document | ReadingFault]:
    """Yield the documents of *path*, as :func:`olmsolve.catalog.fbc.load` takes it, file by file.

    Raises :class:`~olmsolve.errors.CatalogError` where *path* itself cannot be opened.
    """
    given = os.fspath(path)
    meter = Meter()
    if given == "-":
        yield from _stream_documents(sys.stdin.buffer, "<stdin>", meter)
        return
    if not is_folder(given):
        yield from _single_file(Path(given), shown(given), meter)
        return
    try:
        found = catalog_files(Path(given))
    except CatalogError as error:
        yield _reading_fault(error)
        return
    for each in found:
        yield from _file_documents(partial(open_plain, each.path), shown(each.path), meter)


def _single_file(path: Path, name: str, meter: Meter) -> Iterator[Document | ReadingFault]:
    with open_plain(path) as file:
        try:
            source = TextSource(file, name, meter)
            archived = is_tar(source.head)
        except CatalogError as error:
            yield _reading_fault(error)
            return
        if archived:
            yield from _archive_documents(source, name, meter)
            return
    yield from _file_documents(partial(open_plain, path), name, meter)


def _stream_documents(file: Readable, name: str, meter: Meter) -> Iterator[Document | ReadingFault]:
    """Yield the documents of a stream, which can be read only once."""
    try:
        source = TextSource(file, name, meter)
        if not is_tar(source.head):
            yield from text_documents(source, name)
            return
    except CatalogError as error:
        yield _reading_fault(error)
        return
    yield from _archive_documents(source, name, meter)


def _archive_documents(source: TextSource, name: str, meter: Meter) -> Iterator[Document | ReadingFault]:
    try:
        members = archive_members(source, name)
    except CatalogError as error:
        yield _reading_fault(error)
        return
    for member, data in members:
        yield from _file_documents(partial(io.BytesIO, data), f"{name}/{shown(member)}", meter)


def _file_documents(opened: Callable[[], IO[bytes]], name: str, meter: Meter) -> Iterator[Document | ReadingFault]:
    """Yield the documents of one file; numbers beyond a double, which ``opm`` accepts, are read as 0."""
    read = 0
    try:
        with opened() as file:
            for document in read_documents(file, name, meter):
                yield document
                read += 1
            return
    except CatalogError as error:
        fault = _reading_fault(error)
    mended = _mended(opened, name)
    if mended is None:
        yield fault
        return
    yield attrs.evolve(fault, is_fatal=False)
    try:
        yield from islice(read_documents(io.StringIO(mended), name), read, None)
    except CatalogError as error:
        yield _reading_fault(error)


def _mended(opened: Callable[[], IO[bytes]], name: str) -> str | None:
    """Return the JSON text of a file with 0 for numbers beyond a double; None if it has none, or is too long."""
    pieces: list[str] = []
    length = 0
    try:
        with opened() as file:
            for piece in TextSource(file, name).text():
                pieces.append(piece)
                length += len(piece)
                if length > DOCUMENT:
                    return None
    except CatalogError:
        return None
    whole = "".join(pieces)
    if not whole.lstrip().startswith("{"):
        return None
    mended = _STRING_OR_NUMBER.sub(_finite, whole)
    return mended if mended != whole else None


def _finite(match: re.Match[str]) -> str:
    written = match[0]
    return "0" if match["exponent"] and math.isinf(float(written)) else written


def _reading_fault(error: CatalogError) -> ReadingFault:
    match = _ORIGIN.fullmatch(error.origin)
    if match is None or not error.origin:
        return ReadingFault(error.reason, None)
    line = match["line"]
    return ReadingFault(error.reason, Origin(match["file"], int(match["document"] or 1), int(line) if line else None))
