"""``olmsolve bench``: a report that is saved, read and compared; what it measures is tested in tests/testing."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path

import jsonschema
import pytest

import olmsolve as library
from olmsolve.cli import main
from olmsolve.render import json_schema
from olmsolve.testing import timing
from tests.cli.commands import Run

COMMONS = Path(library.__file__).parent / "examples/catalogs/commons"
ARGUMENTS = ("bench", str(COMMONS), "--processes", "1", "--passes", "1")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The file of a baseline, measured once for all tests, which takes a second, and what was printed meanwhile."""
    saved = tmp_path_factory.mktemp("bench") / "baseline.json"
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([*ARGUMENTS, "--save", str(saved), "--output", "json"]) == 0
    return saved, out.getvalue()


@pytest.fixture
def without_measuring(measured: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the figures of the baseline for those of each other run, whose messages are what is tested."""
    report = timing.read_bench(str(measured[0]))
    monkeypatch.setattr(timing, "bench", lambda *_, **__: report)


def test_the_command_compares_with_a_baseline(olmsolve: Run, measured: tuple[Path, str], tmp_path: Path) -> None:
    """Saved, read and compared: a phase that took a twentieth of the time before is named, and ends with 1."""
    data = json.loads(measured[1])
    assert data == json.loads(measured[0].read_text("utf-8"))
    jsonschema.Draft202012Validator(json_schema("bench")).validate(data)
    for phase in data["phases"]:
        phase["seconds"] = [second / 20 if phase["phase"] == "index" else second * 20 for second in phase["seconds"]]
    saved = tmp_path / "baseline.json"
    saved.write_text(json.dumps(data), "utf-8")
    compared = olmsolve(*ARGUMENTS, "--against", saved)
    assert compared.code == 1
    assert "index has become slower: it takes" in compared.err
    assert compared.err.count("has become slower") == 1
    assert "; 1 process, CPU time, " in " ".join(compared.out.split())
    assert compared.out.count("faster") == 3


@pytest.mark.usefixtures("without_measuring")
def test_a_baseline_saved_under_load_is_told(olmsolve: Run, measured: tuple[Path, str], tmp_path: Path) -> None:
    """When it is saved, and again whenever something is compared with it."""
    saved = tmp_path / "baseline.json"
    saved.write_text(json.dumps(json.loads(measured[1]) | {"busy": [3.0]}), "utf-8")
    compared = olmsolve(*ARGUMENTS, "--against", saved)
    assert "was saved under load, the machine was busy: a second of CPU time took 3.0 seconds" in compared.err


@pytest.mark.usefixtures("without_measuring")
def test_a_poor_baseline_is_told_when_it_is_saved(
    olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then there is still time to save another one."""
    monkeypatch.setattr("olmsolve.testing.timing.report.BUSY", 0.0)
    outcome = olmsolve(*ARGUMENTS, "--save", tmp_path / "b.json")
    assert "is a poor baseline, the machine was busy: a second of CPU time took" in " ".join(outcome.err.split())


def test_two_environments_are_compared(olmsolve: Run, tmp_path: Path) -> None:
    """A folder that is no environment, and a comparison of two kinds at once, are refused."""
    assert "is not a virtual environment" in olmsolve("bench", COMMONS, "--ab", tmp_path).err
    refused = olmsolve("bench", COMMONS, "--ab", tmp_path, "--against", "x.json")
    assert "--against and --ab exclude each other" in refused.err
    outcome = olmsolve(*ARGUMENTS, "--ab", sys.executable)
    assert "in turn with" in " ".join(outcome.out.split())


@pytest.mark.usefixtures("without_measuring")
def test_a_baseline_that_was_timed_otherwise_is_told(olmsolve: Run, measured: tuple[Path, str], tmp_path: Path) -> None:
    """Earlier versions timed each phase by itself, and so saw less time: the same code would seem slower now."""
    saved = tmp_path / "baseline.json"
    data = json.loads(measured[1])
    del data["busy"]
    saved.write_text(json.dumps(data), "utf-8")
    compared = " ".join(olmsolve(*ARGUMENTS, "--against", saved).err.split())
    assert "baseline.json was saved by an earlier olmsolve, which timed each phase by itself" in compared
    assert "save a new baseline" in compared


@pytest.mark.skipif(os.name == "nt", reason="a script that stands for a Python")
def test_a_version_that_cannot_be_measured(olmsolve: Run, tmp_path: Path) -> None:
    """The program that measures is this version's, and another version may not have what it imports."""
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import olmsolve.of_later'\n", "utf-8")
    python.chmod(0o755)
    outcome = olmsolve(*ARGUMENTS, "--ab", tmp_path)
    text = " ".join(outcome.err.split())
    assert outcome.code == 2
    assert "another olmsolve than this program can measure: No module named 'olmsolve.of_later'" in text
    assert "ModuleNotFoundError" not in text
