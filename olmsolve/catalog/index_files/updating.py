"""The index of a new version of a catalog, made of the file of the version before and of what changed since.

The old file has the digests of the segments of the catalog's text, so packages whose text is the same are not read:
their columns are moved (:mod:`olmsolve.catalog.index.repacking`), their line numbers are corrected, and their
compressed properties are copied. Packages that follow each other in both versions make a run, and all of this is done
run by run::

    before   a b c d e     packages 0 to 4
    now      a B c x d e   changed: B and x; runs: a; c; d e (packages 4 and 5, which were 3 and 4)
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._paths import is_there
from olmsolve.catalog import Catalog, Origin, Package, fbc
from olmsolve.catalog.index import (
    NONE,
    FileParts,
    Packed,
    Stored,
    StoredColumns,
    copied_chunks,
    is_all,
    read_stored,
    repack,
    shifted_positions,
    stored_bytes,
)
from olmsolve.catalog.index_files.content import content_digest, digest_of_contents, prefix_of_origins
from olmsolve.catalog.index_files.storing import OriginTable, chunk_digests, compressed_properties, notes_of
from olmsolve.errors import CatalogError, VersionError

_MOST_NAMED: Final = 5
_UNCHANGED: Final = "nothing has changed"


class NoUpdateError(Exception):
    """The index cannot be updated, for a reason in words: it is written whole."""


class Update(NamedTuple):
    """The pieces of an index file made by an update, and what changed in one line.

    *pieces* are None where the content of the catalog is the same: the file stays.
    """

    pieces: list[bytes] | None
    changes: str


class _Old(NamedTuple):
    """The content of the old file: its columns, its packages by name, and the positions of their blobs."""

    stored: Stored
    parts: FileParts
    columns: Packed
    files: list[str]
    packages: Mapping[str, int]


def updated(path: str, file: Path) -> Update:
    """Return the index of the catalog at *path*, made of its old index *file*.

    Raises:
        NoUpdateError: the index must be written whole.
    """
    with COLLECTOR_PAUSE:
        return _updated(path, file)


def _updated(path: str, file: Path) -> Update:
    old = _old(file)
    try:
        segments = fbc.segments_from(old.parts.whole("segments"), prefix_of_origins(path))
        files = fbc.files_at(path)
    except (CatalogError, fbc.UncutError):
        segments, files = {}, None
    # Comparing hashes each byte twice, for the digests of segments and of the content. So where the catalog may be the
    # same, its content is hashed alone first.
    size = sum(sum(segmented.sizes) for segmented in segments.values())
    may_be_same = files is None or sum(compared.size for compared in files) == size
    if may_be_same and content_digest(path) == old.stored.digest:
        return Update(None, _UNCHANGED)
    comparison = None
    try:
        if files is not None:
            comparison = fbc.Comparison(path, files, fbc.CatalogParts(segments), hashes_content=True)
    except (CatalogError, UnicodeDecodeError, fbc.UncutError):
        pass
    if comparison is None or not old.packages.keys() >= comparison.moved.keys():
        raise NoUpdateError("the catalog cannot be compared with it")
    try:
        return _made_of(path, old, comparison)
    except (CatalogError, UnicodeDecodeError, fbc.UncutError):
        # A package that did not change is read anew, or copied, and is not as it should be.
        raise NoUpdateError("the catalog cannot be compared with it") from None
    except (ValueError, LookupError, OverflowError, VersionError):
        # Each number is within its bounds, but they do not fit together: somebody made it so.
        raise NoUpdateError("a damaged index: its numbers contradict each other") from None


def _made_of(path: str, old: _Old, comparison: fbc.Comparison) -> Update:
    """Return the index of the catalog at *path*, made of the *old* one and of what changed."""
    digest, prefix = digest_of_contents(Path(path), comparison.contents), prefix_of_origins(path)
    if digest == old.stored.digest:
        return Update(None, _UNCHANGED)
    catalog = Catalog(_Packages(comparison), comparison.changed.others, path)
    columns = repack(catalog, old.columns, frozenset(comparison.moved))
    if columns is None:
        raise NoUpdateError("the catalog has more than an update can take over")
    runs = _runs(old, comparison)
    table = OriginTable(prefix)
    channels = _channel_origins(columns, old, comparison, runs, table)
    bundles = _bundle_origins(old, comparison, runs, table)
    notes = notes_of(comparison.changed.others, table)
    chunks, starts, chunk_digests_ = _chunks(old, comparison, runs)
    stored = Stored(
        digest,
        columns,
        *bundles,
        *channels,
        notes=notes,
        chunks=starts,
        segments=fbc.segments_text(comparison.files, prefix),
        chunk_digests=chunk_digests_,
    )
    return Update(stored_bytes(stored, chunks, old.parts), _changes(old.packages, comparison))


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
    names = columns.strings(columns.name_string[: columns.packages])
    return _Old(stored, stored.parts, columns, files, dict(zip(names, range(len(names)), strict=True)))


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


class _Run(NamedTuple):
    """Packages that follow each other now as before, all *by* as many documents and lines further down.

    The first had the number *old* and has the number *package*, its name; there are *size* of them. *old* is NONE for
    one package that is new or has changed.
    """

    package: int
    name: str
    old: int
    size: int
    by: int


def _runs(old: _Old, comparison: fbc.Comparison) -> list[_Run]:
    """Return all packages of the new index in their order, as runs."""
    names = sorted(comparison.order)
    runs: list[_Run] = []
    start, name_of_start, begin, end, shift = 0, "", NONE, NONE, 0
    for package, name in enumerate(checked(names, every=256)):
        by = comparison.moved.get(name)
        before = NONE if by is None else old.packages[name]
        if before == end != NONE and by == shift:
            end += 1
            continue
        if package:
            runs.append(_Run(start, name_of_start, begin, package - start, shift))
        start, name_of_start, begin, shift = package, name, before, by or 0
        end = NONE if before == NONE else before + 1
    if names:
        runs.append(_Run(start, name_of_start, begin, len(names) - start, shift))
    return runs


class _Origins:
    """The two columns of origins of a *kind* of row, "bundle" or "channel", while they are made."""

    def __init__(self, old: _Old, kind: str, table: OriginTable) -> None:
        self.files: array[int] = array("I")
        self.positions: array[int] = array("Q")
        self._old_files: Sequence[int] = getattr(old.stored, f"{kind}_files")
        self._old_positions: Sequence[int] = getattr(old.stored, f"{kind}_positions")
        self._names = old.files
        self._table = table

    def add(self, origin: Origin | None) -> None:
        """Append the origin of a row."""
        self._table.add(self.files, self.positions, origin)

    def move(self, first: int, end: int, by: int) -> None:
        """Append the positions of the old rows *first* to *end* (exclusive), moved *by* documents and lines."""
        files, positions = array("I", self._old_files[first:end]), array("Q", self._old_positions[first:end])
        if not files:
            return
        if NONE in files:
            # A row without an origin has not moved.
            for file, position in zip(files, positions, strict=True):
                self.files.append(NONE if file == NONE else self._number(file))
                self.positions.append(0 if file == NONE else position + by)
            return
        self.positions.extend(shifted_positions(positions, by))
        if is_all(files, files[0]):
            # Mostly all packages are in one file.
            self.files.extend(array("I", [self._number(files[0])]) * len(files))
        else:
            numbers = {file: self._number(file) for file in dict.fromkeys(files)}
            self.files.extend(array("I", map(numbers.__getitem__, files)))

    def _number(self, file: int) -> int:
        return self._table.number(self._names[file])


def _channel_origins(
    columns: Packed, old: _Old, comparison: fbc.Comparison, runs: Sequence[_Run], table: OriginTable
) -> tuple[array[int], array[int]]:
    origins = _Origins(old, "channel", table)
    before = old.columns

    def add(run: _Run, channels: Iterable[int]) -> None:
        of_package = comparison.package(run.name).channels
        for channel in channels:
            origins.add(of_package[columns.string(columns.channel_name[channel])].origin)

    # The default channels of all packages come first, before all other channels; the channels of a run are neighbours.
    for run in checked(runs):
        if run.old == NONE:
            add(run, [channel for channel in columns.package_default[run.package : run.package + 1] if channel != NONE])
            continue
        defaults = [channel for channel in before.package_default[run.old : run.old + run.size] if channel != NONE]
        if defaults:
            origins.move(defaults[0], defaults[-1] + 1, run.by)
    for run in checked(runs):
        if run.old == NONE:
            add(run, range(*columns.package_channels[run.package : run.package + 2]))
        else:
            origins.move(before.package_channels[run.old], before.package_channels[run.old + run.size], run.by)
    return origins.files, origins.positions


def _bundle_origins(
    old: _Old, comparison: fbc.Comparison, runs: Sequence[_Run], table: OriginTable
) -> tuple[array[int], array[int]]:
    origins, bounds = _Origins(old, "bundle", table), old.columns.package_bundles
    for run in checked(runs):
        if run.old == NONE:
            for bundle in comparison.package(run.name).bundles.values():
                origins.add(bundle.origin)
        else:
            origins.move(bounds[run.old], bounds[run.old + run.size], run.by)
    return origins.files, origins.positions


def _chunks(old: _Old, comparison: fbc.Comparison, runs: Sequence[_Run]) -> tuple[list[bytes], array[int], bytes]:
    """Return the compressed properties of each package in pieces, where each begins, and the digests of all."""
    pieces: list[bytes] = []
    starts, digests, size = array("Q", [0]), [], 0
    for run in checked(runs):
        if run.old == NONE:
            piece = compressed_properties(comparison.package(run.name))
            starts.append(size + len(piece))
            digests.append(chunk_digests([piece]))
        else:
            piece, ends, run_digests = copied_chunks(old.stored, run.old, run.old + run.size)
            starts.extend(shifted_positions(ends, size - old.stored.chunks[run.old]))
            digests.append(run_digests)
        pieces.append(piece)
        size += len(piece)
    return pieces, starts, b"".join(digests)


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
