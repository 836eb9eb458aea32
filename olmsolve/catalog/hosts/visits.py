"""A named host and what it answers: redirects followed without credentials, its own challenges answered, no other's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http.client import HTTPException, HTTPResponse
from ssl import SSLError
from types import TracebackType
from typing import Final, Self

from olmsolve._limits import check
from olmsolve.catalog.hosts.addresses import Address, is_this_machine
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
from olmsolve.catalog.hosts.limits import REDIRECTS, HostTime
from olmsolve.catalog.hosts.routes import answered, redirected
from olmsolve.catalog.hosts.wires import Wire
from olmsolve.errors import CatalogError

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


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
        left = self._response.length
        if not data and left:
            raise CatalogError(f"{self._who} broke off, {left:,} bytes too early", origin=self._origin)
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
                raise CatalogError("a user and a password are sent to https alone", origin=origin)
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
        response, wire = self._asked(first, headers)
        try:
            if response.status == 401 and self._scope and self._authorized(response):
                wire.close()
                response, wire = self._asked(first, headers)
            for _ in range(REDIRECTS):
                location = response.headers.get("Location")
                if response.status not in _REDIRECTS or location is None:
                    wire.allow(most)
                    return HostAnswer(response, wire, self._who, self._origin)
                wire.close()
                address = redirected(address, location)
                self._refuse_plain(address)
                # No credentials from here on, and no challenge is answered: another host has chosen this one.
                response, wire = answered(address, headers, self._clock, outwards=not is_this_machine(first.host))
            raise ValueError(f"it redirects more than {REDIRECTS} times")
        except BaseException:
            wire.close()
            raise

    def _asked(self, address: Address, headers: Mapping[str, str]) -> tuple[HTTPResponse, Wire]:
        own = {"Authorization": self._authorization} if self._authorization else {}
        return answered(address, {**headers, **own}, self._clock, outwards=False)

    def _authorized(self, response: HTTPResponse) -> bool:
        """Get what the named host wants, and return whether there is something new to send."""
        before = self._authorization
        offered = {
            each.scheme: each for each in reversed(challenges_in(response.headers.get_all("WWW-Authenticate", [])))
        }
        credentials = self._credentials() if self._credentials is not None and offered else None
        if (bearer := offered.get("bearer")) is not None:
            realm = realm_of(bearer, self._named)
            trusted = is_token_host(realm, self._named)
            own = {"Authorization": credentials.header()} if credentials is not None and trusted else {}
            token = self._token(token_address(realm, bearer, self._scope), {"Accept": "application/json", **own})
            self._authorization = f"Bearer {token}" if token else ""
            if credentials is not None and not trusted:
                pair = f"{self._named.authority}={realm.authority}"
                self.hint = f"{TOKEN_HOSTS_VARIABLE}={pair} lets {realm.authority} have the password"
        elif "basic" in offered and credentials is not None:
            self._authorization = credentials.header()
        return bool(self._authorization) and self._authorization != before

    def _token(self, address: Address, headers: Mapping[str, str]) -> str:
        outwards = not is_this_machine(self._named.host)
        response, wire = answered(address, headers, self._clock, outwards=outwards)
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
