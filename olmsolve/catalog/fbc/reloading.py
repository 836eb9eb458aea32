"""Load a new version of a catalog by reading the parts that changed since the version before.

The version before is a catalog that this module loaded, and knows the segments of its files
(:mod:`olmsolve.catalog.fbc.segments`). A package all of whose segments are there, in their order and moved by the same
number of lines, is taken over; the others are read. So the result is what loading the whole would give, for the time of
hashing its text. Whatever is unusual, faults among it, is left to loading the whole. Most steps are taken for runs of
segments at once, since a catalog of 100,000 bundles has thousands of them.

A package that is taken over may be on other lines than before (:mod:`.moved_lines`).
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._paths import is_directory, is_file
from olmsolve.catalog import Catalog, Origin, Package
from olmsolve.catalog.archives import open_plain, shown
from olmsolve.catalog.fbc.comparing import (
    ChangedDocument,
    HashedReader,
    KnownRun,
    compared,
    documents_of,
    segments_now,
)
from olmsolve.catalog.fbc.document import Document
from olmsolve.catalog.fbc.folder import catalog_files
from olmsolve.catalog.fbc.json_fast import PropertyTable
from olmsolve.catalog.fbc.linking import Linker
from olmsolve.catalog.fbc.loading import load
from olmsolve.catalog.fbc.moved_lines import MovedPackages, kept_packages
from olmsolve.catalog.fbc.packed import is_packed
from olmsolve.catalog.fbc.segments import (
    MOST_TEXT,
    PROCESS_DIGEST,
    DigestFunction,
    SegmentedFile,
    UncutError,
    package_name_of,
    segmented,
    sha256_digest,
)
from olmsolve.catalog.fbc.text import Meter, TextSource, text_documents
from olmsolve.catalog.index_mark import INDEX_MARK
from olmsolve.catalog.origins import unchecked_origin
from olmsolve.catalog.versions import Predecessor, made_of
from olmsolve.errors import CatalogError

_BUFFER: Final = 1 << 18  # bytes that are read at once where segments are smaller


@attrs.frozen
class CatalogParts:
    """The segments of a catalog's files, by their names, and the packages taken over from the version before.

    *digest_of* made the digests of the segments; *drop* names the types of properties that were left out. The parts
    live with the catalog (:meth:`.Catalog.derived`) for the version after it.
    """

    files: Mapping[str, SegmentedFile]
    digest_of: DigestFunction = sha256_digest
    drop: frozenset[str] = frozenset()
    taken_over: frozenset[str] = frozenset()


class ComparedFile(NamedTuple):
    """A file of a catalog: its *name* in origins, where it is, and its *size* in bytes when it was found."""

    name: str
    path: Path
    size: int


def reload(
    path: str,
    before: Catalog,
    *,
    progress: Callable[[int, int], None] | None,
    drop: Collection[str],
    digest_of: DigestFunction = PROCESS_DIGEST,
) -> Catalog:
    """Load the catalog at *path*, taking from *before*, an earlier version of it, what did not change.

    The result equals the result of :func:`load`, also in its origins, and can be the *before* of the next version.
    Only plain files and folders are compared; anything else is loaded whole, and so are files of more than 512 MiB.
    *digest_of* is for a first version; a later one is compared by the digests of the version before.

    Raises :class:`~olmsolve.errors.CatalogError` as :func:`load` does.
    """
    dropped = frozenset(drop)
    with COLLECTOR_PAUSE:
        files = files_at(path)
        if files is None:
            return load(path, progress=progress, drop=drop)
        parts = made_of(before, CatalogParts)
        catalog = None
        if parts is not None and parts.drop == dropped:
            try:
                catalog = _updated(path, files, before, parts)
            except (UncutError, CatalogError, UnicodeDecodeError):
                catalog = None  # to be read whole, and to say what is wrong
        if catalog is None:
            try:
                catalog = _whole(path, files, dropped, progress, digest_of)
            except OSError:
                return load(path, progress=progress, drop=drop)
        if progress is not None:
            size = sum(file.size for file in files)
            progress(size, size)
        return catalog


def files_at(path: str) -> list[ComparedFile] | None:
    """Return the files of the catalog at *path*, None where they cannot be compared.

    They may be packed, no plain files, too large, or have names that look the same.
    """
    if is_file(path):
        try:
            files = [ComparedFile(path, Path(path), Path(path).stat().st_size)]
        except OSError:
            return None  # gone between the two looks
    elif is_directory(path):
        files = [ComparedFile(shown(file.path), file.path, file.size) for file in catalog_files(Path(path))]
    else:
        return None
    if is_packed(path) or sum(file.size for file in files) > MOST_TEXT:
        return None
    # Names that are not UTF-8 may look the same.
    return files if len({file.name for file in files}) == len(files) else None


def _data(file: ComparedFile) -> bytes:
    with open_plain(file.path) as opened:
        return opened.read()


def _whole(
    path: str,
    files: list[ComparedFile],
    drop: frozenset[str],
    progress: Callable[[int, int], None] | None,
    digest_of: DigestFunction,
) -> Catalog:
    """Return the catalog of all *files*, read whole, with its parts. Raises OSError for a file that cannot be read."""
    is_folder = is_directory(path)
    meter, table = Meter(sum(file.size for file in files), progress), PropertyTable(drop)
    linker = Linker(table)
    segments: dict[str, SegmentedFile] = {}
    for file in files:
        check()
        name, data = file.name, _data(file)
        starts: list[tuple[str, int]] | None = []
        source = TextSource(io.BytesIO(data), name, meter, in_folder=is_folder)
        if is_folder and source.head.startswith(INDEX_MARK):
            continue  # as if it were not there, so that an index may stand in its own catalog's folder
        for document in text_documents(source, name, properties=table):
            if starts is not None:
                starts = _with_start(starts, document)
            linker.add(document)
        if starts is not None:
            segments[name] = segmented(data, starts, digest_of)
    catalog = linker.catalog(path)
    if not catalog.packages and not catalog.others:
        raise CatalogError("there is no catalog here: no document in any file", origin=path)
    # A file whose documents could not be assigned is in no part, and so is never taken over.
    catalog.derived(CatalogParts, lambda: CatalogParts(segments, digest_of, drop))
    return catalog


def _with_start(starts: list[tuple[str, int]], document: Document) -> list[tuple[str, int]] | None:
    """Return *starts* with the package and the line of *document*, None where the linker will refuse it."""
    try:
        starts.append((package_name_of(document.value), document.origin.line or 0))
    except UncutError:
        return None
    return starts


class Comparison:
    """The files of a catalog compared with the *parts* that an earlier version had.

    *order* are its packages, *moved* the unchanged ones, with how far they have moved: documents and lines in one
    number. *changed* is a catalog of all others, and of the blobs that are a part of no package.

    With *hashes_content*, *contents* has the SHA-256 and the size of each file of the catalog, indexes excepted. They
    are of the very bytes that were compared, so a file cannot change between comparing and hashing.

    Raises UncutError, or an error of the text, where the whole must be read.
    """

    def __init__(
        self, path: str, files: list[ComparedFile], parts: CatalogParts, *, hashes_content: bool = False
    ) -> None:
        self._hashes_content = hashes_content
        self.contents: dict[Path, tuple[bytes, int]] = {}
        meter, self._table, self._parts = Meter(), PropertyTable(parts.drop), parts
        self._files = {file.name: file for file in files}
        self._compared: dict[str, list[KnownRun | ChangedDocument]] = {}
        self.files: dict[str, SegmentedFile] = {}
        for file in files:
            meter.count_text(file.size, file.name)
            self._compare(file)
        self.moved: dict[str, int] = self._taken_over()
        is_moved = self.moved.__contains__
        linker = Linker(self._table)
        self.order: dict[str, None] = {}
        for name, compared_parts in self._compared.items():
            for part in checked(compared_parts, every=64):
                if isinstance(part, ChangedDocument):
                    self.order[part.package] = None
                    linker.add(_document(name, part))
                    continue
                about = self._about(name, part)
                self.order.update(dict.fromkeys(about))
                # "" is no package, so blobs of other schemas are read each time.
                if not all(map(is_moved, about)):
                    for document in self._read_again(name, part, lambda package: not is_moved(package)):
                        linker.add(_document(name, document))
        self.order.pop("", None)
        self.changed: Catalog = linker.catalog(path)
        if not self.order and not self.changed.others:
            raise UncutError

    def package(self, name: str) -> Package:
        """Return a package of the catalog, which is read all the same where it did not change."""
        changed = self.changed.packages.get(name)
        if changed is not None:
            return changed
        linker = Linker(self._table)
        for file, parts in self._compared.items():
            for part in parts:
                if isinstance(part, KnownRun) and name in self._about(file, part):
                    for document in self._read_again(file, part, name.__eq__):
                        linker.add(_document(file, document))
        return linker.catalog("").packages[name]

    def _compare(self, file: ComparedFile) -> None:
        """Note what a *file* holds, compared with the file of this name before, and its segments."""
        before, digest_of = self._parts.files.get(file.name), self._parts.digest_of
        try:
            if before is not None:
                try:
                    with open_plain(file.path, _BUFFER) as opened:
                        reader = HashedReader(opened) if self._hashes_content else opened
                        parts = list(compared(reader, before, digest_of, self._table))
                    text_of = partial(self._text_of, file.name)
                    now = segments_now(before, parts, digest_of, text_of) if before.is_cut else before
                except UncutError:
                    pass  # this file is read whole
                else:
                    self._compared[file.name], self.files[file.name] = parts, now
                    if isinstance(reader, HashedReader):
                        self.contents[file.path] = reader.digest(), reader.size
                    return
            with open_plain(file.path) as opened:
                mark = opened.read(len(INDEX_MARK))
                if mark == INDEX_MARK:
                    return
                data = mark + opened.read()
        except OSError:
            raise UncutError from None
        if self._hashes_content:
            self.contents[file.path] = sha256_digest(data), len(data)
        changed = self._documents(file.name, data)
        self._compared[file.name] = [*changed]
        starts = [(document.package, document.line + 1) for document in changed]
        self.files[file.name] = segmented(data, starts, digest_of)

    def _documents(self, name: str, data: bytes) -> list[ChangedDocument]:
        """Return all documents of a file, which is no index."""
        source = TextSource(io.BytesIO(data), name, in_folder=True)
        return [
            ChangedDocument(package_name_of(value), value, origin.document - 1, (origin.line or 1) - 1)
            for value, origin in text_documents(source, name, properties=self._table)
        ]

    def _about(self, name: str, run: KnownRun) -> tuple[str, ...]:
        """Return the packages of a run of segments in the file of this *name*."""
        before = self._parts.files[name]
        return before.packages[run.first : run.end] if before.is_cut else before.packages

    def _text_of(self, name: str, run: KnownRun, number: int) -> bytes:
        """Return the text of the segment *number* in a *run*, which was passed over; raise UncutError if it is gone."""
        before = self._parts.files[name]
        try:
            with open_plain(self._files[name].path) as opened:
                opened.seek(run.begin + sum(before.sizes[run.first : number]))
                text = opened.read(before.sizes[number])
        except OSError:
            raise UncutError from None
        if self._parts.digest_of(text) != before.digests[number]:
            raise UncutError
        return text

    def _read_again(self, name: str, run: KnownRun, is_wanted: Callable[[str], bool]) -> Iterator[ChangedDocument]:
        """Read the known segments of a *run* that are about packages that are wanted: another part has changed."""
        before = self._parts.files[name]
        if not before.is_cut:
            documents = self._documents(name, self._text_of(name, run, 0))
            yield from (document for document in documents if is_wanted(document.package))
            return
        for number in [number for number in range(run.first, run.end) if is_wanted(before.packages[number])]:
            document = run.document + sum(before.documents[run.first : number])
            line = run.line + sum(before.lines[run.first : number])
            text, count = self._text_of(name, run, number), before.documents[number]
            yield from documents_of(text, document, line, count, self._table)

    def _taken_over(self) -> dict[str, int]:
        """Return the unchanged packages, with how far they have moved."""
        moved: dict[str, int] = {}
        changed = {""}
        abouts: list[tuple[str, ...]] = []
        for name, parts in self._compared.items():
            for part in checked(parts, every=64):
                if isinstance(part, ChangedDocument):
                    changed.add(part.package)
                else:
                    about = self._about(name, part)
                    moved.update(dict.fromkeys(about, part.moved))
                    abouts.append(about)
        before = Counter(chain.from_iterable(file.packages for file in self._parts.files.values()))
        now = Counter(chain.from_iterable(abouts))
        # Mostly a package is one segment, as it was before.
        several = {name for name in moved if before[name] != 1 or now[name] != 1} - changed
        if several:
            changed |= self._not_as_before(several)
        for name in changed:
            moved.pop(name, None)
        return moved

    def _not_as_before(self, names: Collection[str]) -> set[str]:
        """Return the packages of *names* whose segments or their order changed, or that did not move as one."""
        before: dict[str, list[tuple[str, object]]] = {name: [] for name in names}
        for file, segments in self._parts.files.items():
            for number, name in _segments_about(segments, 0, len(segments.sizes), before):
                before[name].append((file, segments.digests[number]))
        now: dict[str, list[tuple[str, object]]] = {name: [] for name in names}
        moved: dict[str, set[int]] = {name: set() for name in names}
        for file, parts in self._compared.items():
            for part in parts:
                if isinstance(part, KnownRun):
                    segments = self._parts.files[file]
                    for number, name in _segments_about(segments, part.first, part.end, before):
                        now[name].append((file, segments.digests[number]))
                        moved[name].add(part.moved)
        return {name for name in names if now[name] != before[name] or len(moved[name]) != 1}


def _segments_about(file: SegmentedFile, first: int, end: int, names: Collection[str]) -> Iterable[tuple[int, str]]:
    """Return the segments of *file* from *first* to *end* about packages of *names*: the number, and the package."""
    if not file.is_cut:
        return [(0, name) for name in file.packages if name in names]
    return [(number, name) for number, name in enumerate(file.packages[first:end], first) if name in names]


def _updated(path: str, files: list[ComparedFile], before: Catalog, parts: CatalogParts) -> Catalog:
    """Return the catalog of *files*, with the packages of *before* that are the same.

    Raises UncutError, or an error of the text, where the whole must be read.
    """
    comparison = Comparison(path, files, parts)
    moved, changed = comparison.moved, comparison.changed
    kept, shifts_before = kept_packages(before.packages)
    # First the order of all packages, then their values.
    packages: dict[str, Any] = {**comparison.order, **changed.packages}
    packages.update(zip(moved, map(kept.__getitem__, moved), strict=True))
    shifts = dict(moved)
    for name, by in shifts_before.items():
        if name in shifts:
            shifts[name] += by
    shifts = {name: by for name, by in shifts.items() if by}
    catalog = Catalog(MovedPackages(packages, shifts) if shifts else packages, changed.others, path)
    catalog.derived(CatalogParts, lambda: CatalogParts(comparison.files, parts.digest_of, parts.drop, frozenset(moved)))
    catalog.derived(Predecessor, lambda: Predecessor.of(before, frozenset(moved)))
    return catalog


def _document(name: str, changed: ChangedDocument) -> Document:
    return Document(changed.value, unchecked_origin(Origin, name, changed.document + 1, changed.line + 1, None))
