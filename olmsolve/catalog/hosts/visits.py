"""A named host and what it answers: redirects followed without credentials, its own challenges answered, no other's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http.client import HTTPException, HTTPResponse
from ssl import SSLError
from types import TracebackType
from typing import Final, Self
from urllib.request import getproxies, proxy_bypass

from olmsolve._limits import check
from olmsolve._version import __version__
from olmsolve.catalog.hosts.addresses import Address, address_of, is_this_machine
from olmsolve.catalog.hosts.challenges import (
    TOKEN_BYTES,
    TOKEN_HOSTS_VARIABLE,
    Credentials,
    challenges_in,
    is_token_host,
    realm_of,
    token_address,
    token_in,
)
from olmsolve.catalog.hosts.wires import HostTime, Wire
from olmsolve.errors import CatalogError

_MOST_REDIRECTS: Final = 10
"""Redirects of one answer, as Go's client follows them."""

# Those that Go's client follows: 300 leaves a choice to the client, and 304 to 306 lead nowhere.
_REDIRECT_STATUSES: Final = frozenset({301, 302, 303, 307, 308})


class HostAnswer:
    """The answer of a host: its *status*, and its content as it comes. It must be closed."""

    def __init__(self, response: HTTPResponse, wire: Wire, who: str, origin: str) -> None:
        self.status: Final = response.status
        self._response = response
        self._wire = wire
        self._who = who
        self._origin = origin

    def read(self, size: int, /) -> bytes:
        """Return at most *size* bytes, b"" only at the end. Raises CatalogError where the host breaks off."""
        try:
            data = self._response.read1(size)
        except (OSError, HTTPException, ValueError) as error:
            # A wait that ends with the caller's time is no fault of the host.
            check()
            raise CatalogError(f"{self._who} broke off: {_words(error)}", origin=self._origin) from None
        missing = self._response.length
        if not data and missing:
            raise CatalogError(f"{self._who} broke off, {missing:,} bytes too early", origin=self._origin)
        return data

    def close(self) -> None:
        """Give the connection back."""
        self._response.close()
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class HostVisit:
    """Everything that one path asks of the host *named*, and of hosts that it redirects to, within one time.

    *who* and *origin* name the host and the path in errors. *credentials* are asked for when the host wants some, and
    *scope* is what a token is asked for; without a scope, no challenge is answered. The user and password of *named*
    itself go with its own requests.
    """

    def __init__(
        self,
        named: Address,
        who: str,
        origin: str,
        *,
        credentials: Callable[[], Credentials | None] | None = None,
        scope: str = "",
    ) -> None:
        self._named = named
        self._who = who
        self._origin = origin
        self._credentials = credentials
        self._scope = scope
        self._clock = HostTime()
        self._authorization = ""
        self.hint: str = ""
        """What could make a host that refuses answer; "" for nothing known."""
        if named.user or named.password:
            if named.scheme != "https" and not is_this_machine(named.host):
                raise CatalogError("a user and a password are only sent to https", origin=origin)
            self._authorization = Credentials(named.user, named.password).header()

    def get(self, path: str, headers: Mapping[str, str], most: int) -> HostAnswer:
        """Return the answer to a GET of *path* on the named host, whatever its status; of *most* bytes at the most.

        Raises:
            CatalogError: the host cannot be reached, or leads somewhere where nobody should go.
            Incomplete: a limit of the caller is met.
        """
        self._clock.begin_answer()
        try:
            answer = self._followed(path, headers, most)
            self._clock.begin_content()
        except (OSError, HTTPException, ValueError) as error:
            # A wait that ends with the caller's time is no fault of the host.
            check()
            raise CatalogError(f"{self._who} cannot be reached: {_words(error)}", origin=self._origin) from None
        return answer

    def _followed(self, path: str, headers: Mapping[str, str], most: int) -> HostAnswer:
        address = first = self._named._replace(path=path, user="", password="")
        response, wire = self._response_from(first, headers)
        try:
            if response.status == 401 and self._scope and self._authorized(response):
                wire.close()
                response, wire = self._response_from(first, headers)
            for _ in range(_MOST_REDIRECTS):
                location = response.headers.get("Location")
                if response.status not in _REDIRECT_STATUSES or location is None:
                    wire.allow(most)
                    return HostAnswer(response, wire, self._who, self._origin)
                wire.close()
                address = redirected(address, location)
                self._refuse_plain(address)
                # No credentials from here on, and no challenge is answered: another host has chosen this one.
                response, wire = _answered(address, headers, self._clock, outwards=not is_this_machine(first.host))
            raise ValueError(f"it redirects more than {_MOST_REDIRECTS} times")
        except BaseException:
            wire.close()
            raise

    def _response_from(self, address: Address, headers: Mapping[str, str]) -> tuple[HTTPResponse, Wire]:
        authorization = {"Authorization": self._authorization} if self._authorization else {}
        return _answered(address, {**headers, **authorization}, self._clock, outwards=False)

    def _authorized(self, response: HTTPResponse) -> bool:
        """Set the authorization that *response* asks for; return whether it is new, and sending again may help."""
        before = self._authorization
        # Reversed: if several challenges have one scheme, the first counts.
        offered = {
            challenge.scheme: challenge
            for challenge in reversed(challenges_in(response.headers.get_all("WWW-Authenticate", [])))
        }
        credentials = self._credentials() if self._credentials is not None and offered else None
        if (bearer := offered.get("bearer")) is not None:
            realm = realm_of(bearer, self._named)
            trusted = is_token_host(realm, self._named)
            authorization = {"Authorization": credentials.header()} if credentials is not None and trusted else {}
            token = self._token(
                token_address(realm, bearer, self._scope), {"Accept": "application/json", **authorization}
            )
            self._authorization = f"Bearer {token}" if token else ""
            if credentials is not None and not trusted:
                pair = f"{self._named.authority}={realm.authority}"
                self.hint = f"{TOKEN_HOSTS_VARIABLE}={pair} sends the password to {realm.authority}"
        elif "basic" in offered and credentials is not None:
            self._authorization = credentials.header()
        return bool(self._authorization) and self._authorization != before

    def _token(self, address: Address, headers: Mapping[str, str]) -> str:
        outwards = not is_this_machine(self._named.host)
        response, wire = _answered(address, headers, self._clock, outwards=outwards)
        wire.allow(TOKEN_BYTES)
        with HostAnswer(response, wire, self._who, self._origin) as answer:
            data = b""
            while answer.status == 200 and len(data) <= TOKEN_BYTES and (piece := answer.read(TOKEN_BYTES)):
                data += piece
        return token_in(data) if len(data) <= TOKEN_BYTES else ""

    def _refuse_plain(self, address: Address) -> None:
        """Raise ValueError where a registry of this machine leads to another one without encryption."""
        if self._scope and address.scheme != "https" and not is_this_machine(address.host):
            raise ValueError("it redirects to a URL without encryption")


def _words(error: Exception) -> str:
    """Return the reason of an *error* of the network, with nothing that the host has sent: it could be our password."""
    if isinstance(error, HTTPException):
        return "its answer is not HTTP"
    if isinstance(error, SSLError):
        return getattr(error, "verify_message", "") or getattr(error, "reason", "") or "the encryption failed"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _answered(
    address: Address, headers: Mapping[str, str], clock: HostTime, *, outwards: bool
) -> tuple[HTTPResponse, Wire]:
    """Return the head of the answer to a GET of *address*, and the wire that brings its content.

    With *outwards*, an address on this machine is refused.

    Raises:
        OSError, HTTPException: the host cannot be reached, or answers with something else than HTTP.
        Incomplete: a limit of the caller is met.
    """
    proxy = _proxy(address)
    via = proxy or address
    wire = Wire(via.host, via.port, clock, outwards=outwards and proxy is None)
    try:
        target, wanted = address.path, {"Host": address.authority, **headers}
        if proxy is not None:
            its_own = {"Proxy-Authorization": Credentials(proxy.user, proxy.password).header()} if proxy.user else {}
            if address.scheme == "https":
                host = f"[{address.host}]" if ":" in address.host else address.host
                tunnel = f"{host}:{address.port}"
                _send(wire, "CONNECT", tunnel, {"Host": tunnel, **its_own})
                if (status := _head(wire, "CONNECT").status) != 200:
                    raise OSError(f"the proxy answers with status {status}")
            else:
                target, wanted = str(address), {**wanted, **its_own}
        if address.scheme == "https":
            wire.encrypt(address.host)
        _send(wire, "GET", target, wanted)
        return _head(wire, "GET"), wire
    except BaseException:
        wire.close()
        raise


def redirected(address: Address, location: str) -> Address:
    """Return where the answer of *address* leads with the header ``Location``, without user and password.

    Raises:
        ValueError: it leads out of the web, or from https to http.
    """
    try:
        target = address.beside(location)
    except ValueError as error:
        raise ValueError(f"it redirects to {error}") from None
    if address.scheme == "https" and target.scheme != "https":
        raise ValueError("it redirects from https to a URL without encryption")
    return target._replace(user="", password="")


def _proxy(address: Address) -> Address | None:
    """Return the proxy that the environment names for *address*. Raises OSError if its scheme is not HTTP."""
    if is_this_machine(address.authority) or proxy_bypass(address.authority):
        return None
    named = getproxies().get(address.scheme)
    if not named:
        return None
    try:
        proxy = address_of(named if "://" in named else f"http://{named}")
    except ValueError:
        proxy = None
    if proxy is None or proxy.scheme != "http":
        raise OSError(f"the variable {address.scheme}_proxy names no HTTP proxy")
    return proxy


def _send(wire: Wire, method: str, target: str, headers: Mapping[str, str]) -> None:
    # Uncompressed, since digests and limits are about the bytes that come. One answer for each connection, so that
    # nothing that a host sends behind it can become a part of the next.
    fixed = {"User-Agent": f"olmsolve/{__version__}", "Accept-Encoding": "identity", "Connection": "close"}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in {**headers, **fixed}.items())]
    if any(sign in line for line in lines for sign in "\r\n\0"):
        raise OSError("a request with a line break in it")
    wire.send("\r\n".join([*lines, "", ""]).encode("latin-1", "replace"))


def _head(wire: Wire, method: str) -> HTTPResponse:
    # A response wants of a socket its makefile alone.
    response = HTTPResponse(wire, method=method)  # type: ignore[arg-type]
    response.begin()
    return response
