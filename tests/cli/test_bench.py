"""``olmsolve bench``: a report that is saved, read and compared; what it measures is tested in tests/testing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import jsonschema
import pytest

import olmsolve as library
from olmsolve.render import json_schema
from tests.cli.commands import Run

COMMONS = Path(library.__file__).parent / "examples/catalogs/commons"


def test_the_command_compares_with_a_baseline(olmsolve: Run, tmp_path: Path) -> None:
    """Saved, read and compared: a phase that took a twentieth of the time before is named, and ends with 1."""
    saved = tmp_path / "baseline.json"
    arguments = ("bench", COMMONS, "--processes", 1, "--passes", 1)
    outcome = olmsolve(*arguments, "--save", saved, "--output", "json")
    assert outcome.code == 0
    data = json.loads(outcome.out)
    assert data == json.loads(saved.read_text("utf-8"))
    jsonschema.Draft202012Validator(json_schema("bench")).validate(data)
    for phase in data["phases"]:
        phase["seconds"] = [second / 20 if phase["phase"] == "index" else second * 20 for second in phase["seconds"]]
    saved.write_text(json.dumps(data), "utf-8")
    compared = olmsolve(*arguments, "--against", saved)
    assert compared.code == 1
    assert "index has become slower: it takes" in compared.err
    assert compared.err.count("has become slower") == 1
    assert "; 1 process, CPU time, " in " ".join(compared.out.split())
    assert compared.out.count("faster") == 3


def test_a_baseline_saved_under_load_is_told(olmsolve: Run, tmp_path: Path) -> None:
    """When it is saved, and again whenever something is compared with it."""
    saved = tmp_path / "baseline.json"
    arguments = ("bench", COMMONS, "--processes", 1, "--passes", 1)
    olmsolve(*arguments, "--save", saved)
    data = json.loads(saved.read_text("utf-8"))
    saved.write_text(json.dumps(data | {"busy": [3.0]}), "utf-8")
    compared = olmsolve(*arguments, "--against", saved)
    assert "was saved under load, the machine was busy: a second of CPU time took 3.0 seconds" in compared.err


def test_a_poor_baseline_is_told_when_it_is_saved(
    olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then there is still time to save another one."""
    monkeypatch.setattr("olmsolve.testing.timing.report.BUSY", 0.0)
    outcome = olmsolve("bench", COMMONS, "--processes", 1, "--passes", 1, "--save", tmp_path / "b.json")
    assert "is a poor baseline, the machine was busy: a second of CPU time took" in " ".join(outcome.err.split())


def test_two_environments_are_compared(olmsolve: Run, tmp_path: Path) -> None:
    """A folder that is no environment, and a comparison of two kinds at once, are refused."""
    assert "is not a virtual environment" in olmsolve("bench", COMMONS, "--ab", tmp_path).err
    refused = olmsolve("bench", COMMONS, "--ab", tmp_path, "--against", "x.json")
    assert "--against and --ab exclude each other" in refused.err
    outcome = olmsolve("bench", COMMONS, "--processes", 1, "--passes", 1, "--ab", sys.executable)
    assert "in turn with" in " ".join(outcome.out.split())


def test_a_baseline_that_was_timed_otherwise_is_told(olmsolve: Run, tmp_path: Path) -> None:
    """Earlier versions timed each phase by itself, and so saw less time: the same code would seem slower now."""
    saved = tmp_path / "baseline.json"
    arguments = ("bench", COMMONS, "--processes", 1, "--passes", 1)
    olmsolve(*arguments, "--save", saved)
    data = json.loads(saved.read_text("utf-8"))
    del data["busy"]
    saved.write_text(json.dumps(data), "utf-8")
    compared = " ".join(olmsolve(*arguments, "--against", saved).err.split())
    assert "baseline.json was saved by an earlier olmsolve, which timed each phase by itself" in compared
    assert "save a new baseline" in compared


@pytest.mark.skipif(os.name == "nt", reason="a script that stands for a Python")
def test_a_version_that_cannot_be_measured(olmsolve: Run, tmp_path: Path) -> None:
    """The program that measures is this version's, and another version may not have what it imports."""
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import olmsolve.of_later'\n", "utf-8")
    python.chmod(0o755)
    outcome = olmsolve("bench", COMMONS, "--processes", 1, "--passes", 1, "--ab", tmp_path)
    text = " ".join(outcome.err.split())
    assert outcome.code == 2
    assert "another olmsolve than this program can measure: No module named 'olmsolve.of_later'" in text
    assert "ModuleNotFoundError" not in text
