"""A connection to a host, within the time and the bytes of one visit: no host can keep us waiting for ever.

No call of the system waits, and every wait in between looks at the limits.
"""

from __future__ import annotations

import errno
import io
import math
import os
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import IO, Final, TypeAlias

from olmsolve._limits import check
from olmsolve._paths import is_directory
from olmsolve.catalog.hosts.addresses import is_local_address, is_number

TOTAL_SECONDS: Final = 3600.0
"""Seconds for everything that a path asks of hosts: an image with all of its layers, or a URL."""

ANSWER_SECONDS: Final = 60.0
"""Seconds until the content of an answer begins, with look-ups, connections, redirects, challenges and tokens."""

SILENT_SECONDS: Final = 30.0
"""Seconds to wait for the next byte."""

HEAD_BYTES: Final = 1 << 20
"""Bytes that come over a wire before the content of an answer, and that may come between its pieces."""

_TICK: Final = 0.05
"""Seconds between two looks at the limits of the caller, who may cancel from another thread."""


class HostTime:
    """The clock of one visit: a total, the start of each answer, and silence."""

    def __init__(self) -> None:
        self._end = time.monotonic() + TOTAL_SECONDS
        self.begin_answer()

    def begin_answer(self) -> None:
        """Start the time that the next answer may take until its content begins."""
        self._content_begins = time.monotonic() + ANSWER_SECONDS
        self.heard()

    def begin_content(self) -> None:
        """End the time for the head of an answer: its content has begun."""
        self._content_begins = math.inf

    def heard(self) -> None:
        """Note that bytes were received or sent."""
        self._silent_until = time.monotonic() + SILENT_SECONDS

    def tick(self) -> float:
        """Return the seconds to wait before the next call of this method.

        Raises:
            Incomplete: a limit of the caller is met.
            TimeoutError: the host has taken too long.
        """
        check()
        now = time.monotonic()
        if now >= self._silent_until:
            raise TimeoutError(f"nothing came for {SILENT_SECONDS:.0f} seconds")
        if now >= self._content_begins:
            raise TimeoutError(f"no answer within {ANSWER_SECONDS:.0f} seconds")
        if now >= self._end:
            raise TimeoutError(f"not everything came within {TOTAL_SECONDS:,.0f} seconds")
        return min(_TICK, self._silent_until - now, self._content_begins - now, self._end - now)


CERTIFICATES_VARIABLE: Final = "REQUESTS_CA_BUNDLE"
"""The environment variable that may name other certificates than the system's: a file, or a folder."""

_SocketAddress: TypeAlias = tuple[socket.AddressFamily, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]]


class Wire:
    """A connection to *host* and *port* within the time of *clock*; what comes is counted against an allowance.

    With *outwards*, a name that leads to this machine or its next wire is refused: a stranger chose it.

    Raises:
        OSError: the host cannot be reached.
        TimeoutError: it takes too long.
        Incomplete: a limit of the caller is met.
    """

    def __init__(self, host: str, port: int, clock: HostTime, *, outwards: bool = False) -> None:
        self._clock = clock
        self._allowed = HEAD_BYTES
        self._socket = _connected(host, port, clock, outwards=outwards)

    def encrypt(self, host: str) -> None:
        """Continue encrypted, with a host that has a certificate for the name *host*. Raises OSError."""
        wrapped = _trust().wrap_socket(self._socket, server_hostname=host, do_handshake_on_connect=False)
        self._socket = wrapped
        self._repeat(wrapped.do_handshake, selectors.EVENT_READ)

    def send(self, data: bytes) -> None:
        """Send *data*. Raises OSError."""
        unsent = memoryview(data)
        while unsent:
            unsent = unsent[self._repeat(partial(self._socket.send, unsent), selectors.EVENT_WRITE) :]

    def receive_into(self, buffer: memoryview) -> int:
        """Read the bytes that have come into *buffer*; return their number, 0 only at the end. Raises OSError."""
        self._clock.tick()
        count = self._repeat(partial(self._socket.recv_into, buffer), selectors.EVENT_READ)
        self._allowed -= count
        if self._allowed < 0:
            raise OSError("it sends far more than its content")
        self._clock.heard()
        return count

    def allow(self, content: int) -> None:
        """Allow an answer with *content* bytes from now on; pieces of a length of their own have some more."""
        self._allowed = HEAD_BYTES + 2 * content

    def makefile(self, *_: object) -> IO[bytes]:
        """Return a buffered reader of the bytes that arrive, which ``http.client`` asks for by this name."""
        # http.client reads heads line by line, which would be a call of the system for each byte.
        return io.BufferedReader(_Incoming(self), 1 << 16)

    def close(self) -> None:
        """Give the connection back."""
        self._socket.close()

    def _repeat(self, call: Callable[[], int | None], event: int) -> int:
        """Return what *call* does, as soon as it need not wait for *event*; encryption may wait for the other one."""
        while True:
            try:
                return call() or 0
            except ssl.SSLWantWriteError:
                _wait(self._socket, selectors.EVENT_WRITE, self._clock)
            except ssl.SSLWantReadError:
                _wait(self._socket, selectors.EVENT_READ, self._clock)
            except BlockingIOError:
                _wait(self._socket, event, self._clock)


class _Incoming(io.RawIOBase):
    """The bytes that come over *wire*."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object, /) -> int:
        """Read the bytes that have come; return their number, 0 only at the end."""
        return self._wire.receive_into(memoryview(buffer))  # type: ignore[arg-type]


def _wait(waiting: socket.socket, event: int, clock: HostTime, most: float = math.inf) -> None:
    """Wait for *event*. Raises TimeoutError after *most* seconds, or when *clock* does."""
    end = time.monotonic() + most
    with selectors.DefaultSelector() as selector:
        selector.register(waiting, event)
        while not selector.select(clock.tick()):
            if time.monotonic() >= end:
                raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))


def _connected(host: str, port: int, clock: HostTime, *, outwards: bool) -> socket.socket:
    failure = OSError("the name of the host has no address")
    addresses = _addresses(host, port, clock)
    # An address that swallows everything leaves time for the others.
    most = SILENT_SECONDS / (len(addresses) or 1)
    for family, address in addresses:
        if outwards and is_local_address(str(address[0])):
            failure = OSError("another host may not redirect to this machine")
            continue
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.setblocking(False)
            try:
                connection.connect(address)
            except BlockingIOError:
                _wait(connection, selectors.EVENT_WRITE, clock, most)
            if number := connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                raise OSError(number, os.strerror(number))
        except OSError as error:
            connection.close()
            clock.tick()
            failure = error
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise failure


def _addresses(host: str, port: int, clock: HostTime) -> list[_SocketAddress]:
    """Return the addresses of *host*. Looking a name up cannot be interrupted, so a thread waits for it."""
    if is_number(host):
        return _looked_up(host, port)
    addresses: list[_SocketAddress] = []
    failures: list[OSError] = []
    is_done = threading.Event()

    def look_up() -> None:
        try:
            addresses.extend(_looked_up(host, port))
        except (OSError, UnicodeError) as error:
            failures.append(error if isinstance(error, OSError) else OSError(str(error)))
        finally:
            is_done.set()

    threading.Thread(target=look_up, name=f"look up {host}", daemon=True).start()
    while not is_done.wait(clock.tick()):
        pass
    if failures:
        raise failures[0]
    return addresses


def _looked_up(host: str, port: int) -> list[_SocketAddress]:
    return [(family, address) for family, *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def _trust() -> ssl.SSLContext:
    """Return the certificates that count: the system's, or others that the environment names."""
    named = os.environ.get(CERTIFICATES_VARIABLE)
    if not named:
        return ssl.create_default_context()
    folder = named if is_directory(named) else None
    return ssl.create_default_context(cafile=None if folder else named, capath=folder)
