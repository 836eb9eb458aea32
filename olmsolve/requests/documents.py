"""The sources of documents: mappings, files, folders and open files; and the keys that a request document repeats.

Catalogs and the objects of clusters are read as ``opm`` and ``kubectl`` read them, and there the last of equal keys
wins. Nobody else reads request documents, and a key that occurs twice in one object of a request is a mistake: the
second would silently take the place of the first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._arguments import type_with_article
from olmsolve._named_tuples import NamedTuple
from olmsolve._paths import files_below, is_directory, is_file, is_there, leaves
from olmsolve._patterns import pattern
from olmsolve._waiting import WaitingFile, is_waited_for, read_some
from olmsolve.catalog import Origin, StreamOrigin
from olmsolve.catalog.archives import is_tar, open_plain
from olmsolve.catalog.fbc import DOCUMENT, Readable, TextSource, read_documents
from olmsolve.errors import CatalogError, RequestError

RequestSource: TypeAlias = Mapping[str, Any] | str | os.PathLike[str] | IO[str] | IO[bytes]
"""The sources from which a request can be read."""

LIVE: Final = "live"
"""The source that stands for a running cluster; ``live:CONTEXT`` names a context of the kubeconfig."""

FILE_ANNOTATION: Final = "olmsolve/file"
"""The annotation of a catalog's object that says where its content is: a path, relative to the manifest's folder."""

LEAVING: Final = "a symbolic link that leaves the folder that was given"
"""The reason why a file of a folder is not read."""

SUFFIXES: Final = (".yaml", ".yml", ".json", ".jsonl", ".yaml.gz", ".yml.gz", ".json.gz")


ZIP_MARKS: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a ZIP, and of one without entries."""


def holds_files(path: Path) -> bool:
    """Return whether a folder, a must-gather tree or an archive of files is at *path*, not one file of documents."""
    return is_directory(path) or (is_file(path) and is_archive(path))


def is_archive(path: Path) -> bool:
    """Return whether the plain file at *path* is a tar archive, perhaps in gzip, or a ZIP, by its first bytes."""
    try:
        with open_plain(path) as file:
            if file.read(len(ZIP_MARKS[0])) in ZIP_MARKS:
                return True
            file.seek(0)
            return is_tar(TextSource(file, str(path)).head)
    except (CatalogError, OSError):
        # The reader of the file reports this fault.
        return False


def is_live(text: str) -> bool:
    """Return whether *text*, a source of objects, stands for a running cluster: ``live`` or ``live:CONTEXT``."""
    return (text == LIVE or text.startswith(f"{LIVE}:")) and not is_there(text)


@attrs.frozen
class SourceDocument:
    """One document: its *value*, the *folder* that its files are relative to, and its *origin* (None for a mapping)."""

    value: Mapping[str, Any]
    folder: Path = Path()
    origin: Origin | None = None


def documents_in(source: RequestSource, error: type[RequestError] = RequestError) -> Iterator[SourceDocument]:
    """Yield the documents of *source*, held to the limits that documents of catalogs have.

    A folder stands for its YAML and JSON files, by path. Documents of comments alone are passed over.

    Raises:
        RequestError: the source cannot be read, or holds something else than objects; it is of the class *error*.
    """
    if isinstance(source, Mapping):
        yield SourceDocument(source)
    elif isinstance(source, (str, os.PathLike)):
        for path in _files(Path(source), error):
            if is_waited_for(path):
                yield from _waited_for(path, error)
                continue
            try:
                with path.open("rb") as file:
                    for document in _documents_in_file(file, str(path), path.parent, error):
                        _refuse_repeated_keys(document, path, error)
                        yield document
            except (OSError, ValueError) as fault:
                if isinstance(fault, RequestError):
                    raise
                reason = fault.strerror if isinstance(fault, OSError) else None
                raise error(f"cannot be read: {reason or fault}", source=str(path)) from None
    elif hasattr(source, "read"):
        given = getattr(source, "name", None)
        name = given if isinstance(given, str) else "request"
        name = "standard input" if name == "<stdin>" else name
        # Standard input has a name as well, but no folder: only the folder of a file that is there counts.
        folder = Path(name).parent if isinstance(given, str) and is_file(name) else Path()
        yield from _streamed(source, name, folder, error)
    else:
        raise error(f"a mapping, a path or an open file is needed, not {type_with_article(source)}")


def _waited_for(path: Path, error: type[RequestError]) -> Iterator[SourceDocument]:
    """Yield the documents that come through the FIFO or device at *path*, which can be read once."""
    try:
        with WaitingFile(path) as file:
            yield from _streamed(file, str(path), path.parent, error)
    except OSError as fault:
        raise error(f"cannot be read: {fault.strerror or fault}", source=str(path)) from None


def _streamed(source: Readable, name: str, folder: Path, error: type[RequestError]) -> Iterator[SourceDocument]:
    """Yield the documents of the open *source*, which is called *name*; their files are relative to *folder*."""
    kept = _KeptStream(source)
    for document in _documents_in_file(kept, name, folder, error):
        origin = document.origin
        assert origin is not None, "it was read"
        _refuse_repeated_keys(document, kept, error)
        located = StreamOrigin(origin.file, origin.document, origin.line, origin.column, kept=kept.text)
        yield attrs.evolve(document, origin=located)


def opened(source: RequestSource) -> tuple[Mapping[str, Any], Path, str]:
    """Return the only document of *source*, the folder that its files are relative to, and its name ("": a mapping).

    Objects of a cluster usually come as several documents: they become one, a List.

    Raises:
        RequestError: the source cannot be read, or does not hold one document.
    """
    documents = documents_in(source)
    first = next(documents, None)
    if first is None:
        raise RequestError("is empty, and a request is one document", source=source_name(source))
    name = first.origin.file if first.origin is not None else ""
    second = next(documents, None)
    if second is None:
        return first.value, first.folder, name
    if "apiVersion" in first.value:
        objects = [first.value, second.value, *(document.value for document in documents)]
        return {"apiVersion": "v1", "kind": "List", "items": objects}, first.folder, name
    raise RequestError("a second document, and a request is one", source=str(second.origin))


def _files(path: Path, error: type[RequestError]) -> list[Path]:
    """Return *path* itself, or the files of the folder *path* that can hold documents, by path."""
    if not is_directory(path):
        return [path]
    try:
        files = list(files_below(path, SUFFIXES))
        outside = next((file for file in files if file.is_symlink() and leaves(file, path)), None)
    except OSError as fault:
        raise error(f"cannot be read: {fault.strerror}", source=str(path)) from None
    if outside is not None:
        raise error(LEAVING, source=str(outside))
    if not files:
        raise error("the folder has no YAML or JSON file", source=str(path))
    return files


def source_name(source: RequestSource) -> str:
    """Return the name of *source* in messages: its path, or the name of the open file ("request" for a mapping)."""
    return str(source) if isinstance(source, (str, os.PathLike)) else str(getattr(source, "name", "request"))


class _KeptStream:
    """A *stream* whose text is kept, because a message may need the lines of a List in it."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._pieces: list[bytes] = []
        self._length = 0

    def read(self, size: int) -> str | bytes:
        """Return at most *size* bytes or characters of the stream."""
        piece: str | bytes = read_some(self._stream, size)
        self._length += len(piece)
        # Nobody writes a List of that size, and an endless stream must not fill the memory.
        if isinstance(piece, str | bytes) and self._length <= DOCUMENT:
            self._pieces.append(piece.encode() if isinstance(piece, str) else piece)
        return piece

    def text(self) -> bytes:
        """Return what was read; nothing if that is too much to keep."""
        return b"".join(self._pieces) if self._length <= DOCUMENT else b""


def _refuse_repeated_keys(document: SourceDocument, given: Path | _KeptStream, error: type[RequestError]) -> None:
    """Raise *error* if a key occurs twice in an object of the request *document*, which was read from *given*."""
    if "apiVersion" in document.value or "kind" in document.value:
        return
    if isinstance(given, Path):
        text = given.read_bytes() if given.stat().st_size <= LARGEST else b""
    else:
        text = given.text()
    repeated = repeated_key(text.decode("utf-8", "replace")) if len(text) <= LARGEST else None
    if repeated is not None and document.origin is not None:
        raise error("occurs twice in one object", repeated.key, source=f"{document.origin.file}:{repeated.line}")


def _documents_in_file(file: Readable, name: str, folder: Path, error: type[RequestError]) -> Iterator[SourceDocument]:
    try:
        for document in read_documents(file, name, skip_empty=True):
            yield SourceDocument(document.value, folder, document.origin)
    except CatalogError as fault:
        raise error(fault.reason, source=fault.origin) from None


LARGEST: Final = 1 << 18
"""The most bytes of a document that is looked at: people write smaller ones, and programs repeat no key."""

_FLOW: Final = pattern(
    r"""([{}])|((?<![\w./$-])"(?:[^"\\]|\\.)*"|(?<![\w./$-])'[^']*'|[\w./$-]+)"""
    r"""(?:\s*(:)(?=\s|$|["'\[{\d])|(?<=["'])\s*(:))?|(["'])"""
)
"""A brace; a text with its colon, if it is a key; or a quote that opens no text in its line, as in ``it's``."""

_CONTENT: Final = frozenset({"blobs", "fbc"})
"""The fields that hold a catalog, in which equal keys mean what they mean in every catalog."""


class RepeatedKey(NamedTuple):
    """A *key* that occurs twice in one object, the second time on *line*, from 1."""

    key: str
    line: int


def repeated_key(text: str) -> RepeatedKey | None:
    """Return the first key that occurs twice in one object of the request documents in *text*, None without any."""
    # PyYAML takes longer to load than most documents take to read.
    return _first_repeated(text) if _may_repeat(text) else None


def _may_repeat(text: str) -> bool:
    """Return whether a mapping may have a key twice, judged by the columns of lines and by braces, without parsing.

    In doubt the answer is True: in text of several lines, whatever looks like a key counts as one.
    """
    mappings: list[tuple[int, set[str]]] = []  # those open in block style, each with its column
    braces: list[set[str]] = []
    for line in text.splitlines():
        content = line.lstrip(" ")
        if not braces and content and content[0] not in "#{[":
            if line.startswith(("---", "...")):
                mappings.clear()
            dash = column = len(line) - len(content)
            while content.startswith("- "):
                content = content[1:].lstrip(" ")
                column = len(line) - len(content)
            key, colon, _ = content.partition(":")
            if colon and content[0] not in "{[":
                # A dash begins another object, also in the column of the last one.
                while mappings and mappings[-1][0] > dash:
                    mappings.pop()
                if not mappings or mappings[-1][0] != column:
                    mappings.append((column, set()))
                if _is_known(key, mappings[-1][1]):
                    return True
        if braces or "{" in content:
            for match in _FLOW.finditer(content):
                brace, key, before_space, behind_quote, quote = match.groups()
                if quote:
                    return True  # where texts end is for a parser to say
                if brace == "{":
                    braces.append(set())
                elif brace and braces:
                    braces.pop()
                elif braces and (before_space or behind_quote) and _is_known(key, braces[-1]):
                    return True
    return False


def _is_known(key: str, keys: set[str]) -> bool:
    """Return whether *key*, without quotes, is among *keys*, which have it afterwards."""
    plain = key.strip("\"' ")
    if plain in keys:
        return True
    keys.add(plain)
    return False


class _OpenNode:
    """An open list or mapping: the *keys* of a mapping (None for a list), and the *key* whose value comes next.

    With *is_key*, it is itself a key of the mapping around it.
    """

    __slots__ = ("is_key", "key", "keys")

    def __init__(self, keys: set[str] | None, *, is_key: bool) -> None:
        self.keys = keys
        self.key: str | None = None
        self.is_key = is_key


def _first_repeated(text: str) -> RepeatedKey | None:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document = _KeyWalk()
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.DocumentStartEvent):
                document = _KeyWalk()
            elif isinstance(event, yaml.DocumentEndEvent):
                # The documents of a request may include objects of a cluster, in which the last of equal keys counts.
                if document.found is not None and "apiVersion" not in document.root:
                    return document.found
            elif isinstance(event, yaml.CollectionStartEvent):
                document.open(is_mapping=isinstance(event, yaml.MappingStartEvent))
            elif isinstance(event, yaml.CollectionEndEvent):
                document.close()
            elif isinstance(event, yaml.NodeEvent):
                text = event.value if isinstance(event, yaml.ScalarEvent) else ""
                document.scalar(text, event.start_mark.line + 1 if event.start_mark is not None else 1)
    except yaml.YAMLError:
        pass  # the reader of documents has read the same text, and reports its faults
    return None


class _KeyWalk:
    """One document while its events come: the keys of its *root*, and the first repeated key that was *found*."""

    def __init__(self) -> None:
        self.root: set[str] = set()
        self.found: RepeatedKey | None = None
        self._outer: list[_OpenNode] = []

    def open(self, *, is_mapping: bool) -> None:
        """Open a list or a mapping."""
        is_key = self._takes_key()
        if is_key:
            self._outer[-1].key = ""
        keys = set() if self._outer else self.root
        self._outer.append(_OpenNode(keys if is_mapping else None, is_key=is_key))

    def close(self) -> None:
        """Close the innermost list or mapping; its key, unless it is one, is done with."""
        closed = self._outer.pop()
        if self._outer and not closed.is_key:
            self._outer[-1].key = None

    def scalar(self, text: str, line: int) -> None:
        """Take a key or a value, which is the *text* of a scalar or an alias ("")."""
        if not self._outer:
            return
        top = self._outer[-1]
        if top.keys is None or top.key is not None:
            top.key = None
            return
        # The fields of catalogs are not looked at.
        if text in top.keys and self.found is None and _CONTENT.isdisjoint(level.key for level in self._outer[:-1]):
            self.found = RepeatedKey(text, line)
        top.keys.add(text)
        top.key = text

    def _takes_key(self) -> bool:
        return bool(self._outer) and self._outer[-1].keys is not None and self._outer[-1].key is None
