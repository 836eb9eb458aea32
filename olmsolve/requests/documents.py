"""The sources of documents: mappings, files, folders and open files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._arguments import type_with_article
from olmsolve._folders import files_below, leaves
from olmsolve._typed_paths import is_directory, is_file, is_there
from olmsolve._waiting import WaitingFile, is_waited_for, read_some
from olmsolve.catalog import Origin, StreamOrigin
from olmsolve.catalog.fbc import DOCUMENT, Readable, read_documents
from olmsolve.errors import CatalogError, RequestError

RequestSource: TypeAlias = Mapping[str, Any] | str | os.PathLike[str] | IO[str] | IO[bytes]
"""What a request can be read from."""

LIVE: Final = "live"
"""The source that stands for a running cluster; ``live:CONTEXT`` names a context of the kubeconfig."""

FILE_ANNOTATION: Final = "olmsolve/file"
"""The annotation of a catalog's object that says where its content is: a path, relative to the manifest's folder."""

LEAVING: Final = "a symbolic link that leaves the folder that was given"
"""The reason why a file of a folder is not read."""

SUFFIXES: Final = (".yaml", ".yml", ".json", ".jsonl", ".yaml.gz", ".yml.gz", ".json.gz")


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
    """Raise *error* where a key stands twice in an object of the request *document*, which was read from *given*."""
    if "apiVersion" in document.value or "kind" in document.value:
        return
    # Imported here: readers of a cluster's objects need none of it.
    from olmsolve.requests.repeated_keys import LARGEST, repeated_key

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
