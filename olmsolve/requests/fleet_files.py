"""The recorded clusters of a fleet: dumps in files, folders, archives and must-gather trees, one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._paths import is_directory, is_file, is_there
from olmsolve.catalog.fbc import DOCUMENT, TextSource
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.requests import recorded_files
from olmsolve.requests.documents import LEAVING, SUFFIXES, RequestSource, documents_in
from olmsolve.requests.recorded_files import (
    ARCHIVES,
    NamedBytes,
    leads_out,
    members,
    parts_of,
    tree_files,
    tree_position,
    trees_below,
)

_LINES: Final = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")


def _sources(values: Iterable[RequestSource]) -> tuple[RequestSource, ...]:
    return tuple(values)


@attrs.frozen
class RecordedCluster:
    """A cluster as it was recorded: its *name*, for reports, and the *sources* of its objects.

    A source is a mapping, the path of a file or a folder, or an open file; :func:`olmsolve.read_situation` reads the
    same. For clusters that are sent to other processes, sources are only mappings and paths.
    """

    name: str
    sources: tuple[RequestSource, ...] = attrs.field(converter=_sources, repr=False)
    fault: str = ""

    def documents(self) -> Iterator[Mapping[str, Any]]:
        """Yield the documents of the cluster.

        Raises:
            ManifestError: a source cannot be read, or holds nothing.
        """
        if self.fault:
            raise ManifestError(self.fault, source=self.name)
        empty = True
        for source in self.sources:
            for document in documents_in(source, ManifestError):
                empty = False
                yield document.value
        if empty:
            raise ManifestError("nothing to read", source=self.name)


def recorded_clusters(item: str | os.PathLike[str] | RecordedCluster) -> Iterator[RecordedCluster]:
    """Yield the clusters that *item* holds: a file, a folder, or a cluster itself.

    A file of JSON or YAML (perhaps gzipped) is one cluster. In a file of JSON lines, each List is a cluster, and all
    other lines together are one. A must-gather tree is one cluster, as a folder or as a tar archive. In any other
    folder or archive, each file is a cluster, and each sub-folder is one. A cluster that cannot be read raises only
    when its documents are read.
    """
    if isinstance(item, RecordedCluster):
        yield item
        return
    path = Path(item)
    if is_directory(path):
        for fleet_item in fleet_items(path):
            yield from (fleet_item,) if isinstance(fleet_item, RecordedCluster) else recorded_clusters(fleet_item)
    elif is_there(path) and not is_file(path):
        # Opening a pipe would wait for a writer.
        yield RecordedCluster(str(path), (), "is neither a file nor a folder")
    elif path.name.endswith(_LINES):
        yield from _in_lines(path)
    elif path.name.endswith(ARCHIVES):
        yield from _in_archive(path)
    else:
        yield RecordedCluster(str(path), (path,))


def fleet_items(item: str | os.PathLike[str] | RecordedCluster) -> Iterator[str | RecordedCluster]:
    """Yield what *item* consists of, each to be read by itself, so that many workers can share it.

    A folder stands for its files and sub-folders, unless it is a must-gather tree; anything else stands for itself.
    """
    if isinstance(item, RecordedCluster):
        yield item
    elif is_directory(Path(item)):
        try:
            yield from _in_folder(Path(item))
        except OSError as error:
            yield RecordedCluster(os.fspath(item), (), _reason(error))
    else:
        yield os.fspath(item)


def _in_folder(folder: Path) -> Iterator[str | RecordedCluster]:
    if (tree := _only_tree(folder)) is not None:
        yield _cluster_of_tree(folder, tree)
        return
    for path in checked(sorted(folder.iterdir())):
        if leads_out(path, folder):
            yield RecordedCluster(str(path), (), LEAVING)
        elif is_directory(path):
            yield _cluster_of_folder(path)
        elif path.name.endswith((*SUFFIXES, *_LINES, *ARCHIVES)):
            yield str(path)


def _cluster_of_folder(folder: Path) -> RecordedCluster:
    """Return the cluster of a sub-folder; one that may not be looked into is a fault of this cluster alone."""
    try:
        below = _only_tree(folder)
        return RecordedCluster(str(folder), (folder,)) if below is None else _cluster_of_tree(folder, below)
    except OSError as error:
        return RecordedCluster(str(folder), (), _reason(error))


def _only_tree(folder: Path) -> Path | None:
    """Return *folder* if it is a must-gather tree, or the tree up to two folders below, if it is alone there."""
    subfolders = [path for path in folder.iterdir() if is_directory(path)]
    trees = trees_below(folder, 0) or (_trees_of_only(subfolders[0]) if len(subfolders) == 1 else [])
    return trees[0] if trees else None


def _trees_of_only(folder: Path) -> list[Path]:
    trees = [path for path in folder.iterdir() if is_directory(path)]
    return trees_below(folder, 0) or (trees_below(trees[0], 0) if len(trees) == 1 else [])


def _cluster_of_tree(folder: Path, tree: Path) -> RecordedCluster:
    files = tuple(tree_files(tree))
    outside = next((file for file in files if leads_out(file, folder)), None)
    return RecordedCluster(str(folder), files, "" if outside is None else f"{outside} is {LEAVING}")


def _in_lines(path: Path) -> Iterator[RecordedCluster]:
    """Yield a cluster for each line with a List, and one for all other lines; a broken line spoils only itself."""
    objects: list[Mapping[str, Any]] = []
    number = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(_lines(TextSource(file, str(path)), str(path)), start=1):
                name = f"{path}:{number}"
                try:
                    documents = [located.value for located in documents_in(NamedBytes(line, name), ManifestError)]
                except ManifestError as error:
                    yield RecordedCluster(name, (), str(error.reason))
                    continue
                for document in documents:
                    if document.get("kind") == "List":
                        yield RecordedCluster(name, (document,))
                    else:
                        objects.append(document)
    except (OSError, CatalogError) as error:
        yield RecordedCluster(str(path), (), _reason(error))
        return
    if objects or not number:
        yield RecordedCluster(str(path), tuple(objects))


def _lines(source: TextSource, name: str) -> Iterator[bytes]:
    """Yield the lines of *source*, none of them longer than a document may be."""
    kept = bytearray()
    for piece in source.pieces():
        *whole, partial = piece.split(b"\n")
        for line in whole:
            kept += line
            if kept.strip():
                yield bytes(kept)
            kept.clear()
        kept += partial
        if len(kept) > DOCUMENT:
            raise CatalogError(f"a line of more than {DOCUMENT:,} bytes", origin=name)
    if kept.strip():
        yield bytes(kept)


def _in_archive(path: Path) -> Iterator[RecordedCluster]:
    """Yield the clusters of an archive: its only must-gather tree, or one for each file and each folder at its top.

    The files of one cluster are together in an archive, so they are in memory only until the next one begins.
    """
    try:
        yield from _grouped(members(path), path)
    except (OSError, CatalogError) as error:
        yield RecordedCluster(str(path), (), _reason(error))


def _grouped(files: Iterable[NamedBytes], path: Path) -> Iterator[RecordedCluster]:
    names: set[str] = set()
    current, together, size = "", list[NamedBytes](), 0
    for file in files:
        name = _cluster_of(parts_of(file.name.removeprefix(f"{path}/")), path)
        if name != current:
            if together:
                yield RecordedCluster(current, tuple(together))
            current, together, size = name, [], 0
            if name in names:
                raise CatalogError(f"the files of {name} do not follow one another", origin=str(path))
            # Names alone are kept of the clusters that are done, so that one cluster at a time is in memory.
            names.add(name)
        size += file.getbuffer().nbytes
        if size > recorded_files.CLUSTER_BYTES:
            raise CatalogError(f"a cluster of more than {recorded_files.CLUSTER_BYTES:,} bytes", origin=name)
        together.append(file)
    if together:
        yield RecordedCluster(current, tuple(together))
    if not names:
        yield RecordedCluster(str(path), (), "the archive has no dump of a cluster")


def _cluster_of(parts: tuple[str, ...], path: Path) -> str:
    """Return the name of the cluster that a file of the archive *path* belongs to."""
    position = tree_position(parts)
    above = parts[: min(position, 1)] if position is not None else parts[:1]
    return "/".join((str(path), *above))


def _reason(error: OSError | CatalogError) -> str:
    return error.reason if isinstance(error, CatalogError) else f"cannot be read: {error.strerror}"
