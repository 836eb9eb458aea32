"""Catalogs on the command line: by path, or by NAME=PATH, wherever a command takes one."""

from __future__ import annotations

from pathlib import Path

import pytest

from olmsolve.cli.named_catalogs import name_of_path
from tests.cli.commands import Run, runner


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_catalogs_are_given_by_path_or_by_name(olmsolve: Run) -> None:
    """A path alone names the catalog after its file, with the dots that a version has; both ways may be mixed."""
    example = Path("olmsolve/examples/catalogs")
    outcome = olmsolve("audit", example / "orchard", f"commons={example / 'commons'}:3")
    assert outcome.code == 0
    assert "of olm/commons, olm/orchard" in outcome.out
    assert "a catalog is needed: its path, or NAME=PATH" in olmsolve("audit").err
    twice = olmsolve("audit", f"a={example / 'orchard'}", f"a={example / 'commons'}")
    assert "is given twice" in twice.err


def test_a_name_keeps_the_dots_of_a_version(tmp_path: Path) -> None:
    """``fbc-v4.20.jsonl`` was called fbc-v4."""
    for name, called in {
        "fbc-v4.20.jsonl": "fbc-v4.20",
        "c.tar.gz": "c",
        "community": "community",
        "example.com/index:v4.20": "index",
        "example.com/index@sha256:00": "index",
        ".json": "json",
    }.items():
        assert name_of_path(Path(name)) == called
    folder = tmp_path / "catalog.v1.json"
    folder.mkdir()
    assert name_of_path(folder) == "catalog.v1.json"


def test_commands_that_need_no_name_take_one(olmsolve: Run) -> None:
    """``lint``, ``validate`` and ``bench`` take what ``audit`` takes."""
    path = Path("olmsolve/examples/catalogs/commons")
    assert olmsolve("lint", f"commons={path}").out == olmsolve("lint", path).out
    assert olmsolve("validate", f"commons={path}").code == 0
    assert olmsolve("resolve", "--catalog", path, "--subscribe", "keyring").code == 0
