"""Benchmarks need this repository alone, and judge other tools by their answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.catalogs import catalog_files
from benchmarks.synthetic import figure_of
from tests.scale import LONG

_ANSWER = b'{"build": 0.25, "solve": 0.5, "explanation": null, "selected": 7, "faults": [], "above": 21}\n'


def _finished(output: bytes, code: int, error: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.CompletedProcess([], code, output, error)


def test_an_answer_counts_though_its_process_dies() -> None:
    """Some tools crash while the interpreter tears them down; they have answered, and were timed, before."""
    for code in (0, -6, -11, -24, 1):
        figure = figure_of(_finished(_ANSWER, code), limit=4)
        assert (figure.note, figure.total, figure.selected) == ("", 0.75, 7)


def test_no_answer_is_said() -> None:
    """A process that was stopped, or died before its answer was complete, has no figures."""
    assert figure_of(_finished(b"", -24), limit=4).note == ">4"
    assert figure_of(_finished(_ANSWER[:20], -9), limit=4).note == ">4"
    assert figure_of(_finished(b"", 1, b"Traceback\nMemoryError: too much\n"), limit=4).note == (
        "failed: MemoryError: too much"
    )
    assert figure_of(_finished(b'{"missing": "no such module"}\n', 0), limit=4).note == "missing"
    wrong = _ANSWER.replace(b"[]", b'["root 1 is missing"]')
    assert figure_of(_finished(wrong, 0), limit=4).note == "wrong: root 1 is missing"


def test_catalogs_are_made_without_recorded_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone that stands alone has a catalog to read; recorded ones come on top of it."""
    monkeypatch.setenv("OLMSOLVE_SHARED", str(tmp_path / "nowhere"))
    files = catalog_files(tmp_path)
    assert list(files) == ["like community-prod"]
    assert files["like community-prod"].is_file()


@pytest.mark.parametrize("name", ["versions", "extensions"] if LONG else ["extensions"])
def test_quick_benchmarks_print_tables(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends soonest is run for real, as a clone without recorded data runs it; the short run runs one."""
    monkeypatch.setenv("OLMSOLVE_SHARED", str(tmp_path / "nowhere"))
    command = [sys.executable, "-m", "benchmarks", "--quick", name]
    run = subprocess.run(command, capture_output=True, check=True, text=True)
    assert run.stdout.startswith(f"== {name}\nlike community-prod: ")
    assert "skipped" not in run.stdout
    assert len(run.stdout.splitlines()) > 4
