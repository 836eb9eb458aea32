"""The documents of a catalog for validation: a file that cannot be read becomes a finding, and reading goes on.

Remarks of the YAML readers become warnings: with both readings, where ``opm`` reads otherwise than the specification.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._paths import is_there
from olmsolve._patterns import pattern
from olmsolve.authoring.checks.findings import Finding, Severity, shortened
from olmsolve.catalog import Origin
from olmsolve.catalog.archives import is_folder, open_plain, shown
from olmsolve.catalog.fbc import (
    Dialect,
    DialectUse,
    Document,
    Meter,
    PropertyTable,
    Readable,
    TextBehind,
    TextSource,
    catalog_files,
    members_at,
    opened_url,
    text_documents,
    url_of,
)
from olmsolve.errors import CatalogError, without_password

if TYPE_CHECKING:
    from olmsolve.authoring.checks.validation.positions import Files
    from olmsolve.catalog.fbc import Members

Remark: TypeAlias = TextBehind | DialectUse
"""A remark of the YAML readers: text that is ignored, or that YAML's specification reads otherwise."""

# "catalog.yaml:12" or "catalog.yaml, document 3", as an error of reading names the position.
_ORIGIN: Final = pattern(r"(?P<file>.*?)(?::(?P<line>\d+)|, document (?P<document>\d+))?", re.DOTALL)


@attrs.frozen
class ReadingFault:
    """A file, or its rest from *origin* on, that cannot be read; *in_folder* if a folder or an archive holds it."""

    reason: str
    origin: Origin | None
    in_folder: bool


def read(
    path: str | os.PathLike[str], files: Files, properties: PropertyTable | None = None
) -> Iterator[Document | ReadingFault | Remark]:
    """Yield the documents of *path*, as :func:`olmsolve.catalog.fbc.load` takes it, file by file.

    *files* gets a function for each file that opens it again; a stream has none. With a table of *properties*, the
    properties of a usual bundle are a tuple from this table (:func:`~olmsolve.catalog.fbc.text_documents`).

    Raises :class:`~olmsolve.errors.CatalogError` where *path* itself cannot be opened.
    """
    given = os.fspath(path)
    reader = _Reader(files, Meter(), properties)
    if given == "-":
        yield from reader.of_stream(sys.stdin.buffer, "<stdin>")
        return
    if url := url_of(given):
        with opened_url(url) as body:
            yield from reader.of_stream(body, without_password(url))
        return
    try:
        members = members_at(given)
    except CatalogError as error:
        if not is_there(given):
            raise
        yield _reading_fault(error)
        return
    if members is not None:
        yield from reader.of_members(members, shown(given))
        return
    if not is_folder(given):
        yield from reader.of_single_file(Path(given), shown(given))
        return
    try:
        listing = catalog_files(Path(given))
    except CatalogError as error:
        yield _reading_fault(error, in_folder=True)
        return
    for remark in listing:
        yield from reader.of_file(partial(open_plain, remark.path), shown(remark.path), in_folder=True)


class _Reader:
    """The documents of streams, archives and files. *meter* counts all of them; the rest is as in :func:`read`."""

    def __init__(self, files: Files, meter: Meter, properties: PropertyTable | None) -> None:
        self._files = files
        self._meter = meter
        self._properties = properties

    def of_single_file(self, path: Path, name: str) -> Iterator[Document | ReadingFault | Remark]:
        """Yield the documents of a file that stands alone, and may be an archive."""
        with open_plain(path) as file:
            try:
                members = _stream_members(TextSource(file, name, self._meter), name)
            except CatalogError as error:
                yield _reading_fault(error)
                return
        if members is not None:
            yield from self.of_members(members, name)
            return
        yield from self.of_file(partial(open_plain, path), name)

    def of_stream(self, file: Readable, name: str) -> Iterator[Document | ReadingFault | Remark]:
        """Yield the documents of a stream, which can be read only once."""
        try:
            source = TextSource(file, name, self._meter)
            members = _stream_members(source, name)
            if members is None:
                yield from self._with_remarks(source, name)
                return
        except CatalogError as error:
            yield _reading_fault(error)
            return
        # A stream cannot be read twice.
        yield from _Reader({}, self._meter, self._properties).of_members(members, name)

    def of_members(self, members: Members, name: str) -> Iterator[Document | ReadingFault | Remark]:
        """Yield the documents of an archive."""
        for member, data in members:
            yield from self.of_file(partial(io.BytesIO, data), f"{name}/{shown(member)}", in_folder=True)

    def of_file(
        self, opened: Callable[[], IO[bytes]], name: str, *, in_folder: bool = False
    ) -> Iterator[Document | ReadingFault | Remark]:
        """Yield the documents of one file; *in_folder* if it is one of a folder or archive."""
        self._files[name] = opened
        try:
            with opened() as file:
                yield from self._with_remarks(TextSource(file, name, self._meter, in_folder=in_folder), name)
        except CatalogError as error:
            yield _reading_fault(error, in_folder=in_folder)

    def _with_remarks(self, source: TextSource, name: str) -> Iterator[Document | Remark]:
        """Yield the documents of *source*, and after each one the remarks of its reader."""
        remarks: list[Remark] = []
        for document in text_documents(source, name, note=remarks.append, properties=self._properties):
            yield document
            if remarks:
                yield from remarks
                remarks.clear()


def _reading_fault(error: CatalogError, *, in_folder: bool = False) -> ReadingFault:
    match = _ORIGIN.fullmatch(error.origin)
    if match is None or not error.origin:
        return ReadingFault(error.reason, None, in_folder)
    line = match["line"]
    origin = Origin(match["file"], int(match["document"] or 1), int(line) if line else None)
    return ReadingFault(error.reason, origin, in_folder)


def _stream_members(source: TextSource, name: str) -> Members | None:
    from olmsolve.catalog.fbc import stream_members  # folders of files need nothing that unpacks

    return stream_members(source, name)


_READINGS: Final = {
    Dialect.MERGE_LATE: (
        "opm takes {written!r} from the merge key (<<) after it",
        "YAML keeps a field that is written next to a merge key",
        "write << before all other fields, and remove the fields that it brings",
    ),
    Dialect.MERGE_TWICE: (
        "opm merges both of two merge keys (<<), and the second one wins",
        "YAML allows a key once",
        "give one << a list of mappings: the first one wins",
    ),
    Dialect.MERGE_TAGGED: (
        "opm takes {written} for a merge key",
        "YAML reads the text <<",
        "write << for a merge key, and !!str << for text",
    ),
    Dialect.KEY_TWICE: (
        "the key {written!r} occurs twice in its object, and opm takes the last value",
        "YAML allows a key once",
        "remove one of them",
    ),
    Dialect.KEYS_ALIKE: (
        "two keys become {read!r}, and opm takes the value of either by chance",
        "YAML tells them apart by their types",
        "remove one of them",
    ),
    Dialect.KEY_NUMBER: (
        "opm reads the key {written} as {read!r}",
        "YAML reads a number, which most tools write without quotes",
        "put the key in quotes",
    ),
    Dialect.NUMBER_ROUNDED: (
        "opm reads {written} as {read}, because it has more than 64 bits",
        "YAML reads all its digits",
        "put it in quotes, if it is a text",
    ),
    Dialect.NUMBER_TEXT: (
        "opm reads {written} as text, because it cannot read this number",
        "YAML reads a number",
        "put it in quotes, if it is a text",
    ),
    Dialect.TAG_DROPPED: (
        "opm drops the tag {written}",
        "YAML lets the tag say what the value is",
        "leave out the tag",
    ),
    Dialect.BINARY: (
        "opm reads the text {read!r} from base64",
        "YAML reads bytes, which JSON does not have",
        "write the text itself, or the base64 without the tag",
    ),
    Dialect.ESCAPE: (
        "opm takes {written} in double quotes for {read}",
        "YAML has no such escape and refuses it",
        "leave out the backslash",
    ),
    Dialect.MARK: (
        "opm reads a byte-order mark (U+FEFF) as a part of {written!r}",
        "YAML allows a byte-order mark only at the beginning of a document, and drops it",
        "remove the mark, which most editors do not show",
    ),
    Dialect.FLOW_COLON: (
        "opm reads the text {read!r}, with its colon",
        "YAML reads a key without a value",
        "put a blank after the colon",
    ),
    Dialect.COMMENT: (
        "opm takes {written!r} for a comment",
        "YAML wants a blank before a comment",
        "put a blank before the #",
    ),
}


def remark_finding(remark: DialectUse | TextBehind) -> Finding:
    """Return the warning of what a reader of YAML remarked."""
    if isinstance(remark, TextBehind):
        reason = "a document has ended, and opm ignores everything from here to the next separator (---)"
        hint = "put a line with --- before each document"
        return Finding(Severity.WARNING, "text-ignored", reason, hint, origin=remark.origin)
    by_opm, by_yaml, hint = _READINGS[remark.dialect]
    fields = {"written": shortened(remark.written), "read": shortened(remark.read)}
    reason = f"{by_opm.format(**fields)}; {by_yaml}"
    return Finding(Severity.WARNING, "yaml-dialect", reason, hint, origin=remark.origin)
