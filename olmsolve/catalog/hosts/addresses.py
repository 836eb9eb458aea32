"""URLs of web servers, taken apart; user and password are kept beside the URL, so that no message can have them."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import quote, unquote, urljoin, urlsplit

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern

_PORTS: Final = {"http": 80, "https": 443}
_NAME: Final = pattern(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?")
_LONGEST: Final = 8192  # characters of a URL, as most web servers take them
# The characters of a path that a request does not escape: everything that a URL may have, escapes included.
_PLAIN: Final = "/%:=&?~+!$,;'@()*[]-._"


class Address(NamedTuple):
    """The parts of a URL: *path* has the query. *user* and *password* are "" where the URL has none."""

    scheme: str
    host: str
    port: int
    path: str
    user: str = ""
    password: str = ""

    @property
    def authority(self) -> str:
        """The host, and the port unless it is usual: ``a.example:8443``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"

    def is_same_host(self, other: Address) -> bool:
        """Return whether *other* is at the same scheme, host and port."""
        return (self.scheme, self.host, self.port) == (other.scheme, other.host, other.port)

    def beside(self, location: str) -> Address:
        """Return the address that *location*, perhaps a relative one, means here. Raises ValueError."""
        return address_of(urljoin(str(self), location))


def address_of(url: str) -> Address:
    """Return the parts of *url*.

    Raises:
        ValueError: it is no URL of http or https. The message has nothing of the URL.

    >>> address_of("https://me:secret@A.example/b?c=d#e")
    Address(scheme='https', host='a.example', port=443, path='/b?c=d', user='me', password='secret')
    """
    # urlsplit() drops tabs and line breaks without a word, and the URL of a catalog would become another one.
    if len(url) > _LONGEST or any(sign <= " " or sign == "\x7f" for sign in url):
        raise ValueError("a URL that is too long, or has spaces or control characters")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("a URL without a host or with a wrong port") from None
    if parts.scheme not in _PORTS:
        raise ValueError("a URL that is neither http nor https")
    path = quote(parts.path or "/", safe=_PLAIN) + (f"?{quote(parts.query, safe=_PLAIN)}" if parts.query else "")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Address(
        parts.scheme, _plain_host(host), _PORTS[parts.scheme] if port is None else port, path, user, password
    )


def is_this_machine(host: str) -> bool:
    """Return whether *host*, perhaps with a port, is the loopback.

    >>> is_this_machine("localhost:5000"), is_this_machine("[::1]"), is_this_machine("a.example")
    (True, True, False)
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name == "localhost" or is_local_address(name, loopback_alone=True)


def is_local_address(address: str, *, loopback_alone: bool = False) -> bool:
    """Return whether the numeric *address* is the loopback, or reaches no further than the next wire.

    >>> is_local_address("127.0.0.9"), is_local_address("169.254.169.254"), is_local_address("10.0.0.1")
    (True, True, False)
    """
    try:
        number = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    number = getattr(number, "ipv4_mapped", None) or number
    return number.is_loopback or (not loopback_alone and (number.is_link_local or number.is_unspecified))


def _plain_host(host: str) -> str:
    if is_number(host):
        return host
    try:
        name = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        name = ""
    if not _NAME.fullmatch(name.lower()):
        raise ValueError("a URL without a host")
    return name.lower()


def is_number(host: str) -> bool:
    """Return whether *host* is a numeric address, of IPv4 or IPv6."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
