"""``olmsolve index``, and ``olmsolve resolve`` over what it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from olmsolve.catalog.fbc import loading
from olmsolve.cli import Exit
from tests.cli.commands import Run
from tests.index_files.files import BLOBS, write_blobs


@pytest.fixture
def request_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_blobs(tmp_path / "catalog.jsonl", BLOBS)
    document = {
        "namespaces": ["here"],
        "catalogs": [{"name": "main", "file": "catalog.jsonl"}],
        "subscriptions": [
            {"name": "app", "package": "app", "channel": "stable", "source": "main", "sourceNamespace": "here"}
        ],
    }
    file = Path("request.json")
    file.write_text(json.dumps(document), "utf-8")
    return file


def _refuse(*arguments: object) -> None:
    raise AssertionError("the catalog's text was read")


def test_resolving_starts_from_the_index(olmsolve: Run, request_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same answer, and the catalog's text is not read for it."""
    before = olmsolve("resolve", request_file)
    written = olmsolve("index", "catalog.jsonl")
    assert (written.code, written.out, written.err) == (Exit.PLAN, "catalog.jsonl.olmindex\n", "")
    monkeypatch.setattr(loading, "_load_path", _refuse)
    assert olmsolve("resolve", request_file) == before
    assert before.code == Exit.PLAN


@pytest.mark.parametrize(
    "arguments",
    [
        ("diff", "request.json", "request.json"),
        ("why", "request.json", "app.v1.1.0"),
        ("explain", "request.json"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_that_resolve_use_the_index(
    olmsolve: Run, request_file: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """One way of loading serves them all: each prints the same, and reads no catalog."""
    before = olmsolve(*arguments)
    olmsolve("index", "catalog.jsonl")
    monkeypatch.setattr(loading, "_load_path", _refuse)
    assert olmsolve(*arguments) == before
    assert before.code == Exit.PLAN


def test_commands_that_read_every_bundle_look_for_no_index(olmsolve: Run, request_file: Path) -> None:
    """They would hash the catalog in vain, and tell of a stale index that does not concern them."""
    olmsolve("index", "catalog.jsonl")
    write_blobs(Path("catalog.jsonl"), [blob for blob in BLOBS if blob.get("name") != "app.v1.1.0"])
    for arguments in (("lint",), ("graph",), ("render",), ("catalog", "edges")):
        assert olmsolve(*arguments, "catalog.jsonl").err == ""


def test_a_stale_index_is_told(olmsolve: Run, request_file: Path) -> None:
    """A note says why resolving is slow again; the answer follows the catalog as it is now."""
    olmsolve("index", "catalog.jsonl")
    write_blobs(Path("catalog.jsonl"), [blob for blob in BLOBS if blob.get("name") != "app.v1.1.0"])
    outcome = olmsolve("resolve", request_file)
    assert outcome.code == Exit.PLAN
    assert "app.v1.0.0" in outcome.out
    assert outcome.err == (
        "olmsolve: the index is not used: catalog.jsonl.olmindex: an index of another content: the catalog has"
        " changed since\n"
    )


def test_a_file_of_ones_own(olmsolve: Run, request_file: Path) -> None:
    """``--to`` says where, and what cannot be done is bad input with one line."""
    assert olmsolve("index", "catalog.jsonl", "--to", "mine.olmindex").out == "mine.olmindex\n"
    assert Path("mine.olmindex").is_file()
    refused = olmsolve("index", "catalog.jsonl", "--to", request_file)
    assert refused.code == Exit.BAD_INPUT
    assert refused.err.count("\n") == 1
    assert olmsolve("index", "-").code == Exit.BAD_INPUT
    assert olmsolve("index", "nowhere").code == Exit.BAD_INPUT
    assert olmsolve("index").code == Exit.BAD_INPUT
