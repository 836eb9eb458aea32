"""YAML as opm prints it: the order of its keys, its numbers and its quotes, as recorded of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from olmsolve.catalog.fbc import opm_yaml_text
from tests.cli.commands import runner
from tests.recorded import VENDORED, Record, records

# What ``opm render -o yaml`` (operator-registry 1.73.0) printed of an olm.test with the value in its field v. Left out:
# a byte-order mark, behind which goyaml escapes a letter, and U+0085, which it prints as it is.
RECORDS = records(VENDORED / "opm_printed_yaml.jsonl.gz")


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: repr(record["value"])[:40])
def test_values_are_printed_as_recorded(record: Record) -> None:
    """Whoever compares files with those of opm compares bytes."""
    assert opm_yaml_text({"schema": "olm.test", "v": record["value"]}) == record["text"]


def test_the_commands_print_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """For every command that writes a catalog, to standard output or a file, and not for folders."""
    blob = {"schema": "olm.package", "name": "p", "defaultChannel": "a: b"}
    (tmp_path / "c.json").write_text(json.dumps(blob))
    olmsolve = runner(capsys)
    expected = "---\ndefaultChannel: 'a: b'\nname: p\nschema: olm.package\n"
    assert olmsolve("render", tmp_path / "c.json", "-o", "opm-yaml").out == expected
    new = tmp_path / "new.yaml"
    assert olmsolve("catalog", "merge", tmp_path / "c.json", "-o", "opm-yaml", "--to", new).code == 0
    assert new.read_text() == expected
    refused = olmsolve("catalog", "merge", tmp_path / "c.json", "-o", "opm-yaml", "--split", tmp_path / "folder")
    assert refused.code == 2
    assert "is for one text, and not for folders of packages" in refused.err
