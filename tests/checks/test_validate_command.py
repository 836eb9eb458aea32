"""``olmsolve validate``: what it prints, and the exit code that pipelines decide by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import Run, runner

VALID = """\
{"schema": "olm.package", "name": "p", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1.0.0"}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v1.0.0", "image": "quay.io/p/p:1",
 "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}]}
"""


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


def test_a_valid_catalog(olmsolve: Run) -> None:
    """Silence could also mean that nothing was done."""
    Path("catalog.json").write_text(VALID)
    outcome = olmsolve("validate", "catalog.json")
    assert (outcome.code, outcome.out, outcome.err) == (0, "Valid.\n", "")


def test_every_fault_on_a_line(olmsolve: Run) -> None:
    """Lines begin with file and line as compilers write them, so that editors find them."""
    Path("catalog.json").write_text(VALID.replace("stable", "\\u001b[31m", 1).replace("quay.io/p/p:1", "quay.io/P"))
    outcome = olmsolve("validate", "catalog.json")
    first, second, last = outcome.out.splitlines()
    assert (outcome.code, outcome.err, last) == (1, "", "Not valid: 2 errors.")
    assert first.startswith("catalog.json:3: package p, bundle p.v1.0.0, image: error: 'quay.io/P'")
    assert first.endswith("[image-invalid]")
    assert second.startswith("catalog.json:1: ")
    assert "\x1b" not in outcome.out


def test_json_holds_every_field(olmsolve: Run) -> None:
    """Programs get the verdict, the stage and the fields instead of the sentence."""
    Path("catalog.json").write_text(VALID.replace("stable", "beta", 1))
    outcome = olmsolve("validate", "catalog.json", "--output", "json")
    report = json.loads(outcome.out)
    assert (outcome.code, report["schema"], report["schemaVersion"]) == (1, "olmsolve.findings", 1)
    assert report["valid"] is False
    (finding,) = report["findings"]
    assert finding.pop("message")
    assert finding.pop("hint") == "its channels are stable"
    assert finding == {
        "severity": "error",
        "code": "default-channel-unknown",
        "stage": "convert",
        "package": "p",
        "channel": "beta",
        "origin": "catalog.json:1",
    }


def test_warnings_do_not_fail(olmsolve: Run) -> None:
    """opm accepts these, and the exit code is opm's verdict."""
    Path("catalog.json").write_text(VALID.replace("defaultChannel", "DefaultChannel"))
    outcome = olmsolve("validate", "catalog.json")
    assert (outcome.code, outcome.out.splitlines()[-1]) == (0, "Valid: 1 warning.")


def test_nothing_at_the_path(olmsolve: Run) -> None:
    """A wrong path is no verdict on a catalog."""
    outcome = olmsolve("validate", "absent")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("olmsolve: absent: cannot be read")
