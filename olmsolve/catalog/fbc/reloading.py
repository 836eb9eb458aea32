"""Load a new version of a catalog by reading the parts that changed since the version before.

The version before is a catalog that this module loaded, and knows the segments of its files
(:mod:`olmsolve.catalog.fbc.segments`). A package all of whose segments are there, in their order and moved by the same
number of lines, is taken over; the others are read. So the result is what loading the whole would give, for the time of
hashing its text. Whatever is unusual, faults among it, is left to loading the whole.

A package that is taken over may stand on other lines than before, and its blobs must tell where they are now. It is
copied when it is first asked for: a service asks for few packages of a catalog of 100,000 bundles, and to copy them all
takes 75 ms, half of what the whole update takes.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._paths import is_directory, is_file
from olmsolve.catalog import Blob, Bundle, Catalog, Channel, Origin, Package
from olmsolve.catalog.archives import open_plain, shown
from olmsolve.catalog.fbc.document import Document
from olmsolve.catalog.fbc.folder import catalog_files
from olmsolve.catalog.fbc.json_fast import PropertyTable
from olmsolve.catalog.fbc.linking import Linker
from olmsolve.catalog.fbc.loading import load
from olmsolve.catalog.fbc.packed import is_packed
from olmsolve.catalog.fbc.segments import (
    ChangedDocument,
    KnownSegment,
    Segment,
    SegmentedFile,
    UncutError,
    compared,
    documents_of,
    package_name_of,
    segmented,
    segments_now,
)
from olmsolve.catalog.fbc.text import Meter, TextSource, text_documents
from olmsolve.catalog.index_mark import INDEX_MARK
from olmsolve.catalog.model import (
    blob_of,
    bundle_of,
    channel_of,
    held_image,
    held_properties,
    package_of,
)
from olmsolve.catalog.origins import LineRun, held_origin
from olmsolve.catalog.versions import Predecessor, made_of
from olmsolve.errors import CatalogError

_Moved: TypeAlias = tuple[int, int]
_DOCUMENT: Final = 32  # bits of a position that hold the line; the document's number is above


class MovedPackages(Mapping[str, Package]):
    """Packages by name, with how many documents and lines each has moved; copied when first read."""

    def __init__(self, packages: dict[str, Package], moved: dict[str, _Moved]) -> None:
        self._packages = packages
        self._moved = moved
        self._copies: dict[str, Package] = {}

    def __getitem__(self, name: str) -> Package:
        by = self._moved.get(name)
        if by is None:
            return self._packages[name]
        copy = self._copies.get(name)
        if copy is None:
            # Two threads that copy the same package both return the copy that came first.
            copy = self._copies.setdefault(name, _moved_package(self._packages[name], *by))
        return copy

    def __contains__(self, name: object) -> bool:
        return name in self._packages

    def __iter__(self) -> Iterator[str]:
        return iter(self._packages)

    def __len__(self) -> int:
        return len(self._packages)

    def __repr__(self) -> str:
        return f"<{len(self)} packages, {len(self._moved)} of them on other lines than before>"

    def __reduce__(self) -> tuple[Callable[[Mapping[str, Package]], dict[str, Package]], tuple[dict[str, Package]]]:
        return dict, ({name: self[name] for name in self},)

    def kept(self, name: str) -> tuple[Package, _Moved]:
        """Return a package as it was read, and by how much it has moved since."""
        return self._packages[name], self._moved.get(name, (0, 0))


def kept_package(packages: Mapping[str, Package], name: str) -> tuple[Package, _Moved]:
    """Return a package of *packages* without a copy, and by how much it has moved since it was read."""
    return packages.kept(name) if type(packages) is MovedPackages else (packages[name], (0, 0))


def position_of(documents: int, lines: int) -> int:
    """Return both as the one number of :attr:`olmsolve.catalog.Origin.position`, so that one addition moves both."""
    # 2 documents and 17 lines are 2 << 32 | 17; added to 3 << 32 | 4, they make document 5 on line 21.
    return (documents << _DOCUMENT) + lines


def _moved_package(package: Package, documents: int, lines: int) -> Package:
    """Return a copy of *package* whose blobs stand *documents* and *lines* further down."""
    by = position_of(documents, lines)
    runs: dict[int, LineRun] = {}

    def moved(blob: Package | Channel | Bundle | Blob) -> tuple[Any, int]:
        origin, position = held_origin(blob)
        if isinstance(origin, LineRun):
            run = runs.get(id(origin))
            if run is None:
                run = runs[id(origin)] = LineRun(origin.file, origin.first + by)
            return run, position
        return origin, position + by if origin is not None else position

    def bundle(original: Bundle) -> Bundle:
        listed, version = held_properties(original)
        image, digest = held_image(original)
        origin, position = moved(original)
        fields = listed, image, original.extra, origin, position, original.written, version, digest
        return bundle_of(Bundle, original.package, original.name, *fields)

    def channel(original: Channel) -> Channel:
        origin, position = moved(original)
        fields = original.entries, original.properties, original.extra, origin, position, original.written
        return channel_of(Channel, original.package, original.name, *fields)

    blob = package.deprecations_blob
    made: Package = package_of(
        Package,
        package.name,
        package.default_channel,
        {name: channel(listed_channel) for name, listed_channel in package.channels.items()},
        {name: bundle(listed_bundle) for name, listed_bundle in package.bundles.items()},
        package.deprecations,
        package.description,
        package.extra,
        *moved(package),
        package.written,
        None if blob is None else blob_of(Blob, blob.schema, blob.value, *moved(blob)),
    )
    return made


_MOST_TEXT: Final = 1 << 29  # bytes of files that are held while they are compared


@attrs.frozen
class CatalogParts:
    """The segments of a catalog's files, by their names, and the packages taken over from the version before.

    *drop* names the types of properties that were left out. The parts live with the catalog (:meth:`.Catalog.derived`)
    for the version after it.
    """

    files: Mapping[str, SegmentedFile]
    drop: frozenset[str] = frozenset()
    taken_over: frozenset[str] = frozenset()


class _Text(NamedTuple):
    name: str
    data: bytes


def reload(
    path: str,
    before: Catalog,
    *,
    progress: Callable[[int, int], None] | None,
    drop: Collection[str],
) -> Catalog:
    """Load the catalog at *path*, taking from *before*, an earlier version of it, what did not change.

    The result equals the result of :func:`load`, also in its origins, and can be the *before* of the next version.
    Only plain files and folders are compared; anything else is loaded whole, and so are files of more than 512 MiB.

    Raises :class:`~olmsolve.errors.CatalogError` as :func:`load` does.
    """
    dropped = frozenset(drop)
    with COLLECTOR_PAUSE:
        texts = _texts(path)
        if texts is None:
            return load(path, progress=progress, drop=drop)
        parts = made_of(before, CatalogParts)
        catalog = None
        if parts is not None and parts.drop == dropped:
            try:
                catalog = _updated(path, texts, before, parts)
            except (UncutError, CatalogError, UnicodeDecodeError):
                catalog = None  # to be read whole, and to say what is wrong
        if catalog is None:
            catalog = _whole(path, texts, dropped, progress)
        if progress is not None:
            size = sum(len(text.data) for text in texts)
            progress(size, size)
        return catalog


def _texts(path: str) -> list[_Text] | None:
    """Return names and bytes of the catalog's files, None where that cannot be compared.

    They may be packed, no plain files, too large, or have names that look the same.
    """
    if is_file(path):
        files = [Path(path)]
    elif is_directory(path):
        files = [file.path for file in catalog_files(Path(path))]
    else:
        return None
    if is_packed(path):
        return None
    texts: list[_Text] = []
    bytes_left = _MOST_TEXT
    for file in checked(files):
        name = path if len(files) == 1 and is_file(path) else shown(file)
        with open_plain(file) as opened:
            try:
                bytes_left -= os.fstat(opened.fileno()).st_size
                if bytes_left < 0:
                    return None
                data = opened.read()
            except OSError:
                return None
        texts.append(_Text(name, data))
    # Names that are not UTF-8 may look the same.
    return texts if len({text.name for text in texts}) == len(texts) else None


def _whole(path: str, texts: list[_Text], drop: frozenset[str], progress: Callable[[int, int], None] | None) -> Catalog:
    """Return the catalog of all *texts*, read whole, with its parts."""
    is_folder = is_directory(path)
    meter, table = Meter(sum(len(text.data) for text in texts), progress), PropertyTable(drop)
    linker = Linker(table)
    files: dict[str, SegmentedFile] = {}
    for name, data in texts:
        check()
        starts: list[tuple[str, int]] | None = []
        source = TextSource(io.BytesIO(data), name, meter, in_folder=is_folder)
        if is_folder and source.head.startswith(INDEX_MARK):
            files[name] = segmented(data, ())
            continue
        for document in text_documents(source, name, properties=table):
            if starts is not None:
                starts = _with_start(starts, document)
            linker.add(document)
        if starts is not None:
            files[name] = segmented(data, starts)
    catalog = linker.catalog(path)
    if not catalog.packages and not catalog.others:
        raise CatalogError("there is no catalog here: no document in any file", origin=path)
    # A file whose documents could not be assigned is in no part, and so is never taken over.
    catalog.derived(CatalogParts, lambda: CatalogParts(files, drop))
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

    *order* are its packages, *moved* the unchanged ones, with how many documents and lines they have moved.
    *changed* is a catalog of all others, and of the blobs that are a part of no package.

    Raises UncutError, or an error of the text, where the whole must be read.
    """

    def __init__(self, path: str, texts: list[_Text], parts: CatalogParts) -> None:
        meter, self._table = Meter(), PropertyTable(parts.drop)
        self._texts = dict(texts)
        self._compared: dict[str, list[KnownSegment | ChangedDocument]] = {}
        self.files: dict[str, SegmentedFile] = {}
        for name, data in texts:
            meter.count_text(len(data), name)
            self._compared[name], self.files[name] = _file_compared(name, data, parts.files.get(name), self._table)
        self.moved: dict[str, tuple[int, int]] = _taken_over(self._compared, parts)
        linker = Linker(self._table)
        self.order: dict[str, None] = {}
        for name in self._texts:
            for part in checked(self._compared[name], every=64):
                if isinstance(part, ChangedDocument):
                    self.order[part.package] = None
                    linker.add(_document(name, part))
                    continue
                about = part.segment.packages
                for package in about:
                    self.order[package] = None
                if not all(map(self.moved.__contains__, about)):
                    for document in self._read_again(name, part):
                        if document.package not in self.moved:
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
                if isinstance(part, KnownSegment) and name in part.segment.packages:
                    for document in self._read_again(file, part):
                        if document.package == name:
                            linker.add(_document(file, document))
        return linker.catalog("").packages[name]

    def _read_again(self, name: str, segment: KnownSegment) -> Iterable[ChangedDocument]:
        """Read a known *segment* all the same: another part of one of its packages has changed."""
        data = self._texts[name]
        if self.files[name].is_cut:
            return documents_of(segment, data, self._table)
        documents, _ = _file_compared(name, data, None, self._table)
        return [document for document in documents if isinstance(document, ChangedDocument)]


def compared_with(path: str, parts: CatalogParts) -> Comparison | None:
    """Return the catalog at *path* compared with *parts* of an earlier version, None where it cannot be.

    Raises UncutError, or an error of the text, where the whole must be read.
    """
    texts = _texts(path)
    return None if texts is None else Comparison(path, texts, parts)


def _updated(path: str, texts: list[_Text], before: Catalog, parts: CatalogParts) -> Catalog:
    """Return the catalog of *texts*, with the packages of *before* that are the same.

    Raises UncutError, or an error of the text, where the whole must be read.
    """
    comparison = Comparison(path, texts, parts)
    moved, changed = comparison.moved, comparison.changed
    packages: dict[str, Package] = {}
    shifts: dict[str, tuple[int, int]] = {}
    for name in checked(comparison.order, every=64):
        if name not in moved:
            packages[name] = changed.packages[name]
            continue
        packages[name], (documents, lines) = kept_package(before.packages, name)
        documents, lines = documents + moved[name][0], lines + moved[name][1]
        if documents or lines:
            shifts[name] = documents, lines
    catalog = Catalog(MovedPackages(packages, shifts) if shifts else packages, changed.others, path)
    catalog.derived(CatalogParts, lambda: CatalogParts(comparison.files, parts.drop, frozenset(moved)))
    catalog.derived(Predecessor, lambda: Predecessor.of(before, frozenset(moved)))
    return catalog


def _file_compared(
    name: str, data: bytes, before: SegmentedFile | None, table: PropertyTable
) -> tuple[list[KnownSegment | ChangedDocument], SegmentedFile]:
    """Return what a file holds, compared with the file of this name *before*, and its segments."""
    if before is not None:
        try:
            segments = list(compared(data, before, table))
        except UncutError:
            pass  # this file is read whole
        else:
            return segments, segments_now(data, segments) if before.is_cut else before
    changed: list[KnownSegment | ChangedDocument] = []
    if not data.startswith(INDEX_MARK):
        source = TextSource(io.BytesIO(data), name, in_folder=True)
        for document in text_documents(source, name, properties=table):
            value, origin = document
            package, line = package_name_of(value), (origin.line or 1) - 1
            changed.append(ChangedDocument(package, value, 0, origin.document - 1, line))
    return changed, segmented(data, [(part.package, part.line + 1) for part in changed])  # type: ignore[union-attr]


def _taken_over(
    compared_files: Mapping[str, Iterable[KnownSegment | ChangedDocument]], parts: CatalogParts
) -> dict[str, tuple[int, int]]:
    """Return the unchanged packages, with how many documents and lines they have moved."""
    before: dict[str, list[tuple[str, Segment]]] = {}
    for name, file in parts.files.items():
        for segment in checked(file.segments, every=64):
            for package in segment.packages:
                before.setdefault(package, []).append((name, segment))
    now: dict[str, list[tuple[str, Segment]]] = {}
    moved: dict[str, set[tuple[int, int]]] = {}
    changed = {""}
    for name, compared_parts in compared_files.items():
        for part in checked(compared_parts, every=64):
            if isinstance(part, ChangedDocument):
                changed.add(part.package)
                continue
            for package in part.segment.packages:
                now.setdefault(package, []).append((name, part.segment))
                moved.setdefault(package, set()).add(part.moved)
    return {
        package: next(iter(moved[package]))
        for package, segments in checked(now.items(), every=64)
        if package not in changed and segments == before[package] and len(moved[package]) == 1
    }


def _document(name: str, changed: ChangedDocument) -> Document:
    return Document(changed.value, Origin(name, changed.document + 1, changed.line + 1))
