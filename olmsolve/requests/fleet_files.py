"""The recorded clusters of a fleet: dumps in files, folders, archives and must-gather trees, one after the other."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from olmsolve._typed_paths import is_directory, is_file, is_there
from olmsolve.catalog.archives import is_tar
from olmsolve.catalog.fbc import DOCUMENT, TextSource, chosen_members
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.requests.documents import SUFFIXES, RequestSource, documents_in

_LINES: Final = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_ARCHIVES: Final = (".tar", ".tar.gz", ".tgz")
# What a must-gather tree has in each folder of objects.
_NAMESPACES: Final = "namespaces"
_CLUSTER_SCOPED: Final = "cluster-scoped-resources"
_TREE: Final = frozenset({_NAMESPACES, _CLUSTER_SCOPED})
# The folders of API groups with objects that are read; all others hold logs and objects of other groups.
_GROUPS: Final = frozenset({"operators.coreos.com", "olm.operatorframework.io", "apiextensions.k8s.io"})
# must-gather.local.123/quay-io-image-sha256-456/namespaces: a tree stands that deep.
_DEPTH: Final = 2
# Bytes of the files of one cluster in an archive: they are in memory together.
_CLUSTER_BYTES: Final = 256 << 20


def _sources(values: Iterable[RequestSource]) -> tuple[RequestSource, ...]:
    return tuple(values)


@attrs.frozen
class RecordedCluster:
    """A cluster as it was recorded: its *name*, for reports, and the *sources* of its objects.

    A source is a mapping, the path of a file or a folder, or an open file; :func:`olmsolve.read_situation` reads the
    same. Clusters that are sent to other processes have mappings and paths alone.
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
        for each in fleet_items(path):
            yield from (each,) if isinstance(each, RecordedCluster) else recorded_clusters(each)
    elif is_there(path) and not is_file(path):
        # Opening a pipe would wait for a writer.
        yield RecordedCluster(str(path), (), "is neither a file nor a folder")
    elif path.name.endswith(_LINES):
        yield from _in_lines(path)
    elif path.name.endswith(_ARCHIVES):
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
    tree = _tree_below(folder, _DEPTH)
    if tree is not None:
        yield _of_tree(folder, tree)
        return
    for path in sorted(folder.iterdir()):
        if is_directory(path):
            yield _of_folder(path)
        elif path.name.endswith((*SUFFIXES, *_LINES, *_ARCHIVES)):
            yield str(path)


def _of_folder(folder: Path) -> RecordedCluster:
    """Return the cluster of a sub-folder; one that may not be looked into is a fault of this cluster alone."""
    try:
        below = _tree_below(folder, _DEPTH)
        return RecordedCluster(str(folder), (folder,)) if below is None else _of_tree(folder, below)
    except OSError as error:
        return RecordedCluster(str(folder), (), _reason(error))


def _tree_below(folder: Path, depth: int) -> Path | None:
    """Return the folder with the must-gather tree: *folder*, or the only one below it; None where there is none."""
    found = [path for path in sorted(folder.iterdir()) if is_directory(path)]
    if any(path.name in _TREE for path in found):
        return folder
    below = [_tree_below(path, depth - 1) for path in found] if depth and len(found) == 1 else []
    return next((path for path in below if path is not None), None)


def _of_tree(folder: Path, tree: Path) -> RecordedCluster:
    files = [
        path
        for path in sorted(tree.rglob("*"))
        if _is_read(path.relative_to(tree).parts) and path.name.endswith(SUFFIXES) and path.is_file()
    ]
    return RecordedCluster(str(folder), tuple(files))


def _is_read(parts: tuple[str, ...]) -> bool:
    """Return whether a file of a must-gather tree, as the *parts* of its path below the tree, can hold what is read::

    namespaces/shop/operators.coreos.com/subscriptions/ledger.yaml    objects of a group that is read
    namespaces/shop/shop.yaml                                         the Namespace itself
    """
    if _GROUPS & set(parts[:-1]):
        return True
    return len(parts) == 3 and parts[0] == _NAMESPACES and parts[2].partition(".yaml")[0] == parts[1]


def _in_lines(path: Path) -> Iterator[RecordedCluster]:
    """Yield a cluster for each line with a List, and one for all other lines; a broken line spoils only itself."""
    objects: list[Mapping[str, Any]] = []
    number = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(_lines(TextSource(file, str(path)), str(path)), start=1):
                name = f"{path}:{number}"
                try:
                    documents = [each.value for each in documents_in(_open_file(line, name), ManifestError)]
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
        *whole, rest = piece.split(b"\n")
        for line in whole:
            kept += line
            if kept.strip():
                yield bytes(kept)
            kept.clear()
        kept += rest
        if len(kept) > DOCUMENT:
            raise CatalogError(f"a line of more than {DOCUMENT:,} bytes", origin=name)
    if kept.strip():
        yield bytes(kept)


def _in_archive(path: Path) -> Iterator[RecordedCluster]:
    """Yield the clusters of a tar archive: its only must-gather tree, or one for each file and each folder at its top.

    The files of one cluster stand together in an archive, so they are in memory only until the next one begins.
    """
    try:
        with path.open("rb") as file:
            source = TextSource(file, str(path))
            if not is_tar(source.head):
                yield RecordedCluster(str(path), (), "is not a tar archive")
                return
            yield from _grouped(chosen_members(source, str(path), _is_member_read), path)
    except (OSError, CatalogError) as error:
        yield RecordedCluster(str(path), (), _reason(error))


def _is_member_read(name: str) -> bool:
    parts = _parts(name)
    if not name.endswith(SUFFIXES):
        return False
    position = _tree_position(parts)
    return position is None or _is_read(parts[position:])


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part for part in name.split("/") if part not in ("", "."))


def _tree_position(parts: tuple[str, ...]) -> int | None:
    """Return where the path of a file enters a must-gather tree; None where it enters none."""
    return next((position for position, part in enumerate(parts[:-1]) if part in _TREE), None)


def _grouped(members: Iterable[tuple[str, bytes]], path: Path) -> Iterator[RecordedCluster]:
    names: set[str] = set()
    current, files, size = "", list[io.BytesIO](), 0
    for member, data in members:
        name = _cluster_of(_parts(member), path)
        if name != current:
            if files:
                yield RecordedCluster(current, tuple(files))
            current, files, size = name, [], 0
            if name in names:
                raise CatalogError(f"the files of {name} are not beside each other", origin=str(path))
            names.add(name)
        size += len(data)
        if size > _CLUSTER_BYTES:
            raise CatalogError(f"a cluster of more than {_CLUSTER_BYTES:,} bytes", origin=name)
        files.append(_open_file(data, f"{path}/{member}"))
    if files:
        yield RecordedCluster(current, tuple(files))
    if not names:
        yield RecordedCluster(str(path), (), "the archive has no dump of a cluster")


def _cluster_of(parts: tuple[str, ...], path: Path) -> str:
    """Return the name of the cluster that a file of the archive *path* belongs to."""
    position = _tree_position(parts)
    above = parts[: min(position, 1)] if position is not None else parts[:1]
    return "/".join((str(path), *above))


class _NamedBytes(io.BytesIO):
    name = ""


def _open_file(data: bytes, name: str) -> _NamedBytes:
    """Return *data* as an open file called *name*."""
    file = _NamedBytes(data)
    file.name = name
    return file


def _reason(error: OSError | CatalogError) -> str:
    return error.reason if isinstance(error, CatalogError) else f"cannot be read: {error.strerror}"
