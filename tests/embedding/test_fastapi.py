"""The FastAPI application of the guide, as it stands there, answered by its own test client."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module ``api`` of the guide, in a folder with the demo's catalogs."""
    pytest.importorskip("fastapi", reason="fastapi is not installed")
    pytest.importorskip("httpx2", reason="httpx2 is not installed")
    page = (ROOT / "docs/how-to/embed-in-a-service.md").read_text("utf-8")
    block = re.search(r"<!-- not run: needs FastAPI[^\n]*-->\n```python\n(.*?)```", page, re.DOTALL)
    assert block is not None
    shutil.copytree(ROOT / "olmsolve/examples/catalogs", tmp_path / "demo/catalogs")
    monkeypatch.chdir(tmp_path)
    module = ModuleType("api")
    monkeypatch.setitem(sys.modules, "api", module)
    exec(compile(block[1], "api.py", "exec"), module.__dict__)  # noqa: S102 - our own page
    return module


def test_the_application_answers(api: Any) -> None:
    """A plan, a failure with its core, and what was asked wrong, each with its status."""
    from fastapi.testclient import TestClient

    with TestClient(api.app) as client:
        plan = client.get("/plan/ledgerdb").json()
        assert [install["name"] for install in plan["installs"]] == ["ledgerdb.v5.3.0", "keyring.v1.0.2"]
        failure = client.get("/plan/keyrink")
        assert failure.status_code == 409
        assert failure.json()["detail"]["constraints"][0]["kind"] == "UnknownPackage"
        wrong = client.get("/plan/keyring", params={"channel": "beta"})
        assert wrong.status_code == 409


def test_a_client_that_goes_away_cancels_its_question(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The framework would let it go on to the end; the question here never ends by itself."""
    ended: list[str] = []

    class Resolver:
        async def resolve_async(self, *_: object, **__: object) -> None:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise

    class Store:
        resolver = Resolver()

    monkeypatch.setattr(api, "STORE", Store())
    messages: list[dict[str, Any]] = [{"type": "http.request", "body": b"", "more_body": False}]
    messages.append({"type": "http.disconnect"})
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if messages else await asyncio.sleep(60, {})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "path": "/plan/keyring",
        "headers": [],
    }
    scope |= {"query_string": b"", "raw_path": b"/plan/keyring", "root_path": "", "scheme": "http"}
    scope |= {"server": ("shop", 80), "client": ("somebody", 5000), "asgi": {"version": "3.0"}}
    asyncio.run(asyncio.wait_for(api.app(scope, receive, send), 30))
    assert ended == ["cancelled"]
    assert sent[0]["status"] == 499
