"""catalogd's API over HTTP: ``/api/v1/all`` and ``/api/v1/metas``, alone and below ``/catalogs/NAME``; and counts.

catalogd itself answers below ``/catalogs/NAME``, over TLS. OLM v1 and other clients add ``/api/v1/...`` to the base
address that a ClusterCatalog states, so both forms serve them.
"""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Lock, Thread
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from olmsolve._patterns import pattern
from olmsolve.errors import RequestError
from olmsolve.serving.served_catalog import ServedCatalog

# The paths of catalogd's two APIs; a catalog's name before them, where several are served.
_PATH: Final = pattern(r"(?:/catalogs/(?P<catalog>[^/]+))?/api/v1/(?P<call>all|metas)")
_FIELDS: Final = frozenset({"schema", "package", "name"})
_IDLE: Final = 60.0
"""Seconds after which a connection without a request is closed."""
_HEAD: Final = 10.0
"""Seconds from the first byte of a request to the end of its head."""
_ANSWER: Final = 300.0
"""Seconds that an answer may take: whoever reads slower is not waited for."""
_CONNECTIONS: Final = 256
"""Connections at one time, each of which has a thread; one more takes the thread of a client that sends nothing."""
_QUEUE: Final = 128
"""Connections that the system keeps until they are accepted; clients beyond that try again after a second."""
_CROWDED: Final = 30.0
"""Seconds after which an answer is broken off where all threads are taken, and somebody else waits."""
_HEAD_BYTES: Final = 1 << 17
"""Bytes of a head: a request has three fields, and a hundred headers of the library's largest size are 6 MB."""


class MetasServer:
    """A server of catalogd's API of *served*, a catalog that is called *name*, at *address*; *port* 0 takes a free one.

    Raises :class:`~olmsolve.errors.RequestError` if the port cannot be taken.
    """

    def __init__(self, served: ServedCatalog, name: str, address: str, port: int) -> None:
        shown = f"[{address}]" if ":" in address else address

        # The library makes a handler for each connection, so the class holds what is served.
        class OwnHandler(_MetasHandler):
            """The requests of this server."""

        OwnHandler.served = served
        OwnHandler.catalog_name = name
        try:
            self._server = _BoundedServer((address, port), OwnHandler)
        except OSError as error:
            reason = f"{shown}:{port} cannot be listened on: {error.strerror}"
            raise RequestError(reason, field="http_port", hint="is the port taken?") from None
        self.port: int = self._server.server_port
        self.address: str = f"http://{shown}:{self.port}"

    def start(self) -> None:
        """Answer from now on, in threads of the server."""
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    def stop(self) -> None:
        """Take no more requests."""
        self._server.shutdown()
        self._server.server_close()

    def reconnect(self) -> None:
        """Do nothing: each request is answered by the newest catalog."""


class _BoundedServer(ThreadingHTTPServer):
    """A server with so many connections at most, which says nothing of what its clients do wrong."""

    daemon_threads = True
    request_queue_size = _QUEUE

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._free = BoundedSemaphore(_CONNECTIONS)
        self._lock = Lock()
        # Each with the time since when, the longest first.
        self._waiting: dict[Any, float] = {}
        self._answering: dict[Any, float] = {}
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread. A full server takes one from whoever sends nothing, or gives the connection back."""
        if not self._free.acquire(blocking=False):
            self._end_longest()
            if not self._free.acquire(timeout=1.0):
                self.shutdown_request(request)
                return
        self.wait_for(request)
        super().process_request(request, client_address)

    def wait_for(self, connection: Any) -> None:
        """Note that *connection* has no whole request from now on."""
        with self._lock:
            self._answering.pop(connection, None)
            self._waiting[connection] = time.monotonic()

    def begin_answer(self, connection: Any) -> None:
        """Note that the request of *connection* is answered from now on."""
        with self._lock:
            if self._waiting.pop(connection, None) is not None:
                self._answering[connection] = time.monotonic()

    def _end_longest(self) -> None:
        """End the connection that has waited longest without a request, or an answer that takes very long."""
        with self._lock:
            connection = next(iter(self._waiting), None)
            if connection is None:
                connection, since = next(iter(self._answering.items()), (None, 0.0))
                if connection is None or time.monotonic() - since < _CROWDED:
                    return
            self._waiting.pop(connection, None)
            self._answering.pop(connection, None)
            # Its thread reads or writes at this moment, and learns of the end so.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer the requests of one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._waiting.pop(request, None)
                self._answering.pop(request, None)
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that breaks off, or sends nonsense, is no fault that somebody could mend here."""


class _TimedReader(io.RawIOBase):
    """The bytes of *connection*, each of which comes before the end of a time, however they come."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._end = 0.0
        self.begin()

    def begin(self) -> None:
        """Wait for the next request from now on."""
        self._end = time.monotonic() + _IDLE
        self._is_begun = False
        self._head_bytes_left = _HEAD_BYTES

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read what is there, 0 only at the end. Raises TimeoutError, for a head that is too large as well."""
        seconds_left = self._end - time.monotonic()
        if seconds_left <= 0 or self._head_bytes_left <= 0:
            raise TimeoutError
        self._connection.settimeout(seconds_left)
        count = self._connection.recv_into(buffer)
        self._head_bytes_left -= count
        if not self._is_begun:
            self._is_begun = True
            self._end = time.monotonic() + _HEAD
        return count


class _MetasHandler(BaseHTTPRequestHandler):
    server: _BoundedServer
    served: ServedCatalog
    catalog_name: str
    protocol_version = "HTTP/1.1"
    server_version = "olmsolve"
    # Responses do not name the version of Python.
    sys_version = ""

    def setup(self) -> None:
        """Read within times of our own: a socket's own time starts anew with each byte."""
        super().setup()
        self._incoming = _TimedReader(self.connection)
        self.rfile = io.BufferedReader(self._incoming)

    def handle_one_request(self) -> None:
        """Answer one request, whose head comes in time."""
        self._incoming.begin()
        self.server.wait_for(self.connection)
        super().handle_one_request()

    def parse_request(self) -> bool:
        """Read the head, after which the answer begins."""
        is_request = super().parse_request()
        self.server.begin_answer(self.connection)
        return is_request

    def do_GET(self) -> None:
        self._answer(has_body=True)

    def do_HEAD(self) -> None:
        self._answer(has_body=False)

    def _refuse_method(self) -> None:
        self._end("other", HTTPStatus.METHOD_NOT_ALLOWED)

    do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _refuse_method  # noqa: N815

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the name of the library
        """Say nothing: requests are counted."""

    def _answer(self, *, has_body: bool) -> None:
        if self.headers.get("Content-Length") or self.headers.get("Transfer-Encoding"):
            # Nobody reads the body, and the next request would begin inside of it.
            self.close_connection = True
        try:
            url = urlsplit(self.path)
        except ValueError:
            self._end("other", HTTPStatus.BAD_REQUEST)
            return
        if url.path == "/metrics":
            text = self.served.counts.exposition().encode()
            self._begin("metrics", HTTPStatus.OK, "text/plain; version=0.0.4", len(text))
            self._write(iter([text] if has_body else []))
            return
        match = _PATH.fullmatch(url.path)
        if match is None or (match["catalog"] or self.catalog_name) != self.catalog_name:
            self._end("other", HTTPStatus.NOT_FOUND)
            return
        call = match["call"]
        query = parse_qs(url.query, keep_blank_values=True) if call == "metas" else {}
        if not query.keys() <= _FIELDS:
            self._end(call, HTTPStatus.BAD_REQUEST)
            return
        now = self.served.now
        # The times of headers have whole seconds.
        if self._has_seen(int(now.loaded)):
            self._end(call, HTTPStatus.NOT_MODIFIED)
            return
        sections = now.metas.sections(**{field: values[0] for field, values in query.items()})
        length = sum(section.length for section in sections)
        self._begin(call, HTTPStatus.OK, "application/jsonl", length, formatdate(int(now.loaded), usegmt=True))
        if has_body:
            self._write(now.metas.pieces(sections))

    def _has_seen(self, loaded: int) -> bool:
        try:
            return parsedate_to_datetime(self.headers.get("If-Modified-Since", "")).timestamp() >= loaded
        except (ValueError, TypeError, OverflowError, OSError):
            # A date of another millennium, or none.
            return False

    def _begin(self, call: str, status: HTTPStatus, kind: str, length: int, modified: str = "") -> None:
        self.served.counts.count("http", call, str(status.value))
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(length))
        if modified:
            self.send_header("Last-Modified", modified)
        self.end_headers()

    def _end(self, call: str, status: HTTPStatus) -> None:
        has_body = status is not HTTPStatus.NOT_MODIFIED
        text = f"{status.value} {status.phrase}\n".encode() if has_body else b""
        if self.command not in ("GET", "HEAD"):
            # The body of such a request was not read, and the next one would begin inside of it.
            self.close_connection = True
        self._begin(call, status, "text/plain; charset=utf-8" if has_body else "", len(text))
        if self.command != "HEAD":
            self._write(iter([text]))

    def _write(self, pieces: Iterator[bytes]) -> None:
        end = time.monotonic() + _ANSWER
        try:
            for piece in pieces:
                self.connection.settimeout(max(end - time.monotonic(), 0.001))
                self.wfile.write(piece)
        except (ConnectionError, TimeoutError):
            # Who asked has gone.
            self.close_connection = True
