"""What ``--fix`` makes of a file: the field that is wrong changes, and not one character beside it."""

from __future__ import annotations

import copy
import gzip
from pathlib import Path

import pytest

from olmsolve import validate
from olmsolve.authoring.checks import Edit, FieldFix, Severity, mend
from olmsolve.authoring.checks.findings import mended

CATALOG = """\
# The catalog of one store.
schema: olm.package
name: etcd
defaultChannel: stable
---
schema: olm.channel
package: etcd
name: stable
entries:
  - name: etcd.v1.0.0
  - name: etcd.v1.1.0
    replaces: etcd.v1.0.0
---
schema: olm.bundle
package: etcd
name: etcd.v1.0.0
image: quay.io/etcd/etcd:1.0.0
properties:
  - type: olm.package
    value: {packageName: etcd, version: 1.0.0}
---
schema: olm.bundle
package: etcd
name: etcd.v1.1.0
image: quay.io/etcd/etcd:1.1.0
properties:
  - type: olm.package
    value: {packageName: etcd, version: 1.1.0}
---
schema: olm.deprecations
package: etcd
entries:
  - reference: {schema: olm.bundle, name: etcd.v1.0.0}
    message: "old"
"""

ENTRY = "  - name: etcd.v1.1.0\n    replaces: etcd.v1.0.0\n"
FLOW = "  - {name: etcd.v1.1.0, replaces: etcd.v1.0.0}\n"

MENDED = {
    # What is wrong: the text in the catalog, what is written in its place, and what a fix makes of that.
    "an empty field on a line of its own": (ENTRY, ENTRY + "    skipRange: ''\n", ENTRY),
    "an empty field behind the dash": (
        ENTRY,
        "  - skipRange: ''\n    name: etcd.v1.1.0\n    replaces: etcd.v1.0.0\n",
        ENTRY,
    ),
    "an empty field first in braces": (ENTRY, FLOW.replace("{", '{skipRange: "", '), FLOW),
    "an empty field between others": (ENTRY, FLOW.replace(", r", ', skipRange: "", r'), FLOW),
    "an empty field last in braces": (ENTRY, FLOW.replace("}", ', skipRange: ""}'), FLOW),
    "an empty field on a line in braces": (
        ENTRY,
        "  - {name: etcd.v1.1.0,\n     skipRange: '',\n     replaces: etcd.v1.0.0}\n",
        "  - {name: etcd.v1.1.0,\n     replaces: etcd.v1.0.0}\n",
    ),
    "a name in single quotes": ("replaces: etcd.v1.0.0", "replaces: 'etcd.v1.O.0'", "replaces: 'etcd.v1.0.0'"),
    "a name in double quotes": ("replaces: etcd.v1.0.0", 'replaces: "etcd.v1.O.0"', 'replaces: "etcd.v1.0.0"'),
    "a name without quotes": ("replaces: etcd.v1.0.0", "replaces: etcd.v1.O.0 # the last", None),
}


def _mended(file: Path) -> str:
    [mended] = mend(validate(file))
    assert (mended.path, mended.before) == (str(file), file.read_text("utf-8"))
    return mended.after


@pytest.mark.parametrize("name", MENDED)
def test_the_rest_of_the_file_stays(tmp_path: Path, name: str) -> None:
    """Comments, order, quotes and indentation belong to the author."""
    right, wrong, meant = MENDED[name]
    file = tmp_path / "catalog.yaml"
    file.write_text(CATALOG.replace(right, wrong, 1), "utf-8")
    expected = wrong.replace("O", "0") if meant is None else meant
    assert _mended(file) == CATALOG.replace(right, expected, 1)


def test_deprecations_lose_their_name(tmp_path: Path) -> None:
    """A rule of the documented schema about the whole blob: the line goes."""
    named = "schema: olm.deprecations\nname: etcd\n"
    file = tmp_path / "catalog.yaml"
    file.write_text(CATALOG.replace("schema: olm.deprecations\n", named), "utf-8")
    assert _mended(file) == CATALOG


def test_numbers_get_quotes_as_they_are_written(tmp_path: Path) -> None:
    """1.10 is not 1.1: what the author wrote counts, not what YAML made of it. Two fields of one file are two edits."""
    file = tmp_path / "catalog.yaml"
    text = CATALOG.replace("name: stable\n", "name: 1.10\n").replace("defaultChannel: stable", 'defaultChannel: "1.10"')
    text = text.replace("schema: olm.bundle, name: etcd.v1.0.0", "schema: olm.channel, name: 1.10")
    file.write_text(text, "utf-8")
    assert _mended(file) == text.replace("name: 1.10", 'name: "1.10"')
    file.write_text(_mended(file), "utf-8")
    assert [finding for finding in validate(file) if finding.severity is Severity.ERROR] == []


def test_files_that_cannot_be_mended_are_left_out(tmp_path: Path) -> None:
    """A compressed file has no text to edit, and one that is gone has nobody to tell."""
    wrong = CATALOG.replace("replaces: etcd.v1.0.0", "replaces: etcd.v1.O.0")
    packed = tmp_path / "catalog.yaml.gz"
    packed.write_bytes(gzip.compress(wrong.encode()))
    assert any(finding.fixes for finding in validate(packed))
    assert mend(validate(packed)) == ()
    file = tmp_path / "catalog.yaml"
    file.write_text(wrong, "utf-8")
    findings = validate(file)
    file.unlink()
    assert mend(findings) == ()


def test_a_file_that_changed_since_is_left_alone(tmp_path: Path) -> None:
    """Findings have positions: after another edit they would point at something else."""
    file = tmp_path / "catalog.yaml"
    file.write_text(CATALOG.replace("replaces: etcd.v1.0.0", "replaces: etcd.v1.O.0"), "utf-8")
    findings = validate(file)
    for other in ("schema: olm.package\nname: etcd\n", "a: [\n" * 30, "\n" * 40 + "schema: x\n"):
        file.write_text(other, "utf-8")
        assert mend(findings) == ()


def test_fixes_say_what_they_do() -> None:
    """Programs print them beside the finding."""
    fixes = [FieldFix(edit, ("name",), text) for edit, text in zip(Edit, ("name", "etcd", "", ""), strict=True)]
    assert [str(fix) for fix in fixes] == [
        "rename the field to name",
        "write etcd",
        "put the value in quotes",
        "leave the field out",
    ]


BLOB = {"Name": "a", "entries": [{"name": "b", "skips": []}], "version": 1.1}


@pytest.mark.parametrize(
    ("fix", "after"),
    [
        (FieldFix(Edit.RENAME, ("name",), "name"), {"name": "a", "entries": BLOB["entries"], "version": 1.1}),
        (FieldFix(Edit.RENAME, ("version",), "entries"), BLOB),
        (FieldFix(Edit.SET, ("entries", 0, "name"), "c"), {**BLOB, "entries": [{"name": "c", "skips": []}]}),
        (FieldFix(Edit.SET, ("entries", 0), "c"), {**BLOB, "entries": ["c"]}),
        (FieldFix(Edit.REMOVE, ("entries", 0, "skips")), {**BLOB, "entries": [{"name": "b"}]}),
        (FieldFix(Edit.REMOVE, ("entries", 0)), BLOB),
        (FieldFix(Edit.QUOTE, ("version",)), {**BLOB, "version": None}),
        # What does not apply changes nothing.
        (FieldFix(Edit.SET, ("entries", 1, "name"), "c"), BLOB),
        (FieldFix(Edit.SET, ("version", "name"), "c"), BLOB),
        (FieldFix(Edit.REMOVE, ("skips",)), BLOB),
    ],
    ids=str,
)
def test_a_fix_as_data(fix: FieldFix, after: dict[str, object]) -> None:
    """The file is compared with this before it is written; the blob itself stays as it was."""
    before = copy.deepcopy(BLOB)
    assert mended(before, [fix]) == after
    assert before == BLOB
