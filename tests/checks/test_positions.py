"""Findings point at the fault: file, line and column of the field, in every layout that a catalog can have."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from olmsolve.authoring.checks import mend, validate
from olmsolve.catalog.fbc import from_blobs, rendered

BLOBS: Final[list[dict[str, Any]]] = [
    {
        "schema": "olm.package",
        "name": "p",
        "defaultChannel": "c",
        "description": "\U0001f600 é\nlines: [x]",
        "icon": {"base64data": "", "mediatype": "image/png"},
    },
    {
        "schema": "olm.channel",
        "package": "p",
        "name": "c",
        "entries": [
            {"name": "p.v1.0.0"},
            {"name": "p.v1.1.0", "replaces": "p.v1.0.0", "skips": ["p.v1.0.1"], "skipRange": "<1.1.0"},
        ],
    },
    *(
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": f"p.v{version}",
            "image": "q.io/p:1",
            "properties": [
                {"type": "mine", "value": {"a": [1, {"b": "}{"}], "text": "x\n---\ny"}},
                {"type": "olm.package", "value": {"packageName": "p", "version": version}},
            ],
            "relatedImages": [{"image": "q.io/p:1", "name": "operator"}],
        }
        for version in ("1.0.0", "1.1.0")
    ),
    {
        "schema": "olm.deprecations",
        "package": "p",
        "entries": [{"message": "m", "reference": {"name": "p.v1.0.0", "schema": "olm.bundle"}}],
    },
]
LAYOUTS: Final = {
    "lines": lambda blobs: "\n".join(map(json.dumps, blobs)) + "\n",
    "unescaped": lambda blobs: "\n".join(json.dumps(blob, ensure_ascii=False) for blob in blobs),
    "pretty": lambda blobs: "\n".join(json.dumps(blob, indent=4) for blob in blobs),
    "ours": lambda blobs: "".join(f"---\n{yaml.safe_dump(blob, sort_keys=False)}" for blob in blobs),
    "flow": lambda blobs: "---\n" + "\n---\n".join(yaml.safe_dump(blob, default_flow_style=True) for blob in blobs),
    "comments": lambda blobs: "---\n# a comment\n\n" + "\n---\n# more\n".join(map(_commented, blobs)),
}
UNNAMED: Final = {"name", "type"}  # with a letter more, other texts of the blobs have them too


def _commented(blob: dict[str, Any]) -> str:
    return yaml.safe_dump(blob, allow_unicode=True, sort_keys=False).replace("\n", "\n\n# between\n", 1)


def misspellings(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of all documented fields, which the tests misspell one by one."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from misspellings(element, (*path, index))
    elif isinstance(value, dict) and "value" not in path:
        for key, element in value.items():
            if key not in UNNAMED and (path or key != "schema"):
                yield (*path, key)
            yield from misspellings(element, (*path, key))


def changed(value: Any, path: tuple[str | int, ...], key: str) -> Any:
    """Return a copy of *value* in which the field at *path* is called *key*."""
    step, *rest = path
    if isinstance(value, list):
        return [changed(item, tuple(rest), key) if index == step else item for index, item in enumerate(value)]
    if rest:
        return {name: changed(child, tuple(rest), key) if name == step else child for name, child in value.items()}
    return {key if name == step else name: child for name, child in value.items()}


CASES: Final = [(number, path) for number, blob in enumerate(BLOBS) for path in misspellings(blob)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_columns_of_misspelt_fields(layout: str, tmp_path: Path) -> None:
    """Each documented field misspelt, at every depth: the finding is where the text has it, and its fix mends it."""
    file = tmp_path / "catalog"
    for number, path in CASES:
        key = f"{path[-1]}Z"
        text = LAYOUTS[layout]([changed(blob, path, key) if n == number else blob for n, blob in enumerate(BLOBS)])
        file.write_text(text, "utf-8")
        before = text[: text.index(key)].removesuffix('"')
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        # Where errors follow from the misspelling, one of them is told there.
        findings = validate(file, advice=False)
        misspelt = [finding for finding in findings if key in finding.property]
        assert [str(finding.origin) for finding in misspelt] == [f"{file}:{line}:{column}"], path
        # What is mended is the text without the misspelling, to the character.
        (mended,) = mend(findings)
        assert mended.after == LAYOUTS[layout](BLOBS), path


VALUES: Final[dict[str, tuple[int, tuple[str | int, ...], str, str]]] = {
    # the code of the fault: the blob, the path of its field, the field's name and the wrong value
    "default-channel-unknown": (0, ("defaultChannel",), "defaultChannel", "wrong-channel"),
    "skip-range-invalid": (1, ("entries", 1, "skipRange"), "skipRange", "wrong-range"),
    "image-invalid": (2, ("image",), "image", "q.io/Wrong"),
    "version-invalid": (3, ("properties", 1, "value", "version"), "version", "wrong-version"),
    "package-property-mismatch": (2, ("properties", 1, "value", "packageName"), "packageName", "wrong-package"),
    "deprecation-unknown": (4, ("entries", 0, "reference", "name"), "name", "wrong-bundle"),
    "deprecation-schema-unknown": (4, ("entries", 0, "reference", "schema"), "schema", "wrong-schema"),
    "icon-data": (0, ("icon", "base64data"), "base64data", "wrong-data"),
}


def _put(value: Any, path: tuple[str | int, ...], new: str) -> Any:
    step, *rest = path
    if isinstance(value, list):
        return [_put(item, tuple(rest), new) if index == step else item for index, item in enumerate(value)]
    return {**value, step: _put(value[step], tuple(rest), new) if rest else new}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("code", VALUES)
def test_columns_of_wrong_values(layout: str, code: str, tmp_path: Path) -> None:
    """A wrong value is found at its field: the last of that name before the value in the text."""
    number, path, field, wrong = VALUES[code]
    text = LAYOUTS[layout]([_put(blob, path, wrong) if n == number else blob for n, blob in enumerate(BLOBS)])
    file = tmp_path / "catalog"
    file.write_text(text, "utf-8")
    before = text[: text.rindex(field, 0, text.index(wrong))].removesuffix('"')
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    findings = [finding for finding in validate(file, advice=False) if finding.code == code]
    assert [str(finding.origin) for finding in findings] == [f"{file}:{line}:{column}"]


def test_there_are_a_hundred_columns() -> None:
    """The test above would pass without a single field."""
    assert len(CASES) * len(LAYOUTS) > 100


def test_several_documents_on_one_line_have_no_columns(tmp_path: Path) -> None:
    """Which of them a column would belong to is not known; the line is."""
    (tmp_path / "catalog").write_text("".join(json.dumps({**blob, "nam": 1}) for blob in BLOBS))
    assert {finding.origin and finding.origin.column for finding in validate(tmp_path)} == {None}


def test_files_of_archives_and_folders(tmp_path: Path) -> None:
    """Positions come from the text, wherever it is; a stream and a loaded catalog have lines of documents."""
    text = "".join(rendered(from_blobs(BLOBS))).replace("defaultChannel", "defaultChanel")
    (tmp_path / "folder" / "sub").mkdir(parents=True)
    (tmp_path / "folder" / "sub" / "a.json").write_text(text)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("sub/a.json")
        member.size = len(text.encode())
        archive.addfile(member, io.BytesIO(text.encode()))
    for path in (tmp_path / "folder", tmp_path / "a.tar.gz"):
        (finding,) = [finding for finding in validate(path, advice=False) if "defaultChanel" in finding.property]
        assert finding.origin is not None
        assert text.splitlines()[(finding.origin.line or 0) - 1][(finding.origin.column or 0) :].startswith(
            "defaultChanel"
        )
