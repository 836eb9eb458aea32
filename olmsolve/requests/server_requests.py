"""One request to the API server of a cluster, in a thread: whoever waits for its answer looks at the limits meanwhile.

The client's library (urllib3) gives each read of a socket a time, and a server that sends a byte now and then starts it
anew: a header may take for ever. So the thread puts what comes into a queue, and the connection is shut down when the
answer is not wanted any more::

    thread   request  status  piece  piece ...        (each put into the queue, which holds a few)
    caller   tick     tick    status tick   piece     (each wait ends with the limits)

A connection is closed before its last word reaches the caller, and is not used again: the next request could get one
that this thread, or a server that answers once, is about to close.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

from olmsolve._limits import check
from olmsolve.catalog.hosts import HostTime

_PIECE: Final = 1 << 16
_WAITING: Final = 16  # pieces that were read and not taken
_TICK: Final = 0.05
# Seconds of one connection and of one read: the clock of whoever waits is narrower.
_SECONDS: Final = 60.0
# Seconds that a thread has for its end once its connections are shut down; one that is connecting needs longer.
_ENDING: Final = 0.1


class _Connecting(threading.local):
    """The connections that a thread uses."""

    def __init__(self) -> None:
        self.connections: list[Any] = []


_OF_THREAD: Final = _Connecting()


def note_connections(pool: Any, url: str, *, is_verified: bool) -> None:
    """Let the connections of *pool*, a pool manager of urllib3, to the host of *url* be shut down from other threads.

    Where a kubeconfig says that the certificate is not to be checked (*is_verified* is False), its owner knows: the
    library warns no more.
    """
    hosts = pool.connection_from_url(url)

    class NotedConnection(hosts.ConnectionCls):  # type: ignore[misc, name-defined]
        """A connection that its thread knows."""

        def connect(self) -> None:
            super().connect()
            self.is_verified |= not is_verified
            _OF_THREAD.connections.append(self)

        def request(self, *arguments: Any, **settings: Any) -> None:
            # A connection may be used again, which connects no more.
            _OF_THREAD.connections.append(self)
            super().request(*arguments, **settings)

    hosts.ConnectionCls = NotedConnection


class ServerRequest:
    """A GET of *url* with *headers* over *pool*, whose connections are noted (:func:`note_connections`).

    It must be closed.
    """

    def __init__(self, pool: Any, url: str, headers: Mapping[str, str]) -> None:
        self._pool = pool
        self._url = url
        self._headers = headers
        self._queue: queue.Queue[int | bytes | Exception] = queue.Queue(_WAITING)
        self._is_over = threading.Event()
        self._connections: list[Any] = []
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def status(self, time: HostTime) -> int:
        """Return the status of the answer. Raises what the library raises, TimeoutError and Incomplete."""
        code = self._next(time)
        assert isinstance(code, int), "the status comes first"
        return code

    def pieces(self, time: HostTime) -> Iterator[bytes]:
        """Yield the content. Raises what the library raises, TimeoutError and Incomplete."""
        time.begin_content()
        while piece := self._next(time):
            assert isinstance(piece, bytes), "the content comes after the status"
            yield piece

    def _next(self, time: HostTime) -> int | bytes:
        check()
        piece: int | bytes | Exception | None = None
        with suppress(queue.Empty):
            # What came while the caller worked did come, however long that took.
            piece = self._queue.get_nowait()
        while piece is None:
            with suppress(queue.Empty):
                piece = self._queue.get(timeout=time.tick())
        time.heard()
        if isinstance(piece, Exception):
            raise piece
        return piece

    def close(self) -> None:
        """End the thread: nobody waits for its answer."""
        if self._is_over.is_set():
            return
        self._is_over.set()
        for connection in list(self._connections):
            wire = getattr(connection, "sock", None)
            if wire is not None:
                with suppress(OSError):
                    wire.shutdown(socket.SHUT_RDWR)
        self._thread.join(_ENDING)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _work(self) -> None:
        _OF_THREAD.connections = self._connections
        try:
            self._receive()
        except Exception as error:  # noqa: BLE001 - raised in the thread that waits
            self._close_connections()
            self._put(error)

    def _close_connections(self) -> None:
        while self._connections:
            self._connections.pop().close()

    def _receive(self) -> None:
        answer = self._pool.request(
            "GET",
            self._url,
            headers=self._headers,
            preload_content=False,
            redirect=False,
            retries=False,
            timeout=_SECONDS,
        )
        try:
            is_wanted = self._put(answer.status)
            for piece in answer.stream(_PIECE, decode_content=False) if is_wanted else ():
                if piece and not self._put(piece):
                    return
        finally:
            answer.close()
            self._close_connections()
        self._put(b"")

    def _put(self, received: int | bytes | Exception) -> bool:
        """Put *received* into the queue once there is room; return False if nobody waits for it any more."""
        while not self._is_over.is_set():
            with suppress(queue.Full):
                self._queue.put(received, timeout=_TICK)
                return True
        return False
