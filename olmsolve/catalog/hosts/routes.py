"""The way of a request: straight to its host or through a proxy, and what a redirect may lead to."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from urllib.request import getproxies, proxy_bypass

from olmsolve._version import __version__
from olmsolve.catalog.hosts.addresses import Address, address_of, is_this_machine
from olmsolve.catalog.hosts.challenges import Credentials
from olmsolve.catalog.hosts.limits import HostTime
from olmsolve.catalog.hosts.wires import Wire


def answered(
    address: Address, headers: Mapping[str, str], clock: HostTime, *, outwards: bool
) -> tuple[http.client.HTTPResponse, Wire]:
    """Return the head of the answer to a GET of *address*, and the wire that brings its content.

    With *outwards*, an address on this machine is refused.

    Raises:
        OSError, http.client.HTTPException: the host cannot be reached, or answers with something else than HTTP.
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
    """Return the proxy that the environment names for *address*. Raises OSError for one that is no HTTP proxy."""
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
    fixed = {"User-Agent": f"olmsolve/{__version__}", "Accept-Encoding": "identity", "Connection": "close"}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in {**headers, **fixed}.items())]
    if any(sign in line for line in lines for sign in "\r\n\0"):
        raise OSError("a request with a line break in it")
    wire.send("\r\n".join([*lines, "", ""]).encode("latin-1", "replace"))


def _head(wire: Wire, method: str) -> http.client.HTTPResponse:
    # A response wants of a socket its makefile alone.
    response = http.client.HTTPResponse(wire, method=method)  # type: ignore[arg-type]
    response.begin()
    return response
