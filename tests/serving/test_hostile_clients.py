"""Clients that harm a server: they send slowly, read slowly, break off, and ask for nonsense; others are answered.

Limits of minutes and of hundreds of connections are made small behind the door.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import olmsolve
from olmsolve.serving import MetasServer, RegistryServer, ServedCatalog, grpc_server, http_server
from tests.scale import LONG
from tests.serving.registry_messages import ask

RESET: Final = struct.pack("ii", 1, 0)
LARGE: Final = 8 << 20
PATH: Final = "/api/v1/all"


def large_catalog(path: str) -> olmsolve.Catalog:
    """Return a catalog of some megabytes: more than a connection holds that nobody reads from."""
    names = [f"p.v{number}.0.0" for number in range(16)]
    entries = [{"name": name, **({"replaces": names[at - 1]} if at else {})} for at, name in enumerate(names)]
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "p", "name": "stable", "entries": entries},
    ]
    for at, name in enumerate(names):
        version = {"type": "olm.package", "value": {"packageName": "p", "version": f"{at}.0.0"}}
        large = {"type": "x", "value": "y" * (LARGE // 16)}
        blobs.append(
            {"schema": "olm.bundle", "package": "p", "name": name, "image": "x", "properties": [version, large]}
        )
    return olmsolve.from_blobs(blobs)


@pytest.fixture(scope="module")
def served() -> ServedCatalog:
    """A large catalog."""
    return ServedCatalog(str(Path(__file__)), large_catalog)


@pytest.fixture
def port(served: ServedCatalog) -> Iterator[int]:
    """The port of an HTTP server of the catalog."""
    server = MetasServer(served, "large", "127.0.0.1", 0)
    server.start()
    yield server.port
    server.stop()


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=5)


def status_of(port: int, request: bytes) -> str:
    """Return the status line of the answer to *request*, "" where there is none."""
    with connected(port) as connection:
        connection.sendall(request)
        return connection.makefile("rb").readline().decode().partition("\r\n")[0]


def is_ended(connection: socket.socket) -> bool:
    """Return whether the server ends *connection* within five seconds, after whatever it sends."""
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


REQUESTS: Final = {
    "no host": (b"GET http://[ HTTP/1.1\r\n\r\n", "400"),
    "a date of another age": (
        b"HEAD /api/v1/all HTTP/1.1\r\nIf-Modified-Since: Mon, 01 Jan 99999999999999999999 00:00:00 GMT\r\n\r\n",
        "200",
    ),
    "a date before all": (
        b"HEAD /api/v1/all HTTP/1.1\r\nIf-Modified-Since: Mon, 01 Jan 0001 00:00:00 -2359\r\n\r\n",
        "200",
    ),
    "bytes": (b"GET /\xff\xfe\x00 HTTP/1.1\r\n\r\n", "404"),
    "thousands of fields": (b"GET /api/v1/metas?" + b"name=x&" * 9_000 + b" HTTP/1.1\r\n\r\n", "200"),
    "a line without end": (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", "414"),
    "headers without end": (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", "431"),
    "a method without a name": (b" / HTTP/1.1\r\n\r\n", ""),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_requests_of_nonsense(name: str, port: int, capfd: pytest.CaptureFixture[str]) -> None:
    """A status, or a closed connection; and nothing on standard error, which a client could fill."""
    request, status = REQUESTS[name]
    assert status in status_of(port, request)
    assert status_of(port, b"HEAD /api/v1/all HTTP/1.0\r\n\r\n") == "HTTP/1.1 200 OK"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("request_", [b"GET /", b"GET /api/v1/all HTTP/1.1\r\n\r\n"])
def test_clients_that_break_off(request_: bytes, port: int, capfd: pytest.CaptureFixture[str]) -> None:
    """Before their request is whole, and while the answer comes."""
    connection = connected(port)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    connection.sendall(request_)
    connection.close()
    assert status_of(port, b"HEAD /api/v1/all HTTP/1.0\r\n\r\n") == "HTTP/1.1 200 OK"
    assert capfd.readouterr().err == ""


def test_a_body_is_no_second_request(port: int) -> None:
    """A proxy in between would give the answer to somebody else."""
    hidden = b"GET /metrics HTTP/1.1\r\n\r\n"
    request = b"HEAD /api/v1/all HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(hidden) + hidden
    with connected(port) as connection:
        connection.sendall(request)
        answer = connection.makefile("rb").read()
    assert answer.count(b"HTTP/1.1 200 OK") == 1


@pytest.mark.parametrize(("constant", "sent"), [("_IDLE", b""), ("_HEAD", b"GET / HTTP/1.1\r\n")])
def test_requests_that_do_not_come(constant: str, sent: bytes, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte now and then keeps no connection open: the time is that of the whole head."""
    monkeypatch.setattr(http_server, constant, 0.3)
    with connected(port) as connection:
        started = time.monotonic()
        try:
            connection.sendall(sent)
            while time.monotonic() - started < 5:
                connection.sendall(b"a" if sent else b"")
                connection.settimeout(0.05)
                try:
                    if not connection.recv(100):
                        break
                except TimeoutError:
                    continue
        except ConnectionError:
            pass
    assert 0.2 < time.monotonic() - started < 3


def test_answers_that_nobody_takes(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread of a client that reads nothing is another client's soon."""
    monkeypatch.setattr(http_server, "_ANSWER", 0.3)
    with connected(port) as connection:
        connection.sendall(b"GET /api/v1/all HTTP/1.1\r\n\r\n")
        time.sleep(1.0)
        size = 0
        try:
            while piece := connection.recv(1 << 20):
                size += len(piece)
        except ConnectionError:
            pass
    assert size < LARGE


def test_more_connections_than_threads(served: ServedCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Idle clients take no more threads than there are, and the next client takes the one of who waited longest."""
    monkeypatch.setattr(http_server, "_CONNECTIONS", 2)
    server = MetasServer(served, "large", "127.0.0.1", 0)
    server.start()
    try:
        idle = [connected(server.port) for _ in range(2)]
        assert status_of(server.port, b"HEAD /api/v1/all HTTP/1.0\r\n\r\n") == "HTTP/1.1 200 OK"
        idle += [connected(server.port) for _ in range(3)]
        assert all(map(is_ended, idle[:3]))
        assert status_of(server.port, b"HEAD /api/v1/all HTTP/1.0\r\n\r\n") == "HTTP/1.1 200 OK"
        for connection in idle:
            connection.close()
    finally:
        server.stop()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n"])
def test_a_thousand_connections_of_one_client(sent: bytes, port: int) -> None:
    """They are kept open, with no request or half of one: another client is answered at once, not after a minute."""
    idle = []
    try:
        for _ in range(1000 if LONG else 300):
            idle.append(connected(port))
            with contextlib.suppress(ConnectionError):
                idle[-1].sendall(sent)
        started = time.monotonic()
        for _ in range(3):
            assert status_of(port, b"HEAD /api/v1/all HTTP/1.0\r\n\r\n") == "HTTP/1.1 200 OK"
        assert time.monotonic() - started < 5
    finally:
        for connection in idle:
            connection.close()


def test_answers_that_nobody_takes_in_a_full_server(served: ServedCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever takes all threads, and reads nothing, loses one as soon as somebody else comes."""
    monkeypatch.setattr(http_server, "_CONNECTIONS", 2)
    monkeypatch.setattr(http_server, "_CROWDED", 0.2)
    server = MetasServer(served, "large", "127.0.0.1", 0)
    server.start()
    connections = [connected(server.port) for _ in range(2)]
    try:
        for connection in connections:
            connection.sendall(b"GET /api/v1/all HTTP/1.1\r\n\r\n")
        time.sleep(0.5)
        assert status_of(server.port, b"HEAD /api/v1/all HTTP/1.0\r\n\r\n") == "HTTP/1.1 200 OK"
    finally:
        for connection in connections:
            connection.close()
        server.stop()


def test_heads_of_megabytes(port: int) -> None:
    """A hundred headers of the largest size from each of all connections would be gigabytes."""
    line = b"a: " + b"b" * 60_000 + b"\r\n"
    with connected(port) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(b"HEAD /api/v1/all HTTP/1.1\r\n" + line * 90 + b"\r\n")
        assert is_ended(connection)


def test_requests_in_one_go(port: int) -> None:
    """Pipelined requests are answered one after the other, each once; another client need not wait for their end."""
    request = b"HEAD /api/v1/all HTTP/1.1\r\n\r\n"
    with connected(port) as connection:
        connection.sendall(request * 2000)
        assert status_of(port, b"HEAD /api/v1/all HTTP/1.0\r\n\r\n") == "HTTP/1.1 200 OK"
        connection.shutdown(socket.SHUT_WR)
        assert connection.makefile("rb").read().count(b"HTTP/1.1 200 OK") == 2000


def test_streams_that_nobody_takes(served: ServedCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that takes one message and no more would hold a thread for ever; another one is answered after it."""
    grpc = pytest.importorskip("grpc", reason='the extra "serve" is not installed')
    monkeypatch.setattr(grpc_server, "_THREADS", 1)
    monkeypatch.setattr(grpc_server, "_STALLED", 0.3)
    server = RegistryServer(served, "127.0.0.1", 0)
    server.start()
    # A client whose window does not grow, so that the answer never fits into it.
    own = [("grpc.use_local_subchannel_pool", 1), ("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 1 << 16)]
    try:
        with grpc.insecure_channel(server.address, options=own) as stalled:
            messages: Any = stalled.unary_stream("/api.Registry/ListBundles")(b"", timeout=20)
            next(messages)
            assert ask(server.address, "ListPackages") == {"answer": [{"name": "p"}]}
            with pytest.raises(grpc.RpcError):
                list(messages)
    finally:
        server.stop()


def test_requests_that_are_too_long(served: ServedCatalog) -> None:
    """A request has three names at most."""
    grpc = pytest.importorskip("grpc", reason='the extra "serve" is not installed')
    server = RegistryServer(served, "127.0.0.1", 0)
    server.start()
    try:
        with (
            grpc.insecure_channel(server.address) as channel,
            pytest.raises(grpc.RpcError, match="RESOURCE_EXHAUSTED"),
        ):
            channel.unary_unary("/api.Registry/GetPackage")(b"\x0a" + b"x" * 100_000, timeout=10)
    finally:
        server.stop()
