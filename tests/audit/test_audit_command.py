"""``olmsolve audit``: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from tests.audit.catalogs import FAULTY
from tests.cli.commands import Run, runner
from tests.scenarios.notation import request_document


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Write a catalog of the given packages into an empty working directory, and say it as an option."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, **packages: Any) -> str:
        document = request_document({"catalogs": {"olm/main": {"packages": packages}}})
        Path(name).write_text("\n".join(map(json.dumps, document["catalogs"][0]["blobs"])), "utf-8")
        return f"{name}={name}"

    return write


def test_nothing_found(olmsolve: Run, catalog: Callable[..., str]) -> None:
    """Exit code 0, and nothing on standard error."""
    outcome = olmsolve("audit", "--catalog", catalog("main", fine=FAULTY["fine"]))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("nothing found.\n")


@pytest.mark.parametrize("jobs", [1, 2])
def test_findings(olmsolve: Run, catalog: Callable[..., str], jobs: int) -> None:
    """Exit code 1; the report goes to standard output whatever its form, and however many processes made it."""
    option = catalog("main", **FAULTY)
    text = olmsolve("audit", "--catalog", option, "--workers", jobs)
    assert (text.code, text.err) == (1, "")
    assert "blocked.v3.0.0, the head of channel stable, cannot be installed" in text.out
    data = olmsolve("audit", "--catalog", option, "--workers", jobs, "--output", "json")
    assert data.code == 1
    assert len(json.loads(data.out)["findings"]) == 4
    junit = olmsolve("audit", "--catalog", option, "--workers", jobs, "--output", "junit")
    assert junit.code == 1
    assert Xml.fromstring(junit.out).get("failures") == "4"  # noqa: S314 - our own


def test_several_catalogs(olmsolve: Run, catalog: Callable[..., str]) -> None:
    """A requirement of one catalog may be met by another."""
    app = {"channels": {"stable": "app.v1.0.0"}, "bundles": {"app.v1.0.0": [{"needs-package": "db >=1.0.0"}]}}
    one, two = catalog("one", app=app), catalog("two", db={"channels": {"stable": "db.v1.0.0"}})
    assert olmsolve("audit", "--catalog", one).code == 1
    assert olmsolve("audit", "--catalog", one, "--catalog", f"{two}:5").code == 0


def test_resume(olmsolve: Run, catalog: Callable[..., str]) -> None:
    """The second run takes over the results of the first; lines skipped are counted on standard error."""
    option = catalog("main", **FAULTY)
    first = olmsolve("audit", "--catalog", option, "--resume", "state")
    assert olmsolve("audit", "--catalog", option, "--resume", "state") == first
    with Path("state").open("ab") as state:
        state.write(b"damaged\n")
    resumed = olmsolve("audit", "--catalog", option, "--resume", "state")
    assert (resumed.code, resumed.out) == (first.code, first.out)
    assert resumed.err == "olmsolve: state: 1 damaged line skipped\n"


def test_out_of_budget(olmsolve: Run, catalog: Callable[..., str]) -> None:
    """Exit code 3, and no report of a part."""
    outcome = olmsolve("audit", "--catalog", catalog("main", **FAULTY), "--timeout", "0.000001")
    assert (outcome.code, outcome.out) == (3, "")
    assert "time budget" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--catalog", "main=nowhere"], "nowhere"),
        (["--catalog", "elsewhere"], "elsewhere"),  # a path alone is a catalog, if it is there
        (["--catalog", "main=main", "--catalog", "main=main"], "given twice"),
        (["--catalog", "main=main", "--backend", "nonesuch"], "nonesuch"),
        (["--catalog", "main=main", "--resume", "main"], "not a state file"),
        (["--catalog", "main=main", "--workers", "0"], "--workers"),
        (["--catalog", "main=main", "--workers", "many"], "--workers"),
        (["--catalog", "main=main", "--timeout", "-1"], "--timeout"),
        ([], "a catalog is needed: its path, or NAME=PATH"),
    ],
)
def test_bad_input(olmsolve: Run, catalog: Callable[..., str], arguments: list[str], words: str) -> None:
    """Exit code 2, and one message that says what is wrong."""
    catalog("main", **FAULTY)
    outcome = olmsolve("audit", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert "Traceback" not in outcome.err
