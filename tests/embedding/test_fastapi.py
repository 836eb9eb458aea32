"""The FastAPI application of the guide, as it stands there, answered by its own test client."""

from __future__ import annotations

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
