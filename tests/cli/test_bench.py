"""``olmsolve bench``: a report that is saved, read and compared; what it measures is tested in tests/testing."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

import olmsolve as library
from olmsolve.render import json_schema
from tests.cli.commands import Run

COMMONS = Path(library.__file__).parent / "examples/catalogs/commons"


def test_the_command_compares_with_a_baseline(olmsolve: Run, tmp_path: Path) -> None:
    """Saved, read and compared: a phase that took a twentieth of the time before is named, and ends with 1."""
    saved = tmp_path / "baseline.json"
    arguments = ("bench", COMMONS, "--processes", 1, "--passes", 1)
    made = olmsolve(*arguments, "--save", saved, "--output", "json")
    assert made.code == 0
    data = json.loads(made.out)
    assert data == json.loads(saved.read_text("utf-8"))
    jsonschema.Draft202012Validator(json_schema("bench")).validate(data)
    for phase in data["phases"]:
        phase["seconds"] = [each / 20 if phase["phase"] == "index" else each * 20 for each in phase["seconds"]]
    saved.write_text(json.dumps(data), "utf-8")
    compared = olmsolve(*arguments, "--against", saved)
    assert compared.code == 1
    assert "index has become slower: it takes" in compared.err
    assert compared.err.count("has become slower") == 1
    assert "; 1 process, CPU time, " in " ".join(compared.out.split())
    assert compared.out.count("faster") == 3
