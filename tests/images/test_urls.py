"""Catalogs at a URL, as catalogd serves them: JSON lines, read within limits."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import olmsolve
from olmsolve.catalog.fbc import url_of
from olmsolve.errors import CatalogError
from tests.cli.commands import runner
from tests.images.building import CATALOG, tar, write_files

ANSWERS = {
    "/catalogs/orchard/api/v1/all": (200, CATALOG),
    "/c.tar.gz": (200, gzip.compress(tar({"c.json": CATALOG}))),
    "/broken": (200, CATALOG[:-3]),
    "/short": (206, CATALOG),
    "/gone": (404, b""),
    "/nothing": (200, b""),
}


@pytest.fixture
def server() -> Iterator[str]:
    """A server on the loopback with these answers, by its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/moved":
                self.send_response(302)
                self.send_header("Location", "/catalogs/orchard/api/v1/all")
                self.end_headers()
                return
            status, body = ANSWERS[self.path]
            self.send_response(200 if self.path == "/short" else status)
            self.send_header("Content-Length", str(len(body) + 10 * (self.path == "/short")))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


def test_a_catalog_at_a_url(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a cluster serves is the catalog that it serves."""
    expected = olmsolve.load(write_files(tmp_path, {"c.json": CATALOG}))
    for path in ("/catalogs/orchard/api/v1/all", "/moved", "/c.tar.gz"):
        assert olmsolve.load(server + path) == expected
        assert olmsolve.load(Path(server + path)) == expected
    url = f"{server}/catalogs/orchard/api/v1/all"
    assert str(olmsolve.load(url).packages["etcd"].origin) == f"{url}:1"
    answer = runner(capsys)("resolve", "--catalog", f"orchard={url}:10", "--subscribe", "etcd")
    assert (answer.code, answer.err) == (0, "")
    assert "etcd.v1.0.0" in answer.out
    assert runner(capsys)("validate", url).code == 0


def test_what_a_server_may_do_wrong(server: str) -> None:
    """Each fault of a server is one clear error that names the URL."""
    faults = {
        "/gone": "the server answers with status 404",
        "/short": "the server broke off, 10 bytes too early",
        "/broken": "all:3: |broken:3",
        "/nothing": "there is no catalog here",
    }
    for path, message in faults.items():
        with pytest.raises(CatalogError, match=message) as caught:
            olmsolve.load(server + path)
        assert caught.value.origin.startswith(server + path)


def test_a_server_that_is_not_there() -> None:
    """A wrong port is reported at once."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/api/v1/all"
    with pytest.raises(CatalogError, match="the server cannot be reached: Connection refused"):
        olmsolve.load(url)


def test_a_server_that_says_nothing() -> None:
    """A limit of the caller ends the wait."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(olmsolve.Incomplete):
            olmsolve.load(f"http://127.0.0.1:{silent.getsockname()[1]}/api/v1/all", timeout=0.2)


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("https://a.example/b", "https://a.example/b"),
        ("HTTP:/a.example/b", "http://a.example/b"),
        ("file:///etc/passwd", ""),
        ("ftp://a.example/b", ""),
        ("http:", ""),
        ("a/http://b", ""),
    ],
)
def test_which_paths_are_urls(path: str, url: str) -> None:
    """Only the web is read, and a path stays a path."""
    assert url_of(path) == url
