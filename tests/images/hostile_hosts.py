"""Hosts on the loopback that answer as a script says, byte by byte, and keep every request that they get."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

Script: TypeAlias = Callable[[str, str], Iterable[bytes]]
"""Gets the path and the whole head of a request, and yields what is sent, piece by piece."""


class HostileHost:
    """A host that answers each request with what its *script* yields; *requests* has the heads of all.

    With *encryption*, it speaks https.
    """

    def __init__(self, encryption: ssl.SSLContext | None = None) -> None:
        self._encryption = encryption
        self.script: Script = lambda path, head: [answer(404)]
        self.requests: list[str] = []
        self.is_over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.name = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self._connections: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._listen, daemon=True)]
        self._threads[0].start()

    def close(self) -> None:
        """End the host and all that it is sending."""
        self.is_over.set()
        # A thread that waits for a connection notices no close.
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        # Nor does one that sends to a client who reads no more: it would wait for its 5 seconds.
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def drip(self, pieces: Iterable[bytes], seconds: float = 0.02) -> Iterator[bytes]:
        """Yield *pieces* with a pause after each, until the host ends."""
        for piece in pieces:
            yield piece
            if self.is_over.wait(seconds):
                return

    def _listen(self) -> None:
        while not self.is_over.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._connections.append(connection)
            self._threads.append(threading.Thread(target=self._serve, args=(connection,), daemon=True))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            connection.settimeout(5)
            if self._encryption is not None:
                connection = self._encryption.wrap_socket(connection, server_side=True)
            self._converse(connection)
        connection.close()

    def _converse(self, connection: socket.socket) -> None:
        with connection:
            head = b""
            while b"\r\n\r\n" not in head and (piece := connection.recv(4096)):
                head += piece
            text = head.decode("latin-1")
            self.requests.append(text)
            for piece in self.script(text.split(" ")[1] if " " in text else "", text):
                if self.is_over.is_set():
                    return
                connection.sendall(piece)


def answer(status: int, body: bytes = b"", *headers: str) -> bytes:
    """Return an answer with its length."""
    lines = [f"HTTP/1.1 {status} Such", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def moved(location: str) -> bytes:
    """Return a redirect to *location*."""
    return answer(302, b"", f"Location: {location}")


def challenged(*challenges: str) -> bytes:
    """Return an answer that wants credentials."""
    return answer(401, b"", *(f"WWW-Authenticate: {challenge}" for challenge in challenges))
