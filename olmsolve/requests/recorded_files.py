"""The files of a recorded cluster: folders, must-gather trees and archives, as people and programs leave them.

``oc adm must-gather`` and ``oc adm inspect`` write a tree of many files, logs among them, and people send it packed::

    must-gather.local.123/quay-io-image-sha256-456/
        namespaces/shop/operators.coreos.com/subscriptions/ledger.yaml    read: a group of OLM
        namespaces/shop/shop.yaml                                         read: the Namespace itself
        namespaces/shop/pods/ledger-7c9d/ledger-7c9d.yaml                 not opened
        cluster-scoped-resources/apiextensions.k8s.io/...                 read: definitions

Archives are read in place: nothing is unpacked to a disk, and :data:`CLUSTER_BYTES` bounds what is read of one.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve._paths import files_below, is_directory, leaves
from olmsolve._waiting import awaited
from olmsolve.catalog.archives import ENTRIES, GrowthLimit, KeptNames, checked_path, is_tar
from olmsolve.catalog.fbc import TextSource, chosen_members
from olmsolve.errors import CatalogError
from olmsolve.requests.documents import SUFFIXES, ZIP_MARKS, SourceDocument

CLUSTER_BYTES: Final = 256 << 20
"""Bytes of the files of one cluster in an archive: its objects are in memory together."""

ARCHIVES: Final = (".tar", ".tar.gz", ".tgz", ".zip")
"""How the names of archives end."""

_NAMESPACES: Final = "namespaces"
_TREE: Final = frozenset({_NAMESPACES, "cluster-scoped-resources"})
# The folders of API groups with objects that are read; all others hold logs and objects of other groups.
_GROUPS: Final = frozenset({"operators.coreos.com", "olm.operatorframework.io", "apiextensions.k8s.io"})
# A tree can be two levels deep: must-gather.local.123/quay-io-image-sha256-456/namespaces.
_DEPTH: Final = 2
# The end record of a ZIP, which a comment of up to 65,535 bytes may follow. Its four bytes from offset 12 are the size
# of the list of entries. The list of a hundred thousand files has 20 MB, and each entry becomes an object.
_ZIP_END: Final = b"PK\x05\x06"
_ZIP_END_BYTES: Final = 22 + (1 << 16)
_ZIP_DIRECTORY: Final = 32 << 20
_PIECE: Final = 1 << 20
_ENCRYPTED: Final = 1  # the lowest of an entry's flags (APPNOTE.TXT, 4.4.4)


class NamedBytes(io.BytesIO):
    """The bytes of a file that is in an archive, with the *name* that messages give it."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def trees_below(folder: Path, depth: int = _DEPTH) -> list[Path]:
    """Return the must-gather trees: *folder* itself, or the folders up to *depth* levels below it that are trees.

    A must-gather of several images has one tree for each. Links to folders lead to none. Raises OSError.
    """
    trees = [path for path in sorted(folder.iterdir()) if is_directory(path) and not path.is_symlink()]
    if any(path.name in _TREE for path in trees):
        return [folder]
    return [tree for path in trees for tree in trees_below(path, depth - 1)] if depth else []


def tree_files(tree: Path) -> Iterator[Path]:
    """Yield the files of a must-gather *tree* that can hold what is read, by path. Raises OSError."""
    for path in files_below(tree, SUFFIXES):
        if is_read(path.relative_to(tree).parts):
            yield path


def is_read(parts: tuple[str, ...]) -> bool:
    """Return whether a file of a must-gather tree, as the *parts* of its path below the tree, can hold what is read."""
    if _GROUPS & set(parts[:-1]):
        return True
    return len(parts) == 3 and parts[0] == _NAMESPACES and parts[2].partition(".yaml")[0] == parts[1]


def tree_position(parts: tuple[str, ...]) -> int | None:
    """Return the number of *parts* of a file's path before it enters a must-gather tree; None where it enters none.

    >>> tree_position(("must-gather", "image", "namespaces", "shop", "shop.yaml"))
    2
    """
    return next((position for position, part in enumerate(parts[:-1]) if part in _TREE), None)


def parts_of(name: str) -> tuple[str, ...]:
    """Return the parts of the path *name* in an archive."""
    return tuple(part for part in name.split("/") if part not in ("", "."))


def is_member_read(name: str) -> bool:
    """Return whether the member *name* of an archive may hold objects of the kinds that are read."""
    if not name.endswith(SUFFIXES):
        return False
    parts = parts_of(name)
    position = tree_position(parts)
    return position is None or is_read(parts[position:])


def members(path: Path, is_wanted: Callable[[str], bool] = is_member_read) -> Iterator[NamedBytes]:
    """Yield the files in the archive *path* whose names are wanted, in its order, each under the name ``PATH/MEMBER``.

    Links are left out. All together have at most :data:`CLUSTER_BYTES`, unless the caller counts by itself.

    Raises:
        CatalogError: the file is no archive, or a damaged one, or has more than it may.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        taken = _members_of(file, str(path), is_wanted)
        for name, data in taken:
            check()
            yield NamedBytes(data, f"{path}/{name}")


def _members_of(file: IO[bytes], origin: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    if file.read(len(ZIP_MARKS[0])) in ZIP_MARKS:
        return _zipped(file, origin, is_wanted)
    file.seek(0)
    source = TextSource(file, origin)
    if not is_tar(source.head):
        raise CatalogError("is neither a tar archive, perhaps in gzip, nor a ZIP", origin=origin)
    return chosen_members(source, origin, is_wanted)


def _zipped(file: IO[bytes], origin: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of the wanted files of a ZIP; a size that lies ends the member, not the memory."""
    import zipfile  # slow to load, and few objects are in archives

    names = KeptNames("an archive", origin)
    growth = GrowthLimit("ZIP", origin)
    try:
        # Entries may share their bytes, so the whole file counts, once.
        growth.take(_size_of_zip(file, origin))
        # The list of a hundred thousand entries is read in one step.
        with awaited(partial(zipfile.ZipFile, file)) as archive:
            if len(archive.infolist()) > ENTRIES:
                raise CatalogError(f"a ZIP of more than {ENTRIES:,} entries", origin=origin)
            for entry in archive.infolist():
                names.keep(checked_path(entry.filename, origin))
                # The upper half of the attributes is Unix's mode: a link has the bits 0o120000.
                is_link = entry.external_attr >> 28 == 0o12
                if entry.is_dir() or is_link or not is_wanted(entry.filename):
                    continue
                if entry.flag_bits & _ENCRYPTED:
                    raise CatalogError(f"its {entry.filename} is encrypted", origin=origin)
                if entry.file_size > CLUSTER_BYTES:
                    raise CatalogError(f"its {entry.filename} has more than {CLUSTER_BYTES:,} bytes", origin=origin)
                with archive.open(entry) as member:
                    data = bytearray()
                    while piece := member.read(_PIECE):
                        check()
                        growth.give(len(piece))
                        data += piece
                    yield entry.filename, bytes(data)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
        raise CatalogError(f"a damaged ZIP: {error}", origin=origin) from None


def _size_of_zip(file: IO[bytes], origin: str) -> int:
    """Return the size of the ZIP in *file*, whose list of entries is no longer than may be. Raises CatalogError."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _ZIP_END_BYTES))
    end = file.read()
    start = end.rfind(_ZIP_END)
    directory = int.from_bytes(end[start + 12 : start + 16], "little") if start >= 0 else 0
    if directory > _ZIP_DIRECTORY:
        raise CatalogError(f"a ZIP whose list of entries has more than {_ZIP_DIRECTORY:,} bytes", origin=origin)
    return size


def files_of(path: Path) -> Iterator[Path | NamedBytes]:
    """Return the files of the one cluster at *path*, where :func:`holds_files` is true: a folder, a tree or an archive.

    Reading the files raises CatalogError and OSError as :func:`members` does, and CatalogError where there are none.
    """
    if is_directory(path):
        return _in_folder(path)
    return _in_archive(path)


def _in_folder(folder: Path) -> Iterator[Path]:
    trees = trees_below(folder)
    files = [path for tree in trees for path in tree_files(tree)] if trees else list(files_below(folder, SUFFIXES))
    if not files:
        what = "the must-gather has no object of OLM" if trees else "the folder has no YAML or JSON file"
        raise CatalogError(what, origin=str(folder))
    yield from files


def is_recorded(path: Path) -> bool:
    """Return whether the cluster at *path* was gathered by a program: an archive or a must-gather tree."""
    return not is_directory(path) or bool(trees_below(path))


def without_annotation(document: SourceDocument, name: str) -> SourceDocument:
    """Return *document* without the annotation *name* of its objects."""
    for object_ in _items(document.value):
        metadata = object_.get("metadata")
        annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
        if isinstance(annotations, dict):
            annotations.pop(name, None)
    return document


def leads_out(file: Path, folder: Path) -> bool:
    """Return whether the *file* of *folder* is a link to something outside. Raises OSError."""
    return file.is_symlink() and leaves(file, folder)


def _in_archive(path: Path) -> Iterator[NamedBytes]:
    size = 0
    for file in members(path):
        size += file.getbuffer().nbytes
        if size > CLUSTER_BYTES:
            raise CatalogError(f"a cluster of more than {CLUSTER_BYTES:,} bytes", origin=str(path))
        yield file
    if not size:
        raise CatalogError("the archive has no dump of a cluster", origin=str(path))


_Identity: TypeAlias = tuple[str, str, str, str]


def newest(documents: Sequence[SourceDocument]) -> list[SourceDocument]:
    """Return *documents* with one state of each object: a gathering may come by an object twice, and OLM works on.

    The state with the highest ``resourceVersion`` takes the place of the others, so that the positions of all stay::

        subscriptions.yaml          ledger, resourceVersion 7      becomes      ledger, resourceVersion 9
        subscriptions/ledger.yaml   ledger, resourceVersion 9                   ledger, resourceVersion 9
    """
    latest: dict[_Identity, tuple[int, Mapping[str, Any]]] = {}
    for document in documents:
        for object_ in _items(document.value):
            identity, version = _identity(object_)
            if version > latest.get(identity, (-1, object_))[0]:
                latest[identity] = version, object_
    return [_renewed(document, latest) for document in documents]


def _renewed(document: SourceDocument, latest: Mapping[_Identity, tuple[int, Mapping[str, Any]]]) -> SourceDocument:
    items = _items(document.value)
    renewed = [_latest_of(object_, latest) for object_ in items]
    if all(old is new for old, new in zip(items, renewed, strict=True)):
        return document
    is_list = items != [document.value]
    return attrs.evolve(document, value={**document.value, "items": renewed} if is_list else renewed[0])


def _latest_of(
    manifest: Mapping[str, Any], latest: Mapping[_Identity, tuple[int, Mapping[str, Any]]]
) -> Mapping[str, Any]:
    identity, version = _identity(manifest)
    newer, state = latest.get(identity, (-1, manifest))
    return state if newer > version >= 0 else manifest


def _items(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the items of a List, with their kind as a ``SubscriptionList`` implies it; an object itself."""
    kind, items = value.get("kind"), value.get("items")
    if isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
        implied = {} if kind == "List" else {"kind": kind.removesuffix("List"), "apiVersion": value.get("apiVersion")}
        return [{**implied, **item} if implied and "kind" not in item else item for item in items]
    return [value]


def _identity(manifest: Mapping[str, Any]) -> tuple[_Identity, int]:
    """Return the identity of an object, and its ``resourceVersion``; -1 where it has no number."""
    metadata = manifest.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    group = str(manifest.get("apiVersion")).rpartition("/")[0]
    version = str(metadata.get("resourceVersion"))
    # A version of Kubernetes has 64 bits; Python refuses to convert a text of thousands of digits.
    identity = group, str(manifest.get("kind")), str(metadata.get("namespace")), str(metadata.get("name"))
    return identity, int(version) if version.isascii() and version.isdecimal() and len(version) < 30 else -1
