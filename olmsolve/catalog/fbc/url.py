"""Paths of catalogs below a folder and elsewhere, and catalogs at a URL, such as catalogd's ``/api/v1/all``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from olmsolve._typed_paths import is_there
from olmsolve.errors import CatalogError, without_password

if TYPE_CHECKING:
    from olmsolve.catalog.hosts import HostAnswer


# One slash is enough, because pathlib.Path makes one of two.
_URL: Final = r"(?si)(?P<scheme>https?):/{1,2}(?P<rest>[^/].*)"


def url_of(path: str) -> str:
    """Return the URL (http or https) that *path* is, "" for any other path.

    >>> url_of("https:/catalogs.example/api/v1/all")
    'https://catalogs.example/api/v1/all'
    """
    match = re.fullmatch(_URL, path)
    return "" if match is None else f"{match['scheme'].lower()}://{match['rest']}"


@contextmanager
def opened_url(url: str) -> Iterator[HostAnswer]:
    """Open *url* for reading. Certificates are checked; a redirect from https to http is refused.

    A user and a password in it go to its own host alone (:mod:`olmsolve.catalog.hosts`), and into no message.

    Raises:
        CatalogError: the server cannot be reached, or does not answer with the catalog.
    """
    # Catalogs in files do not wait for what this imports.
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
    # Nearly all paths have no colon, and no grammar is compiled for them.
    if ":" not in text:
        return False
    from olmsolve.catalog.images import image_reference

    return bool(url_of(text)) or image_reference(text) is not None
