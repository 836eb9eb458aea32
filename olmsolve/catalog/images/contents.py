"""The content of an image for OLM, by its labels: the files of a catalog, the database of one, or a bundle.

The files are the ones that remain after all layers are applied, the lowest first: replaced, and removed by whiteouts,
as the OCI image format says. Only files below the wanted folders are kept, in memory: nothing of an image is unpacked,
and nothing in it is run.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog.archives import (
    ARCHIVE_BYTES,
    GZIP_MARK,
    TOTAL_BYTES,
    ZSTD_MARK,
    ByteStream,
    EntryKind,
    GrowthLimit,
    KeptNames,
    TarHeader,
    checked_path,
    gzip_pieces,
    tar_entries,
    zstd_pieces,
)
from olmsolve.catalog.images.blobs import VerifiedStream
from olmsolve.catalog.images.image import Image, Layer
from olmsolve.errors import CatalogError

Parts: TypeAlias = tuple[str, ...]
"""The parts of a path in an image, from its root."""

_WHITEOUT: Final = ".wh."
_OPAQUE: Final = ".wh..wh..opq"
_HEAD: Final = 1 << 13  # bytes of the first read, whose beginning says how a layer is compressed
_PIECE: Final = 1 << 18  # bytes between two looks at the limits
_FREE_BYTES: Final = 64 << 20  # layers hold sparse files, which compress far better than any catalog


def image_files(image: Image, folders: Iterable[Parts]) -> Mapping[Parts, bytes]:
    """Return the files of *image* that are below one of *folders*, or are one of them, by their paths.

    Raises:
        CatalogError: the image is damaged or larger than the limits, or a link or a device is among the files.
    """
    stack = _LayerStack(image.origin, tuple(folders))
    for layer in image.layers:
        stack.apply(layer)
    return stack.files()


class _LayerStack:
    """The wanted files of the layers so far: their bytes, or the kind of what else is at their path."""

    def __init__(self, origin: str, wanted: tuple[Parts, ...]) -> None:
        self._origin = origin
        self._wanted = wanted
        self._files: dict[Parts, bytes | EntryKind] = {}
        self._size = 0
        # The parts of the longest path among the files.
        self._deepest = 0
        self._bytes_left = TOTAL_BYTES
        self._names = KeptNames("an image", origin)

    def apply(self, layer: Layer) -> None:
        """Put *layer* above the layers so far."""
        upper: dict[Parts, bytes | EntryKind] = {}
        folders: set[Parts] = set()
        removed: set[Parts] = set()
        emptied: set[Parts] = set()
        stream = layer.open()
        try:
            archive = self._archive(stream, layer)
            for header, data in tar_entries(archive, self._origin, self._is_wanted):
                path = self._path(header.name)
                if not path:
                    continue
                # Folders above an entry are there, whether the layer lists them or not. Only folders that replace a
                # file count, so that many long paths take no memory.
                folders.update(above for above in self._above(path) if above in self._files)
                if path[-1] == _OPAQUE:
                    emptied.add(self._names.keep(path)[:-1])
                elif path[-1].startswith(_WHITEOUT):
                    removed.add((*self._names.keep(path)[:-1], path[-1].removeprefix(_WHITEOUT)))
                elif header.kind is EntryKind.FOLDER:
                    if path in self._files:
                        folders.add(path)
                    upper.pop(path, None)
                elif self._matters(path):
                    upper[self._names.keep(path)] = self._entry(header, data, upper)
            # Digests are compared at the end, which is behind the last entry.
            while archive.read(_PIECE):
                pass
        finally:
            stream.close()
        self._remove(removed | upper.keys(), emptied, folders)
        self._files |= upper
        self._deepest = max(map(len, self._files), default=0)

    def files(self) -> Mapping[Parts, bytes]:
        """Return the files. Raises CatalogError where a link or a device is among them, or above them."""
        contents: dict[Parts, bytes] = {}
        for path, entry in checked(self._files.items(), every=256):
            if isinstance(entry, EntryKind):
                reason = f"the image's /{'/'.join(path)} is {entry.value}, and only plain files are read"
                raise CatalogError(reason, origin=self._origin)
            if any(_is_below(path, folder) for folder in self._wanted):
                contents[path] = entry
        return contents

    def _entry(self, header: TarHeader, data: bytes, upper: Mapping[Parts, bytes | EntryKind]) -> bytes | EntryKind:
        if header.kind is not EntryKind.HARD_LINK:
            return data if header.kind is EntryKind.FILE else header.kind
        target = self._path(header.target)
        # A hard link to a file that is kept as well is one more name for its bytes.
        return upper.get(target, self._files.get(target, EntryKind.HARD_LINK))

    def _remove(self, removed: set[Parts], emptied: set[Parts], folders: set[Parts]) -> None:
        """Remove from the layers so far what the next one replaces or hides."""
        for path in checked(list(self._files), every=64):
            above = [path[:length] for length in range(len(path) + 1)]
            if not removed.isdisjoint(above) or not emptied.isdisjoint(above[:-1]) or path in folders:
                del self._files[path]

    def _above(self, path: Parts) -> Iterator[Parts]:
        """Yield the folders above *path*, as far down as files of earlier layers are."""
        if self._files:
            for length in range(1, min(len(path), self._deepest + 1)):
                yield path[:length]

    def _is_wanted(self, header: TarHeader) -> bool:
        path = self._path(header.name)
        if not any(_is_below(path, folder) for folder in self._wanted) or path[-1].startswith(_WHITEOUT):
            return False
        self._size += header.size
        if self._size > ARCHIVE_BYTES:
            raise CatalogError(f"an image with more than {ARCHIVE_BYTES:,} bytes of files to read", origin=self._origin)
        return True

    def _matters(self, path: Parts) -> bool:
        """Return whether *path* is wanted, or a folder above a wanted path, where a link would lead elsewhere."""
        return any(_is_below(path, folder) or _is_below(folder, path) for folder in self._wanted)

    def _path(self, name: str) -> Parts:
        """Return the parts of a *name* in a layer, which is a path from the root of the image; () for the root."""
        if not name.strip("/.") and ".." not in name:
            return ()
        return checked_path(name.lstrip("/"), self._origin)

    def _archive(self, stream: ByteStream, layer: Layer) -> ByteStream:
        """Return the tar archive of *layer*, whose digests are compared on the way."""
        source: ByteStream = stream
        if layer.digest:
            source = VerifiedStream(stream, layer.digest, layer.size, self._origin)
        archive: ByteStream = _PieceStream(self._counted(source))
        return VerifiedStream(archive, layer.unpacked, None, self._origin) if layer.unpacked else archive

    def _counted(self, source: ByteStream) -> Iterator[bytes]:
        """Yield the bytes of *source*, decompressed, and hold all layers together to the limit."""
        for piece in _pieces(source, self._origin):
            self._bytes_left -= len(piece)
            if self._bytes_left < 0:
                raise CatalogError(f"an image of more than {TOTAL_BYTES:,} bytes", origin=self._origin)
            yield piece


class _PieceStream:
    """The bytes of *pieces* in order."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._piece = b""

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, b"" only at the end."""
        check()
        data = self._piece or next(self._pieces, b"")
        self._piece = data[size:]
        return data[:size]


def _pieces(source: ByteStream, origin: str) -> Iterator[bytes]:
    """Yield the bytes of *source*, decompressed if they are gzip or zstd."""
    head = source.read(_HEAD)
    if head.startswith(GZIP_MARK):
        yield from gzip_pieces(source.read, head, origin, GrowthLimit("gzip", origin, _FREE_BYTES))
    elif head.startswith(ZSTD_MARK):
        yield from zstd_pieces(source.read, head, origin, GrowthLimit("zstd", origin, _FREE_BYTES))
    else:
        while head:
            yield head
            head = source.read(_PIECE)


def _is_below(path: Parts, folder: Parts) -> bool:
    return path[: len(folder)] == folder


CONFIGS_LABEL: Final = "operators.operatorframework.io.index.configs.v1"
DATABASE_LABEL: Final = "operators.operatorframework.io.index.database.v1"
_BUNDLE: Final = "operators.operatorframework.io.bundle."
PACKAGE_LABEL: Final = f"{_BUNDLE}package.v1"
_MANIFESTS_LABEL: Final = f"{_BUNDLE}manifests.v1"
_METADATA_LABEL: Final = f"{_BUNDLE}metadata.v1"
_SHOWN: Final = 10  # labels in a message


class ContentKind(enum.Enum):
    """The use of an image in OLM."""

    CATALOG = "a catalog's image"
    DATABASE = "an image with an index database"
    BUNDLE = "a bundle's image"


class ImageContent(NamedTuple):
    """The files of an image that count for OLM, by their paths from *folder*, which is in the image.

    *reference* is the name under which the image was pulled, "" for one that came as files.
    """

    kind: ContentKind
    origin: str
    folder: str
    files: Mapping[Parts, bytes]
    reference: str = ""


def kind_of(image: Image) -> ContentKind:
    """Return what *image* is, in the order in which ``opm`` looks at its labels.

    Raises:
        CatalogError: no label says that it is for OLM.
    """
    labels = image.labels
    if DATABASE_LABEL in labels:
        return ContentKind.DATABASE
    if CONFIGS_LABEL in labels:
        return ContentKind.CATALOG
    if PACKAGE_LABEL in labels:
        return ContentKind.BUNDLE
    known = ", ".join(sorted(labels)[:_SHOWN])
    reason = f"an image of neither a catalog nor a bundle: it has no label {CONFIGS_LABEL} or {PACKAGE_LABEL}"
    raise CatalogError(f"{reason}; its labels: {known}" if known else f"{reason}, nor any other", origin=image.origin)


def content_of(image: Image) -> ImageContent:
    """Return the files of *image* that count for OLM.

    Raises:
        CatalogError: no label says that the image is for OLM, or it is damaged, or nothing is where the label says.
    """
    kind = kind_of(image)
    if kind is ContentKind.BUNDLE:
        # Where the manifests are, the annotations in the metadata say once more, from the root.
        folders = [_folder(image, _MANIFESTS_LABEL, "manifests"), _folder(image, _METADATA_LABEL, "metadata")]
        folders += [("manifests",), ("metadata",)]
        files = image_files(image, folders)
        return ImageContent(kind, image.origin, "", _refuse_empty(files, image, "manifests"), image.reference)
    label = CONFIGS_LABEL if kind is ContentKind.CATALOG else DATABASE_LABEL
    root = _folder(image, label, "")
    files = _refuse_empty(image_files(image, [root]), image, "/".join(root))
    if kind is ContentKind.DATABASE and root not in files:
        raise CatalogError(f"the image has no file /{'/'.join(root)}, which its label names", origin=image.origin)
    inner = {path[len(root) :] if kind is ContentKind.CATALOG else path[-1:]: data for path, data in files.items()}
    return ImageContent(kind, image.origin, "/".join(root), inner, image.reference)


def _folder(image: Image, label: str, otherwise: str) -> Parts:
    """Return the path that a *label* of *image* has. Raises CatalogError for one that leads out of the image."""
    label_text = image.labels.get(label, otherwise)
    path = label_text.lstrip("/")
    if not path.strip("/."):
        # The root of an image is no folder of files for OLM: it holds a whole system.
        raise CatalogError(f"the label {label} must name a folder, not {label_text!r}", origin=image.origin)
    try:
        return checked_path(path, image.origin)
    except CatalogError:
        raise CatalogError(f"the label {label} leads out of the image: {label_text!r}", origin=image.origin) from None


def _refuse_empty(files: Mapping[Parts, bytes], image: Image, folder: str) -> Mapping[Parts, bytes]:
    if not files:
        raise CatalogError(f"the image has no file in /{folder}, where its labels say", origin=image.origin)
    return files
