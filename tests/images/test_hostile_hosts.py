"""Registries and web servers that want what is not theirs: no credential reaches a second host, and nothing is endless.

Each behaviour is a script of two hosts: the *named* one, for which a password is stored, and a *second* one, which the
first tries to bring in. Whatever happens, the second host gets no ``Authorization``, no cookie and no secret in a path.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import olmsolve
from olmsolve.catalog.hosts import Credentials, HostTime, address_of
from olmsolve.catalog.hosts.challenges import challenges_in
from olmsolve.catalog.hosts.visits import redirected
from olmsolve.catalog.hosts.wires import Wire
from olmsolve.errors import CatalogError, RequestError, without_password
from tests.attacks import in_time
from tests.cli.commands import runner
from tests.images.building import CATALOG, catalog_image, write_files
from tests.images.hostile_hosts import HostileHost, answer, challenged, moved

USER, PASSWORD, TOKEN = "gardener", "rosebud", "named-token"
BASIC = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
IMAGE = catalog_image()
SECRETS = (PASSWORD, BASIC, TOKEN, "secret-of-second")
EMPTY_MEMBER = bytes.fromhex("1f8b080000000000020303000000000000000000")
OK = "loaded"
LATE = "no answer within the time budget"


class Hosts(NamedTuple):
    """The host that is named, and the one that it brings in."""

    named: HostileHost
    second: HostileHost


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    """Two hosts; a password is stored for the first, and another one for the second."""
    hosts = Hosts(HostileHost(), HostileHost())
    for name in ("XDG_RUNTIME_DIR", "DOCKER_CONFIG", "OLMSOLVE_TOKEN_HOSTS", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    other = base64.b64encode(b"me:secret-of-second").decode()
    auths = {hosts.named.name: {"auth": BASIC}, hosts.second.name: {"auth": other}}
    (tmp_path / "auth.json").write_text(json.dumps({"auths": auths}))
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "auth.json"))
    monkeypatch.setenv("OLMSOLVE_IMAGE_CACHE", str(tmp_path / "cache"))
    yield hosts
    for host in hosts:
        host.close()


def served(path: str) -> bytes:
    """Answer as an honest registry does."""
    name = path.rpartition("/")[2]
    body = IMAGE.manifest if name == "v1" else IMAGE.blobs.get(name, b"")
    return answer(200 if body else 404, body)


def bearer(realm: str, scope: str = "repository:a/b:pull") -> str:
    return f'Bearer realm="{realm}",service="small",scope="{scope}"'


def wants_token(hosts: Hosts, realm: str, token: bytes, allowed: str = f"Bearer {TOKEN}") -> None:
    """Let the named host want a token of *realm*; either host answers with *token* to whoever asks there."""

    def named(path: str, head: str) -> Iterable[bytes]:
        if path.startswith("/token"):
            return [token]
        return [served(path) if f"Authorization: {allowed}\r\n" in head else challenged(bearer(realm))]

    hosts.named.script = named
    hosts.second.script = lambda path, head: [token if path.startswith("/token") else served(path)]


def sends(pieces: Callable[[HostileHost], Iterable[bytes]]) -> Callable[[Hosts], None]:
    """Return a behaviour: the named host sends *pieces*, whatever it is asked."""

    def prepare(hosts: Hosts) -> None:
        hosts.named.script = lambda path, head: pieces(hosts.named)

    return prepare


def leads(location: str, second: Callable[[Hosts, str, str], bytes] | None = None) -> Callable[[Hosts], None]:
    """Return a behaviour: the named host redirects to *location* (SECOND: the other), which answers as *second*."""

    def prepare(hosts: Hosts) -> None:
        there = location.replace("SECOND", hosts.second.name).replace("NAMED", hosts.named.name)
        hosts.named.script = lambda path, head: [moved(there.replace("PATH", path))]
        hosts.second.script = lambda path, head: [second(hosts, path, head) if second else served(path)]

    return prepare


def token_text(token: object = TOKEN) -> bytes:
    return answer(200, json.dumps({"token": token}).encode())


def token_at(realm: str, token: bytes, allowed: str = f"Bearer {TOKEN}") -> Callable[[Hosts], None]:
    """Return a behaviour: a challenge with *realm*, at which *token* is the answer."""

    def prepare(hosts: Hosts) -> None:
        there = realm.replace("SECOND", hosts.second.name).replace("NAMED", hosts.named.name)
        wants_token(hosts, there, token, allowed)

    return prepare


def then(first: Callable[[Hosts], None], path_part: str, location: str) -> Callable[[Hosts], None]:
    """Return a behaviour as *first*, but paths with *path_part* are redirected once they are authorized."""

    def prepare(hosts: Hosts) -> None:
        first(hosts)
        honest = hosts.named.script
        there = location.replace("SECOND", hosts.second.name)

        def named(path: str, head: str) -> Iterable[bytes]:
            is_moved = path_part in path and f"Bearer {TOKEN}" in head
            return [moved(there.replace("PATH", path))] if is_moved else honest(path, head)

        hosts.named.script = named

    return prepare


def basic_at_named(hosts: Hosts) -> None:
    hosts.named.script = lambda path, head: [
        served(path) if f"Basic {BASIC}" in head else challenged('Basic realm="here"')
    ]


def reflecting(hosts: Hosts) -> None:
    """Let the named host send the password back where errors quote it."""
    hosts.named.script = lambda path, head: [
        f"Authorization {BASIC} {PASSWORD}\r\n\r\n".encode() if "Basic" in head else challenged("Basic realm=x")
    ]


def cookies(hosts: Hosts) -> None:
    def named(path: str, head: str) -> Iterable[bytes]:
        if "/v2/" in path:
            return [answer(302, b"", "Set-Cookie: a=named-token; Path=/; Domain=127.0.0.1", f"Location: /x{path[3:]}")]
        return [moved(f"http://{hosts.second.name}{path}")]

    hosts.named.script = named
    hosts.second.script = lambda path, head: [served(path)]


def back_again(hosts: Hosts) -> None:
    """Lead from the named host to the second, and back to where the named one wants a password."""
    hosts.named.script = lambda path, head: [
        challenged("Basic realm=x") if "back" in path else moved(f"http://{hosts.second.name}{path}")
    ]
    hosts.second.script = lambda path, head: [moved(f"http://{hosts.named.name}/v2/back")]


def slow_token(hosts: Hosts) -> None:
    challenge = challenged(bearer(f"http://{hosts.named.name}/token"))
    hosts.named.script = lambda path, head: hosts.named.drip(NEVER(b"x")) if "/token" in path else [challenge]


HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
NEVER = itertools.repeat
SECOND_TOKEN = token_text("token-for-everybody")

REGISTRIES: dict[str, tuple[Callable[[Hosts], None], str]] = {
    # Challenges.
    "a password where it is stored": (basic_at_named, OK),
    "a token of the named host": (token_at("http://NAMED/token", token_text()), OK),
    "a realm at another host": (
        token_at("http://SECOND/token", SECOND_TOKEN, "Bearer token-for-everybody"),
        OK,
    ),
    "a realm at another host that wants the password": (
        token_at("http://SECOND/token", challenged("Basic realm=x")),
        "asks for other credentials.*OLMSOLVE_TOKEN_HOSTS=127.0.0.1:[0-9]+=127.0.0.1:[0-9]+ sends the password",
    ),
    "a realm whose user is the host": (
        token_at("http://NAMED@SECOND/token", SECOND_TOKEN),
        "asks for other credentials",
    ),
    "a realm that is a file": (token_at("file:///etc/passwd", b""), "neither http nor https"),
    "a realm without encryption": (token_at("http://registry.example/token", b""), "without encryption"),
    "a realm without a name": (token_at("", b""), "neither http nor https"),
    "a realm that redirects": (token_at("http://NAMED/token", moved("http://SECOND/token")), "other credentials"),
    "a challenge without an end": (sends(lambda _: [challenged("Basic realm=x")]), "asks for other credentials"),
    "a challenge of nothing": (sends(lambda _: [challenged("")]), "asks for other credentials"),
    "a challenge of an unknown kind": (sends(lambda _: [challenged("Negotiate abc=")]), "asks for other credentials"),
    "a challenge of thousands": (
        sends(lambda _: [challenged("Basic " + 'a="\\",' * 9_000)]),
        "asks for other credentials",
    ),
    "both kinds, and a realm elsewhere": (
        sends(lambda _: [challenged('Basic realm="x", Bearer realm="http://127.0.0.1:9/token"')]),
        "cannot be reached: Connection refused",
    ),
    "a token with a line break": (
        token_at("http://NAMED/token", token_text("a\r\nX-Secret: b")),
        "asks for other credentials",
    ),
    "a token that is a list": (token_at("http://NAMED/token", token_text(["a"])), "asks for other credentials"),
    "a token that is no JSON": (token_at("http://NAMED/token", answer(200, b"[" * 9_000)), "other credentials"),
    "a token of two megabytes": (token_at("http://NAMED/token", token_text("a" * 2_000_000)), "other credentials"),
    # Redirects.
    "a redirect to another host": (leads("http://SECONDPATH"), OK),
    "a redirect of blobs, with a token": (
        then(token_at("http://NAMED/token", token_text()), "/blobs/", "http://SECONDPATH"),
        OK,
    ),
    "a redirect with a user": (leads("http://me:secret-of-second@SECONDPATH"), OK),
    "a redirect to a challenge": (
        leads("http://SECONDPATH", lambda hosts, path, head: challenged("Basic realm=x")),
        "asks for other credentials",
    ),
    "a redirect to a realm there": (
        leads("http://SECONDPATH", lambda hosts, path, head: challenged(bearer(f"http://{hosts.second.name}/token"))),
        "asks for other credentials",
    ),
    "a redirect to a realm here": (
        leads("http://SECONDPATH", lambda hosts, path, head: challenged(bearer(f"http://{hosts.named.name}/token"))),
        "asks for other credentials",
    ),
    "a redirect there and back": (back_again, "asks for other credentials"),
    "a redirect in a circle": (leads("http://NAMED/v2/x"), "redirects more than 10 times"),
    "a redirect to a file": (leads("file:///etc/passwd"), "neither http nor https"),
    "a redirect to ftp": (leads("ftp://SECOND/x"), "neither http nor https"),
    "a redirect to nowhere": (leads("http://:80/"), "without a host"),
    "a redirect to a wrong port": (leads("http://127.0.0.1:99999/"), "wrong port"),
    "a redirect with spaces": (leads("http://SECOND/a b"), "spaces or control characters"),
    "a redirect outwards without encryption": (leads("http://registry.example/x"), "without encryption"),
    "a redirect without a place": (sends(lambda _: [answer(302)]), "status 302"),
    "cookies": (cookies, OK),
    # Answers that never begin, never end, or are none.
    "nothing": (sends(lambda host: host.drip(NEVER(b""))), LATE),
    "a header byte by byte": (sends(lambda host: host.drip(itertools.chain([HEAD], NEVER(b"x")))), LATE),
    "a token byte by byte": (slow_token, LATE),
    "headers without end": (sends(lambda _: itertools.chain([HEAD], NEVER(b"a: b\r\n" * 99))), "is not HTTP"),
    "a header without end": (sends(lambda _: itertools.chain([HEAD], NEVER(b"a" * 9_999))), "is not HTTP"),
    "continue without end": (
        sends(lambda _: NEVER(b"HTTP/1.1 100 Continue\r\n\r\n" * 999)),
        "sends far more than its content",
    ),
    "the end at once": (sends(lambda _: []), "is not HTTP"),
    "another protocol": (sends(lambda _: [b"SSH-2.0-OpenSSH_9.2\r\n"]), "is not HTTP"),
    "the password sent back": (reflecting, "is not HTTP"),
    "a wrong length": (sends(lambda _: [HEAD + b"Content-Length: -5\r\n\r\n{}"]), "lacks|JSON|not "),
    "a length that is not there": (sends(lambda _: [HEAD + b"Content-Length: 500\r\n\r\n{}"]), "498 bytes too early"),
    "content byte by byte": (
        sends(lambda host: host.drip(itertools.chain([HEAD + b"Content-Length: 9999\r\n\r\n"], NEVER(b" ")))),
        LATE,
    ),
    "a chunk byte by byte": (sends(lambda host: host.drip(itertools.chain([CHUNKED, b"5;"], NEVER(b"x")))), LATE),
    "chunks of names": (
        sends(lambda _: itertools.chain([CHUNKED], NEVER(b"1;" + b"x" * 60_000 + b"\r\n \r\n"))),
        "sends far more than its content",
    ),
    "trailers without end": (
        sends(lambda _: itertools.chain([CHUNKED + b"2\r\n{}\r\n0\r\n"], NEVER(b"a: b\r\n" * 999))),
        "sends far more than its content",
    ),
    "chunks that are no numbers": (sends(lambda _: [CHUNKED, b"-7\r\nabc"]), "is not HTTP"),
}


def outcome(path: str, timeout: float | None = 0.3) -> str:
    """Return how a load ends, in words, and check that it ends in time."""
    # Nobody waits for a server without a limit of the caller either: the limits of visits are short in those tests.
    end = in_time(lambda: olmsolve.load(path, timeout=timeout), timeout or 1.0, path)
    if end.raised is None:
        return OK
    assert isinstance(end.raised, CatalogError | olmsolve.Incomplete), end.raised
    return str(end.raised)


def check_second(hosts: Hosts) -> None:
    """Check that the second host has got nothing that it should not have."""
    for head in hosts.second.requests:
        assert not re.search(r"authorization|cookie", head, re.IGNORECASE), head
        assert not any(secret in head for secret in SECRETS), head


@pytest.mark.parametrize("name", REGISTRIES)
def test_hostile_registries(name: str, hosts: Hosts) -> None:
    """A registry may send whatever it likes: the password stays, and the load ends with the image or one sentence."""
    prepare, expected = REGISTRIES[name]
    prepare(hosts)
    is_late = expected == LATE
    text = outcome(f"{hosts.named.name}/a/b:v1", 0.3 if is_late else 10.0)
    assert re.search(expected, text), text
    assert not any(secret in text for secret in SECRETS)
    check_second(hosts)


def test_there_are_forty() -> None:
    """The hostile registries and servers of this page are at least forty."""
    assert len(REGISTRIES) + len(SERVERS) >= 40


def test_a_token_is_asked_for_pulling_alone(hosts: Hosts) -> None:
    """A challenge may name any scope; whoever gets the token could do all that it allows."""
    realm = f"http://{hosts.named.name}/token"
    hosts.named.script = lambda path, head: [
        token_text()
        if path.startswith("/token")
        else served(path)
        if TOKEN in head
        else challenged(bearer(realm, "repository:victim/private:push,delete"))
    ]
    assert outcome(f"{hosts.named.name}/a/b:v1", 10.0) == OK
    [address] = [head.split(" ")[1] for head in hosts.named.requests if head.startswith("GET /token")]
    assert address == "/token?scope=repository%3Aa%2Fb%3Apull&service=small"


def test_a_token_host_that_the_user_names(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    """One's own GitLab has its tokens at a host of another name: a variable allows it, for one registry."""
    prepare = token_at("http://SECOND/token", token_text())
    prepare(hosts)
    monkeypatch.setenv("OLMSOLVE_TOKEN_HOSTS", f"other.example=a.example, {hosts.named.name}={hosts.second.name}")
    assert outcome(f"{hosts.named.name}/a/b:v1", 10.0) == OK
    [head] = hosts.second.requests
    assert f"Authorization: Basic {BASIC}\r\n" in head


# What web servers do, whose URL has a user and a password.
SERVERS: dict[str, tuple[Callable[[Hosts], None], str]] = {
    "the user of the URL": (
        lambda hosts: setattr(
            hosts.named,
            "script",
            lambda path, head: [answer(200, CATALOG) if f"Basic {BASIC}" in head else answer(403)],
        ),
        OK,
    ),
    "a server that redirects": (leads("http://SECONDPATH", lambda *_: answer(200, CATALOG)), OK),
    "a server that redirects without a scheme": (leads("//SECOND/x", lambda *_: answer(200, CATALOG)), OK),
    "a server with a challenge": (sends(lambda _: [challenged("Basic realm=x")]), "status 401"),
    "a server with a realm": (
        sends(lambda _: [challenged('Bearer realm="http://127.0.0.1:9/token"')]),
        "status 401",
    ),
    "a challenge behind a redirect": (leads("http://SECONDPATH", lambda *_: challenged("Basic realm=x")), "status 401"),
    "a server that redirects to a file": (leads("file:///etc/passwd"), "neither http nor https"),
    "a server that sends the password back": (
        lambda hosts: setattr(hosts.named, "script", lambda path, head: [head.encode()]),
        "is not HTTP",
    ),
    "empty gzip members without end": (
        sends(lambda _: itertools.chain([HEAD + b"\r\n"], NEVER(EMPTY_MEMBER * 99))),
        "empty members",
    ),
    "empty gzip members, slowly": (
        sends(lambda host: host.drip(itertools.chain([HEAD + b"\r\n"], NEVER(EMPTY_MEMBER)))),
        LATE,
    ),
    "a line without end": (
        sends(lambda _: itertools.chain([HEAD + b"\r\n{"], NEVER(b" " * 65_536))),
        "more than 67,108,864 characters",
    ),
}


@pytest.mark.parametrize("name", SERVERS)
def test_hostile_servers(name: str, hosts: Hosts) -> None:
    """A server of catalogs gets the user of its own URL, and nobody else does."""
    prepare, expected = SERVERS[name]
    prepare(hosts)
    url = f"http://{USER}:{PASSWORD}@{hosts.named.name}/all"
    text = outcome(url, 0.3 if expected == LATE else 10.0)
    assert re.search(expected, text), text
    assert not any(secret in text for secret in SECRETS)
    check_second(hosts)


def test_no_password_in_a_message(hosts: Hosts, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Messages end up in logs, so no command and no error has the password of a URL, whatever is wrong with it."""
    folder = write_files(tmp_path / "plain", {"c.json": CATALOG})
    hosts.named.script = lambda path, head: [answer(200, CATALOG) if path == "/all" else answer(500)]
    run = runner(capsys)
    for url in (
        f"http://{USER}:{PASSWORD}@{hosts.named.name}/all",
        f"http://{USER}:{PASSWORD}@{hosts.named.name}/gone",
        f"http://{USER}:{PASSWORD}@registry.example/all",
        f"http://{USER}:{PASSWORD}@{hosts.named.name}:70000000/all",
        f"http:/{USER}:{PASSWORD}/x@{hosts.named.name}/all",
        f"docker://{USER}:{PASSWORD}@{hosts.named.name}/a/b:v1",
        f"ftp://{USER}:{PASSWORD}@{hosts.named.name}/all",
    ):
        request = {
            "namespaces": ["a"],
            "catalogs": [{"name": "orchard", "file": url}],
            "subscriptions": [{"name": "x", "package": "missing", "source": "orchard", "sourceNamespace": "a"}],
        }
        (tmp_path / "request.json").write_text(json.dumps(request))
        for command in (
            ("validate", url),
            ("lint", url),
            ("render", url),
            ("catalog", "list", "packages", url),
            ("catalog", "diff", str(folder), url),
            ("graph", url),
            ("resolve", "--catalog", f"orchard={url}", "--subscribe", "missing"),
            ("resolve", str(tmp_path / "request.json")),
            ("explain", str(tmp_path / "request.json")),
            ("resolve", url),
            ("index", url),
        ):
            answered = run(*command)
            assert PASSWORD not in answered.out + answered.err, command
    # A request document is its author's own, and writes back what it has; an error about it does not.
    with pytest.raises((CatalogError, RequestError)) as caught:
        olmsolve.read_request({**request, "namespaces": []} | {"catalogs": [{"name": "a", "file": url}]})
    assert PASSWORD not in f"{caught.value}{caught.value!r}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://me:secret@a.example/b", "https://a.example/b"),
        ("https:/secret@a.example: x", "https:/a.example: x"),
        ("see http://u:a/b@c.example/d@e", "see http://c.example/d@e"),
        ("docker://localhost:5000/a@sha256:00", "docker://localhost:5000/a@sha256:00"),
        ("docker://[::1]:5000/a@sha256:00", "docker://[::1]:5000/a@sha256:00"),
        ("https://a.example/b@c", "https://a.example/b@c"),
        ("me@a.example", "me@a.example"),
    ],
)
def test_text_without_passwords(text: str, expected: str) -> None:
    """Only what stands for a user and a password goes; digests of images stay."""
    assert without_password(text) == expected


def test_a_password_goes_encrypted_alone(hosts: Hosts) -> None:
    """Whoever listens on the way would have it."""
    assert "only sent to https" in outcome(f"http://{USER}:{PASSWORD}@registry.example/all")
    assert PASSWORD not in repr(Credentials(USER, PASSWORD))


def test_never_down_from_https() -> None:
    """A redirect keeps the encryption of the URL, and drops the user that it names."""
    here = address_of("https://a.example/b/c?d")
    for location in ("http://a.example/", "HTTP://b.example", "file:///etc/passwd", "ftp://a.example", "data:,x"):
        with pytest.raises(ValueError, match="redirects"):
            redirected(here, location)
    assert str(redirected(here, "../e")) == "https://a.example/e"
    assert redirected(here, "//me:secret@b.example:8443/x") == address_of("https://b.example:8443/x")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_certificates(hosts: Hosts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host without a certificate that counts is told nothing; one that has it cannot lead to http."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    encrypted = HostileHost(context)
    try:
        port = encrypted.name.rpartition(":")[2]
        url = f"https://{USER}:{PASSWORD}@localhost:{port}/all"
        assert "self-signed certificate" in outcome(url, 10.0).replace("self signed", "self-signed")
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
        assert "certificate is not valid for '127.0.0.1'" in outcome(url.replace("localhost", "127.0.0.1"), 10.0)
        assert encrypted.requests == []
        encrypted.script = lambda path, head: [answer(200, CATALOG)]
        assert outcome(url, 10.0) == OK
        assert f"Authorization: Basic {BASIC}\r\n" in encrypted.requests[0]
        encrypted.script = lambda path, head: [moved(f"http://{hosts.second.name}/all")]
        assert "it redirects from https to a URL without encryption" in outcome(url, 10.0)
        assert hosts.second.requests == []
        encrypted.script = lambda path, head: encrypted.drip(NEVER(b"x"))
        assert outcome(url) == LATE
    finally:
        encrypted.close()


def test_proxies(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an office has a proxy, it gets its own password, and of https nothing but the name of the host."""
    monkeypatch.setenv("no_proxy", "")
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, f"http://me:secret@{hosts.named.name}")
    hosts.named.script = lambda path, head: [answer(403 if head.startswith("CONNECT") else 200, CATALOG)]
    assert outcome("http://catalogs.example/all", 10.0) == OK
    assert "the proxy answers with status 403" in outcome(f"https://{USER}:{PASSWORD}@catalogs.example/all", 10.0)
    plain, tunnel = hosts.named.requests
    assert plain.startswith("GET http://catalogs.example/all HTTP/1.1\r\nHost: catalogs.example\r\n")
    assert tunnel.startswith("CONNECT catalogs.example:443 HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n" in tunnel
    assert "\r\nAuthorization" not in tunnel
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    assert "http_proxy names no HTTP proxy" in outcome("http://catalogs.example/all", 10.0)


def test_strangers_do_not_lead_to_this_machine() -> None:
    """A host outside may not have this machine ask its own services, by name or by number."""
    with socket.create_server(("127.0.0.1", 0)) as own:
        for host in ("127.0.0.1", "localhost", "::ffff:127.0.0.1"):
            with pytest.raises(OSError, match="to this machine"):
                Wire(host, own.getsockname()[1], HostTime(), outwards=True)


def test_a_look_up_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name servers may be silent for minutes; the system cannot be interrupted, the wait can."""
    ended = threading.Event()

    def hang(*_: object, **__: object) -> list[object]:
        ended.wait(10)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    for path in ("https://catalogs.example/all", "registry.example/a/b:v1"):
        assert outcome(path, 0.1) == LATE
    ended.set()


def test_time_without_a_limit_of_the_caller(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to name a limit for a visit to end: silence, a head without end and the whole have limits."""
    limits = "olmsolve.catalog.hosts.wires."
    url = f"http://{hosts.named.name}/all"
    hosts.named.script = lambda path, head: hosts.named.drip(NEVER(b""))
    monkeypatch.setattr(limits + "SILENT_SECONDS", 0.1)
    assert "nothing came for" in outcome(url, None)
    hosts.named.script = lambda path, head: hosts.named.drip(itertools.chain([HEAD], NEVER(b"x")))
    monkeypatch.setattr(limits + "SILENT_SECONDS", 5.0)
    monkeypatch.setattr(limits + "ANSWER_SECONDS", 0.1)
    assert "no answer within" in outcome(url, None)
    hosts.named.script = lambda path, head: hosts.named.drip(itertools.chain([HEAD + b"\r\n"], NEVER(b" ")))
    monkeypatch.setattr(limits + "TOTAL_SECONDS", 0.1)
    assert "not everything came within" in outcome(url, None)


def test_cancelled_from_another_thread(hosts: Hosts) -> None:
    """Whoever has gone needs no answer: the flag is seen while nothing comes."""
    hosts.named.script = lambda path, head: hosts.named.drip(NEVER(b""))
    flag = threading.Event()
    timer = threading.Timer(0.1, flag.set)
    timer.start()
    end = in_time(lambda: olmsolve.load(f"{hosts.named.name}/a/b:v1", cancel=flag), 0.1)
    assert isinstance(end.raised, olmsolve.Incomplete)
    assert "cancelled" in str(end.raised)


def test_a_hostile_answer_takes_no_memory(hosts: Hosts) -> None:
    """What is not kept takes no memory, however much of it comes."""
    hosts.named.script = lambda path, head: itertools.chain([CHUNKED], NEVER(b"1;" + b"x" * 60_000 + b"\r\n \r\n"))
    tracemalloc.start()
    try:
        outcome(f"{hosts.named.name}/a/b:v1", 5.0)
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("headers", "schemes"),
    [
        (["Basic realm=x"], ["basic"]),
        (['Bearer realm="a,b=c",service=d , basic'], ["bearer", "basic"]),
        (["Negotiate", 'Digest qop="auth"'], ["negotiate", "digest"]),
        (["", ",,,", '"', "=x"], []),
    ],
)
def test_challenges(headers: list[str], schemes: list[str]) -> None:
    """RFC 7235 has several challenges in one header, and several headers."""
    assert [challenge.scheme for challenge in challenges_in(headers)] == schemes
