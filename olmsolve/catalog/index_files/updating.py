"""Update an index file by what changed in its catalog since; the result is the file that writing it whole gives.

The old file tells the segments of the catalog's text, so packages whose text is the same are not read: their columns
are moved (:mod:`olmsolve.catalog.index.repacking`), where they stand is counted on, and their compressed properties
are copied. Only files and folders whose index has segments can be updated; any other index is written whole.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._paths import is_there
from olmsolve.catalog import Catalog, Package, fbc
from olmsolve.catalog.index import NONE, FileParts, Packed, Stored, StoredColumns, copied_chunk, read_stored, repack
from olmsolve.catalog.index_files.content import prefix_of_origins
from olmsolve.catalog.index_files.making import OriginTable, chunk_digests, compressed_properties, notes_of
from olmsolve.errors import CatalogError

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
    """The content of the old file: its columns by the names of packages, and where the blobs of these stand."""

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
        known = fbc.segments_from(old.parts.whole("segments"), prefix)
        comparison = fbc.compared_with(path, fbc.CatalogParts(known))
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
    """Return what the old *file* holds, all of it checked. Raises NoUpdateError."""
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
    by: tuple[int, int],
    table: OriginTable,
    numbers: array[int],
    positions: array[int],
) -> None:
    """Append where the old rows from *first* to *end* stand now, so many documents and lines further down."""
    files = getattr(old.stored, f"{kind}_files")[first:end]
    old_positions = getattr(old.stored, f"{kind}_positions")[first:end]
    shift = fbc.position_of(*by)
    if len({*files}) == 1 and files[0] != NONE:
        # Nearly all packages are in one file.
        numbers.extend([table.number(old.files[files[0]])] * len(files))
        positions.extend([position + shift for position in old_positions] if shift else old_positions)
        return
    for file, position in zip(files, old_positions, strict=True):
        numbers.append(NONE if file == NONE else table.number(old.files[file]))
        positions.append(0 if file == NONE else position + shift)


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
    said = [f"{len(changed):,} of {len(comparison.order):,} packages changed{_named(changed)}"]
    said += [f"{len(new):,} {_are(new)} new{_named(new)}"] if new else []
    said += [f"{len(gone):,} {_are(gone)} gone{_named(gone)}"] if gone else []
    return "; ".join(said)


def _named(names: Sequence[str]) -> str:
    ordered = sorted(names)
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f": {', '.join(ordered[:_MOST_NAMED])}{more}" if names else ""


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
