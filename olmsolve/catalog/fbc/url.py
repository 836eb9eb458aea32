"""Catalogs at a URL, such as the JSON lines that catalogd serves at ``/api/v1/all``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Final

from olmsolve._limits import check, current
from olmsolve.catalog.archives import reason_of
from olmsolve.errors import CatalogError

# One slash is enough, because pathlib.Path makes one of two.
_URL: Final = re.compile(r"(?P<scheme>https?):/{1,2}(?P<rest>[^/].*)", re.DOTALL | re.IGNORECASE)
_SECONDS: Final = 30.0
"""Seconds to wait for a connection, and for the next bytes."""


def url_of(path: str) -> str:
    """Return the URL (http or https) that *path* is, "" for any other path.

    >>> url_of("https:/catalogs.example/api/v1/all")
    'https://catalogs.example/api/v1/all'
    """
    match = _URL.fullmatch(path)
    return "" if match is None else f"{match['scheme'].lower()}://{match['rest']}"


class ResponseBody:
    """The bytes of an answer, as they come: one read waits for one piece, so that limits are kept between two."""

    def __init__(self, response: Any, url: str) -> None:
        self._response = response
        self._url = url

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, b"" only at the end. Raises CatalogError where the server breaks off."""
        from http.client import HTTPException

        try:
            data: bytes = self._response.read1(size)
        except (OSError, HTTPException) as error:
            check()
            raise CatalogError(f"the server broke off: {reason_of(error)}", origin=self._url) from None
        left = self._response.length
        if not data and left:
            raise CatalogError(f"the server broke off, {left:,} bytes too early", origin=self._url)
        return data


@contextmanager
def opened_url(url: str) -> Iterator[ResponseBody]:
    """Open *url* for reading. Certificates are checked; a redirection from https to http is refused.

    Raises:
        CatalogError: the server cannot be reached, or does not answer with the catalog.
    """
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class EncryptedRedirects(HTTPRedirectHandler):
        """Redirections that stay encrypted once a URL is."""

        def redirect_request(
            self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
        ) -> Request | None:
            if req.full_url.startswith("https:") and not newurl.startswith("https:"):
                raise URLError("a redirection from https to a URL without encryption")
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    left = current().seconds_left()
    try:
        opener = build_opener(EncryptedRedirects)
        request = Request(url, headers={"Accept-Encoding": "identity"})  # noqa: S310 - url_of lets only http(s) through
        response = opener.open(request, timeout=_SECONDS if left is None else min(_SECONDS, left))
    except HTTPError as error:
        error.close()
        raise CatalogError(f"the server answers with status {error.code}", origin=url) from None
    except (OSError, ValueError, HTTPException) as error:
        # A wait that ends with the caller's time is no fault of the server.
        check()
        reason = getattr(error, "reason", error)
        text = reason_of(reason) if isinstance(reason, Exception) else str(reason)
        raise CatalogError(f"the server cannot be reached: {text}", origin=url) from None
    with response:
        yield ResponseBody(response, url)
