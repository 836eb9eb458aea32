"""``olmsolve serve``: both APIs over the loopback, a catalog that changes, and counted requests."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve.cli import main
from olmsolve.serving import MetasServer, Registry, RegistryServer, RequestCounts, ServedCatalog
from tests.serving.registry_messages import ask

ORCHARD = Path(olmsolve.__file__).parent / "examples" / "catalogs" / "orchard"


def served_orchard() -> ServedCatalog:
    return ServedCatalog(str(ORCHARD), olmsolve.load)


@contextmanager
def http_of(served: ServedCatalog) -> Iterator[Callable[..., tuple[int, dict[str, str], str]]]:
    """A function that sends a request and returns status, headers and body."""
    server = MetasServer(served, "orchard", "127.0.0.1", 0)
    server.start()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)

    def send(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
        connection.request(method, path, headers={key.replace("_", "-"): text for key, text in headers.items()})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read().decode()

    try:
        yield send
    finally:
        connection.close()
        server.stop()


def lines(body: str) -> list[Any]:
    return [json.loads(line) for line in body.splitlines()]


def test_all_blobs_are_sent_as_catalogd_sends_them() -> None:
    """OLM v1 asks for ``/api/v1/all`` below the base address of a catalog."""
    expected = list(olmsolve.catalog.blobs(olmsolve.load(ORCHARD)))
    with http_of(served_orchard()) as send:
        for path in ("/api/v1/all", "/catalogs/orchard/api/v1/all", "/api/v1/metas"):
            status, headers, body = send(path)
            assert (status, headers["Content-Type"], lines(body)) == (200, "application/jsonl", expected)
        status, headers, body = send("/api/v1/all", "HEAD")
        assert (status, body) == (200, "")
        assert int(headers["Content-Length"]) > 0


@pytest.mark.parametrize("schema", ["", "olm.package", "olm.bundle", "nothing"])
@pytest.mark.parametrize("package", ["", "storefront", "nothing"])
@pytest.mark.parametrize("name", ["", "storefront", "parcels", "2.x"])
def test_metas_are_chosen_by_their_own_fields(schema: str, package: str, name: str) -> None:
    """An ``olm.package`` has its name in ``name`` and no ``package``: catalogd finds it by its name alone."""
    fields = {"schema": schema, "package": package, "name": name}
    expected = [
        blob
        for blob in olmsolve.catalog.blobs(olmsolve.load(ORCHARD))
        if all(not text or blob.get(field) == text for field, text in fields.items())
    ]
    with http_of(served_orchard()) as send:
        query = "&".join(f"{field}={text}" for field, text in fields.items() if text)
        assert lines(send(f"/api/v1/metas?{query}")[2]) == expected


def test_other_requests_are_refused_with_a_status() -> None:
    """As catalogd: unknown parameters, paths, catalogs and methods."""
    with http_of(served_orchard()) as send:
        assert send("/api/v1/metas?colour=red")[::2] == (400, "400 Bad Request\n")
        assert send("/catalogs/other/api/v1/all")[::2] == (404, "404 Not Found\n")
        assert send("/")[0] == 404
        assert send("/api/v1/all", "POST")[::2] == (405, "405 Method Not Allowed\n")


def test_an_unchanged_catalog_is_not_sent_twice() -> None:
    """Clients of catalogd keep what they have, and ask with its time."""
    with http_of(served_orchard()) as send:
        _, headers, _ = send("/api/v1/all")
        assert send("/api/v1/all", If_Modified_Since=headers["Last-Modified"])[::2] == (304, "")
        assert send("/api/v1/all", If_Modified_Since="Mon, 01 Jan 2001 00:00:00 GMT")[0] == 200
        assert send("/api/v1/all", If_Modified_Since="yesterday")[0] == 200


def test_requests_are_counted() -> None:
    """Whoever runs a server wants to see that it is asked."""
    served = served_orchard()
    with http_of(served) as send:
        send("/api/v1/all")
        send("/api/v1/all")
        send("/api/v1/metas?x=y")
        body = send("/metrics")[2]
    assert 'olmsolve_served_requests_total{api="http",call="all",status="200"} 2' in body
    assert 'olmsolve_served_requests_total{api="http",call="metas",status="400"} 1' in body


def test_the_registry_api_is_answered_over_grpc() -> None:
    """The messages themselves are compared with recordings; here they cross the wire, with errors and health."""
    grpc = pytest.importorskip("grpc", reason='the extra "serve" is not installed')
    served = served_orchard()
    server = RegistryServer(served, "127.0.0.1", 0)
    server.start()
    try:
        assert ask(server.address, "ListPackages") == {"answer": [{"name": "parcels"}, {"name": "storefront"}]}
        answer = ask(server.address, "GetPackage", "storefront")["answer"]
        assert [channel["name"] for channel in answer["channels"]] == ["1.x", "2.x"]
        assert ask(server.address, "GetPackage", "x") == {"error": ["UNKNOWN", 'package "x" not found']}
        assert len(ask(server.address, "ListBundles")["answer"]) == Registry(olmsolve.load(ORCHARD)).size[1]
        with grpc.insecure_channel(server.address) as channel:
            assert channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=10) == b"\x08\x01"
            with pytest.raises(grpc.RpcError, match="the request cannot be read: the message ends inside of a field"):
                channel.unary_unary("/api.Registry/GetPackage")(b"\x0a\x05x", timeout=10)
            with pytest.raises(grpc.RpcError, match="UNIMPLEMENTED"):
                channel.unary_unary("/api.Registry/Nothing")(b"", timeout=10)
            states: list[Any] = []
            channel.subscribe(states.append)
            grpc.channel_ready_future(channel).result(10)
            server.reconnect()
            deadline = time.monotonic() + 10
            while states[-1] is grpc.ChannelConnectivity.READY and time.monotonic() < deadline:
                time.sleep(0.01)
            assert states[-1] is not grpc.ChannelConnectivity.READY, (
                "OLM reads a catalog again once its connection ends"
            )
        assert len(ask(server.address, "ListPackages")["answer"]) == 2
    finally:
        server.stop()
    assert (("grpc", "GetPackage", "UNKNOWN"), 1) in served.counts.items()
    assert (("grpc", "ListBundles", "OK"), 1) in served.counts.items()


def changed(folder: Path, content: str) -> None:
    (folder / "catalog.yaml").write_text(content, "utf-8")
    moment = time.time_ns() + 10**9
    os.utime(folder / "catalog.yaml", ns=(moment, moment))


def test_a_changed_catalog_is_taken_once_it_is_at_rest(tmp_path: Path) -> None:
    """Half of a file that is being written may be a valid catalog: two looks must see the same."""
    orchard = "".join(olmsolve.catalog.rendered(olmsolve.load(ORCHARD), "yaml"))
    changed(tmp_path, orchard)
    served = ServedCatalog(str(tmp_path), olmsolve.load)
    assert served.reload_if_changed() is None
    first = served.now
    changed(tmp_path, orchard.replace("parcels", "packets"))
    assert served.reload_if_changed() is False
    assert served.now is first
    assert served.reload_if_changed() is True
    assert served.reload_if_changed() is None
    assert list(served.now.registry.call("ListPackages", {})) == [b"\x0a\x07packets", b"\x0a\x0astorefront"]
    # Who began with the old answers ends with them.
    assert b"parcels" in b"".join(first.metas.pieces(first.metas.sections()))


def test_a_broken_change_leaves_the_old_answers(tmp_path: Path) -> None:
    """A mistake in a file must not take a catalog from a cluster."""
    changed(tmp_path, "".join(olmsolve.catalog.rendered(olmsolve.load(ORCHARD), "yaml")))
    served = ServedCatalog(str(tmp_path), olmsolve.load)
    before = served.now
    changed(tmp_path, "schema: [")
    assert served.reload_if_changed() is False
    with pytest.raises(olmsolve.CatalogError):
        served.reload_if_changed()
    assert served.now is before
    assert served.reload_if_changed() is None


def test_counts_are_sorted() -> None:
    counts = RequestCounts()
    counts.count("http", "all", "200")
    counts.count("grpc", "ListBundles", "OK")
    assert [key[0] for key, _ in counts.items()] == ["grpc", "http"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_told_to_end(number: signal.Signals, tmp_path: Path) -> None:
    """It prints where it listens, takes a change, says why it does not take a broken one, and counts at its end."""
    orchard = "".join(olmsolve.catalog.rendered(olmsolve.load(ORCHARD), "yaml"))
    folder = tmp_path / "fruit"
    folder.mkdir()
    changed(folder, orchard)
    command = [sys.executable, "-m", "olmsolve", "serve", str(folder), "--api", "http", "--http-port", "0"]
    arguments = [*command, "--poll", "0.05"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # Reading a line has no limit of its own: a server that says nothing ends, and the test fails.
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        try:
            first = process.stdout.readline()
            assert "/catalogs/fruit/api/v1/all" in first
            assert process.stdout.readline() == "2 packages with 5 entries are served.\n"
            port = int(first.split("127.0.0.1:")[1].split("/")[0])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/catalogs/fruit/api/v1/metas?schema=olm.package")
            assert len(lines(connection.getresponse().read().decode())) == 2
            connection.close()
            changed(folder, orchard.replace("defaultChannel: stable", "defaultChannel: gone"))
            assert process.stderr.readline().endswith("; the catalog before the change is still served\n")
            changed(folder, orchard.replace("parcels", "packets"))
            assert process.stdout.readline() == "changed: 2 packages with 5 entries are served.\n"
            process.send_signal(number)
            out, _ = process.communicate(timeout=20)
        finally:
            watchdog.cancel()
            process.kill()
    assert out.endswith("1 http metas 200\n")
    assert process.returncode == 0


def test_the_command_refuses_what_it_cannot_serve(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with a reason, and before anything listens."""
    with pytest.raises(SystemExit):
        main(["serve", "-"])
    assert "standard input cannot be served" in capsys.readouterr().err
    (tmp_path / "c.yaml").write_text("schema: olm.package\nname: a\ndefaultChannel: x\n", "utf-8")
    assert main(["serve", str(tmp_path)]) == 2
    assert "is not valid" in capsys.readouterr().err
    with http_of(served_orchard()) as _:
        pass
    listening = MetasServer(served_orchard(), "x", "127.0.0.1", 0)
    try:
        assert main(["serve", str(ORCHARD), "--api", "http", "--http-port", str(listening.port)]) == 2
    finally:
        listening._server.server_close()
    assert "cannot be listened on" in capsys.readouterr().err


def test_the_time_limit_is_for_reading(capsys: pytest.CaptureFixture[str]) -> None:
    """A catalog that takes longer ends the command. Serving has no end, and the help says so."""
    assert main(["serve", str(ORCHARD), "--api", "http", "--http-port", "0", "--timeout", "0.000001"]) == 3
    assert "no answer within the time budget" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "the most time that reading the catalog may take, at the start and after each change" in text
    assert "the most time that the command may take" not in text


def test_a_port_of_another_program_is_refused() -> None:
    pytest.importorskip("grpc", reason='the extra "serve" is not installed')
    served = served_orchard()
    first = RegistryServer(served, "127.0.0.1", 0)
    with pytest.raises(olmsolve.RequestError, match="cannot be listened on"):
        RegistryServer(served, "127.0.0.1", first.port)
    first.start()
    first.stop()
