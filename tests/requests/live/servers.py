"""A stand-in for the API server of a cluster: recorded answers on the loopback, in pages, some of them refused.

``recorded.json`` has what the API server of Kubernetes 1.36 answered with the real OLM on it, after somebody had
approved the first of two install plans.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import yaml

RECORDED: Final = Path(__file__).parent / "recorded.json"


class StandIn:
    """The answers of a server: *lists* by path, statuses of *refused* paths, other *contents*, and what was asked.

    Pages are of so many objects at most. *expired* is how many tokens of pages are refused as too old.
    """

    def __init__(self, page: int = 500, expired: int = 0) -> None:
        self.lists: dict[str, dict[str, Any]] = json.loads(RECORDED.read_text("utf-8"))
        self.refused: dict[str, int] = {}
        self.contents: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.methods: set[str] = set()
        self.tokens: set[str | None] = set()
        self.acts_as: set[tuple[str | None, str | None]] = set()
        self.page = page
        self.expired = expired
        self.url = ""

    def add(self, path: str, *items: dict[str, Any]) -> None:
        """Add objects to the list at *path*."""
        version, _, plural = path.rpartition("/")
        group = version.removeprefix("/apis/")
        kind = {"clustercatalogs": "ClusterCatalog", "clusterextensions": "ClusterExtension"}.get(plural, "")
        empty_list = {"kind": f"{kind}List", "apiVersion": group, "metadata": {}, "items": []}
        self.lists.setdefault(path, empty_list)["items"] += items

    def answer(self, path: str) -> tuple[int, bytes]:
        """Return the status and the content for *path* with its query."""
        self.asked.append(path)
        parts = urlsplit(path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path in self.refused:
            status = self.refused[parts.path]
            return status, self._status(status, f"{parts.path} is refused")
        if parts.path in self.contents:
            return 200, self.contents[parts.path]
        listed = self.lists.get(parts.path) or self._in_namespace(parts.path)
        if listed is None:
            return 404, b"404 page not found\n"
        if "continue" in query and self.expired:
            self.expired -= 1
            return 410, self._status(410, "The provided continue parameter is too old")
        start, most = int(query.get("continue", 0)), int(query.get("limit", 0)) and self.page
        if "fieldSelector" in query:
            name = query["fieldSelector"].removeprefix("metadata.name=")
            listed = {**listed, "items": [item for item in listed["items"] if item["metadata"]["name"] == name]}
        items = listed["items"][start : start + most] if most else listed["items"]
        end = start + len(items)
        metadata = {"continue": str(end)} if end < len(listed["items"]) else {}
        return 200, json.dumps({**listed, "items": items, "metadata": metadata}).encode()

    def _in_namespace(self, path: str) -> dict[str, Any] | None:
        base, _, rest = path.partition("/namespaces/")
        namespace, _, plural = rest.partition("/")
        listed = self.lists.get(f"{base}/{plural}") if plural else None
        if listed is None:
            return None
        return {**listed, "items": [item for item in listed["items"] if item["metadata"].get("namespace") == namespace]}

    @staticmethod
    def _status(code: int, message: str) -> bytes:
        return json.dumps({"kind": "Status", "apiVersion": "v1", "code": code, "message": message}).encode()


@contextmanager
def serving(standin: StandIn, folder: Path) -> Iterator[Path]:
    """Serve *standin* until the end; provide a kubeconfig in *folder* with the contexts ``here`` and ``nobody``."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            standin.methods.add("GET")
            standin.tokens.add(self.headers.get("Authorization"))
            standin.acts_as.add((self.headers.get("Impersonate-User"), self.headers.get("Impersonate-Uid")))
            status, data = standin.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                standin.methods.add(name.removeprefix("do_"))
            raise AttributeError(name)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    standin.url = f"http://127.0.0.1:{server.server_port}"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": "c", "cluster": {"server": standin.url}},
            {"name": "gone", "cluster": {"server": "http://127.0.0.1:1"}},
        ],
        "users": [{"name": "u", "user": {"token": "a-token"}}, {"name": "n", "user": {}}],
        "contexts": [
            {"name": "here", "context": {"cluster": "c", "user": "u"}},
            {"name": "nobody", "context": {"cluster": "c", "user": "n"}},
            {"name": "gone", "context": {"cluster": "gone", "user": "u"}},
        ],
        "current-context": "here",
    }
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(config), "utf-8")
    try:
        yield path
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
