"""API servers that harm: each wait ends with its limit, nothing is endless, and a token stays with its server.

Limits of megabytes and of thousands of pages are made small behind the door.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml

import olmsolve
from olmsolve import limited
from olmsolve.errors import Incomplete, RequestError
from olmsolve.requests import api_server
from olmsolve.requests.api_server import ApiServer
from olmsolve.requests.live import _SERVICE
from tests.attacks import check_late, in_time
from tests.images.hostile_hosts import HostileHost, answer, moved

HEAD: Final = b"HTTP/1.1 200 OK\r\n"
CHUNKED: Final = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
NEVER: Final = itertools.repeat
LATE: Final = "no answer within the time budget"
LIMIT: Final = 0.3

Script = Callable[[HostileHost], Iterable[bytes]]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileHost]:
    """A host that the current context of a kubeconfig names, with a token for it."""
    hostile = HostileHost()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": f"http://{hostile.name}"}}],
        "users": [{"name": "u", "user": {"token": "rosebud"}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "here",
    }
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config), "utf-8")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield hostile
    hostile.close()


def page(items: object, token: str = "") -> bytes:
    """Return an answer with a list of *items*, and the *token* of the next page."""
    return answer(200, json.dumps({"kind": "AList", "metadata": {"continue": token}, "items": items}).encode())


def squeezed(data: bytes) -> bytes:
    """Return an answer with *data* in gzip, for which nobody has asked."""
    return answer(200, gzip.compress(data, mtime=0), "Content-Encoding: gzip")


SCRIPTS: Final[dict[str, tuple[Script, str]]] = {
    "silence": (lambda host: host.drip(NEVER(b"")), LATE),
    "a header byte by byte": (lambda host: host.drip(itertools.chain([HEAD], NEVER(b"x"))), LATE),
    "content byte by byte": (
        lambda host: host.drip(itertools.chain([HEAD + b"Content-Length: 9999\r\n\r\n"], NEVER(b" "))),
        LATE,
    ),
    "a chunk byte by byte": (lambda host: host.drip(itertools.chain([CHUNKED, b"5;"], NEVER(b"x"))), LATE),
    "continue without end": (lambda host: NEVER(b"HTTP/1.1 100 Continue\r\n\r\n" * 999), LATE),
    "a refusal byte by byte": (
        lambda host: host.drip(itertools.chain([b"HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n"], NEVER(b""))),
        LATE,
    ),
    "headers without end": (lambda host: itertools.chain([HEAD], NEVER(b"a: b\r\n" * 99)), "cannot be reached"),
    "another protocol": (lambda host: [b"SSH-2.0-OpenSSH_9.2\r\n"], "cannot be reached"),
    "content without end": (
        lambda host: itertools.chain([CHUNKED], NEVER(b"10000\r\n" + b" " * 65_536 + b"\r\n")),
        "has more than 67,108,864 bytes",
    ),
    "a list of numbers": (lambda host: [page([1, None, []])], "is not a list of objects"),
    "a list that is none": (lambda host: [page({})], "is not a list of objects"),
    "far more values than text": (
        lambda host: [answer(200, b'{"items":[' + b"[]," * 2_000_000 + b"{}]}")],
        "far more values than text",
    ),
    "a thousand levels": (lambda host: [answer(200, b'{"items":[' * 9_000)], "cannot be read"),
    "two documents": (lambda host: [answer(200, b"{}{}")], "is not a JSON object"),
    "gzip that was not asked for": (lambda host: [squeezed(b'{"items":[]}')], "is not a JSON object"),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_hostile_servers(name: str, host: HostileHost) -> None:
    """Whatever the server sends, one sentence comes, and the limit holds for each wait."""
    script, expected = SCRIPTS[name]
    host.script = lambda path, head: script(host)
    limit = LIMIT if expected == LATE else 20.0

    def listed() -> None:
        with limited(timeout=limit):
            ApiServer().listed("/api/v1/namespaces")

    error = in_time(listed, limit).raised
    assert isinstance(error, RequestError | Incomplete)
    assert re.search(expected, str(error)), error
    assert "rosebud" not in str(error)


def test_a_redirect_is_not_followed(host: HostileHost) -> None:
    """An API server leads nowhere else, and the token is for this one."""
    second = HostileHost()
    host.script = lambda path, head: [moved(f"http://{second.name}{path}")]
    try:
        with pytest.raises(RequestError, match="the API server answers with status 302"):
            olmsolve.live_situation()
        assert second.requests == []
    finally:
        second.close()


def test_pages_without_end(host: HostileHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server can promise one more page for ever, and send nothing in each."""
    monkeypatch.setattr(api_server, "_PAGES", 5)
    host.script = lambda path, head: [page([], "next")]
    with pytest.raises(RequestError, match="namespaces has more than 5 pages"):
        ApiServer().listed("/api/v1/namespaces")
    assert len(host.requests) == 5


def test_all_lists_together_are_bounded(host: HostileHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each list may be small, and there are eleven of them, each of any number of pages."""
    monkeypatch.setattr(api_server, "_LISTS_BYTES", 1000)
    host.script = lambda path, head: [page(["n" * 400] if "continue" not in path else [{}], "next")]
    with pytest.raises(RequestError, match="is not a list of objects"):
        ApiServer().listed("/a")
    host.script = lambda path, head: [page([{"name": "n" * 400}], "next")]
    with pytest.raises(RequestError, match=r"/a has more than \d+ bytes"):
        ApiServer().listed("/a")


def test_a_page_that_is_too_large_is_asked_for_in_smaller_ones(
    host: HostileHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five hundred definitions of a megabyte each are no attack."""
    monkeypatch.setattr(api_server, "_PAGE_BYTES", 4000)

    def script(path: str, head: str) -> Iterable[bytes]:
        match = re.search(r"limit=(\d+)", path)
        assert match is not None
        return [page([{"metadata": {"name": "n" * 90, "managedFields": [1]}}] * min(int(match[1]), 100))]

    host.script = script
    assert ApiServer().listed("/a")["items"] == [{"metadata": {"name": "n" * 90}}] * 7
    assert [re.findall(r"limit=(\d+)", request) for request in host.requests] == [["500"], ["62"], ["7"]]


def test_an_end_ends_the_thread(host: HostileHost) -> None:
    """A service that asks many clusters must not keep a thread for each one that was slow."""
    host.script = lambda path, head: host.drip(itertools.chain([HEAD], NEVER(b"x")))
    with pytest.raises(Incomplete), limited(timeout=LIMIT):
        ApiServer().listed("/a")
    ours = [thread for thread in threading.enumerate() if "ServerRequest" in repr(getattr(thread, "_target", ""))]
    for thread in ours:
        thread.join(5)
    assert not any(thread.is_alive() for thread in ours)


def test_a_server_that_sends_nothing_is_given_up(host: HostileHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a limit of the caller, the limits of all hosts hold."""
    monkeypatch.setattr("olmsolve.catalog.hosts.wires.SILENT_SECONDS", 0.2)
    host.script = lambda path, head: host.drip(NEVER(b""))
    with pytest.raises(RequestError, match="the API server takes too long: nothing came for 0 seconds"):
        ApiServer().listed("/a")


def test_a_program_for_credentials_that_hangs(host: HostileHost, tmp_path: Path) -> None:
    """A kubeconfig may name a program, which asks somebody for a password, or a host that is down."""
    path = tmp_path / "kubeconfig"
    config = yaml.safe_load(path.read_text("utf-8"))
    program = {"apiVersion": "client.authentication.k8s.io/v1", "command": "sleep", "args": ["3"]}
    config["users"] = [{"name": "u", "user": {"exec": {**program, "interactiveMode": "Never"}}}]
    path.write_text(yaml.safe_dump(config), "utf-8")
    end = in_time(lambda: olmsolve.live_situation(timeout=LIMIT), LIMIT)
    assert isinstance(end.raised, Incomplete)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://catalogd.olm.svc/catalogs/x", "/catalogs/x"),
        ("https://catalogd.olm.svc/", ""),
        ("https://catalogd.olm.svc/a/../../../secrets", None),
        ("https://catalogd.olm.svc/..", None),
        ("https://catalogd.olm.svc/a?watch=1", None),
        ("https://catalogd.olm.svc/a%2e%2e", None),
        ("https://catalogd.olm.svc.evil.example:1/a#b", None),
    ],
)
def test_a_status_leads_to_its_service_alone(url: str, path: str | None) -> None:
    """Whoever writes a ClusterCatalog's status must not choose what our credentials read."""
    match = _SERVICE.fullmatch(url)
    assert (None if match is None else match["path"]) == path


def test_pieces_are_read_ahead_a_little(host: HostileHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that works for a while between two pieces is no silence of the server, and memory stays small."""
    monkeypatch.setattr("olmsolve.catalog.hosts.wires.SILENT_SECONDS", 0.1)
    monkeypatch.setattr(api_server, "_PIECE", 10)
    monkeypatch.setattr(api_server, "_WAITING", 2)
    host.script = lambda path, head: [answer(200, b"x" * 100)]
    content = b""
    for piece in ApiServer().pieces("/a"):
        time.sleep(0.03)
        content += piece
    assert content == b"x" * 100


def test_a_kubeconfig_that_stays_silent(tmp_path: Path) -> None:
    """Credentials may come from a pipe that nobody writes to."""
    os.mkfifo(tmp_path / "kubeconfig")
    check_late("plan", "--cluster", "live", limit=0.3, environment={"KUBECONFIG": str(tmp_path / "kubeconfig")})


def test_a_client_that_loads_slowly(tmp_path: Path) -> None:
    """The Kubernetes client is large, and a cold disk or a network drive has its modules after seconds."""
    (tmp_path / "kubernetes").mkdir()
    (tmp_path / "kubernetes" / "__init__.py").write_text("import time\ntime.sleep(2)\n")
    paths = f"{tmp_path}{os.pathsep}{Path(__file__).parents[3]}"
    check_late("plan", "--cluster", "live", limit=0.3, environment={"PYTHONPATH": paths})
