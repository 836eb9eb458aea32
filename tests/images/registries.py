"""Registries on the loopback: Debian's where it is installed, and a small one with every kind of challenge."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.images.building import BuiltImage, digest

USER, PASSWORD, TOKEN = "gardener", "pass:word", "a-token"
BASIC = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


class SmallRegistry:
    """A registry that serves *blobs* and *manifests* by tag or digest, and counts what it is asked for.

    *challenge* is "basic", "token" (for which the realm wants the user) or "anonymous" (a token for everybody).
    """

    def __init__(self, *images: BuiltImage, challenge: str = "") -> None:
        self.challenge = challenge
        self.requests: list[str] = []
        self.blobs = {key: value for image in images for key, value in image.blobs.items()}
        self.tags = {f"v{number}": image.manifest for number, image in enumerate(images, 1)}
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                registry.answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer a GET as the distribution API does."""
        path = request.path
        self.requests.append(path)
        authorization = request.headers.get("Authorization", "")
        if path.startswith("/token"):
            allowed = self.challenge == "anonymous" or authorization == f"Basic {BASIC}"
            body = json.dumps({"token": TOKEN}).encode()
            self.send(request, 200 if allowed else 401, body)
        elif self.challenge == "basic" and authorization != f"Basic {BASIC}":
            self.send(request, 401, b"", 'Basic realm="a registry"')
        elif self.challenge in ("token", "anonymous") and authorization != f"Bearer {TOKEN}":
            realm = f'Bearer realm="http://{self.host}/token",service="small",scope="repository:a/b:pull"'
            self.send(request, 401, b"", realm)
        else:
            name = path.rpartition("/")[2]
            body = self.tags.get(name, self.blobs.get(name, b""))
            self.send(request, 200 if body else 404, body)

    def send(self, request: BaseHTTPRequestHandler, status: int, body: bytes, challenge: str = "") -> None:
        """Send one answer."""
        request.send_response(status)
        if challenge:
            request.send_header("Www-Authenticate", challenge)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


@contextmanager
def serving(registry: SmallRegistry) -> Iterator[SmallRegistry]:
    """Serve *registry* inside the block."""
    thread = threading.Thread(target=registry.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        registry.server.shutdown()
        registry.server.server_close()
        thread.join()


@contextmanager
def debian_registry(folder: Path) -> Iterator[str]:
    """Run Debian's docker-registry with its data in *folder*, and yield its host and port."""
    program = shutil.which("docker-registry")
    assert program is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{free.getsockname()[1]}"
    settings = {
        "version": 0.1,
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
        "http": {"addr": host},
    }
    (folder / "registry.yaml").write_text(json.dumps(settings))
    with subprocess.Popen(
        [program, "serve", str(folder / "registry.yaml")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            _wait_for(host)
            yield host
        finally:
            process.kill()


def _wait_for(host: str) -> None:
    for _ in range(500):
        try:
            with urllib.request.urlopen(f"http://{host}/v2/", timeout=5):
                return
        except OSError:
            time.sleep(0.02)
    raise AssertionError("the registry does not start")


def push(host: str, repository: str, tag: str, image: BuiltImage) -> None:
    """Push *image* to the registry at *host*, with the requests of the distribution API."""
    base = f"http://{host}/v2/{repository}"
    for key, data in image.blobs.items():
        if data is image.manifest:
            continue
        start = urllib.request.Request(f"{base}/blobs/uploads/", method="POST")  # noqa: S310 - on the loopback
        with urllib.request.urlopen(start) as answer:  # noqa: S310
            location = answer.headers["Location"]
        mark = "&" if "?" in location else "?"
        _put(f"{location}{mark}digest={key}", data, "application/octet-stream")
    _put(f"{base}/manifests/{tag}", image.manifest, "application/vnd.oci.image.manifest.v1+json")
    assert digest(image.manifest) in image.blobs


def _put(url: str, data: bytes, media_type: str) -> None:
    headers = {"Content-Type": media_type, "Content-Length": str(len(data))}
    request = urllib.request.Request(url, data, headers, method="PUT")  # noqa: S310 - on the loopback
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        assert answer.status == 201
