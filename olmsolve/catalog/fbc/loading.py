"""Load a catalog from wherever it is: a folder, a file, an archive, an image, a URL, standard input or an open file.

A catalog may be at the URL of a server, such as catalogd's ``/api/v1/all``.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._paths import is_directory, is_there
from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.archives import is_folder, open_plain, shown
from olmsolve.catalog.fbc.document import Document
from olmsolve.catalog.fbc.folder import LAYOUT, FoundFile, catalog_files
from olmsolve.catalog.fbc.json_fast import PropertyTable
from olmsolve.catalog.fbc.linking import link
from olmsolve.catalog.fbc.text import Meter, Readable, TextSource, text_documents
from olmsolve.catalog.index_mark import INDEX_MARK
from olmsolve.errors import CatalogError, without_password

if TYPE_CHECKING:
    from olmsolve.catalog.fbc.packed import Members
    from olmsolve.catalog.hosts import HostAnswer


# One slash is enough, because pathlib.Path makes one of two.
_URL: Final = r"(?si)(?P<scheme>https?):/{1,2}(?P<rest>[^/].*)"


def url_of(path: str) -> str:
    """Return the URL (http or https) that *path* is, "" for any other path.

    >>> url_of("https:/catalogs.example/api/v1/all")
    'https://catalogs.example/api/v1/all'
    """
    if path[:4].lower() != "http":  # most paths need no pattern
        return ""
    match = re.fullmatch(_URL, path)
    return "" if match is None else f"{match['scheme'].lower()}://{match['rest']}"


@contextmanager
def opened_url(url: str) -> Iterator[HostAnswer]:
    """Open *url* for reading. Certificates are checked; a redirect from https to http is refused.

    A user and a password in it go to its own host alone (:mod:`olmsolve.catalog.hosts`), and into no message.

    Raises:
        CatalogError: the server cannot be reached, or does not answer with the catalog.
    """
    # Catalogs in files do not wait for what this imports: sockets and TLS, 34 ms on a busy machine.
    from olmsolve.catalog.archives import TOTAL_BYTES
    from olmsolve.catalog.hosts import HostVisit, address_of

    origin = without_password(url)
    try:
        address = address_of(url)
    except ValueError as error:
        raise CatalogError(str(error), origin=origin) from None
    with HostVisit(address, "the server", origin).get(address.path, {"Accept": "*/*"}, TOTAL_BYTES) as answer:
        if answer.status != 200:
            raise CatalogError(f"the server answers with status {answer.status}", origin=origin)
        yield answer


def path_from(folder: Path, text: str) -> Path:
    """Return the path *text* of a catalog, which starts from *folder* unless it is a URL or the name of an image."""
    return Path(text) if is_remote(text) and not is_there(folder / text) else folder / text


def is_remote(text: str) -> bool:
    """Return whether *text* is a URL or the name of an image in a registry; a file of that name comes first."""
    # Nearly all paths have no colon, and no grammar is loaded and compiled for them, which takes 2 ms.
    if ":" not in text:
        return False
    from olmsolve.catalog.images import image_reference

    return bool(url_of(text)) or image_reference(text) is not None


def load(
    path: str | os.PathLike[str] | Readable,
    *,
    progress: Callable[[int, int], None] | None = None,
    drop: Collection[str] = (),
) -> Catalog:
    """Load the file-based catalog at *path*.

    The arguments, and what is refused, are as in :func:`olmsolve.load`, but no index is used: indexes in a folder or an
    archive (docs/index-files.md) are passed over.
    """
    with COLLECTOR_PAUSE:
        if not isinstance(path, (str, os.PathLike)):
            name = getattr(path, "name", None)
            return _load_open(path, name if isinstance(name, str) else "<stream>", progress, drop)
        if path == "-":
            return _load_open(sys.stdin.buffer, "<stdin>", progress, drop)
        return _load_path(os.fspath(path), progress, drop)


def load_package(path: str | os.PathLike[str], name: str) -> Package | None:
    """Load the package *name* of the catalog at *path*; None if no document is about it.

    Documents are read, and passed over where they are about another package: that takes a quarter of the time of
    :func:`load`. So most faults of other packages are not found.

    Raises :class:`~olmsolve.errors.CatalogError` as :func:`load` does.
    """
    return _load_path(os.fspath(path), None, (), name).packages.get(name)


def members_at(given: str) -> Members | None:
    """Return the files of the catalog that is packed at the path *given*, None for one that is not packed.

    Raises CatalogError as :func:`~olmsolve.catalog.fbc.packed.packed_members` does.
    """
    if is_directory(given) and not (Path(given) / LAYOUT).is_file():
        return None
    # Imported late: most catalogs are folders of files, and load nothing that unpacks.
    from olmsolve.catalog.fbc.packed import packed_members

    return packed_members(given)


def _load_path(
    given: str, progress: Callable[[int, int], None] | None, drop: Collection[str], package: str = ""
) -> Catalog:
    if url := url_of(given):
        with opened_url(url) as body:
            return _load_open(body, without_password(url), progress, drop, package)
    properties = PropertyTable(frozenset(drop))
    members = members_at(given)
    if members is not None:
        documents = _member_documents(members, given, None if package else properties)
        return _linked(documents, given, Meter(0, progress), properties, package)
    if not is_folder(given):
        with open_plain(Path(given)) as file:
            return _load_open(file, given, progress, drop, package)
    files = catalog_files(Path(given))
    meter = Meter(sum(file.size for file in files), progress)
    documents = _folder_documents(files, meter, None if package else properties)
    return _linked(documents, given, meter, properties, package)


def _load_open(
    file: Readable, name: str, progress: Callable[[int, int], None] | None, drop: Collection[str], package: str = ""
) -> Catalog:
    meter = Meter(_size_of(file), progress)
    source = TextSource(file, name, meter)
    properties = PropertyTable(frozenset(drop))
    # Properties of other packages are not needed.
    of_bundles = None if package else properties
    # Imported late: folders of files need nothing that unpacks.
    from olmsolve.catalog.fbc.packed import stream_members

    members = stream_members(source, name)
    if members is None:
        documents = text_documents(source, name, properties=of_bundles)
    else:
        documents = _member_documents(members, name, of_bundles)
    return _linked(documents, name, meter, properties, package)


def _size_of(file: Readable) -> int:
    """Return the size of *file* in bytes, 0 if it is unknown."""
    try:
        status = os.fstat(file.fileno())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _folder_documents(files: list[FoundFile], meter: Meter, properties: PropertyTable | None) -> Iterator[Document]:
    for content in files:
        name = shown(content.path)
        with open_plain(content.path) as file:
            yield from _file_documents(TextSource(file, name, meter, in_folder=True), name, properties)


def _member_documents(members: Members, name: str, properties: PropertyTable | None) -> Iterator[Document]:
    # The meter of the load counted what the members are packed in; this one holds them to the limits.
    meter = Meter()
    for member, data in members:
        path = f"{name}/{shown(member)}"
        yield from _file_documents(TextSource(io.BytesIO(data), path, meter, in_folder=True), path, properties)


def _file_documents(source: TextSource, name: str, properties: PropertyTable | None) -> Iterator[Document]:
    """Return the documents of one file of several; an index among them has none."""
    is_index = source.head.startswith(INDEX_MARK)
    return iter(()) if is_index else text_documents(source, name, properties=properties)


def _may_be_about(package: str, value: dict[str, Any]) -> bool:
    """Return False for a blob that names another package; the linker decides about fields in another letter case."""
    named = value.get("name" if value.get("schema") == "olm.package" else "package")
    return named == package or not isinstance(named, str)


def _linked(
    documents: Iterator[Document], origin: str, meter: Meter, properties: PropertyTable, package: str
) -> Catalog:
    """Return the catalog of *documents*; with a *package*, of the documents about it."""
    if package:
        documents = (document for document in documents if _may_be_about(package, document.value))
        return link(documents, origin=origin, properties=properties)
    catalog = link(documents, origin=origin, properties=properties)
    if not catalog.packages and not catalog.others:
        raise CatalogError("there is no catalog here: no document in any file", origin=origin)
    meter.finish()
    return catalog
