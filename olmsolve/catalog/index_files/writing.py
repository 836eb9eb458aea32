"""Write the index of a catalog to a file: whole, or only what changed in the catalog since the old file was written.

An update gives the file that writing it whole gives. The old file has the digests of the segments of the catalog's
text, so packages whose text is the same are not read: their columns are moved
(:mod:`olmsolve.catalog.index.repacking`), their line numbers are corrected, and their compressed properties are copied.
Only files and folders whose index has segments can be updated; any other index is written whole.
"""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from olmsolve import events
from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve._named_tuples import NamedTuple
from olmsolve._paths import is_there
from olmsolve._whole_files import write_whole
from olmsolve.catalog import Blob, Catalog, Origin, Package, fbc
from olmsolve.catalog.index import (
    NONE,
    FileParts,
    Packed,
    Stored,
    StoredColumns,
    copied_chunk,
    index_of,
    is_something_else,
    read_stored,
    stored_bytes,
)
from olmsolve.catalog.index_files.content import beside, content_digest, prefix_of_origins
from olmsolve.catalog.versions import made_of
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property, encoded


def write_index(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | None = None,
    *,
    update: bool = False,
    note: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Path:
    """Write the index of the catalog at *path* to *file*, by default beside it, and return the file's path.

    The file appears whole or not at all, so several processes may write it at once. *progress* is as in
    :func:`olmsolve.load`, and so are the limits *timeout* and *cancel*.

    With *update*, the index is made of the one that is there and of what changed in the catalog since, which gives the
    same file in less time, and *note* is called with a line that says what changed. The file is written whole, which
    the line says, where there is no index yet, and where it is damaged, of another user or of another version; and
    where the catalog cannot be compared with it: an image, a database, or one with something unusual
    (docs/loading.md).

    Raises:
        CatalogError: the catalog cannot be read or changes meanwhile; *file* cannot be written, or exists and is no
            index.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return _write_index(path, file, progress, (note or (lambda _: None)) if update else None)


def _write_index(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | None,
    progress: Callable[[int, int], None] | None,
    tell_changes: Callable[[str], None] | None,
) -> Path:
    given = os.fspath(path)
    target = Path(file) if file is not None else beside(given)
    # Hashed before and after reading (50 ms for 100 MB of text), because an index of a content that was replaced
    # meanwhile would be taken for one of the new content.
    digest = content_digest(given) if given and given != "-" else None
    if digest is None:
        # In "layout#v1", "v1" is one of several images in the layout: the file to look for is "layout".
        if given and given != "-" and not is_there(given.partition("#")[0]) and not fbc.is_remote(given):
            raise CatalogError("cannot be read: No such file or directory", origin=given)
        raise CatalogError(
            "cannot have an index: only a file or a folder can, because it can be read again", origin=given
        )
    _refuse_something_else(target)
    if tell_changes is not None:
        try:
            stored, chunks, changes = updated(given, target, digest)
        except NoUpdateError as error:
            tell_changes(f"written whole: {error}")
        else:
            if stored is not None:
                _store(given, stored, chunks, target)
            tell_changes(changes)
            return target
    store(given, with_segments(given, progress), digest, target)
    return target


def store(path: str, catalog: Catalog, digest: bytes, file: Path) -> None:
    """Write the index of *catalog*, loaded :func:`with_segments` from *path* when its content had this *digest*."""
    _refuse_something_else(file)
    _store(path, *stored_of(path, catalog, digest), file)


def _refuse_something_else(file: Path) -> None:
    if is_something_else(file):
        raise CatalogError("exists and is not an index, so it is not overwritten", origin=str(file))


def _store(path: str, stored: Stored, chunks: list[bytes], file: Path) -> None:
    pieces, digest = stored_bytes(stored, chunks), stored.digest
    if content_digest(path) != digest:
        raise CatalogError("changed while its index was made", origin=path)
    try:
        write_whole(file, pieces, is_own=True)
    except OSError as error:
        raise CatalogError(f"cannot be written: {error.strerror}", origin=str(file)) from None


_PIECE: Final = 1 << 19  # bytes that are compressed between two looks at the limits, in about 15 milliseconds


def with_segments(path: str, progress: Callable[[int, int], None] | None = None) -> Catalog:
    """Load the catalog at *path* so that its index shows what a later version did not change."""
    return fbc.reload(path, Catalog({}), progress=progress, drop=(), digest_of=fbc.sha256_digest)


class OriginTable:
    """The files that origins name, numbered in the order in which they come; names are cut of *prefix*."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.files: dict[str, int] = {}

    def number(self, file: str) -> int:
        """Return the number of a file, by its name without the prefix."""
        return self.files.setdefault(file, len(self.files))

    def add(self, numbers: array[int], positions: array[int], origin: Origin | None) -> None:
        """Append the number of the file, and the position in it, of *origin*."""
        if origin is not None and origin.file.startswith(self._prefix):
            numbers.append(self.number(origin.file.removeprefix(self._prefix)))
            positions.append(origin.position)
        else:
            numbers.append(NONE)
            positions.append(0)

    def columns_of(self, origins: Iterable[Origin | None]) -> tuple[array[int], array[int]]:
        """Return what :meth:`add` appends for all *origins*."""
        columns = array("I"), array("Q")
        for origin in checked(origins, every=256):
            self.add(*columns, origin)
        return columns


def notes_of(others: Iterable[Blob], table: OriginTable) -> bytes:
    """Return the notes of an index: the blobs that are a part of no package, and all files that origins name."""
    listed: list[Any] = []
    for blob in others:
        ((number,), (position,)) = table.columns_of([blob.origin])
        listed.append([blob.schema, dict(blob.value), number, position])
    return json.dumps({"files": list(table.files), "others": listed}).encode("ascii")


def stored_of(path: str, catalog: Catalog, digest: bytes) -> tuple[Stored, list[bytes]]:
    """Return the index of *catalog* as a file holds it, and the compressed properties of each package."""
    columns = index_of(catalog).columns
    table = OriginTable(prefix_of_origins(path))
    packages = [catalog.packages[columns.string(name)] for name in columns.name_string[: columns.packages]]
    owners = [packages[number] for number in columns.channel_package]
    names = map(columns.string, columns.channel_name)
    channels = table.columns_of(owner.channels[name].origin for owner, name in zip(owners, names, strict=True))
    bundles = table.columns_of(bundle.origin for package in packages for bundle in package.bundles.values())
    notes = notes_of(catalog.others, table)
    chunks = [compressed_properties(package) for package in checked(packages)]
    parts = made_of(catalog, fbc.CatalogParts)
    stored = Stored(
        digest,
        columns,
        *bundles,
        *channels,
        notes=notes,
        chunks=array("Q", accumulate(map(len, chunks), initial=0)),
        chunk_digests=chunk_digests(chunks),
        segments=b"" if parts is None else fbc.segments_text(parts.files, prefix_of_origins(path)),
    )
    return stored, chunks


def chunk_digests(chunks: Iterable[bytes]) -> bytes:
    """Return the SHA-256 of each of *chunks*, one after the other."""
    from hashlib import sha256

    return b"".join([sha256(chunk).digest() for chunk in chunks])


def compressed_properties(package: Package) -> bytes:
    """Return the properties of all bundles of *package*, as JSON and compressed."""
    data = _properties(package)
    packing = zlib.compressobj(6)
    starts = checked(range(0, len(data), _PIECE))
    return b"".join([*(packing.compress(data[start : start + _PIECE]) for start in starts), packing.flush()])


def _properties(package: Package) -> bytes:
    """Return the properties of all bundles as JSON: for each bundle a list of pairs of type and value."""

    def pair(property_: Property) -> bytes:
        return b"[%b,%b]" % (encoded(property_.type), property_.text)

    return b"[%b]" % b",".join(b"[%b]" % b",".join(map(pair, bundle.properties)) for bundle in package.bundles.values())


_MOST_NAMED = 5


class NoUpdateError(Exception):
    """The index cannot be updated, for a reason in words: it is written whole."""


class Update(NamedTuple):
    """An index made by an update, with its compressed properties, and what changed in one line.

    *stored* is None where the content of the catalog is the same: the file stays.
    """

    stored: Stored | None
    chunks: list[bytes]
    changes: str


class _Old(NamedTuple):
    """The content of the old file: its columns, its packages by name, and the positions of their blobs."""

    stored: Stored
    parts: FileParts
    columns: Packed
    files: list[str]
    packages: Mapping[str, int]


def updated(path: str, file: Path, digest: bytes) -> Update:
    """Return the index of the catalog at *path*, whose content has this *digest*, made of its old index *file*.

    Raises:
        NoUpdateError: the index must be written whole.
    """
    with COLLECTOR_PAUSE:
        return _updated(path, file, digest)


def _updated(path: str, file: Path, digest: bytes) -> Update:
    old = _old(file)
    if old.stored.digest == digest:
        return Update(None, [], "nothing has changed")
    prefix = prefix_of_origins(path)
    try:
        old_segments = fbc.segments_from(old.parts.whole("segments"), prefix)
        comparison = fbc.compared_with(path, fbc.CatalogParts(old_segments))
    except (CatalogError, UnicodeDecodeError, fbc.UncutError):
        comparison = None
    if comparison is None or not old.packages.keys() >= comparison.moved.keys():
        raise NoUpdateError("the catalog cannot be compared with it")
    try:
        return _made_of(path, old, comparison, digest)
    except (CatalogError, UnicodeDecodeError, fbc.UncutError):
        # A package that did not change is read anew, or copied, and is not as it should be.
        raise NoUpdateError("the catalog cannot be compared with it") from None


def _made_of(path: str, old: _Old, comparison: fbc.Comparison, digest: bytes) -> Update:
    """Return the index of the catalog at *path*, made of the *old* one and of what changed."""
    # An index that is written whole needs no modules that move columns.
    from olmsolve.catalog.index import repack

    prefix = prefix_of_origins(path)
    catalog = Catalog(_Packages(comparison), comparison.changed.others, path)
    columns = repack(catalog, old.columns, frozenset(comparison.moved))
    if columns is None:
        raise NoUpdateError("the catalog has more than an update can take over")
    table = OriginTable(prefix)
    channels = _channel_origins(columns, old, comparison, table)
    bundles = _bundle_origins(columns, old, comparison, table)
    notes = notes_of(comparison.changed.others, table)
    chunks = list(_chunks(columns, old, comparison))
    stored = Stored(
        digest,
        columns,
        *bundles,
        *channels,
        notes=notes,
        chunks=array("Q", accumulate(map(len, chunks), initial=0)),
        segments=fbc.segments_text(comparison.files, prefix),
        chunk_digests=chunk_digests(chunks),
    )
    return Update(stored, chunks, _changes(old.packages, comparison))


def _old(file: Path) -> _Old:
    """Return the content of the old index *file*, all of it checked. Raises NoUpdateError."""
    if not is_there(file):
        raise NoUpdateError("there is no index yet")
    try:
        # Its numbers are copied into the new one, so it must be the user's own, whoever named it.
        stored = read_stored(file, None, is_named=False)
        assert stored.parts is not None, "it was read"
        stored.parts.check()
        assert isinstance(stored.columns, StoredColumns), "it was read"
        columns = stored.columns.in_memory()
        files = [str(name) for name in json.loads(stored.notes)["files"]]
    except CatalogError as error:
        raise NoUpdateError(error.reason) from None
    except (ValueError, TypeError, LookupError, RecursionError):
        raise NoUpdateError("a damaged index: its list of files cannot be read") from None
    names = {columns.string(name): number for number, name in enumerate(columns.name_string[: columns.packages])}
    return _Old(stored, stored.parts, columns, files, names)


class _Packages(Mapping[str, Package]):
    """The packages of the new catalog; one that did not change is read only where others need its rows."""

    def __init__(self, comparison: fbc.Comparison) -> None:
        self._comparison = comparison

    def __getitem__(self, name: str) -> Package:
        return self._comparison.package(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._comparison.order)

    def __len__(self) -> int:
        return len(self._comparison.order)


def _channel_origins(
    columns: Packed, old: _Old, comparison: fbc.Comparison, table: OriginTable
) -> tuple[array[int], array[int]]:
    numbers, positions = array("I"), array("Q")
    for channel, package in checked(enumerate(columns.channel_package), every=256):
        name = columns.string(columns.name_string[package])
        by = comparison.moved.get(name)
        if by is None:
            listed = comparison.package(name).channels[columns.string(columns.channel_name[channel])]
            table.add(numbers, positions, listed.origin)
            continue
        before = old.packages[name]
        if columns.package_default[package] == channel:
            at = old.columns.package_default[before]
        else:
            at = channel - columns.package_channels[package] + old.columns.package_channels[before]
        _move(old, "channel", at, at + 1, by, table, numbers, positions)
    return numbers, positions


def _bundle_origins(
    columns: Packed, old: _Old, comparison: fbc.Comparison, table: OriginTable
) -> tuple[array[int], array[int]]:
    numbers, positions = array("I"), array("Q")
    for package in checked(range(columns.packages)):
        name = columns.string(columns.name_string[package])
        by = comparison.moved.get(name)
        if by is None:
            for bundle in comparison.package(name).bundles.values():
                table.add(numbers, positions, bundle.origin)
            continue
        first, end = old.columns.package_bundles[old.packages[name] : old.packages[name] + 2]
        _move(old, "bundle", first, end, by, table, numbers, positions)
    return numbers, positions


def _move(
    old: _Old,
    kind: str,
    first: int,
    end: int,
    by: int,
    table: OriginTable,
    numbers: array[int],
    positions: array[int],
) -> None:
    """Append the positions of the old rows *first* to *end* (exclusive), moved *by* documents and lines."""
    files = getattr(old.stored, f"{kind}_files")[first:end]
    old_positions = getattr(old.stored, f"{kind}_positions")[first:end]
    if len({*files}) == 1 and files[0] != NONE:
        # Nearly all packages are in one file.
        numbers.extend([table.number(old.files[files[0]])] * len(files))
        positions.extend([position + by for position in old_positions] if by else old_positions)
        return
    for file, position in zip(files, old_positions, strict=True):
        numbers.append(NONE if file == NONE else table.number(old.files[file]))
        positions.append(0 if file == NONE else position + by)


def _chunks(columns: Packed, old: _Old, comparison: fbc.Comparison) -> Iterator[bytes]:
    """Yield the compressed properties of each package."""
    for package in checked(range(columns.packages)):
        name = columns.string(columns.name_string[package])
        if name in comparison.moved:
            yield copied_chunk(old.stored, old.packages[name])
        else:
            yield compressed_properties(comparison.package(name))


def _changes(before: Mapping[str, int], comparison: fbc.Comparison) -> str:
    """Return what changed in one line: "2 of 333 packages changed: a, b; 1 is new: c; 1 is gone: d"."""
    new = [name for name in comparison.order if name not in before]
    gone = [name for name in before if name not in comparison.order]
    changed = [name for name in comparison.order if name in before and name not in comparison.moved]
    clauses = [f"{len(changed):,} of {len(comparison.order):,} packages changed{_names_clause(changed)}"]
    clauses += [f"{len(new):,} {_are(new)} new{_names_clause(new)}"] if new else []
    clauses += [f"{len(gone):,} {_are(gone)} gone{_names_clause(gone)}"] if gone else []
    return "; ".join(clauses)


def _names_clause(names: Sequence[str]) -> str:
    ordered = sorted(names)
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f": {', '.join(ordered[:_MOST_NAMED])}{more}" if names else ""


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
